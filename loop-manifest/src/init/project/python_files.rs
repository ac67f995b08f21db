//! The test files and the lists of requirements of a Python project.

use std::path::Path;

use super::project_check::{names_in, read};

/// How deep a list of requirements may refer to others.
const MAX_LISTS: usize = 4;

/// The runner that test files are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TestStyle {
    /// Functions outside of classes, or an import of pytest.
    Functions,
    /// Subclasses of `unittest.TestCase`.
    Classes,
}

/// The test files of a folder.
#[derive(Debug)]
pub(super) struct TestFiles {
    folder: &'static str,
    pub(super) style: TestStyle,
    /// Whether their names end with `_test.py`, which `unittest` does not look for by itself.
    ends_with_test: bool,
}

impl TestFiles {
    /// Returns the name for the place of the tests.
    pub(super) fn name(&self) -> &'static str {
        match self.folder {
            "." if self.ends_with_test => "*_test.py",
            "." => "test*.py",
            folder => folder,
        }
    }

    /// Returns the arguments with which `unittest` finds the tests.
    pub(super) fn unittest_arguments(&self, dir: &Path) -> String {
        let pattern = if self.ends_with_test { " -p '*_test.py'" } else { "" };
        match self.folder {
            "." if pattern.is_empty() => String::new(),
            "." => format!(" discover{pattern}"),
            // A package imports its modules from the folder above; other files, from their own.
            folder if dir.join(folder).join("__init__.py").is_file() => {
                format!(" discover -s {folder} -t .{pattern}")
            }
            folder => format!(" discover -s {folder}{pattern}"),
        }
    }
}

/// Returns the test files in the folder of the tests, or else in this one. `None` if they contain no test.
pub(super) fn test_files(dir: &Path) -> Option<TestFiles> {
    let in_folder = |folder: &'static str| {
        let path = dir.join(folder);
        let names = names_in(&path).into_iter();
        let tests = names.filter(|name| name.ends_with(".py"));
        let tests: Vec<_> =
            tests.filter(|name| name.starts_with("test") || name.ends_with("_test.py")).collect();
        let styles: Vec<_> = tests.iter().filter_map(|name| style(&read(&path, name)?)).collect();
        let needs_pytest = styles.contains(&TestStyle::Functions);
        let style = if needs_pytest { TestStyle::Functions } else { *styles.first()? };
        let ends_with_test = tests.iter().all(|name| !name.starts_with("test"));
        Some(TestFiles { folder, style, ends_with_test })
    };
    ["tests", "test", "."].into_iter().find_map(in_folder)
}

fn style(text: &str) -> Option<TestStyle> {
    let is_function = |line: &str| {
        let is_test = line.strip_prefix("async ").unwrap_or(line).starts_with("def test");
        is_test || line.starts_with("import pytest") || line.starts_with("from pytest")
    };
    if text.lines().any(is_function) {
        return Some(TestStyle::Functions);
    }
    text.contains("TestCase").then_some(TestStyle::Classes)
}

/// Returns the first list of requirements with a line that fits: `requirements-dev.txt`, `requirements.in`,
/// `environment.yml`. Lists that it refers to with `-r` count.
pub(super) fn requirements_with(dir: &Path, fits: impl Fn(&str) -> bool) -> Option<String> {
    let is_list = |name: &String| {
        let stem = [".txt", ".in"].iter().find_map(|end| name.strip_suffix(end));
        stem.is_some_and(|stem| stem.contains("requirements")) || is_environment(name)
    };
    let below = names_in(&dir.join("requirements")).into_iter();
    let below = below.filter(|name| name.ends_with(".txt") || name.ends_with(".in"));
    let lists =
        names_in(dir).into_iter().filter(is_list).chain(below.map(|name| format!("requirements/{name}")));
    lists.into_iter().find(|name| lists_one(dir, name, &fits, MAX_LISTS))
}

fn is_environment(name: &str) -> bool {
    matches!(name, "environment.yml" | "environment.yaml")
}

fn lists_one(dir: &Path, name: &str, fits: &dyn Fn(&str) -> bool, depth: usize) -> bool {
    let text = read(dir, name).unwrap_or_default();
    let folder = Path::new(name).parent().map_or_else(|| dir.to_owned(), |folder| dir.join(folder));
    text.lines().map(str::trim).any(|line| {
        let referred = line.strip_prefix("-r ").or_else(|| line.strip_prefix("--requirement "));
        let entry = if is_environment(name) { line.trim_start_matches(['-', ' ']) } else { line };
        fits(entry)
            || referred.is_some_and(|other| depth > 0 && lists_one(&folder, other.trim(), fits, depth - 1))
    })
}
