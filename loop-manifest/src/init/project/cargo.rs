//! Rust: Cargo.toml.

use std::path::Path;

use super::{
    super::template::Purpose,
    project_check::{CheckOrigin, ProjectCheck, read},
};

const FILE: &str = "Cargo.toml";

/// Quiet: otherwise every prompt would contain the names of a thousand passing tests.
pub(super) fn check(dir: &Path, purpose: Purpose) -> Option<ProjectCheck> {
    let manifest: toml::Table = read(dir, FILE)?.parse().unwrap_or_default();
    let members = manifest.get("workspace").and_then(|workspace| workspace.get("members"));
    // In the folder of a package that is also a workspace, Cargo's default is the package alone.
    let all = if members.is_some() { " --workspace" } else { "" };
    let command = match purpose {
        Purpose::Test => format!("cargo test --quiet{all}"),
        Purpose::Lint => format!("cargo clippy --quiet{all} --all-targets -- -D warnings"),
    };
    Some(ProjectCheck::new(CheckOrigin::Language, FILE, command))
}
