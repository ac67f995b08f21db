//! `git` reads histories, writes files and starts programs, all under one name.
//!
//! Git's grammar is large, and every misread part could reveal a protected file. So we never infer anything from a
//! command line that git could read differently: a list per subcommand names the allowed [options], a [revision] must
//! have one of a few forms, paths are literal, and we rebuild the command from these parts. A history contains every
//! secret that was ever committed, so [pathspecs](pathspec) exclude secrets by name, and all files that the permissions
//! withhold.
//!
//! A repository can name programs and files in its configuration. [`settings`] switches these off, and the
//! [workspace](crate::policy::workspace) vets the repository's own files before git reads them.

mod messages;
mod options;
mod pathspec;
mod questions;
mod revision;
mod settings;

use std::path::Path;

pub(super) use self::options::no_subcommand;
use self::{
    options::{GitWords, Subcommand},
    revision::RevisionTarget,
};
pub use self::{questions::GitQuestion, settings::GIT_VARIABLES};
use super::{CommandLine, built_in};
use crate::policy::{LocalPath, OutsidePath, Ruling, SecretFiles};

/// A git command that may run, as the parts that we build it from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GitCommand {
    subcommand: &'static Subcommand,
    /// The repository's folder and its work tree, once the workspace has vetted them.
    repository: Option<(String, String)>,
    /// The disabled filters and hooks.
    switched_off: Vec<String>,
    /// Options with their values, followed by revisions.
    words: Vec<String>,
    /// The paths to show. If empty, the whole workspace.
    shown: Vec<LocalPath>,
    /// The paths among them that the permissions withhold.
    hidden: Vec<LocalPath>,
    /// The rules that name secret files.
    secret_files: SecretFiles,
    /// Pathspecs that exclude secrets.
    secrets: Vec<String>,
    /// The names of secrets in the index, once known.
    indexed: Option<Vec<String>>,
    /// Whether the repository's hashes have 64 digits.
    is_sha256: bool,
}

/// Returns whether the first argument is a subcommand that [`judge`] does not know.
pub(super) fn is_other(arguments: &[String]) -> bool {
    arguments.first().is_some_and(|word| !word.starts_with('-') && options::find(word).is_none())
}

/// Judges the arguments of `git`, and builds the arguments that it runs with.
pub(super) fn judge(mut line: CommandLine, secrets: &SecretFiles) -> Result<CommandLine, Ruling> {
    let (subcommand, rest) = line.arguments.split_first().ok_or_else(no_subcommand)?;
    let subcommand = options::find(subcommand).ok_or_else(no_subcommand)?;
    let GitWords { options, mut operands, paths } = subcommand.words(rest)?;
    let mut named: Vec<_> = paths.unwrap_or_default().iter().map(|path| (*path).to_owned()).collect();
    let mut words = options;
    if subcommand.takes_paths_first {
        named.extend(operands.drain(..).map(str::to_owned));
    } else if subcommand.takes_one_path {
        if named.is_empty() {
            named.extend(operands.pop().map(str::to_owned));
        }
        if named.len() != 1 {
            return Err(built_in("`git blame` shows one file: `git blame HEAD~1 -- src/main.rs`"));
        }
    }
    let mut objects = Vec::new();
    let implicit = subcommand.implies_head(&words) && operands.is_empty();
    words.extend(implicit.then(|| revision::HEAD.to_owned()));
    // A reflog needs the name of the ref. Only the commits are shown: its messages hold addresses with passwords.
    let walks_refs = words.iter().any(|word| word == "--reflog");
    for word in operands {
        match revision::read(word)? {
            RevisionTarget::Commits(_) if walks_refs && revision::is_name(word) => {
                words.push(word.to_owned());
            }
            RevisionTarget::Commits(commits) => words.push(commits),
            RevisionTarget::Object { revision, path } if subcommand.shows_objects => {
                words.push(format!("{revision}:./{path}"));
                objects.push(path.to_string());
            }
            RevisionTarget::Object { path, .. } => {
                let name = subcommand.name;
                let rule = format!("`git {name} {word}` is refused; use `git {name} REVISION -- {path}`");
                return Err(built_in(rule));
            }
        }
    }
    let shown = named.iter().map(LocalPath::new).collect::<Result<_, OutsidePath>>();
    let shown: Vec<_> = shown.map_err(|error| built_in(error.to_string()))?;
    let mut paths = objects.iter().cloned().chain(shown.iter().map(ToString::to_string));
    if let Some(note) = paths.find(|path| pathspec::is_note(path.as_bytes())) {
        let rule =
            format!("`{note}` has the name of a note of git, which may be a secret; ask the user for it");
        return Err(built_in(rule));
    }
    line.paths = objects.into_iter().chain(named).collect();
    let withheld = if subcommand.shows_contents(&words) { pathspec::without(secrets) } else { Vec::new() };
    line.set_git(GitCommand {
        subcommand,
        repository: None,
        switched_off: Vec::new(),
        words,
        shown,
        hidden: Vec::new(),
        secret_files: secrets.clone(),
        secrets: withheld,
        indexed: None,
        is_sha256: false,
    });
    Ok(line)
}

impl GitCommand {
    /// Returns the paths to show. An empty result means the whole workspace.
    pub(super) fn shown(&self) -> &[LocalPath] {
        &self.shown
    }

    /// Limits the output to `shown`, without the paths in `hidden`.
    pub(super) fn limit(&mut self, shown: Vec<LocalPath>, hidden: Vec<LocalPath>) {
        (self.shown, self.hidden) = (shown, hidden);
    }

    /// Names the repository, so that git does not search for one.
    fn pin(&mut self, git_dir: &Path, work_tree: &Path) -> Result<(), Ruling> {
        let text = |path: &Path| {
            let text = path.to_str().map(str::to_owned);
            text.ok_or_else(|| built_in("git runs only in folders whose names are UTF-8; rename the folder"))
        };
        self.repository = Some((text(git_dir)?, text(work_tree)?));
        Ok(())
    }

    /// Returns the arguments that every git command begins with.
    fn preamble(&self) -> Vec<String> {
        let mut arguments = vec!["--no-pager".to_owned(), "--no-optional-locks".to_owned()];
        if let Some((git_dir, work_tree)) = &self.repository {
            arguments.extend([format!("--git-dir={git_dir}"), format!("--work-tree={work_tree}")]);
        }
        let programs = settings::switching_off(&self.switched_off);
        let entries = settings::CONFIGURATION.iter().map(ToString::to_string).chain(programs);
        arguments.extend(entries.flat_map(|entry| ["-c".to_owned(), entry]));
        arguments
    }

    /// Returns all arguments.
    pub(super) fn arguments(&self) -> Vec<String> {
        let Subcommand { name, forced, takes_one_path, .. } = self.subcommand;
        let mut arguments = self.preamble();
        arguments.push((*name).to_owned());
        arguments.extend(forced.split_whitespace().map(str::to_owned));
        if self.shown.is_empty() && self.subcommand.walks_history {
            // Show all commits, including those that change none of the pathspecs below.
            arguments.extend(["--full-history", "--sparse"].map(str::to_owned));
        }
        arguments.extend(self.words.iter().cloned());
        arguments.push("--".to_owned());
        if *takes_one_path {
            arguments.extend(self.shown.iter().map(|path| format!("./{path}")));
        } else {
            arguments.extend(pathspec::of(&self.shown, &self.hidden));
            arguments.extend(self.secrets.iter().cloned());
        }
        arguments
    }
}
