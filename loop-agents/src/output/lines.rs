//! The lines of a Markdown text, inside and outside of fenced blocks.

use std::ops::Range;

/// A line of a Markdown text.
pub(crate) struct Line {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// Its place, without its end.
    pub(crate) place: Range<usize>,
    /// Whether it is inside of a fenced block.
    pub(crate) is_fenced: bool,
}

/// Returns the lines without the fences themselves.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line> + '_ {
    let mut at = 0;
    let mut fence: Option<(char, usize)> = None;
    text.split_inclusive('\n').enumerate().filter_map(move |(index, whole)| {
        let line = whole.trim_end_matches(['\n', '\r']);
        let place = at..at + line.len();
        at += whole.len();
        let is_mark = match (fence_mark(line), fence) {
            (Some((sign, length, _)), None) => {
                fence = Some((sign, length));
                true
            }
            (Some((sign, length, true)), Some((open, least))) if sign == open && length >= least => {
                fence = None;
                true
            }
            _ => false,
        };
        (!is_mark).then_some(Line { number: index + 1, place, is_fenced: fence.is_some() })
    })
}

/// Returns the sign and the length of a fence, and whether nothing follows it.
pub(crate) fn fence_mark(line: &str) -> Option<(char, usize, bool)> {
    let line = line.trim();
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let rest = line.trim_start_matches(sign);
    let length = line.len() - rest.len();
    (length >= 3 && !(sign == '`' && rest.contains('`'))).then(|| (sign, length, rest.trim().is_empty()))
}
