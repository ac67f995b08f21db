//! What Tab completes: commands, their words, paths and models.

use std::{fs, path::PathBuf};

use reedline::{Completer, CompletionResult, Span, Suggestion};

use loop_session::{Commands, Takes};

/// At most so many are offered: nobody reads more, and a folder may hold a million.
const OFFERED: usize = 100;

/// The words that are not known beforehand.
#[derive(Debug, Clone, Default)]
pub(crate) struct Words {
    /// The folder that paths are relative to.
    pub(crate) dir: PathBuf,
    /// The names of models.
    pub(crate) models: Vec<String>,
    /// The commands.
    pub(crate) commands: Commands,
}

/// Finds what a beginning can be the beginning of.
pub(super) struct Completion(Words);

impl Completion {
    pub(super) fn new(words: Words) -> Self {
        Self(words)
    }

    /// Where the word begins that ends at `pos`, and what it can become.
    fn of(&self, line: &str, pos: usize) -> (usize, Vec<Offer>) {
        let before = &line[..pos];
        let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let word = &before[start..];
        if start == 0 {
            if let Some(name) = word.strip_prefix('/') {
                return (1, offers(self.0.commands.names(), name));
            }
            if let Some(name) = word.strip_prefix('@') {
                return (1, offers(self.0.models.iter().map(String::as_str), name));
            }
        }
        let command = before.strip_prefix('/').and_then(|line| line.split_whitespace().next());
        let found =
            match command.and_then(|name| self.0.commands.find(name)).map(|command| command.about().takes) {
                Some(Takes::Nothing | Takes::Other) => Vec::new(),
                Some(Takes::Words(words)) => offers(words.iter().copied(), word),
                Some(Takes::Commands) => offers(self.0.commands.names(), word),
                Some(Takes::Models) => {
                    let own = ["list", "show", "use"].into_iter();
                    offers(own.chain(self.0.models.iter().map(String::as_str)), word)
                }
                // Paths are what one asks about, too.
                Some(Takes::Paths) | None => self.paths(word),
            };
        (start, found)
    }

    fn paths(&self, word: &str) -> Vec<Offer> {
        let (folder, beginning) = word.rsplit_once('/').map_or(("", word), |(folder, name)| (folder, name));
        // Outside of the folder nothing can be read anyway.
        if folder.starts_with('/') || folder.split('/').any(|part| part == "..") {
            return Vec::new();
        }
        let Ok(entries) = fs::read_dir(self.0.dir.join(folder)) else { return Vec::new() };
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let named = entries.flatten().filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_hidden = name.starts_with('.') && !beginning.starts_with('.');
            let fits = name.starts_with(beginning) && !is_hidden && !name.contains(char::is_whitespace);
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let text = format!("{prefix}{name}{}", if is_folder { "/" } else { "" });
            fits.then_some(Offer { text, is_whole: !is_folder })
        });
        let mut found: Vec<_> = named.take(OFFERED).collect();
        found.sort_by(|one, other| one.text.cmp(&other.text));
        found
    }
}

/// A word that could be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Offer {
    text: String,
    /// Nothing of it is to come; a space stands behind it.
    is_whole: bool,
}

fn offers<'a>(words: impl Iterator<Item = &'a str>, beginning: &str) -> Vec<Offer> {
    let fits = words.filter(|word| word.starts_with(beginning));
    fits.take(OFFERED).map(|word| Offer { text: word.to_owned(), is_whole: true }).collect()
}

impl Completer for Completion {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let (start, found) = self.of(line, pos);
        let suggestion = |offer: Offer| Suggestion {
            value: offer.text,
            span: Span::new(start, pos),
            append_whitespace: offer.is_whole,
            ..Suggestion::default()
        };
        CompletionResult::fresh(found.into_iter().map(suggestion).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(line: &str) -> (usize, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["src/main.rs", "src/made.rs", "README.md", ".env"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let words = Words {
            dir: folder.path().to_owned(),
            models: vec!["box".to_owned(), "gpt-5".to_owned()],
            commands: Commands::standard(),
        };
        let (start, offers) = Completion::new(words).of(line, line.len());
        (start, offers.into_iter().map(|offer| offer.text).collect())
    }

    #[test]
    fn what_is_completed_depends_on_where_it_stands() {
        for (line, start, found) in [
            ("/he", 1, &["help"][..]),
            ("/help ex", 6, &["exit"]),
            ("@b", 1, &["box"]),
            ("/model use g", 11, &["gpt-5"]),
            ("/read src/ma", 6, &["src/made.rs", "src/main.rs"]),
            ("what is in s", 11, &["src/"]),
            ("/read ", 6, &["README.md", "src/"]),
            ("/read ../", 6, &[]),
            ("/exit ", 6, &[]),
        ] {
            let (at, mut words) = completed(line);
            words.sort();
            assert_eq!((at, words), (start, found.iter().map(|word| (*word).to_owned()).collect()), "{line}");
        }
    }
}
