//! The pages of a PDF, as a person names them and as commands of poppler read them.

use std::ops::RangeInclusive;

/// Returns the reason why a program did not run, with advice for a person who does not have it.
pub(crate) fn advised(why: String) -> String {
    match why.contains("cannot find the program") {
        true => format!(
            "{why}: install poppler (the package `poppler-utils` of Debian, Ubuntu and Fedora, `poppler` elsewhere)"
        ),
        false => why,
    }
}

/// The most commands for one PDF, whose pages may be empty.
pub(crate) const MOST_COMMANDS: usize = 50;

/// The most pages that one command reads.
const PAGES: u32 = 20;

/// Parses `3`, `2-5` and `1,4-6`.
pub(crate) fn parse(text: &str) -> Option<Vec<RangeInclusive<u32>>> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse().ok()?);
        (1..=last).contains(&first).then_some(first..=last)
    };
    text.split(',').map(range).collect()
}

/// Returns the number of pages in the output of `pdfinfo`.
pub(crate) fn page_count(info: &str) -> Option<u32> {
    let count = info.lines().find_map(|line| line.strip_prefix("Pages:")?.trim().parse::<u32>().ok());
    count.filter(|count| *count > 0)
}

/// Splits ranges of a PDF with `count` pages into the first and the last page of each command. Returns one more than
/// [`MOST_COMMANDS`] if there are more.
pub(crate) fn first_and_last(ranges: &[RangeInclusive<u32>], count: u32) -> Vec<(u32, u32)> {
    let split = |range: &RangeInclusive<u32>| {
        let last = count.min(*range.end());
        (*range.start()..=last)
            .step_by(PAGES as usize)
            .map(move |first| (first, last.min(first.saturating_add(PAGES - 1))))
    };
    ranges.iter().flat_map(split).take(MOST_COMMANDS + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read_twenty_at_a_time() {
        let read = |pages: &str, count| parse(pages).map(|ranges| first_and_last(&ranges, count));
        assert_eq!(read("3", 9), Some(vec![(3, 3)]));
        assert_eq!(read("1,4-6", 5), Some(vec![(1, 1), (4, 5)]));
        assert_eq!(read("2-45", 100), Some(vec![(2, 21), (22, 41), (42, 45)]));
        assert_eq!(read("7", 5), Some(vec![]));
        assert_eq!(read("1-4294967295", u32::MAX).map(|commands| commands.len()), Some(51));
        for wrong in ["", "0", "5-2", "a", "1,,2", "1-", "-3", "4294967296"] {
            assert_eq!(read(wrong, 9), None, "{wrong}");
        }
        assert_eq!(page_count("Title: a\nPages:          25\n"), Some(25));
        assert_eq!(page_count("Pages: 0\n"), None);
    }
}
