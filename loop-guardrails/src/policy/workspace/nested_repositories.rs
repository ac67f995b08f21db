//! Finds bare repositories in folders that a program searches.
//!
//! Patterns for the names of secrets cover a repository in a folder `.git` or `x.git`. But a bare repository can have
//! any name, and then its `config` looks like any other file of that name.

use std::{ffi::OsStr, fs, path::Path};

use super::{WorkspaceError, is_git_folder};
use crate::policy::{DeniedAction, Origin, Ruling, case_folding::folded};

/// The most names to look at. A person has to search a larger folder.
const MAX_NAMES: usize = 500_000;

/// Refuses a program that reads the files in `folder`, below the root, if a repository is among them.
pub(super) fn refuse_in(root: &Path, folder: &str, program: &str) -> Result<(), WorkspaceError> {
    let (mut folders, mut left) = (vec![root.join(folder)], MAX_NAMES);
    while let Some(folder) = folders.pop() {
        let found = folder.strip_prefix(root).unwrap_or(&folder).display();
        if folder.join("HEAD").symlink_metadata().is_ok() && is_git_folder(&folder, OsStr::new("HEAD")) {
            let rule = format!(
                "`{found}` is a repository of git, whose settings and logs can hold secrets; name folders that do \
                 not contain it"
            );
            return Err(refusal(program, rule));
        }
        // The program cannot list it either, or it is a file.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let Some(fewer) = left.checked_sub(1) else {
                let rule =
                    format!("`{found}` has too many files to find repositories of git; name a folder in it");
                return Err(refusal(program, rule));
            };
            left = fewer;
            let is_covered = || folded(&entry.file_name().to_string_lossy()).ends_with(".git");
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_covered() {
                folders.push(entry.path());
            }
        }
    }
    Ok(())
}

fn refusal(program: &str, rule: String) -> WorkspaceError {
    let ruling = Ruling::denied(rule, &Origin::BuiltIn);
    DeniedAction { action: format!("to run `{program}`"), ruling }.into()
}
