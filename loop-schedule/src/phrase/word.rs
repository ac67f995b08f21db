//! The words of a text, and where they begin.

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Its position in the text, in bytes.
    pub(super) start: usize,
    /// Its position behind the last letter, in bytes.
    pub(super) end: usize,
    /// The word as typed, without punctuation around it.
    pub(super) typed: String,
    /// The same in lower case.
    pub(super) text: String,
    /// Whether a colon follows it.
    pub(super) has_colon: bool,
}

impl Word {
    /// Splits a text at white space.
    pub(super) fn all(input: &str) -> Vec<Self> {
        let start = |word: &str| word.as_ptr() as usize - input.as_ptr() as usize;
        input.split_whitespace().map(|word| Self::new(word, start(word))).collect()
    }

    fn new(word: &str, start: usize) -> Self {
        let typed = word.trim_end_matches([',', '.', ';', ':', '!', '?', ')', '"', '\'']);
        let typed = typed.trim_start_matches(['(', '"', '\'']).to_owned();
        let text = typed.to_lowercase();
        Self { start, end: start + word.len(), typed, text, has_colon: word.ends_with(':') }
    }

    /// Returns whether it is one of these words.
    pub(super) fn is(&self, words: &[&str]) -> bool {
        words.contains(&self.text.as_str())
    }

    /// Returns whether it begins with a capital letter.
    pub(super) fn is_capital(&self) -> bool {
        self.typed.starts_with(|letter: char| letter.is_uppercase())
    }
}

/// Returns words as one text.
pub(super) fn joined(words: &[Word]) -> String {
    let words: Vec<_> = words.iter().map(|word| word.typed.as_str()).collect();
    words.join(" ")
}
