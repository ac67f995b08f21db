//! Files that configure both the project and its tests. The agent may change the former.
//!
//! | what | where |
//! | --- | --- |
//! | `package.json`, `package-lock.json` | `packages.rs` |
//! | `Cargo.toml` | `cargo.rs` |
//! | `go.mod` | `go.rs` |
//! | `requirements*.txt` | `requirements.rs` |
//! | `CMakeLists.txt`, `*.cmake` | `cmake.rs` |

mod cargo;
mod cmake;
#[cfg(test)]
mod cmake_tests;
mod go;
mod packages;
mod requirements;

use serde_json::{Map, Value};

pub(super) use self::packages::targets;

/// The keys of `package.json` that configure how tests run.
const PACKAGE_KEYS: &[&str] = &[
    "ava",
    "babel",
    "browserslist",
    "eslintConfig",
    "name",
    "prettier",
    "stylelint",
    "c8",
    "config",
    "jest",
    "mocha",
    "nyc",
    "overrides",
    "packageManager",
    "pnpm",
    "postcss",
    "resolutions",
    "scripts",
    "tap",
    "vitest",
    "workspaces",
    "imports",
];

/// The tools whose tables in `pyproject.toml` configure how tests run.
const PYTHON_TOOLS: &[&str] = &[
    "pytest",
    "coverage",
    "tox",
    "nox",
    "hatch",
    "pdm",
    "poe",
    "taskipy",
    "ruff",
    "mypy",
    "black",
    "isort",
    "flake8",
    "pylint",
    "pyright",
    "basedpyright",
];

/// Parts of documents in which no word names a file that judges: scripts are followed on their own.
const FOLLOWED_ELSEWHERE: &[&str] = &[
    "imports",
    "name",
    "overrides",
    "packageManager",
    "poe",
    "pnpm",
    "resolutions",
    "scripts",
    "taskipy",
    "workspaces",
];

/// Returns the part of a document that configures tests and tools for tests. Another text is returned as it is.
pub(super) fn configuring_part(name: &str, text: &str) -> String {
    let is_followed = |key: &&&str| !FOLLOWED_ELSEWHERE.contains(*key);
    match name {
        "package.json" => {
            let package: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
            let keys = PACKAGE_KEYS.iter().filter(is_followed);
            let part: Map<_, _> =
                keys.filter_map(|key| Some(((*key).to_owned(), package.get(*key)?.clone()))).collect();
            serde_json::to_string_pretty(&part).unwrap_or_default()
        }
        "pyproject.toml" => {
            let document = text.parse().unwrap_or_default();
            let tools = PYTHON_TOOLS.iter().filter(is_followed);
            let tools = tools
                .filter_map(|tool| Some(((*tool).to_owned(), table(&document, "tool")?.get(*tool)?.clone())));
            toml::to_string(&tools.collect::<toml::Table>()).unwrap_or_default()
        }
        "Cargo.toml" => {
            let document: toml::Table = text.parse().unwrap_or_default();
            let build = document.get("package").and_then(|package| package.get("build"));
            let parts = [("test", document.get("test")), ("build", build)];
            let parts = parts.into_iter().filter_map(|(name, part)| Some((name.to_owned(), part?.clone())));
            toml::to_string(&parts.collect::<toml::Table>()).unwrap_or_default()
        }
        "setup.cfg" => {
            let is_about_tools = |section: &&str| {
                let title = section.split(']').next().unwrap_or_default();
                PYTHON_TOOLS.iter().any(|tool| title.contains(tool))
            };
            text.split("\n[")
                .map(|section| section.trim_start_matches('['))
                .filter(is_about_tools)
                .collect::<Vec<_>>()
                .join("\n")
        }
        _ if cmake::is_file(name) => cmake::test_words(text),
        _ => text.to_owned(),
    }
}

/// Puts the part of `first` that judges into `judged`. Returns `None` if a text cannot be read, or if the name is unknown.
pub(super) fn merge(name: &str, first: Option<&str>, judged: &str) -> Option<String> {
    match name {
        "package.json" => packages::package(first, judged),
        "package-lock.json" | "npm-shrinkwrap.json" => packages::lock(first, judged),
        "pyproject.toml" => tables(first, judged, python),
        "Cargo.toml" => tables(first, judged, cargo::put_back),
        "go.mod" => Some(go::module(first.unwrap_or_default(), judged)),
        _ if cmake::is_file(name) => cmake::merge(first.unwrap_or_default(), judged),
        _ if requirements::is_list(name) => Some(requirements::list(first.unwrap_or_default(), judged)),
        _ => None,
    }
}

/// Puts the names back under which others import the files of a package for which `judges` is true.
pub(super) fn with_exports(
    name: &str,
    first: Option<&str>,
    merged: String,
    judges: impl Fn(&str) -> bool,
) -> String {
    let is_package = name == "package.json";
    first.filter(|_| is_package).and_then(|first| packages::exports(first, &merged, judges)).unwrap_or(merged)
}

fn tables(first: Option<&str>, judged: &str, put_back: fn(&mut toml::Table, &toml::Table)) -> Option<String> {
    let first = first.map_or_else(|| Ok(toml::Table::new()), str::parse).ok()?;
    let mut judged: toml::Table = judged.parse().ok()?;
    put_back(&mut judged, &first);
    toml::to_string(&judged).ok()
}

fn put(judged: &mut toml::Table, first: Option<&toml::Table>, key: &str) {
    match first.and_then(|first| first.get(key)) {
        Some(value) => judged.insert(key.to_owned(), value.clone()),
        None => judged.remove(key),
    };
}

fn table<'a>(of: &'a toml::Table, key: &str) -> Option<&'a toml::Table> {
    of.get(key)?.as_table()
}

fn python(judged: &mut toml::Table, first: &toml::Table) {
    let before = table(first, "tool");
    let mut tools = table(judged, "tool").cloned().unwrap_or_default();
    PYTHON_TOOLS.iter().for_each(|tool| put(&mut tools, before, tool));
    if !tools.is_empty() || judged.contains_key("tool") {
        judged.insert("tool".to_owned(), tools.into());
    }
}

#[cfg(test)]
mod tests {
    use super::{configuring_part, merge};

    #[test]
    fn a_new_dependency_stays_and_another_script_does_not() {
        let first = r#"{"name": "app", "scripts": {"test": "jest"}}"#;
        let judged = r#"{"name": "app", "scripts": {"test": "true"}, "jest": {"bail": 1}, "dependencies": {"x": "1"}}"#;
        let merged = merge("package.json", Some(first), judged).unwrap();
        let merged: serde_json::Value = serde_json::from_str(&merged).unwrap();
        let expected =
            serde_json::json!({"name": "app", "scripts": {"test": "jest"}, "dependencies": {"x": "1"}});
        assert_eq!(merged, expected);
    }

    #[test]
    fn the_tests_of_a_crate_are_those_of_the_start() {
        let first = "[package]\nname = \"a\"\n\n[[test]]\nname = \"all\"\n";
        let judged = "[package]\nname = \"a\"\nautotests = false\n\n[lib]\ntest = false\npath = \"x.rs\"\n\n\
                      [dependencies]\nx = \"1\"\n";
        let merged: toml::Table = merge("Cargo.toml", Some(first), judged).unwrap().parse().unwrap();
        let expected: toml::Table =
            "[package]\nname = \"a\"\n\n[lib]\npath = \"x.rs\"\n\n[[test]]\nname = \"all\"\n\n\
                                     [dependencies]\nx = \"1\"\n"
                .parse()
                .unwrap();
        assert_eq!(merged, expected);
    }

    #[test]
    fn a_table_of_pytest_that_was_not_there_is_left_out() {
        let judged =
            "[project]\nname = \"a\"\n\n[tool.pytest.ini_options]\naddopts = \"--co\"\n\n[tool.uv]\nx = 1\n";
        let merged: toml::Table = merge("pyproject.toml", None, judged).unwrap().parse().unwrap();
        assert_eq!(merged, "[project]\nname = \"a\"\n\n[tool.uv]\nx = 1\n".parse().unwrap());
    }

    #[test]
    fn only_the_parts_that_configure_tests_are_read() {
        for (name, text, expected) in [
            (
                "package.json",
                r#"{"main": "a.js", "scripts": {"x": "y"}, "jest": {"bail": 1}}"#,
                r#"{"jest":{"bail":1}}"#,
            ),
            (
                "pyproject.toml",
                "[project]\nname = 'a'\n[tool.pytest]\nx = 1\n[tool.uv]\ny = 1\n",
                "[pytest]x=1",
            ),
            ("Cargo.toml", "[package]\nname = 'a'\nbuild = 'b.rs'\n[lib]\npath = 'l.rs'\n", "build=\"b.rs\""),
            (
                "setup.cfg",
                "[metadata]\nfile = a.py\n\n[tool:pytest]\naddopts = -p b\n",
                "tool:pytest]addopts=-pb",
            ),
            ("jest.config.js", "x", "x"),
        ] {
            let part = configuring_part(name, text).split_whitespace().collect::<String>();
            assert_eq!(part, expected, "{name}");
        }
    }

    #[test]
    fn a_text_that_nobody_can_read_is_not_merged() {
        assert_eq!(merge("package.json", Some("{}"), "{"), None);
        assert_eq!(merge("Cargo.toml", None, "= ="), None);
        assert_eq!(merge("other.toml", None, ""), None);
    }
}
