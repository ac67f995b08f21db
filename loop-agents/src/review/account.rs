//! What an agent really did.

use std::{
    fmt::{self, Display, Write as _},
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::Newest;

/// How much of a path, a command or an error is kept.
const TEXT_BYTES: usize = 200;
/// How many of a kind are shown.
const SHOWN: usize = 40;

/// How it is known what an agent did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Source {
    /// Our own tools did it.
    #[default]
    Tools,
    /// The agent's program says it, in the stream that it prints for other programs.
    Stream,
    /// The work tree is not what it was. Which commands ran is not known.
    WorkTree,
}

/// A command that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// Its line, in one line and cut.
    pub line: String,
    /// Its exit code, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

/// What an agent really did: what its tools report, its stream tells or its work tree shows. Nothing in it is what a
/// model says of itself, and all of it is bounded.
///
/// ```
/// use loop_agents::review::Account;
///
/// let mut account = Account::default();
/// account.wrote("src/main.rs");
/// account.ran("cargo test", Some(101));
/// assert_eq!(account.to_string(), "Files written: src/main.rs\nCommands:\n  cargo test (exit 101)\n");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Account {
    /// How it is known.
    pub source: Source,
    /// Files that were made, or written as a whole.
    pub written: Newest<String>,
    /// Files that were changed in part.
    pub edited: Newest<String>,
    /// Files that are gone.
    pub removed: Newest<String>,
    /// Files that were read.
    pub read: Newest<String>,
    /// Commands that ran.
    pub commands: Newest<Ran>,
    /// What was tried, and did not work. A command's exit code is none of these.
    pub errors: Newest<String>,
    /// What was tried and not done: refused by the policy, or no tool at all. It had no effect.
    pub rejected: Newest<String>,
    /// Files and folders that are new, and that git ignores: no part of the work, if it ignores them rightly.
    #[serde(skip_serializing_if = "Newest::is_empty")]
    pub ignored: Newest<String>,
    /// What is not known: then the account is not whole.
    #[serde(skip_serializing_if = "Newest::is_empty")]
    pub unknown: Newest<String>,
    /// How the agent ended, if that was not well: "exited with 1", "was cut at ...". Reads after "it".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl Account {
    /// An empty one, from this source.
    pub fn from_source(source: Source) -> Self {
        Self { source, ..Self::default() }
    }

    /// A file was made, or written as a whole.
    pub fn wrote(&mut self, path: &str) {
        self.removed.remove(&line(path));
        self.written.add(line(path));
    }

    /// A file was changed in part. One that was written is not told of again.
    pub fn edited(&mut self, path: &str) {
        let path = line(path);
        if !self.written.items().contains(&path) {
            self.edited.add(path);
        }
    }

    /// A file was removed.
    pub fn removed(&mut self, path: &str) {
        let path = line(path);
        self.written.remove(&path);
        self.edited.remove(&path);
        self.removed.add(path);
    }

    /// A file was read.
    pub fn read(&mut self, path: &str) {
        self.read.add(line(path));
    }

    /// A command ran.
    pub fn ran(&mut self, command: &str, exit_code: Option<i32>) {
        self.commands.add(Ran { line: line(command), exit_code });
    }

    /// Something did not work.
    pub fn failed(&mut self, what: &str, why: &str) {
        self.errors.add(line(&format!("{what}: {why}")));
    }

    /// Something was not done.
    pub fn rejected(&mut self, what: &str, why: &str) {
        self.rejected.add(line(&format!("{what}: {why}")));
    }

    /// Something is new, and git ignores it.
    pub fn ignored(&mut self, path: &str) {
        self.ignored.add(line(path));
    }

    /// Something is not known.
    pub fn unknown(&mut self, what: &str) {
        self.unknown.add(line(what));
    }

    /// What was written and is not there any more, or never was, is no file of the work.
    pub(super) fn without_gone(&mut self, root: &Path) {
        // A name that was cut is not one that could be looked for.
        let is_gone = |path: &&String| !path.ends_with('…') && root.join(path).symlink_metadata().is_err();
        let told = [self.written.items(), self.edited.items()].concat();
        for path in told.iter().filter(is_gone) {
            self.written.remove(path);
            self.edited.remove(path);
            self.unknown(&format!("what became of {path}: it was written, and is not there"));
        }
    }

    /// Adds what was done later.
    pub fn absorb(&mut self, later: &Self) {
        self.source = later.source;
        later.written.items().iter().for_each(|path| self.wrote(path));
        later.edited.items().iter().for_each(|path| self.edited(path));
        later.removed.items().iter().for_each(|path| self.removed(path));
        self.read.extend(later.read.items().iter().cloned());
        self.commands.extend(later.commands.items().iter().cloned());
        self.errors.extend(later.errors.items().iter().cloned());
        self.rejected.extend(later.rejected.items().iter().cloned());
        self.ignored.extend(later.ignored.items().iter().cloned());
        self.unknown.extend(later.unknown.items().iter().cloned());
        self.failure.clone_from(&later.failure);
    }

    /// Whether nothing was done or tried, as far as it is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::from_source(self.source)
    }
}

/// One line of at most so many bytes: what an agent names must not look like a heading of ours.
pub(super) fn line(text: &str) -> String {
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = one.floor_char_boundary(TEXT_BYTES);
    if end < one.len() { format!("{}…", &one[..end]) } else { one }
}

impl Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exit_code {
            Some(code) => write!(f, "{} (exit {code})", self.line),
            None => write!(f, "{} (exit code not known)", self.line),
        }
    }
}

/// For a prompt. What was rejected is said to have had no effect.
impl Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths = [
            ("written", &self.written),
            ("edited", &self.edited),
            ("removed", &self.removed),
            ("read", &self.read),
        ];
        for (what, paths) in paths.into_iter().filter(|(_, paths)| !paths.is_empty()) {
            writeln!(f, "Files {what}: {}", in_a_line(paths, SHOWN))?;
        }
        if !self.ignored.is_empty() {
            writeln!(f, "New, and ignored by git: {}", in_a_line(&self.ignored, SHOWN))?;
        }
        f.write_str(&in_lines("Commands", &self.commands, SHOWN))?;
        f.write_str(&in_lines("Errors", &self.errors, SHOWN))?;
        f.write_str(&in_lines("Tried, refused and NOT done", &self.rejected, SHOWN))?;
        if let Some(failure) = &self.failure {
            writeln!(f, "It did not end well: it {failure}")?;
        }
        if !self.unknown.is_empty() {
            writeln!(f, "Not known: {}", in_a_line(&self.unknown, SHOWN))?;
        }
        Ok(())
    }
}

/// The newest `most` of them, one behind the other.
pub(super) fn in_a_line(paths: &Newest<String>, most: usize) -> String {
    let (shown, more) = newest(paths, most);
    let more = if more > 0 { format!(" and {more} earlier ones") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// The newest `most` of them under a heading; nothing if there are none.
pub(super) fn in_lines<T: Display>(heading: &str, items: &Newest<T>, most: usize) -> String {
    if items.is_empty() {
        return String::new();
    }
    let (shown, more) = newest(items, most);
    let more = if more > 0 { format!(" ({more} earlier ones left out)") } else { String::new() };
    let mut text = format!("{heading}{more}:\n");
    for item in shown {
        // Writing to a text does not fail.
        let _ = writeln!(text, "  {item}");
    }
    text
}

fn newest<T>(items: &Newest<T>, most: usize) -> (&[T], u64) {
    let all = items.items();
    let left_out = all.len().saturating_sub(most);
    (&all[left_out..], items.older() + left_out as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_told_of_once_as_what_became_of_it() {
        let mut account = Account::default();
        account.wrote("a");
        account.edited("a");
        account.edited("b");
        let mut later = Account::default();
        later.removed("a");
        later.wrote("c");
        later.edited("b");
        account.absorb(&later);
        assert_eq!(account.to_string(), "Files written: c\nFiles edited: b\nFiles removed: a\n");
    }

    #[test]
    fn what_an_agent_names_is_one_line() {
        let mut account = Account::default();
        account.ran("echo a\n\nErrors:\n  none", None);
        account.rejected("run_command(rm -rf x)", "`rm` is not among the programs of safe mode");
        account.wrote(&"é".repeat(500));
        let page = account.to_string();
        assert!(page.contains("  echo a Errors: none (exit code not known)\n"), "{page}");
        assert!(page.contains("NOT done:\n  run_command(rm -rf x): `rm`"), "{page}");
        assert!(page.len() < 600, "{page}");
    }

    #[test]
    fn a_long_account_is_bounded_and_says_so() {
        let mut account = Account::default();
        for number in 0..10_000 {
            account.wrote(&format!("{number}{}", "x".repeat(500)));
            account.ran(&format!("{number}"), Some(0));
        }
        let page = account.to_string();
        assert!(page.len() < 20_000, "{}", page.len());
        assert!(page.contains("Commands (9960 earlier ones left out):\n  9960 (exit 0)\n"), "{page}");
    }
}
