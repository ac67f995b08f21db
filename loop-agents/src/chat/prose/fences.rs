//! Fenced blocks, as `CommonMark` has them.

/// A fenced block of a Markdown text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FencedBlock {
    /// The first word after the opening fence: a language, mostly. Empty if there is none.
    pub language: String,
    /// What is in it, without the last line's end. The fence's own indentation is taken off.
    pub content: String,
}

/// A fence that a line begins a block with, or ends one.
struct Fence<'a> {
    indent: usize,
    sign: char,
    length: usize,
    /// What stands after it.
    info: &'a str,
}

impl<'a> Fence<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let rest = line.trim_start_matches(' ');
        let indent = line.len() - rest.len();
        let sign = rest.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let info = rest.trim_start_matches(sign);
        let length = rest.len() - info.len();
        // Indented further it is code already; and a line such as ```a``` is code within a sentence.
        let is_fence = indent <= 3 && length >= 3 && !(sign == '`' && info.contains('`'));
        is_fence.then(|| Self { indent, sign, length, info: info.trim() })
    }

    /// Only as long a row of the same signs, with nothing after it, ends a block: so a block can hold others.
    fn is_closed_by(&self, line: &str) -> bool {
        Fence::of(line)
            .is_some_and(|end| end.sign == self.sign && end.length >= self.length && end.info.is_empty())
    }
}

/// The fenced blocks of a text, in their order. A block that is not closed ends with the text.
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
    /// Nothing stands around the blocks, and each has its end.
    pub(super) is_all: bool,
}

impl Fenced {
    pub(super) fn of(text: &str) -> Self {
        let (mut blocks, mut is_all) = (Vec::new(), true);
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(fence) = Fence::of(line) else {
                is_all &= line.trim().is_empty();
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
            is_all &= is_closed;
        }
        Self { blocks, is_all }
    }
}

/// A line without its first spaces, of which at most so many are taken.
fn unindented(line: &str, most: usize) -> &str {
    let spaces = line.bytes().take(most).take_while(|byte| *byte == b' ').count();
    &line[spaces..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever stands in a block comes out of it, if its fence is longer than all within.
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
