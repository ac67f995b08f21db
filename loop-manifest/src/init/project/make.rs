//! Projects with a Makefile that has a suitable target.

use std::path::Path;

use super::{
    super::template::Purpose,
    project_check::{CheckOrigin, ProjectCheck, read},
};

/// In the search order of GNU Make.
const FILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

pub(super) fn check(dir: &Path, purpose: Purpose) -> Option<ProjectCheck> {
    let (file, text) = FILES.iter().find_map(|file| Some((file, read(dir, file)?)))?;
    // GNU's projects test with `make check`; in others, `check` is the linter's.
    let names = match purpose {
        Purpose::Test => ["test", "check"],
        Purpose::Lint => ["lint", "check"],
    };
    let target = names.into_iter().find(|name| has_target(&text, name))?;
    Some(ProjectCheck::new(CheckOrigin::Command, file, format!("make {target}")))
}

/// Returns whether a rule makes `name`; `name := value` is a variable.
fn has_target(text: &str, name: &str) -> bool {
    let rules =
        text.lines().filter(|line| !line.starts_with(['\t', '#'])).filter_map(|line| line.split_once(':'));
    rules
        .filter(|(_, rest)| !rest.trim_start_matches(':').starts_with('='))
        .any(|(targets, _)| targets.split_whitespace().any(|target| target == name))
}
