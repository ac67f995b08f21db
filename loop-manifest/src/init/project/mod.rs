//! The project in a folder: which command runs its tests, and which one its linter.
//!
//! A command that the project does not have fails in every iteration, and costs as much as one that
//! it has. So a command is only taken where the project's own files speak for it.

mod cargo;
mod go;
mod make;
mod node;
mod project_check;
mod python;

use std::{cmp::Reverse, path::Path};

pub use self::project_check::ProjectCheck;
use super::template::Purpose;

/// Returns all commands for this purpose that the files of the project in `dir` point to. The most specific is first: the
/// one of which the project itself has said most.
pub fn checks(dir: &Path, purpose: Purpose) -> Vec<ProjectCheck> {
    let kinds = [cargo::check, node::check, python::check, go::check, make::check];
    let mut found: Vec<_> = kinds.into_iter().filter_map(|check| check(dir, purpose)).collect();
    found.sort_by_key(|check| Reverse(check.origin));
    found
}

#[cfg(test)]
#[path = "../../../tests/init/project.rs"]
mod tests;
