//! Fenced blocks.

use std::ops::Range;

/// A fenced block of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'a> {
    /// The text after the fence: a language, and then comma-separated words for the tests.
    pub info: &'a str,
    /// The text between the fences, with its last newline.
    pub text: &'a str,
    /// The file that the reader writes with it, from the line before it: `<!-- file: loop.yaml -->`.
    pub file: Option<&'a str>,
    /// The line of its fence in the page, from 1.
    pub line: usize,
    /// The position of its text in the page, in bytes.
    pub range: Range<usize>,
}

impl<'a> Block<'a> {
    /// Returns its language, which is empty if it has none.
    pub fn language(&self) -> &'a str {
        self.info.split(',').next().unwrap_or_default()
    }

    /// Returns whether this word follows its language.
    pub fn is(&self, word: &str) -> bool {
        self.info.split(',').skip(1).any(|found| found == word)
    }
}

/// Returns the fenced blocks of this text, in order. A fence must be at the beginning of a line.
///
/// # Panics
/// If a block is not closed.
pub(crate) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut open: Option<(&str, Block<'_>)> = None;
    let (mut offset, mut before) = (0, "");
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        let rest = line[ticks.len()..].trim();
        match &mut open {
            None if ticks.len() >= 3 => {
                let start = offset + line.len();
                let file =
                    before.trim().strip_prefix("<!-- file: ").and_then(|rest| rest.strip_suffix(" -->"));
                open =
                    Some((ticks, Block { info: rest, file, line: index + 1, text: "", range: start..start }));
            }
            Some((fence, block)) if ticks.len() >= fence.len() && rest.is_empty() => {
                block.range.end = offset;
                block.text = &text[block.range.clone()];
                found.extend(open.take().map(|(_, block)| block));
            }
            _ => {}
        }
        before = line;
        offset += line.len();
    }
    assert!(open.is_none(), "a block is not closed: {open:?}");
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_with_their_places() {
        let page = "# A\n\n<!-- file: loop.yaml -->\n```yaml,output\ngoal: x\n```\ntext `code`\n````text\n```\n````\n";
        let found = blocks(page);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].language(), found[0].file, found[0].line), ("yaml", Some("loop.yaml"), 4));
        assert!(found[0].is("output") && !found[0].is("yaml"));
        assert_eq!(&page[found[0].range.clone()], "goal: x\n");
        assert_eq!((found[1].text, found[1].file), ("```\n", None));
    }
}
