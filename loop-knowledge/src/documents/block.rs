//! The hits of a query as a text before a prompt.

use super::Hit;

/// The heading of the text.
const HEADING: &str = "### Context (from knowledge base)\n\n";

/// Follows the hits.
const END: &str = "---\n\n";

/// Returns the text that precedes a prompt: the hits with their numbers and sources, within a budget of tokens (4 bytes
/// each, rounded up). A hit that does not fit is left out, and later ones that fit are not. Returns `None` if no hit
/// fits.
///
/// ```
/// use loop_knowledge::documents::{Hit, context_block};
///
/// let (source, content) = ("notes.md".to_owned(), "Rye needs water.".to_owned());
/// let hit = Hit { id: 7, score: 0.8, source, first_line: 3, last_line: 4, label: None, content };
/// let block = context_block(&[hit], 100).unwrap();
/// assert_eq!(block, "### Context (from knowledge base)\n\n[1] notes.md:3-4\nRye needs water.\n\n---\n\n");
/// ```
#[must_use]
pub fn context_block(hits: &[Hit], tokens: u64) -> Option<String> {
    let budget = usize::try_from(tokens.saturating_mul(4)).unwrap_or(usize::MAX);
    let mut block = HEADING.to_owned();
    let mut number = 0;
    for hit in hits {
        let entry = format!(
            "[{}] {}:{}-{}\n{}\n\n",
            number + 1,
            hit.source,
            hit.first_line,
            hit.last_line,
            hit.content
        );
        if block.len() + entry.len() + END.len() <= budget {
            block.push_str(&entry);
            number += 1;
        }
    }
    block.push_str(END);
    (number > 0).then_some(block)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hit(content: String) -> Hit {
        Hit { id: 1, score: 1.0, source: "a".to_owned(), first_line: 1, last_line: 1, label: None, content }
    }

    proptest! {
        #[test]
        fn the_text_never_exceeds_the_budget(
            contents in prop::collection::vec("[aä漢]{1,200}", 0..8),
            tokens in 0_u64..400,
        ) {
            let hits: Vec<_> = contents.into_iter().map(hit).collect();
            let length = context_block(&hits, tokens).map_or(0, |block| block.len());
            prop_assert!(length.div_ceil(4) as u64 <= tokens);
        }
    }

    #[test]
    fn a_smaller_hit_after_one_that_does_not_fit_is_kept() {
        let block = context_block(&[hit("long ".repeat(100)), hit("short".to_owned())], 30).unwrap();
        assert!(block.contains("[1] a:1-1\nshort\n"), "{block}");
        assert_eq!(context_block(&[hit("short".to_owned())], 3), None);
    }
}
