//! Fenced code blocks, as `CommonMark` defines them.

/// A fenced block of a Markdown text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FencedBlock {
    /// The first word after the opening fence, usually a language; may be empty.
    pub language: String,
    /// The content, without the last line break and without the fence's own indentation.
    pub content: String,
}

/// A line that opens or closes a block.
struct Fence<'a> {
    indent: usize,
    sign: char,
    length: usize,
    /// The text after the fence.
    info: &'a str,
}

impl<'a> Fence<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let rest = line.trim_start_matches(' ');
        let indent = line.len() - rest.len();
        let sign = rest.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let info = rest.trim_start_matches(sign);
        let length = rest.len() - info.len();
        // A line with more indentation is already code, and a line such as ```a``` is code within a sentence.
        let is_fence = indent <= 3 && length >= 3 && !(sign == '`' && info.contains('`'));
        is_fence.then(|| Self { indent, sign, length, info: info.trim() })
    }

    /// Returns whether the line closes the block: only a fence of the same character, at least as long and with no text
    /// after it, does. So a block can contain others.
    fn is_closed_by(&self, line: &str) -> bool {
        Fence::of(line)
            .is_some_and(|end| end.sign == self.sign && end.length >= self.length && end.info.is_empty())
    }
}

/// Returns the fenced blocks of a text, in order. A block that is not closed ends with the text.
///
/// ```
/// use loop_agents::chat::fenced_blocks;
/// let blocks = fenced_blocks("Look:\n```rust\nfn main() {}\n```\n");
/// assert_eq!((blocks[0].language.as_str(), blocks[0].content.as_str()), ("rust", "fn main() {}"));
/// ```
pub fn fenced_blocks(text: &str) -> Vec<FencedBlock> {
    Fenced::of(text).blocks
}

/// A text with fenced blocks.
#[derive(Debug)]
pub(super) struct Fenced {
    pub(super) blocks: Vec<FencedBlock>,
    /// Whether each block is closed, and no words follow the first one.
    pub(super) are_last: bool,
    /// Whether words precede the first block.
    pub(super) has_opening: bool,
}

impl Fenced {
    pub(super) fn of(text: &str) -> Self {
        let (mut blocks, mut are_last, mut has_opening) = (Vec::new(), true, false);
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(fence) = Fence::of(line) else {
                let is_blank = line.trim().is_empty();
                has_opening |= !is_blank && blocks.is_empty();
                are_last &= is_blank || blocks.is_empty();
                continue;
            };
            let mut is_closed = false;
            let within = lines.by_ref().take_while(|line| {
                is_closed = fence.is_closed_by(line);
                !is_closed
            });
            let content: Vec<_> = within.map(|line| unindented(line, fence.indent)).collect();
            let language = fence.info.split_whitespace().next().unwrap_or_default().to_owned();
            blocks.push(FencedBlock { language, content: content.join("\n") });
            are_last &= is_closed;
        }
        Self { blocks, are_last, has_opening }
    }
}

/// Removes up to `most` leading spaces from a line.
fn unindented(line: &str, most: usize) -> &str {
    let spaces = line.bytes().take(most).take_while(|byte| *byte == b' ').count();
    &line[spaces..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A block returns its exact content if its fence is longer than all fences within.
        #[test]
        fn a_block_holds_any_text(content in "[`~a \n]{0,40}", indent in 0..4_usize) {
            prop_assume!(!content.ends_with('\n'));
            let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or(0).max(2);
            let (space, fence) = (" ".repeat(indent), "`".repeat(longest + 1));
            let inner: String = content.split('\n').map(|line| format!("{space}{line}\n")).collect();
            let text = format!("before\n{space}{fence}json\n{inner}{space}{fence}\nafter");
            let block = FencedBlock { language: "json".into(), content };
            prop_assert_eq!(fenced_blocks(&text), [block]);
        }

        #[test]
        fn no_text_breaks_it(text in "[`~ a\n\r{}]{0,60}") {
            fenced_blocks(&text);
        }
    }
}
