//! The findings of a runner: counts, names and an error.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

/// The maximum number of names.
const MOST_NAMES: usize = 200;

/// The maximum length of a name or an error, in characters.
const LONGEST: usize = 200;

/// The findings of a runner in an output.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) tally: Tally,
    pub(super) failing: Names,
    pub(super) errors: Names,
}

impl Findings {
    pub(super) fn is_empty(&self) -> bool {
        !self.tally.is_seen() && self.failing.is_empty() && self.errors.is_empty()
    }

    /// Notes an error that kept tests from running, with its place in front: `a.js: SyntaxError: no`.
    pub(super) fn error(&mut self, error: &str) {
        self.errors.push(error);
    }

    /// Adds what another runner found.
    pub(super) fn and(mut self, other: Self) -> Self {
        // An error alone says nothing about the number of tests. Beside failing tests, it is one of what they printed.
        if other.tally.is_seen() || !other.failing.is_empty() {
            match (self.tally.is_seen(), self.failing.is_empty()) {
                (false, true) => self.tally = other.tally,
                _ => self.tally.join(other.tally),
            }
        } else if !self.failing.is_empty() {
            // Node names a file that it cannot run as a failed test.
            let explained = |error: &&String| self.failing.list.iter().any(|name| is_file_of(name, error));
            self.errors.extend(other.errors.list.iter().filter(explained));
            return self;
        }
        self.failing.append(other.failing);
        self.errors.append(other.errors);
        self
    }
}

/// The sum of the counts in an output. It has no value once a count is in doubt.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Tally {
    summaries: u32,
    failed: u64,
    passed: Option<u64>,
    errors: u64,
    has_gap: bool,
    is_doubtful: bool,
}

impl Tally {
    /// Adds the counts of one run. `passed` is `None` if the run does not state it.
    pub(super) fn add(&mut self, failed: u64, passed: impl Into<Option<u64>>) {
        let before = if self.summaries == 0 { Some(0) } else { self.passed };
        self.passed = before.zip(passed.into()).and_then(|(one, other): (u64, u64)| one.checked_add(other));
        self.failed = self.failed.saturating_add(failed);
        self.summaries = self.summaries.saturating_add(1);
    }

    /// Adds errors that are stated beside the failed tests, as those of fixtures are.
    pub(super) fn add_errors(&mut self, errors: u64) {
        self.errors = self.errors.saturating_add(errors);
    }

    /// Adds tests that are stated beside the failed ones, as cancelled tests are.
    pub(super) fn add_failed(&mut self, failed: u64) {
        self.failed = self.failed.saturating_add(failed);
    }

    /// Makes the number of all tests unknown.
    pub(super) fn doubt_total(&mut self) {
        self.passed = None;
    }

    /// Makes the counts unknown.
    pub(super) fn doubt(&mut self) {
        self.is_doubtful = true;
    }

    /// Notes that a part of the output is missing. The only summary of an output is still right: a runner prints it for
    /// the whole run. If there are several, more of them may be missing.
    pub(super) fn gap(&mut self) {
        self.has_gap = true;
    }

    /// Returns true if the output contains a summary, doubtful or not.
    pub(super) fn is_seen(&self) -> bool {
        self.summaries > 0 || self.is_doubtful
    }

    fn join(&mut self, other: Self) {
        self.is_doubtful |= other.is_doubtful || self.summaries == 0 || other.summaries == 0;
        self.has_gap |= other.has_gap;
        self.passed = self.passed.zip(other.passed).and_then(|(one, other)| one.checked_add(other));
        self.failed = self.failed.saturating_add(other.failed);
        self.errors = self.errors.saturating_add(other.errors);
        self.summaries = self.summaries.saturating_add(other.summaries);
    }

    /// Returns the number of errors that are stated.
    pub(super) fn errors(self) -> u64 {
        self.errors
    }

    /// Returns the number of failed tests, and of failed and passed ones.
    pub(super) fn known(self) -> (Option<u64>, Option<u64>) {
        let is_known = self.summaries > 0 && !self.is_doubtful && !(self.has_gap && self.summaries > 1);
        let failed = is_known.then_some(self.failed);
        (failed, failed.zip(self.passed).and_then(|(failed, passed)| failed.checked_add(passed)))
    }
}

/// Names of tests, or errors, each once.
#[derive(Debug, Default)]
pub(super) struct Names {
    list: Vec<String>,
    known: HashSet<String>,
    has_more: bool,
}

impl Names {
    /// Adds a name.
    pub(super) fn push(&mut self, name: &str) {
        let name = shorten(name.trim(), LONGEST);
        if name.is_empty() || self.known.contains(&name) {
            return;
        }
        if self.list.len() == MOST_NAMES {
            self.has_more = true;
            return;
        }
        self.known.insert(name.clone());
        self.list.push(name);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn append(&mut self, other: Self) {
        self.has_more |= other.has_more;
        self.extend(other.list);
    }

    /// Returns the names, and whether some were left out.
    pub(super) fn into_list(self) -> (Vec<String>, bool) {
        (self.list, self.has_more)
    }
}

impl<T: AsRef<str>> Extend<T> for Names {
    fn extend<I: IntoIterator<Item = T>>(&mut self, names: I) {
        names.into_iter().for_each(|name| self.push(name.as_ref()));
    }
}

/// Returns the names of tests, each with its owner, such as a package or a program. A name of several owners gets its
/// owner in front, without the first `shared` bytes.
pub(super) fn with_owners(tests: &[(String, String)], shared: usize) -> Vec<String> {
    let mut owners = HashMap::<&str, HashSet<&str>>::new();
    for (owner, test) in tests {
        owners.entry(test).or_default().insert(owner);
    }
    let name = |(owner, test): &(String, String)| match owners[test.as_str()].len() {
        0 | 1 => test.clone(),
        _ => format!("{} > {test}", &owner[shared..]),
    };
    tests.iter().map(name).collect()
}

/// Cuts a text to at most `width` characters, the last of which is then `…`.
pub(super) fn shorten(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        Some(_) => text.chars().take(width.saturating_sub(1)).chain((width > 0).then_some('…')).collect(),
        None => text.to_owned(),
    }
}

/// Parses counts such as `2 failed, 1 passed`. Returns `None` if a part is not a number with a word.
pub(super) fn figures(text: &str, separator: char) -> Option<Vec<(u64, &str)>> {
    let part = |part: &'_ str| -> Option<(u64, usize)> {
        let (number, word) = part.split_once(' ')?;
        Some((number.parse().ok()?, part.len() - word.len()))
    };
    let parts = text.split(separator).map(str::trim);
    parts.map(|text| part(text).map(|(number, word)| (number, text[word..].trim()))).collect()
}

/// Returns the sum of the counts with one of these words.
pub(super) fn sum(figures: &[(u64, &str)], words: &[&str]) -> u64 {
    let counts = figures.iter().filter(|(_, word)| words.contains(word)).map(|(number, _)| *number);
    counts.fold(0, u64::saturating_add)
}

/// Removes texts in brackets: `2 passed (1 slow), 1 failed` becomes `2 passed , 1 failed`.
pub(super) fn without_brackets(text: &str) -> Cow<'_, str> {
    if !text.contains('(') {
        return Cow::Borrowed(text);
    }
    let mut depth = 0_u32;
    let kept = text.chars().filter(|sign| match sign {
        '(' => {
            depth = depth.saturating_add(1);
            false
        }
        ')' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0,
    });
    Cow::Owned(kept.collect())
}

/// Returns a line without a time in brackets at its end: `adds (1.2ms)` becomes `adds`.
pub(super) fn without_time(line: &str) -> &str {
    match line.rsplit_once(" (") {
        Some((before, time))
            if time.ends_with("s)") && time.starts_with(|sign: char| sign.is_ascii_digit()) =>
        {
            before
        }
        _ => line,
    }
}

/// Returns true if a line begins as errors of Python and JavaScript do: `TypeError: no`, `AssertionError [CODE]: no`.
pub(super) fn is_exception(line: &str) -> bool {
    let Some((kind, _)) = line.split_once(": ") else { return false };
    let name = kind.split_once(" [").map_or(kind, |(name, _)| name);
    let is_name = name.chars().all(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '.'));
    is_name && (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("NotFound"))
}

/// Returns true if a test has the name of the file in which this error is: `a.test.js` for `/p/a.test.js:1: no`.
pub(super) fn is_file_of(name: &str, error: &str) -> bool {
    let place = error.split_once(": ").map_or(error, |(place, _)| place);
    let file = place.rsplit_once(':').map_or(place, |(file, _)| file);
    name.contains('.')
        && file.strip_suffix(name).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubtful_count_is_none() {
        let mut tally = Tally::default();
        assert_eq!((tally.is_seen(), tally.known()), (false, (None, None)));
        tally.add(1, 2);
        assert_eq!(tally.known(), (Some(1), Some(3)));
        tally.gap();
        assert_eq!(tally.known(), (Some(1), Some(3)));
        tally.add(0, None);
        assert_eq!(tally.known(), (None, None));
        let mut tally = Tally::default();
        tally.add(1, None);
        assert_eq!(tally.known(), (Some(1), None));
        tally.add(u64::MAX, 1);
        tally.doubt();
        assert_eq!((tally.is_seen(), tally.known()), (true, (None, None)));
    }

    #[test]
    fn counts_are_read_only_if_all_of_them_are_counts() {
        assert_eq!(figures("2 failed, 1 passed", ','), Some(vec![(2, "failed"), (1, "passed")]));
        assert_eq!(figures("2 failed, passed", ','), None);
        assert_eq!(figures("99999999999999999999 failed", ','), None);
        assert_eq!(without_brackets("2 passed (1 slow, (x)), 1 failed"), "2 passed , 1 failed");
        assert_eq!(without_time("adds (x) (1.2ms)"), "adds (x)");
        assert_eq!(without_time("adds (xs)"), "adds (xs)");
    }

    #[test]
    fn a_text_is_cut_to_its_width() {
        let cut = [0, 1, 3, 4, 5].map(|width| shorten("élan", width));
        assert_eq!(cut, ["", "…", "él…", "élan", "élan"]);
    }
}
