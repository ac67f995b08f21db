//! Go projects: go.mod.

use std::path::Path;

use super::{
    super::template::Purpose,
    found::{Check, Said},
};

const FILE: &str = "go.mod";

pub(super) fn check(dir: &Path, purpose: Purpose) -> Option<Check> {
    let command = match purpose {
        Purpose::Test => "go test ./...",
        Purpose::Lint => "go vet ./...",
    };
    dir.join(FILE).is_file().then(|| Check::new(Said::Language, FILE, command))
}
