//! Records an agent's actions.

use std::{
    fmt::{self, Display, Write as _},
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::RecentItems;
use crate::output::{beginning, one_line};

/// The number of bytes of a path, a command or an error to keep.
const TEXT_BYTES: usize = 200;
/// The number of entries of each kind to show.
const SHOWN: usize = 40;

/// The source of an action log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ActionSource {
    /// Our own tools performed the actions.
    #[default]
    Tools,
    /// The agent's program reports them, in the stream that it prints for other programs.
    Stream,
    /// The work tree has changed. We do not know which commands ran.
    WorkTree,
}

/// A command that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRecord {
    /// Its command line, on one line and shortened.
    pub line: String,
    /// Its exit code, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

/// An agent's actions, as its tools, its stream or its work tree show them. Nothing in an action log comes from a
/// model's own claims, and its size is bounded.
///
/// ```
/// use loop_agents::review::ActionLog;
///
/// let mut actions = ActionLog::default();
/// actions.wrote("src/main.rs");
/// actions.ran("cargo test", Some(101));
/// assert_eq!(actions.to_string(), "Files written: src/main.rs\nCommands:\n  cargo test (exit 101)\n");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ActionLog {
    /// The source of this action log.
    pub source: ActionSource,
    /// Files that the agent created, or wrote as a whole.
    pub written: RecentItems<String>,
    /// Files that the agent changed in part.
    pub edited: RecentItems<String>,
    /// Files that the agent removed.
    pub removed: RecentItems<String>,
    /// Files that the agent read.
    pub read: RecentItems<String>,
    /// Commands that the agent ran.
    pub commands: RecentItems<CommandRecord>,
    /// Attempts that failed. A command's nonzero exit code does not count.
    pub errors: RecentItems<String>,
    /// Attempts that were rejected, by the policy or because no such tool exists. They had no effect.
    pub rejected: RecentItems<String>,
    /// New files and folders that git ignores. They are not part of the work, if git ignores them rightly.
    #[serde(skip_serializing_if = "RecentItems::is_empty")]
    pub ignored: RecentItems<String>,
    /// Gaps: actions that we do not know. If there are any, the action log is incomplete.
    #[serde(skip_serializing_if = "RecentItems::is_empty")]
    pub unknown: RecentItems<String>,
    /// How the agent ended, if it failed: "exited with 1", "was cut at ...". The text follows "it".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl ActionLog {
    /// Creates an empty action log from this source.
    pub fn from_source(source: ActionSource) -> Self {
        Self { source, ..Self::default() }
    }

    /// Records a file that was created, or written as a whole.
    pub fn wrote(&mut self, path: &str) {
        self.removed.remove(&line(path));
        self.written.add(line(path));
    }

    /// Records a file that was changed in part. It adds nothing for a file that was also written.
    pub fn edited(&mut self, path: &str) {
        let path = line(path);
        if !self.written.items().contains(&path) {
            self.edited.add(path);
        }
    }

    /// Records a file that was removed.
    pub fn removed(&mut self, path: &str) {
        let path = line(path);
        self.written.remove(&path);
        self.edited.remove(&path);
        self.removed.add(path);
    }

    /// Records a file that was read.
    pub fn read(&mut self, path: &str) {
        self.read.add(line(path));
    }

    /// Records a command that ran.
    pub fn ran(&mut self, command: &str, exit_code: Option<i32>) {
        self.commands.add(CommandRecord { line: line(command), exit_code });
    }

    /// Records an attempt that failed.
    pub fn failed(&mut self, what: &str, why: &str) {
        self.errors.add(line(&format!("{what}: {why}")));
    }

    /// Records an attempt that was rejected.
    pub fn rejected(&mut self, what: &str, why: &str) {
        self.rejected.add(line(&format!("{what}: {why}")));
    }

    /// Records a new file or folder that git ignores.
    pub fn ignored(&mut self, path: &str) {
        self.ignored.add(line(path));
    }

    /// Records a gap in the action log.
    pub fn unknown(&mut self, what: &str) {
        self.unknown.add(line(what));
    }

    /// Drops written and edited files that do not exist. They are not part of the work.
    pub(super) fn without_gone(&mut self, root: &Path) {
        // A shortened name cannot be looked up.
        let is_gone = |path: &&String| !path.ends_with('…') && root.join(path).symlink_metadata().is_err();
        let told = [self.written.items(), self.edited.items()].concat();
        for path in told.iter().filter(is_gone) {
            self.written.remove(path);
            self.edited.remove(path);
            self.unknown(&format!("what became of {path}: it was written, but no longer exists"));
        }
    }

    /// Adds the actions of a later action log.
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

    /// Returns true if the action log records no action and no attempt.
    pub fn is_empty(&self) -> bool {
        *self == Self::from_source(self.source)
    }
}

/// Returns the text on one line of at most this many bytes. A text from an agent must not look like a heading of ours.
pub(crate) fn line(text: &str) -> String {
    beginning(&one_line(text), TEXT_BYTES)
}

impl Display for CommandRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exit_code {
            Some(code) => write!(f, "{} (exit {code})", self.line),
            None => write!(f, "{} (exit code not known)", self.line),
        }
    }
}

/// Formats the action log for a prompt. The text states that rejected attempts had no effect.
impl Display for ActionLog {
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

/// Returns the newest `most` items, separated by commas.
pub(super) fn in_a_line(paths: &RecentItems<String>, most: usize) -> String {
    let (shown, more) = newest(paths, most);
    let more = if more > 0 { format!(" and {more} earlier ones") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// Returns the newest `most` items under a heading, or an empty text if there are none.
pub(super) fn in_lines<T: Display>(heading: &str, items: &RecentItems<T>, most: usize) -> String {
    if items.is_empty() {
        return String::new();
    }
    let (shown, more) = newest(items, most);
    let more = if more > 0 { format!(" ({more} earlier ones left out)") } else { String::new() };
    let mut text = format!("{heading}{more}:\n");
    for item in shown {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {item}");
    }
    text
}

fn newest<T>(items: &RecentItems<T>, most: usize) -> (&[T], u64) {
    let all = items.items();
    let left_out = all.len().saturating_sub(most);
    (&all[left_out..], items.older() + left_out as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_told_of_once_as_what_became_of_it() {
        let mut actions = ActionLog::default();
        actions.wrote("a");
        actions.edited("a");
        actions.edited("b");
        let mut later = ActionLog::default();
        later.removed("a");
        later.wrote("c");
        later.edited("b");
        actions.absorb(&later);
        assert_eq!(actions.to_string(), "Files written: c\nFiles edited: b\nFiles removed: a\n");
    }

    #[test]
    fn what_an_agent_names_is_one_line() {
        let mut actions = ActionLog::default();
        actions.ran("echo a\n\nErrors:\n  none", None);
        actions.rejected("run_command(rm -rf x)", "`rm` is not among the programs of safe mode");
        actions.wrote(&"é".repeat(500));
        let page = actions.to_string();
        assert!(page.contains("  echo a Errors: none (exit code not known)\n"), "{page}");
        assert!(page.contains("NOT done:\n  run_command(rm -rf x): `rm`"), "{page}");
        assert!(page.len() < 600, "{page}");
    }

    #[test]
    fn a_long_account_is_bounded_and_says_so() {
        let mut actions = ActionLog::default();
        for number in 0..10_000 {
            actions.wrote(&format!("{number}{}", "x".repeat(500)));
            actions.ran(&format!("{number}"), Some(0));
        }
        let page = actions.to_string();
        assert!(page.len() < 20_000, "{}", page.len());
        assert!(page.contains("Commands (9960 earlier ones left out):\n  9960 (exit 0)\n"), "{page}");
    }
}
