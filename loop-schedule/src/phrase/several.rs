//! Several times of day that no single expression has: `every day at 9 and 17:30`.

use super::{
    clock::ClockTime,
    nearest::form,
    word::{Word, joined},
};

/// Words between two times of a list.
const LINKS: &[&str] = &["and", "&", "or", "at", "@", "then"];

/// Returns one form for each time of a list. `None` if the words are no list, or have a part that no form keeps.
pub(super) fn forms(words: &[Word]) -> Option<Vec<String>> {
    let is_after_at = |at: usize| at > 0 && words[at - 1].is(&["at", "@"]);
    let first = (0..words.len()).find(|at| {
        ClockTime::plain(&words[*at..]).is_some_and(|(time, _)| time.is_exact || is_after_at(*at))
    })?;
    let (mut spans, mut at) = (Vec::new(), first);
    while let Some((_, length)) = words.get(at..).and_then(ClockTime::plain) {
        spans.push(at..at + length);
        at += length;
        let links = words[at..].iter().take(3).take_while(|word| word.is(LINKS)).count();
        // `9 5 times` is no list.
        let next = words.get(at + links..).and_then(ClockTime::plain);
        if !next.is_some_and(|(time, _)| links > 0 || time.is_exact || goes_on(&words[at..])) {
            break;
        }
        at += links;
    }
    if spans.len() < 2 {
        return None;
    }
    let one = |span: &std::ops::Range<usize>| {
        let parts = [&words[..first], &words[span.clone()], &words[at..]];
        let text = parts.map(joined).join(" ");
        form(&Word::all(&text))
    };
    spans.iter().map(one).collect()
}

/// Returns whether hours without minutes lead to `and` and one more time: `12 and 17:30`, behind `9:15,`.
fn goes_on(words: &[Word]) -> bool {
    let Some((_, length)) = ClockTime::plain(words) else { return false };
    let rest = &words[length..];
    let is_last = || ClockTime::plain(&rest[1..]).is_some();
    rest.first().is_some_and(|link| if link.is(&["and", "&", "or"]) { is_last() } else { goes_on(rest) })
}
