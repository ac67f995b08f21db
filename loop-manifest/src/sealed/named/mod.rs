//! The files in the folder that judge because a command, or a configuration of tests, names them.
//!
//! | what | where |
//! | --- | --- |
//! | a command, its programs and their words | `commands.rs`, `programs.rs` |
//! | scripts, and the modules that they import | `follow.rs` |
//! | configuration of tests, and links | `configuration.rs` |
//! | files with tests or hooks in them | `contents.rs` |
//! | files with which a script compares | `operands.rs` |
//! | files that help tests | `helpers.rs`, `aliases.rs`, `crates.rs` |

mod aliases;
mod commands;
mod configuration;
#[cfg(test)]
mod content_tests;
mod contents;
mod crates;
mod follow;
mod helpers;
mod operands;
mod programs;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};

use loop_snapshots::Relocation;
use serde::{Deserialize, Serialize};

use super::{moving::moved, scripts};
use crate::{
    bounds::DEFAULT_PROMPT,
    plan::{Plan, SealPlan},
};

/// How deep scripts of `package.json` and quoted commands are followed.
const DEPTH: usize = 5;

/// The paths that commands and configuration name, and the folders in which programs run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NamedPaths {
    /// Patterns, most of which match one path.
    pub(super) lines: BTreeSet<String>,
    /// Places that a program would prefer to a file of `lines`, if there were a file.
    #[serde(default)]
    pub(super) preferred: BTreeSet<String>,
    /// The folders, from the top of the folder.
    pub(super) folders: BTreeSet<PathBuf>,
    /// The places, without endings, at which tests look for modules that are not there yet.
    #[serde(default)]
    pub(super) expected: BTreeSet<PathBuf>,
    /// The folders that commands and scripts put on PATH.
    #[serde(default)]
    pub(super) programs: BTreeSet<String>,
    /// The folders that are modules of Go.
    #[serde(default)]
    pub(super) go_modules: BTreeSet<PathBuf>,
    /// More folders from which Python imports: those of tests, and those that a configuration names.
    #[serde(default)]
    pub(super) roots: BTreeSet<PathBuf>,
    /// The folders above tests in Python.
    #[serde(default)]
    pub(super) above_tests: BTreeSet<PathBuf>,
    /// There are files of Python.
    #[serde(default)]
    pub(super) has_python: bool,
    /// The modules of Python that a new file could replace.
    #[serde(default)]
    pub(super) modules: BTreeSet<String>,
    /// The modules of the project, without endings, and those that the task asks for. They replace nothing.
    #[serde(default)]
    pub(super) own_modules: BTreeSet<PathBuf>,
}

/// The lines of a run that are about its check.
#[derive(Debug, Clone, Default)]
pub(super) struct Subject {
    /// The command that judges, and the one that prepares the tree.
    pub(super) commands: Vec<String>,
    /// The lines of `evaluator.protect`.
    pub(super) protect: Vec<String>,
    /// The task. A file in it is what the agent works on.
    pub(super) task: String,
}

impl Subject {
    /// Returns what a plan says about its check, whose command is `line`.
    pub(super) fn of(plan: &Plan, seal: &SealPlan, line: &str) -> Self {
        let commands = std::iter::once(line.to_owned()).chain(seal.setup.clone()).collect();
        // The usual prompt has no word about this task.
        let own = plan.agent.prompt.literals().filter(|text| !DEFAULT_PROMPT.contains(text));
        let task = std::iter::once(&*plan.goal).chain(own).collect::<Vec<_>>().join("\n");
        Self { commands, protect: seal.protect.clone(), task }
    }

    /// Returns the same with paths into a tree in the place of those into the folder.
    pub(super) fn moved(mut self, relocation: &Relocation) -> Self {
        self.commands.iter_mut().for_each(|command| *command = moved(command, relocation));
        self
    }
}

impl NamedPaths {
    /// Looks for what judges in `folder`.
    pub(super) fn of(subject: &Subject, folder: &Path) -> Self {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let mut search = Search { folder, real, task: &subject.task, named: Self::default() };
        for command in &subject.commands {
            search.line(command, &Scope { depth: DEPTH, ..Scope::default() });
        }
        search.configuration(&subject.protect);
        search.own_modules();
        search.named
    }

    /// Returns the folders from which Python may import.
    pub(super) fn python_roots(&self) -> BTreeSet<PathBuf> {
        let usual = self.folders.iter().flat_map(|folder| ["src", "lib"].map(|name| folder.join(name)));
        self.folders.iter().chain(&self.roots).cloned().chain(usual).collect()
    }
}

/// The pattern of tests of unittest, which is wider than those of others.
pub(super) const UNITTEST: &str = "test*.py";

/// A path as a pattern that matches nothing else.
pub(super) fn line_of(path: &Path) -> String {
    format!("/{}", glob::Pattern::escape(&path.to_string_lossy()))
}

/// Where a command runs.
#[derive(Debug, Clone, Default)]
struct Scope {
    /// The folder, from the top.
    base: PathBuf,
    /// How deep inner commands are followed.
    depth: usize,
    /// Whether something else judges what the command prints. Only names that say so judge then.
    is_printed: bool,
    /// More folders with modules.
    roots: Vec<PathBuf>,
}

impl Scope {
    fn inner(&self) -> Self {
        Self { depth: self.depth.saturating_sub(1), ..self.clone() }
    }

    fn printed(&self) -> Self {
        Self { is_printed: true, ..self.inner() }
    }

    fn at(&self, base: PathBuf) -> Self {
        Self { base, ..self.clone() }
    }
}

struct Search<'a> {
    folder: &'a Path,
    /// The folder without links.
    real: PathBuf,
    task: &'a str,
    named: NamedPaths,
}

impl Search<'_> {
    fn is_file(&self, path: &Path) -> bool {
        self.folder.join(path).is_file()
    }

    fn is_folder(&self, path: &Path) -> bool {
        !path.as_os_str().is_empty() && self.folder.join(path).is_dir()
    }

    /// Adds a file that judges, and what it calls. With `takes_folders`, adds a folder too.
    fn add(&mut self, path: &Path, takes_folders: bool, scope: &Scope) {
        if !(self.is_file(path) || takes_folders && self.is_folder(path)) {
            return;
        }
        let is_meant = !scope.is_printed || path.to_str().is_some_and(scripts::says_that_it_judges);
        if is_meant && self.named.lines.insert(line_of(path)) {
            self.follow(path, scope);
            self.behind_links(path, scope);
        }
    }

    /// Adds the first of these places at which there is a file, and keeps the others free. Returns whether there is one.
    fn add_first(&mut self, places: &[PathBuf], scope: &Scope) -> bool {
        let Some(found) = places.iter().find(|place| self.is_file(place)) else { return false };
        self.add(found, false, scope);
        if self.named.lines.contains(&line_of(found)) {
            self.named
                .preferred
                .extend(places.iter().filter(|place| *place != found).map(|place| line_of(place)));
        }
        true
    }

    /// Adds the links on the way to a path, and what is behind them.
    fn behind_links(&mut self, path: &Path, scope: &Scope) {
        let links: Vec<_> = path.ancestors().filter(|path| self.is_link(path)).collect();
        self.named.lines.extend(links.iter().map(|link| line_of(link)));
        if let Some(real) = self.real_place(path).filter(|_| !links.is_empty()) {
            self.add(&real, true, scope);
        }
    }

    fn is_link(&self, path: &Path) -> bool {
        !path.as_os_str().is_empty()
            && self.folder.join(path).symlink_metadata().is_ok_and(|found| found.is_symlink())
    }

    /// Returns where a path is without links; `None` if there is nothing, or if it is elsewhere.
    fn real_place(&self, path: &Path) -> Option<PathBuf> {
        let real = self.folder.join(path).canonicalize().ok()?;
        real.strip_prefix(&self.real).ok().filter(|real| !real.as_os_str().is_empty()).map(Path::to_owned)
    }

    /// Notes the modules that the project has, and those of which the task names the file.
    fn own_modules(&mut self) {
        let is_part = |sign: char| sign.is_alphanumeric() || "_-./".contains(sign);
        let asked: Vec<_> = self
            .task
            .split(|sign| !is_part(sign))
            .filter_map(|word| word.trim_end_matches('.').strip_suffix(".py"))
            .collect();
        for root in self.named.python_roots() {
            let entries = std::fs::read_dir(self.folder.join(&root)).into_iter().flatten().flatten();
            for path in entries.map(|entry| root.join(entry.file_name())) {
                if self.is_file(&path.join("__init__.py")) {
                    self.named.own_modules.insert(path);
                } else if path.extension().is_some_and(|end| end == "py") {
                    self.named.own_modules.insert(path.with_extension(""));
                }
            }
            let of_root = asked.iter().filter(|word| !word.contains('/')).map(|word| root.join(word));
            self.named.own_modules.extend(of_root);
        }
        let with_folders = asked.iter().filter(|word| word.contains('/'));
        self.named
            .own_modules
            .extend(with_folders.filter_map(|word| self.below(Path::new(""), word)).collect::<Vec<_>>());
    }

    /// Returns the files that match a pattern of the shell.
    fn matching(&self, pattern: &str, base: &Path) -> Vec<PathBuf> {
        let place =
            Path::new(&glob::Pattern::escape(&self.folder.to_string_lossy())).join(base).join(pattern);
        let found = glob::glob(&place.to_string_lossy()).into_iter().flatten().flatten();
        let found = found.filter_map(|found| found.strip_prefix(self.folder).map(Path::to_owned).ok());
        found.filter(|path| self.is_file(path)).collect()
    }

    /// Returns a path from the top of the folder; `None` if it is elsewhere.
    fn below(&self, base: &Path, text: &str) -> Option<PathBuf> {
        let path = Path::new(text);
        if path.is_absolute() {
            // Another link can lead to the folder.
            let real = path.canonicalize().ok()?;
            return real.strip_prefix(&self.real).ok().map(Path::to_owned);
        }
        let mut below = PathBuf::new();
        for step in base.join(path).components() {
            match step {
                Component::Normal(name) => below.push(name),
                Component::ParentDir if below.pop() => {}
                Component::CurDir => {}
                _ => return None,
            }
        }
        Some(below)
    }
}
