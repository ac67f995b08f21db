//! Python: pyproject.toml.

use std::path::Path;

use toml::{Table, Value};

use super::{
    super::template::Purpose,
    project_check::{CheckOrigin, ProjectCheck, by_lock_file, read},
};

const FILE: &str = "pyproject.toml";

/// The lock files, and the tools that install, and so have to run, the project's programs.
const LOCK_FILES: [(&str, &str); 3] =
    [("uv.lock", "uv run "), ("poetry.lock", "poetry run "), ("pdm.lock", "pdm run ")];

pub(super) fn check(dir: &Path, purpose: Purpose) -> Option<ProjectCheck> {
    let project: Table = read(dir, FILE)?.parse().unwrap_or_default();
    let (tool, files, command): (_, &[&str], _) = match purpose {
        Purpose::Test => {
            ("pytest", &["pytest.ini", ".pytest.ini", "conftest.py", "tests/conftest.py"], "pytest -q")
        }
        Purpose::Lint => ("ruff", &["ruff.toml", ".ruff.toml"], "ruff check"),
    };
    let runner = by_lock_file(dir, &LOCK_FILES).unwrap_or_default();
    if configures(&project, tool)
        || depends_on(&project, tool)
        || files.iter().any(|file| dir.join(file).is_file())
    {
        return Some(ProjectCheck::new(CheckOrigin::Tool, FILE, format!("{runner}{command}")));
    }
    // The standard library has a test runner, but no linter.
    let has_tests = ["tests", "test"].into_iter().find(|folder| dir.join(folder).is_dir());
    let folder = has_tests.filter(|_| purpose == Purpose::Test)?;
    Some(ProjectCheck::new(
        CheckOrigin::Language,
        FILE,
        format!("{runner}python3 -m unittest discover -s {folder} -t ."),
    ))
}

fn configures(project: &Table, tool: &str) -> bool {
    project.get("tool").and_then(|tools| tools.get(tool)).is_some()
}

/// Returns whether one of the project's dependency lists contains the tool.
fn depends_on(project: &Table, tool: &str) -> bool {
    let at = |path: &[&str]| {
        let mut keys = path.iter();
        let first = keys.next().and_then(|key| project.get(*key));
        keys.fold(first, |value, key| value.and_then(|value| value.get(*key)))
    };
    let lists = [
        at(&["project", "dependencies"]),
        at(&["project", "optional-dependencies"]),
        at(&["dependency-groups"]),
        at(&["tool", "uv", "dev-dependencies"]),
        at(&["tool", "pdm", "dev-dependencies"]),
        at(&["tool", "poetry", "dependencies"]),
        at(&["tool", "poetry", "dev-dependencies"]),
        at(&["tool", "poetry", "group"]),
    ];
    lists.into_iter().flatten().any(|list| names(list, tool))
}

/// Returns whether a requirement for `tool` is in a list, a table of lists, or a table by name.
fn names(value: &Value, tool: &str) -> bool {
    match value {
        Value::String(requirement) => {
            let end = requirement.find(|sign: char| !(sign.is_alphanumeric() || "-_.".contains(sign)));
            requirement[..end.unwrap_or(requirement.len())].eq_ignore_ascii_case(tool)
        }
        Value::Array(list) => list.iter().any(|entry| names(entry, tool)),
        Value::Table(table) => {
            table.iter().any(|(key, entry)| key.eq_ignore_ascii_case(tool) || names(entry, tool))
        }
        _ => false,
    }
}
