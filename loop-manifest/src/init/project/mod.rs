//! The project in a folder: which command runs its tests, and which one its linter.
//!
//! A command that the project does not have fails in every iteration, and costs as much as one that
//! it has. So a command is only taken where the project's own files speak for it.

mod cargo;
mod go;
mod make;
mod node;
mod python;

use std::{cmp::Reverse, fs, path::Path};

use super::template::Purpose;

/// A command that was found in a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The shell command.
    pub command: String,
    /// The file that points to it.
    pub file: &'static str,
    said: Said,
}

/// How much of a command the project itself has said, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Said {
    /// The language: the command is what most of its projects use.
    Language,
    /// The tool, which it configures or depends on.
    Tool,
    /// The whole command, as a script or a target of its own.
    Command,
}

impl Check {
    fn new(said: Said, file: &'static str, command: impl Into<String>) -> Self {
        Self { command: command.into(), file, said }
    }
}

/// Returns all commands for this purpose that the files of the project in `dir` point to. The most specific is first: the
/// one of which the project itself has said most.
pub fn checks(dir: &Path, purpose: Purpose) -> Vec<Check> {
    let kinds = [cargo::check, node::check, python::check, go::check, make::check];
    let mut found: Vec<_> = kinds.into_iter().filter_map(|check| check(dir, purpose)).collect();
    found.sort_by_key(|check| Reverse(check.said));
    found
}

/// The text of a file of the project; nothing if there is none that can be read. Opening a named pipe would
/// wait for somebody to write to it.
fn read(dir: &Path, file: &str) -> Option<String> {
    let path = dir.join(file);
    path.is_file().then(|| fs::read_to_string(path).ok()).flatten()
}

/// The program that goes with the first of these lock files that is there.
fn by_lock_file(dir: &Path, lock_files: &[(&str, &'static str)]) -> Option<&'static str> {
    let found = lock_files.iter().find(|(file, _)| dir.join(file).is_file());
    found.map(|(_, program)| *program)
}

#[cfg(test)]
#[path = "../../../tests/init/project.rs"]
mod tests;
