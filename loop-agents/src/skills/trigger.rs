//! Triggers: when a prompt calls for a skill.

use std::collections::HashSet;

use regex::{Regex, RegexBuilder};

/// The maximum size of a compiled pattern, in bytes. A front matter comes from strangers.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// Words that are in most prompts. An alternative of these words alone would fire at random.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "before", "being", "but", "by", "can", "could", "did", "do", "does", "doing", "for", "from",
    "had", "has", "have", "having", "he", "her", "here", "him", "his", "how", "i", "if", "in", "into", "is",
    "it", "its", "just", "me", "more", "most", "my", "of", "on", "or", "our", "please", "she", "should",
    "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "through", "to", "too", "us", "very", "was", "we", "were", "what", "when", "where", "which",
    "while", "who", "why", "will", "with", "would", "you", "your",
];

/// The prompts at which a skill is used without being named.
///
/// `/PATTERN/` is a regular expression that ignores case; letters after the second `/` mean nothing. Any other text is a
/// list of alternatives, separated by `|`, `,` or line ends. An alternative fires if all its words are in the prompt as
/// whole words, in any order. Words that most prompts contain, such as `the`, do not count.
///
/// ```
/// use loop_agents::skills::Trigger;
///
/// let trigger = Trigger::parse("release notes | changelog")?;
/// assert!(trigger.fires("Write the notes of this release!"));
/// assert!(!trigger.fires("Note the releases"));
/// assert!(!Trigger::parse("before this")?.fires("before this"));
/// assert!(Trigger::parse("/deploy(ed)? to prod/")?.fires("We DEPLOYED to prod"));
/// # Ok::<(), loop_agents::skills::TriggerError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Trigger {
    text: String,
    kind: TriggerKind,
}

#[derive(Debug, Clone)]
enum TriggerKind {
    Pattern(Regex),
    /// The words of each alternative.
    Words(Vec<Vec<String>>),
}

/// The pattern of a trigger is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("its pattern `{pattern}` is invalid: {problem}")]
pub struct TriggerError {
    pattern: String,
    problem: String,
}

impl Trigger {
    /// Parses a trigger.
    ///
    /// # Errors
    /// The pattern is not a regular expression, or its program would be larger than 1 MiB.
    pub fn parse(text: &str) -> Result<Self, TriggerError> {
        let text = text.trim();
        let kind = match pattern(text) {
            Some(pattern) => {
                let built =
                    RegexBuilder::new(pattern).case_insensitive(true).size_limit(MAX_PATTERN_BYTES).build();
                TriggerKind::Pattern(built.map_err(|error| TriggerError {
                    pattern: pattern.to_owned(),
                    problem: error.to_string().lines().last().unwrap_or_default().trim().to_owned(),
                })?)
            }
            None => TriggerKind::Words(text.split(['|', ',', '\n']).map(significant_words).collect()),
        };
        Ok(Self { text: text.to_owned(), kind })
    }

    /// Returns whether the prompt calls for the skill.
    pub fn fires(&self, prompt: &str) -> bool {
        match &self.kind {
            TriggerKind::Pattern(pattern) => !pattern.as_str().is_empty() && pattern.is_match(prompt),
            TriggerKind::Words(alternatives) => {
                let prompt: HashSet<String> = words(prompt).collect();
                let fires =
                    |words: &Vec<String>| !words.is_empty() && words.iter().all(|word| prompt.contains(word));
                alternatives.iter().any(fires)
            }
        }
    }

    /// Returns the trigger as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Returns the pattern between two slashes, if nothing but letters follow the second one.
fn pattern(text: &str) -> Option<&str> {
    let (pattern, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    flags.chars().all(|flag| flag.is_ascii_alphabetic()).then_some(pattern)
}

fn significant_words(text: &str) -> Vec<String> {
    words(text).filter(|word| !STOP_WORDS.contains(&word.as_str())).collect()
}

/// Returns the words in lower case. `c++` is a word, so only these signs are cut off.
fn words(text: &str) -> impl Iterator<Item = String> {
    let word = |word: &str| word.trim_matches(|sign| ".,;:!?()\"'".contains(sign)).to_lowercase();
    text.split_whitespace().map(word).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn alternatives_fire_by_whole_words() {
        for (trigger, prompt, fires) in [
            ("at", "data at rest", false),
            ("data at", "no metadata", false),
            ("data at", "the (data)", true),
            ("c++", "Is it C++?", true),
            ("c++", "c", false),
            ("deploy,ship it", "it ships", false),
            ("deploy,ship it", "ship that", true),
            ("deploy\nrelease", "a release", true),
            ("", "anything", false),
            (" | ", "|", false),
            ("//", "anything", false),
            ("/a.c/gi", "xABCx", true),
            ("/usr/bin/x y", "usr", false),
            ("/usr/bin", "usr", true),
        ] {
            assert_eq!(Trigger::parse(trigger).expect(trigger).fires(prompt), fires, "{trigger} on {prompt}");
        }
    }

    #[test]
    fn an_invalid_pattern_is_reported() {
        let error = Trigger::parse("/(/").expect_err("a pattern").to_string();
        assert_eq!(error, "its pattern `(` is invalid: error: unclosed group");
        assert!(Trigger::parse("/(a{1000}){1000}/").is_err());
    }

    proptest! {
        #[test]
        fn stop_words_alone_never_fire(words in prop::collection::vec(prop::sample::select(STOP_WORDS), 1..5)) {
            let text = words.join(" ");
            prop_assert!(!Trigger::parse(&text).expect("words").fires(&text));
        }

        #[test]
        fn an_alternative_fires_in_any_order(mut words in prop::collection::vec("[b-d]{5,7}", 1..5), at in 0_usize..5) {
            let trigger = Trigger::parse(&words.join(" ")).expect("words");
            let at = at % words.len();
            words.rotate_left(at);
            let prompt = format!("Well, {}!", words.join(", "));
            prop_assert!(trigger.fires(&prompt));
        }
    }
}
