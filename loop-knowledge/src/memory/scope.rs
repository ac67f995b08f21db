//! The files to which an experience applies.

use std::{collections::HashSet, path::Path};

#[cfg(feature = "folders")]
use ignore::{
    WalkBuilder,
    overrides::{Override, OverrideBuilder},
};

/// The most files of a workspace that are looked at.
#[cfg(feature = "folders")]
const MOST_FILES: usize = 50_000;

/// Returns the first glob that is not valid, in a message.
pub(super) fn fault(globs: &[String]) -> Option<String> {
    globs
        .iter()
        .find_map(|glob| Some(format!("`applies_to` has the faulty glob `{glob}`: {}", reason(glob)?)))
}

fn reason(glob: &str) -> Option<String> {
    if glob.trim().is_empty() {
        return Some("it is empty".to_owned());
    }
    if glob.starts_with('!') {
        return Some("it would match by excluding files. Name those that it applies to".to_owned());
    }
    if glob.split('/').any(|part| part == "..") {
        return Some("it leads out of the workspace".to_owned());
    }
    syntax_fault(glob)
}

#[cfg(not(feature = "folders"))]
fn syntax_fault(_: &str) -> Option<String> {
    None
}

#[cfg(feature = "folders")]
fn syntax_fault(glob: &str) -> Option<String> {
    matcher(Path::new(""), &[glob.to_owned()]).err().map(|error| error.to_string())
}

#[cfg(feature = "folders")]
fn matcher(root: &Path, globs: &[String]) -> Result<Override, ignore::Error> {
    let mut builder = OverrideBuilder::new(root);
    for glob in globs {
        builder.add(glob)?;
    }
    builder.build()
}

/// Without a way to walk folders, no list of globs is known to match.
#[cfg(not(feature = "folders"))]
pub(super) fn matching(_: &Path, _: &[&[String]]) -> HashSet<usize> {
    HashSet::new()
}

/// Returns the positions of the lists of globs that match a file of the workspace. One walk serves all lists, and looks
/// at 50,000 files at most. Files that git ignores do not count.
#[cfg(feature = "folders")]
pub(super) fn matching(root: &Path, lists: &[&[String]]) -> HashSet<usize> {
    let matchers = lists.iter().map(|globs| matcher(root, globs).ok());
    let mut open: Vec<_> = matchers.enumerate().filter_map(|(at, matcher)| Some((at, matcher?))).collect();
    let mut found = HashSet::new();
    if open.is_empty() {
        return found;
    }
    let walk = WalkBuilder::new(root).hidden(false).filter_entry(|entry| entry.file_name() != ".git").build();
    let is_file = |entry: &ignore::DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
    for entry in walk.filter_map(Result::ok).filter(is_file).take(MOST_FILES) {
        open.retain(|(at, matcher)| {
            let is_match = matcher.matched(entry.path(), false).is_whitelist();
            if is_match {
                found.insert(*at);
            }
            !is_match
        });
        if open.is_empty() {
            break;
        }
    }
    found
}

#[cfg(all(test, feature = "folders"))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_list_matches_if_one_glob_matches_a_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("src/deep")).unwrap();
        fs::write(folder.path().join("src/deep/a.rs"), "").unwrap();
        fs::write(folder.path().join(".hidden"), "").unwrap();
        let lists: Vec<Vec<String>> =
            [&["*.py", "*.rs"][..], &["src/*.rs"], &["/.hidden"], &["*.py"], &["src/**/*.rs"]]
                .iter()
                .map(|globs| globs.iter().map(|glob| (*glob).to_owned()).collect())
                .collect();
        let lists: Vec<_> = lists.iter().map(Vec::as_slice).collect();
        assert_eq!(matching(folder.path(), &lists), HashSet::from([0, 2, 4]));
    }
}
