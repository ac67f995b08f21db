//! Whether a formatter printed the file, or something else.

use std::collections::HashMap;

/// One word in this many may be missing.
const ALLOWED_SHARE: usize = 10;

/// Returns whether a text still has the words of another one. A formatter moves words, and replaces few of them. A message
/// of an error has other words, and an empty file has none.
pub(super) fn keeps_words(old: &str, new: &str) -> bool {
    let mut left: HashMap<&str, usize> = HashMap::new();
    words(new).for_each(|word| *left.entry(word).or_default() += 1);
    let (mut all, mut missing) = (0, 0);
    for word in words(old) {
        all += 1;
        match left.get_mut(word) {
            Some(count @ 1..) => *count -= 1,
            _ => missing += 1,
        }
    }
    missing * ALLOWED_SHARE <= all
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_error_message_is_no_file() {
        let file = "fn main() {\n    println!(\"hello\");\n}\n";
        assert!(keeps_words(file, "fn main() { println!(\"hello\") }\n"));
        assert!(!keeps_words(file, "error: expected one of `!` or `::`, found `main`\n"));
        assert!(!keeps_words(file, ""));
        assert!(keeps_words(" \n", ""));
    }

    proptest! {
        #[test]
        fn moved_words_are_kept(words in prop::collection::vec("[a-z0-9]{1,6}", 0..30), space in "[ \n\t]{1,3}") {
            let (old, mut moved) = (words.join(" "), words);
            moved.reverse();
            prop_assert!(keeps_words(&old, &moved.join(&space)));
        }
    }
}
