//! Commands that were found, and the files in which they are looked for.

use std::{borrow::Cow, fs, path::Path};

/// A command that was found in a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectCheck {
    /// The shell command.
    pub command: String,
    /// The file that points to it, relative to the folder.
    pub file: Cow<'static, str>,
    pub(super) origin: CheckOrigin,
    /// The project is in a folder below.
    pub(super) is_below: bool,
}

/// How much of a command the project itself defines, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CheckOrigin {
    /// The language: the command is what most of its projects use.
    Language,
    /// The tool, which it configures or depends on.
    Tool,
    /// The whole command, as a script or a target of its own.
    Command,
}

impl ProjectCheck {
    pub(super) fn new(origin: CheckOrigin, file: &'static str, command: impl Into<String>) -> Self {
        Self { command: command.into(), file: Cow::Borrowed(file), origin, is_below: false }
    }

    /// Returns the same check for the folder above, in which this one's folder has this name.
    pub(super) fn in_subfolder(self, name: &str) -> Option<Self> {
        let folder = shlex::try_quote(name).ok()?;
        // A check of a folder further down begins with its own `cd`.
        let deeper = self.command.strip_prefix("cd ").filter(|_| self.is_below);
        let command = match deeper {
            Some(rest) => format!("cd {folder}/{rest}"),
            None => format!("cd {folder} && {}", self.command),
        };
        let file = Cow::Owned(format!("{name}/{}", self.file));
        Some(Self { command, file, origin: self.origin, is_below: true })
    }
}

/// Reads a file of the project; returns `None` if it is unreadable. Special files are skipped: opening a named pipe
/// would wait for a writer.
pub(super) fn read(dir: &Path, file: &str) -> Option<String> {
    let path = dir.join(file);
    path.is_file().then(|| fs::read_to_string(path).ok()).flatten()
}

/// The program that goes with the first of these lock files that is there.
pub(super) fn by_lock_file(dir: &Path, lock_files: &[(&str, &'static str)]) -> Option<&'static str> {
    let found = lock_files.iter().find(|(file, _)| dir.join(file).is_file());
    found.map(|(_, program)| *program)
}

/// Returns the sorted names in a folder; none if it cannot be read.
pub(super) fn names_in(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}
