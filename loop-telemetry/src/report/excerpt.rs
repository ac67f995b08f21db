//! Cuts a text to the size that a page allows.

/// Returns the text, or its two ends in at most `max_bytes` around a notice with the number of bytes left out.
///
/// It cuts and words the notice as `loop_agents::output::excerpt` does for the agent's output on the same page.
pub(super) fn excerpt(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let mut end = max_bytes / 2;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut start = text.len() - (max_bytes - end);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    format!("{}\n[... {} bytes left out ...]\n{}", &text[..end], start - end, &text[start..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_ends_are_kept() {
        assert_eq!(excerpt("all of it", 100), "all of it");
        assert_eq!(excerpt("h\u{e9}ad, and the end", 6), "h\u{e9}\n[... 12 bytes left out ...]\nend");
    }

    proptest! {
        #[test]
        fn an_excerpt_is_bounded_and_accounts_for_every_byte(text in "[a\u{e9}\u{1f980}]{0,40}", max in 0..60_usize) {
            let cut = excerpt(&text, max);
            match cut.split_once("\n[... ") {
                None => prop_assert_eq!(cut, text),
                Some((head, rest)) => {
                    let (count, tail) = rest.split_once(" bytes left out ...]\n").expect("the notice");
                    prop_assert!(head.len() + tail.len() <= max);
                    prop_assert!(text.starts_with(head) && text.ends_with(tail));
                    prop_assert_eq!(head.len() + tail.len() + count.parse::<usize>().expect("a number"), text.len());
                }
            }
        }
    }
}
