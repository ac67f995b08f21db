//! The list of skills in a system prompt.

use super::Skill;

/// The maximum length of a description in the list, in characters.
const MAX_SENTENCE: usize = 80;

/// The maximum size of the list, in bytes.
const MAX_BYTES: usize = 4 << 10;

/// Marks a description that is cut.
const CUT: &str = "...";

/// Returns the list; `None` if there are no skills. Strangers write descriptions, so invisible characters are escaped.
pub(super) fn catalogue<'a>(skills: impl Iterator<Item = &'a Skill>) -> Option<String> {
    let lines: Vec<_> = skills.map(|skill| format!("- {}: {}", skill.name(), skill.summary())).collect();
    let whole = lines.join("\n");
    if whole.len() <= MAX_BYTES {
        return Some(whole).filter(|whole| !whole.is_empty());
    }
    let mut list = String::new();
    for (at, line) in lines.iter().enumerate() {
        let others = format!("({} more skills; `/skill list` shows all)", lines.len() - at);
        // The next line needs room for a remark that is one digit shorter at most, so this bound holds for it too.
        if list.len() + line.len() + 1 + others.len() + 1 > MAX_BYTES {
            return Some(list + &others);
        }
        list += line;
        list.push('\n');
    }
    Some(list)
}

/// Returns the first sentence in at most 80 characters, cut at a word.
pub(super) fn summary(description: &str) -> String {
    let line = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let ends = line.match_indices(". ").chain(line.match_indices("! ")).chain(line.match_indices("? "));
    let end = ends.map(|(at, _)| at + 1).min().unwrap_or(line.len());
    let sentence = &line[..end];
    if sentence.chars().count() <= MAX_SENTENCE {
        return sentence.to_owned();
    }
    let room = sentence.char_indices().nth(MAX_SENTENCE - CUT.len()).map_or(sentence.len(), |(at, _)| at);
    let cut = sentence[..room].rfind(' ').filter(|_| !sentence[room..].starts_with(' ')).unwrap_or(room);
    format!("{}{CUT}", sentence[..cut].trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_sentence_is_cut_at_a_word() {
        assert_eq!(summary("Reads PDF 1.7 files. Use it."), "Reads PDF 1.7 files.");
        assert_eq!(summary("Two\nlines"), "Two lines");
        let long = summary(&"word ".repeat(40));
        assert_eq!((long.len(), long.ends_with(" word...")), (77, true), "{long}");
        assert_eq!(summary(&"x".repeat(100)).len(), 80);
    }

    proptest! {
        #[test]
        fn a_summary_has_at_most_80_characters(text in "[\\w äß.!? ]{0,200}") {
            prop_assert!(summary(&text).chars().count() <= 80);
        }
    }
}
