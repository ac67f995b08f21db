//! Paths of git commands that are written without `--`: `git diff notes.md`.

use std::{borrow::Cow, path::Path};

use super::git_settings;

/// The subcommands that take revisions, and then paths.
const SUBCOMMANDS: [&str; 3] = ["diff", "log", "show"];

/// Writes `--` before the paths of a git command, if nothing else says where they begin: the last words that are files in
/// the folder `root`, and no names of its branches and tags. Git reads such a line in the same way.
pub(super) fn with_separator<'a>(root: &Path, line: &'a str) -> Cow<'a, str> {
    let written = || {
        // Most commands are of other programs.
        line.trim_start().strip_prefix("git")?;
        let mut words = shlex::split(line)?;
        let takes_paths = words.first()? == "git" && SUBCOMMANDS.contains(&words.get(1)?.as_str());
        if !takes_paths || words.iter().any(|word| word == "--") {
            return None;
        }
        let paths = words[2..].iter().rev().take_while(|word| is_path(root, word)).count();
        if paths == 0 {
            return None;
        }
        words.insert(words.len() - paths, "--".to_owned());
        shlex::try_join(words.iter().map(String::as_str)).ok()
    };
    written().map_or(Cow::Borrowed(line), Cow::Owned)
}

fn is_path(root: &Path, word: &str) -> bool {
    let is_file = || root.join(word).symlink_metadata().is_ok();
    !word.is_empty() && !word.starts_with('-') && is_file() && !is_ref(&root.join(".git"), word)
}

/// Returns whether a repository has a branch or a tag of this name. If its list cannot be read, git decides.
fn is_ref(repository: &Path, word: &str) -> bool {
    let kinds = ["heads", "tags", "remotes"];
    let is_loose = |kind: &&str| repository.join("refs").join(kind).join(word).is_file();
    if kinds.iter().any(is_loose) {
        return true;
    }
    let Ok(packed) = git_settings::read(&repository.join("packed-refs")) else { return true };
    packed.unwrap_or_default().lines().any(|line| {
        let name = line.split_once(" refs/").and_then(|(_, name)| name.split_once('/'));
        name.is_some_and(|(kind, name)| kinds.contains(&kind) && name == word)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn words_that_are_files_are_paths() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join(".git/refs/heads")).unwrap();
        fs::create_dir(root.join("src")).unwrap();
        fs::write(root.join(".git/refs/heads/main"), "0").unwrap();
        fs::write(root.join(".git/packed-refs"), "# pack-refs\n00 refs/tags/v1\n").unwrap();
        for name in ["a b.txt", "main", "v1", "x"] {
            fs::write(root.join(name), "").unwrap();
        }
        for (line, expected) in [
            ("git diff x", "git diff -- x"),
            ("git diff HEAD~1 --stat 'a b.txt' src", "git diff 'HEAD~1' --stat -- 'a b.txt' src"),
            ("git log -n 5 x", "git log -n 5 -- x"),
            ("git show x", "git show -- x"),
            // The branch and the tag are meant as well, so git asks.
            ("git diff main", "git diff main"),
            ("git diff v1", "git diff v1"),
            ("git diff x main", "git diff x main"),
            ("git diff -- x", "git diff -- x"),
            ("git diff y", "git diff y"),
            ("git status x", "git status x"),
            ("git diff", "git diff"),
            ("cat x", "cat x"),
            ("git diff 'x", "git diff 'x"),
        ] {
            assert_eq!(with_separator(root, line), expected, "{line}");
        }
    }

    /// A repository of a stranger may have anything in this place.
    #[test]
    fn a_pipe_in_the_place_of_the_list_of_refs_does_not_hang() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};

        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join(".git")).unwrap();
        fs::write(root.join("x"), "").unwrap();
        mknodat(CWD, root.join(".git/packed-refs"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        assert_eq!(with_separator(root, "git diff x"), "git diff -- x");
    }
}
