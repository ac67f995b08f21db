//! Suggests known words for an unknown one.

/// The candidate whose name is nearest to `written`, if one is near enough to be meant.
pub fn closest<'a, T: Copy>(
    written: &str,
    candidates: impl IntoIterator<Item = T>,
    name: impl Fn(T) -> &'a str,
) -> Option<T> {
    let plain = plain(written);
    candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(&plain, &self::plain(name(candidate)))?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns how far a known word is from the written one, if it is near enough to be meant.
pub(crate) fn nearness(written: &str, known: &str) -> Option<usize> {
    distance(&plain(written), &plain(known))
}

/// The label under a word that is not known, when `meant` is the known one that is nearest.
pub(crate) fn suggestion(meant: Option<&str>) -> String {
    meant.map_or_else(|| "unknown".to_owned(), |meant| format!("did you mean `{meant}`?"))
}

/// Normalises spelling: `maxIterations`, `max-iterations` and `MAX_ITERATIONS` are the same word to their writer.
fn plain(word: &str) -> String {
    word.chars().filter(|sign| !matches!(sign, '_' | '-')).flat_map(char::to_lowercase).collect()
}

fn distance(written: &str, known: &str) -> Option<usize> {
    let distance = strsim::osa_distance(written, known);
    let slips = written.chars().count().max(3) / 3;
    let part = written.len() >= 4 && (known.contains(written) || written.contains(known));
    (distance <= slips || part).then_some(distance)
}
