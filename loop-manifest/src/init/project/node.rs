//! JavaScript and TypeScript: the scripts of package.json.

use std::path::Path;

use serde_json::Value;

use super::{
    super::template::Purpose,
    project_check::{CheckOrigin, ProjectCheck, by_lock_file, read},
};

const FILE: &str = "package.json";

const LOCK_FILES: [(&str, &str); 6] = [
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
];

/// The text of the default test script of `npm init`, which always fails.
const NO_TEST: &str = "no test specified";

pub(super) fn check(dir: &Path, purpose: Purpose) -> Option<ProjectCheck> {
    let name = match purpose {
        Purpose::Test => "test",
        Purpose::Lint => "lint",
    };
    let package: Value = serde_json::from_str(&read(dir, FILE)?).ok()?;
    let script = package.get("scripts")?.get(name)?.as_str()?;
    if script.trim().is_empty() || script.contains(NO_TEST) {
        return None;
    }
    let manager = by_lock_file(dir, &LOCK_FILES).unwrap_or("npm");
    Some(ProjectCheck::new(CheckOrigin::Command, FILE, format!("{manager} run {name}")))
}
