//! Files that configure both the project and its tests. The agent may change the former.

use serde::Serialize as _;
use serde_json::{Map, Value};

/// The keys of `package.json` that configure how tests run.
const PACKAGE_KEYS: &[&str] = &[
    "ava",
    "babel",
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

/// The keys of `Cargo.toml` that configure how tests run.
const CARGO_KEYS: &[&str] = &["test", "bench", "profile", "patch", "replace", "lints"];

/// The keys of tables in `Cargo.toml` that decide what is tested, and how.
const CARGO_PARTS: &[(&str, &[&str])] = &[
    ("package", &["autotests", "autobenches", "autoexamples", "build", "links"]),
    ("lib", &["test", "doctest", "harness"]),
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
        _ => text.to_owned(),
    }
}

/// Puts the part of `first` that judges into `judged`. Returns `None` if a text cannot be read, or if the name is unknown.
pub(super) fn merge(name: &str, first: Option<&str>, judged: &str) -> Option<String> {
    match name {
        "package.json" => {
            let first: Map<String, Value> = match first {
                Some(text) => serde_json::from_str(text).ok()?,
                None => Map::new(),
            };
            let text = judged;
            let mut judged: Map<String, Value> = serde_json::from_str(judged).ok()?;
            for key in PACKAGE_KEYS {
                put_json(&mut judged, &first, key);
            }
            let before = first.get("devDependencies").and_then(Value::as_object);
            if let Some(Value::Object(now)) = judged.get_mut("devDependencies") {
                now.extend(before.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
            } else if let Some(before) = before {
                judged.insert("devDependencies".to_owned(), before.clone().into());
            }
            formatted(&judged, text)
        }
        "pyproject.toml" | "Cargo.toml" => {
            let first = match first {
                Some(text) => text.parse().ok()?,
                None => toml::Table::new(),
            };
            let mut judged: toml::Table = judged.parse().ok()?;
            let put_back = if name == "Cargo.toml" { cargo } else { python };
            put_back(&mut judged, &first);
            toml::to_string(&judged).ok()
        }
        _ => None,
    }
}

/// Writes an object with the indentation and the end of `text`.
fn formatted(object: &Map<String, Value>, text: &str) -> Option<String> {
    let indented = text.lines().find(|line| line.starts_with([' ', '\t']));
    let indent = indented.map_or("  ", |line| &line[..line.len() - line.trim_start().len()]);
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
    object.serialize(&mut serde_json::Serializer::with_formatter(&mut out, formatter)).ok()?;
    out.extend(text.ends_with('\n').then_some(b'\n'));
    String::from_utf8(out).ok()
}

fn put_json(judged: &mut Map<String, Value>, first: &Map<String, Value>, key: &str) {
    match first.get(key) {
        Some(value) => judged.insert(key.to_owned(), value.clone()),
        None => judged.shift_remove(key),
    };
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

fn cargo(judged: &mut toml::Table, first: &toml::Table) {
    CARGO_KEYS.iter().for_each(|key| put(judged, Some(first), key));
    for (part, keys) in CARGO_PARTS {
        let before = table(first, part);
        let mut now = table(judged, part).cloned().unwrap_or_default();
        keys.iter().for_each(|key| put(&mut now, before, key));
        if !now.is_empty() || judged.contains_key(*part) {
            judged.insert((*part).to_owned(), now.into());
        }
    }
    // More of these are welcome; those of the start stay as they were.
    keep_entries(judged, first, "dev-dependencies");
    if let Some(before) = table(first, "workspace") {
        let mut now = table(judged, "workspace").cloned().unwrap_or_default();
        ["exclude", "default-members", "lints"].iter().for_each(|key| put(&mut now, Some(before), key));
        let members =
            |of: &toml::Table| of.get("members").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        let mut all = members(&now);
        all.extend(members(before).into_iter().filter(|member| !members(&now).contains(member)));
        if !all.is_empty() {
            now.insert("members".to_owned(), all.into());
        }
        judged.insert("workspace".to_owned(), now.into());
    }
}

fn keep_entries(judged: &mut toml::Table, first: &toml::Table, key: &str) {
    if let Some(before) = table(first, key) {
        let mut now = table(judged, key).cloned().unwrap_or_default();
        now.extend(before.clone());
        judged.insert(key.to_owned(), now.into());
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
