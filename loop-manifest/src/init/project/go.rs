//! Go projects: go.mod.

use std::path::Path;

use super::{
    super::template::Purpose,
    project_check::{CheckOrigin, ProjectCheck},
};

const FILE: &str = "go.mod";

pub(super) fn check(dir: &Path, purpose: Purpose) -> Option<ProjectCheck> {
    let command = match purpose {
        Purpose::Test => "go test ./...",
        Purpose::Lint => "go vet ./...",
    };
    dir.join(FILE).is_file().then(|| ProjectCheck::new(CheckOrigin::Language, FILE, command))
}
