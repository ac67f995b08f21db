//! Tab completion: commands, their words, paths and models.

use std::{fs, path::PathBuf};

use reedline::{Completer, CompletionResult, Span, Suggestion};

use loop_session::{ArgumentKind, Commands};

/// The maximum number of completions: nobody reads more, and a folder may hold a million files.
const MAX_CANDIDATES: usize = 100;

/// The words that depend on the session.
#[derive(Debug, Clone, Default)]
pub(crate) struct CompletionWords {
    /// The base folder of relative paths.
    pub(crate) dir: PathBuf,
    /// The names of models.
    pub(crate) models: Vec<String>,
    /// The commands.
    pub(crate) commands: Commands,
}

/// Completes the beginning of a word.
pub(super) struct SessionCompleter(CompletionWords);

impl SessionCompleter {
    pub(super) fn new(words: CompletionWords) -> Self {
        Self(words)
    }

    /// Returns the start of the word that ends at `pos`, and its completions.
    fn of(&self, line: &str, pos: usize) -> (usize, Vec<Candidate>) {
        let before = &line[..pos];
        let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let word = &before[start..];
        if let Some(name) = word.strip_prefix('/').filter(|_| start == 0) {
            return (1, candidates(self.0.commands.names(), name));
        }
        if let Some(name) = word.strip_prefix('@') {
            let models = self.0.models.iter().map(String::as_str).filter(|_| start == 0);
            let mut found = candidates(models, name);
            found.extend(self.paths(name));
            return (start + 1, found);
        }
        let command = before.strip_prefix('/').and_then(|line| line.split_whitespace().next());
        let found = match command
            .and_then(|name| self.0.commands.find(name))
            .map(|command| command.info().argument_kind)
        {
            Some(ArgumentKind::Nothing | ArgumentKind::Other) => Vec::new(),
            Some(ArgumentKind::Words(words)) => candidates(words.iter().copied(), word),
            Some(ArgumentKind::Commands) => candidates(self.0.commands.names(), word),
            Some(ArgumentKind::Models) => {
                let own = ["list", "show", "use"].into_iter();
                candidates(own.chain(self.0.models.iter().map(String::as_str)), word)
            }
            // Prompts mention paths, too.
            Some(ArgumentKind::Paths) | None => self.paths(word),
        };
        (start, found)
    }

    fn paths(&self, word: &str) -> Vec<Candidate> {
        let (folder, beginning) = word.rsplit_once('/').map_or(("", word), |(folder, name)| (folder, name));
        // Nothing outside the folder can be read anyway.
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
            fits.then_some(Candidate { text, is_whole: !is_folder })
        });
        let mut found: Vec<_> = named.take(MAX_CANDIDATES).collect();
        found.sort_by(|one, other| one.text.cmp(&other.text));
        found
    }
}

/// A possible completion.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    text: String,
    /// True if the word is complete: a space follows.
    is_whole: bool,
}

fn candidates<'a>(words: impl Iterator<Item = &'a str>, beginning: &str) -> Vec<Candidate> {
    let fits = words.filter(|word| word.starts_with(beginning));
    fits.take(MAX_CANDIDATES).map(|word| Candidate { text: word.to_owned(), is_whole: true }).collect()
}

impl Completer for SessionCompleter {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let (start, found) = self.of(line, pos);
        let suggestion = |candidate: Candidate| Suggestion {
            value: candidate.text,
            span: Span::new(start, pos),
            append_whitespace: candidate.is_whole,
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
        let words = CompletionWords {
            dir: folder.path().to_owned(),
            models: vec!["box".to_owned(), "gpt-5".to_owned()],
            commands: Commands::standard(),
        };
        let (start, candidates) = SessionCompleter::new(words).of(line, line.len());
        (start, candidates.into_iter().map(|offer| offer.text).collect())
    }

    #[test]
    fn what_is_completed_depends_on_where_it_stands() {
        for (line, start, found) in [
            ("/he", 1, &["help"][..]),
            ("/help ex", 6, &["exit"]),
            ("@b", 1, &["box"]),
            ("@s", 1, &["src/"]),
            ("compare @src/ma", 9, &["src/made.rs", "src/main.rs"]),
            ("compare @b", 9, &[]),
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
