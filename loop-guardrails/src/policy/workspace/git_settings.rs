//! Files that a repository's settings name, so that git may execute them.
//!
//! `core.fsmonitor`, filters, drivers of diffs, hooks, aliases and included files name programs by any name. A model that
//! writes such a file decides what the next `git status` of the user executes.

use std::{
    collections::{BTreeSet, HashSet},
    fs::OpenOptions,
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;

use super::{Inner, WorkspaceError};
use crate::policy::{DeniedAction, LocalPath, Verb, case_folding::folded, instructions};

/// The largest file of settings that we read. A change beside a larger one needs approval.
const MAX_BYTES: u64 = 1 << 20;

/// Keys whose values are names of branches, remotes and people, and no files of the project.
const HARMLESS_KEYS: &[&str] =
    &["defaultbranch", "email", "fetch", "merge", "name", "pushurl", "remote", "url"];

/// The names of files that the settings of some repositories contain.
#[derive(Debug)]
pub(super) struct NamedFiles {
    /// The names, without the folders before them, in lower case.
    names: HashSet<String>,
    /// Whether some settings could not be read, so that they may name any file.
    is_partial: bool,
}

impl NamedFiles {
    /// Reads the settings of all repositories in whose folders these paths are.
    pub(super) fn above<'a>(inner: &Inner, paths: impl IntoIterator<Item = &'a LocalPath>) -> Self {
        let mut named = Self { names: HashSet::new(), is_partial: false };
        let files: Vec<_> = paths.into_iter().map(|path| inner.path.join(path.as_path())).collect();
        let folders: BTreeSet<_> = files.iter().flat_map(|file| file.ancestors().skip(1)).collect();
        for settings in folders.into_iter().flat_map(settings_of) {
            match read(&settings) {
                Ok(text) => named.names.extend(text.iter().flat_map(|text| words(text)).map(folded)),
                Err(_) => named.is_partial = true,
            }
        }
        named
    }

    /// Returns whether the settings may name this file, or a folder above it.
    pub(super) fn include(&self, path: &LocalPath) -> bool {
        self.is_partial || path.names().any(|name| self.names.contains(&folded(&name)))
    }
}

/// Refuses to change a file that the settings of its repository name.
pub(super) fn refuse_named(inner: &Inner, path: &LocalPath, verb: Verb) -> Result<(), WorkspaceError> {
    if !NamedFiles::above(inner, [path]).include(path) {
        return Ok(());
    }
    let ruling = instructions::rule_on_named_by_git(path);
    Err(DeniedAction { action: format!("to {verb} `{path}`"), ruling }.into())
}

/// Returns the possible settings of a repository with this work tree. The `.git` of a linked work tree is a file that
/// names its folder, and `commondir` names the repository's.
fn settings_of(work_tree: &Path) -> Vec<PathBuf> {
    let git = work_tree.join(".git");
    let of_folder = |folder: &Path| [folder.join("config"), folder.join("config.worktree")];
    let named = |file: &Path, start: &str| {
        let text = read(file).ok().flatten()?;
        Some(file.with_file_name(text.trim_end().strip_prefix(start)?.trim_start()))
    };
    let linked = named(&git, "gitdir:");
    let common = linked.as_ref().and_then(|folder| named(&folder.join("commondir"), ""));
    [Some(git), linked, common].into_iter().flatten().flat_map(|folder| of_folder(&folder)).collect()
}

/// Reads a file of settings; `None` if there is none.
pub(super) fn read(path: &Path) -> io::Result<Option<String>> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the last parts of all words in the values that may be paths. A value can continue on the next line.
fn words(settings: &str) -> impl Iterator<Item = &str> {
    let is_harmless = |line: &&str| {
        let key = line.split('=').next().unwrap_or_default().rsplit(']').next().unwrap_or_default().trim();
        line.contains('=') && HARMLESS_KEYS.iter().any(|known| key.eq_ignore_ascii_case(known))
    };
    let lines = settings.lines().filter(move |line| !is_harmless(line));
    let words = lines.flat_map(|line| {
        line.split(|sign: char| sign.is_whitespace() || "=\"'\\;|&<>()$`!,:".contains(sign))
    });
    words.filter_map(|word| word.trim_end_matches('/').rsplit('/').next()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_names_its_words_and_no_branch_or_remote_does() {
        let named = |text: &str| Vec::from_iter(words(text).map(str::to_owned));
        assert!(named("[core]\n\tfsmonitor = .tools/watch.sh").contains(&"watch.sh".to_owned()));
        assert!(
            named("[filter \"x\"]\nclean = \"python3 \\\"a b/c.py\\\" %f\"").contains(&"c.py".to_owned())
        );
        assert!(named("[core] hooksPath = tools/hooks/").contains(&"hooks".to_owned()));
        assert!(named("[alias]\nx = !sh -c './go;./stop'").ends_with(&["go".into(), "stop".into()]));
        assert!(
            !named("[remote \"o\"]\nurl = a@b:c/src\n[branch \"main\"] merge = refs/heads/main")
                .iter()
                .any(|word| word == "src" || word == "heads/main")
        );
    }
}
