//! The project in a folder: which command runs its tests, and which one its linter.
//!
//! A command that the project does not have fails in every iteration, and costs as much as one that it has. So a
//! command is only taken if the project's own files point to it.

mod build_tools;
mod cargo;
mod cmake_presets;
mod layouts;
mod node;
mod project_check;
mod python;
mod python_files;
mod recipes;

use std::{cmp::Reverse, path::Path};

pub use self::project_check::ProjectCheck;
use self::project_check::{names_in, read};
use super::template::Purpose;

/// Folders that contain no project of their own: what tools install or build.
const GENERATED: [&str; 8] =
    ["build", "dist", "node_modules", "out", "site-packages", "target", "vendor", "venv"];

/// How many folders deep projects are looked for.
const MAX_DEPTH: usize = 3;

/// Returns all commands for this purpose that the files of the project in `dir` point to. The most specific is first:
/// the one of which the project itself defines most.
///
/// A project without such commands may have others below it: then these are returned, at most three folders deep.
pub fn checks(dir: &Path, purpose: Purpose) -> Vec<ProjectCheck> {
    checks_to_depth(dir, purpose, MAX_DEPTH)
}

/// Returns what is wrong with a file of the project that cannot be read, so that its commands are unknown.
pub fn unreadable(dir: &Path) -> Option<String> {
    let error = |file: &str| {
        let text = read(dir, file)?;
        match file.ends_with("toml") {
            true => text.parse::<toml::Table>().err().map(|error| error.message().to_owned()),
            false => serde_json::from_str::<serde_json::Value>(&text).err().map(|error| error.to_string()),
        }
    };
    ["package.json", "composer.json", "pyproject.toml"].into_iter().find_map(|file| {
        Some(format!("{file} names no command, because it cannot be read: {}", error(file)?))
    })
}

fn checks_to_depth(dir: &Path, purpose: Purpose, depth: usize) -> Vec<ProjectCheck> {
    let mut found: Vec<_> =
        [node::checks, recipes::checks, python::checks, cargo::checks, build_tools::checks, layouts::checks]
            .into_iter()
            .flat_map(|checks| checks(dir, purpose))
            .collect();
    if found.is_empty() && depth > 0 {
        let is_source = |name: &&String| !name.starts_with('.') && !GENERATED.contains(&name.as_str());
        for name in names_in(dir).iter().filter(is_source) {
            let folder = dir.join(name);
            // A link may lead out of the project, or back into it.
            if folder.symlink_metadata().is_ok_and(|entry| entry.is_dir()) {
                let below = checks_to_depth(&folder, purpose, depth - 1);
                found.extend(below.into_iter().filter_map(|check| check.in_subfolder(name)));
            }
        }
    }
    found.sort_by_key(|check| Reverse(check.origin));
    found
}

#[cfg(test)]
#[path = "../../../tests/init/project.rs"]
mod tests;
