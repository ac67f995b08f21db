//! Rust: Cargo.toml.

use std::path::Path;

use super::{
    super::template::Purpose,
    project_check::{CheckOrigin, ProjectCheck, read},
};

const FILE: &str = "Cargo.toml";

/// A project with this file runs its tests with nextest.
const NEXTEST: &str = ".config/nextest.toml";

/// Quiet: otherwise every prompt would contain the names of a thousand passing tests.
pub(super) fn checks(dir: &Path, purpose: Purpose) -> Vec<ProjectCheck> {
    let Some(text) = read(dir, FILE) else { return Vec::new() };
    let manifest: toml::Table = text.parse().unwrap_or_default();
    let members = manifest.get("workspace").and_then(|workspace| workspace.get("members"));
    // In the folder of a package that is also a workspace, Cargo's default is the package alone.
    let all = if members.is_some() { " --workspace" } else { "" };
    let language = |command| ProjectCheck::new(CheckOrigin::Language, FILE, command);
    match purpose {
        Purpose::Lint => {
            vec![language(format!("cargo clippy --quiet{all} --all-targets -- -D warnings"))]
        }
        Purpose::Test => {
            let command = format!("cargo nextest run{all} --status-level fail");
            let nextest = dir.join(NEXTEST).is_file();
            let nextest = nextest.then(|| ProjectCheck::new(CheckOrigin::Tool, NEXTEST, command));
            nextest.into_iter().chain([language(format!("cargo test --quiet{all}"))]).collect()
        }
    }
}
