//! Detection of projects, each a folder with a few files.

use std::fs;

use super::*;

/// Returns the commands that are detected in a folder with these files, the most specific first.
fn found(purpose: Purpose, files: &[(&str, &str)]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = dir.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    checks(dir.path(), purpose).into_iter().map(|check| check.command).collect()
}

fn tests(files: &[(&str, &str)]) -> Vec<String> {
    found(Purpose::Test, files)
}

fn lints(files: &[(&str, &str)]) -> Vec<String> {
    found(Purpose::Lint, files)
}

const NOTHING: [&str; 0] = [];

#[test]
fn a_folder_without_a_project_speaks_for_nothing() {
    assert_eq!(tests(&[("README.md", "make test")]), NOTHING);
}

#[test]
fn rust_has_its_commands_and_a_workspace_all_its_members() {
    let package = [("Cargo.toml", "[package]\nname = \"it\"\n[workspace]\n")];
    assert_eq!(tests(&package), ["cargo test --quiet"]);
    assert_eq!(lints(&package), ["cargo clippy --quiet --all-targets -- -D warnings"]);
    let workspace = [("Cargo.toml", "[workspace]\nmembers = [\"it\"]\n")];
    assert_eq!(tests(&workspace), ["cargo test --quiet --workspace"]);
    assert_eq!(lints(&workspace), ["cargo clippy --quiet --workspace --all-targets -- -D warnings"]);
}

#[test]
fn a_script_of_package_json_is_run_by_whoever_wrote_the_lock_file() {
    let package = ("package.json", r#"{ "scripts": { "test": "vitest run", "lint": "eslint ." } }"#);
    assert_eq!(tests(&[package]), ["npm run test"]);
    for (lock_file, manager) in LOCKS {
        assert_eq!(lints(&[package, (lock_file, "")]), [format!("{manager} run lint")]);
    }
}

const LOCKS: [(&str, &str); 4] =
    [("package-lock.json", "npm"), ("yarn.lock", "yarn"), ("pnpm-lock.yaml", "pnpm"), ("bun.lock", "bun")];

#[test]
fn a_package_json_without_the_script_speaks_for_nothing() {
    for package in [
        "{}",
        r#"{ "scripts": { "build": "tsc" } }"#,
        r#"{ "scripts": { "test": "echo \"Error: no test specified\" && exit 1" } }"#,
        r#"{ "scripts": { "test": " " } }"#,
        "not JSON",
    ] {
        assert_eq!(tests(&[("package.json", package)]), NOTHING, "{package}");
    }
}

#[test]
fn a_python_tool_is_taken_if_it_is_configured_or_depended_on() {
    for project in [
        "[tool.pytest.ini_options]\n",
        "[project]\ndependencies = [\"requests\", \"pytest>=8\"]\n",
        "[project.optional-dependencies]\ndev = [\"pytest[extra] ; python_version > '3'\"]\n",
        "[dependency-groups]\ndev = [{ include-group = \"x\" }, \"PyTest\"]\n",
        "[tool.poetry.group.dev.dependencies]\npytest = \"^8\"\n",
    ] {
        assert_eq!(tests(&[("pyproject.toml", project)]), ["pytest -q"], "{project}");
    }
    assert_eq!(lints(&[("pyproject.toml", "[tool.ruff]\n"), ("uv.lock", "")]), ["uv run ruff check"]);
    assert_eq!(lints(&[("pyproject.toml", ""), ("ruff.toml", "")]), ["ruff check"]);
}

#[test]
fn python_without_a_tool_has_the_standard_library_for_tests_and_nothing_for_lints() {
    let project =
        [("pyproject.toml", "[project]\ndependencies = [\"pytest-mock\"]\n"), ("tests/test_it.py", "")];
    assert_eq!(tests(&project), ["python3 -m unittest discover -s tests -t ."]);
    assert_eq!(lints(&project), NOTHING);
    assert_eq!(tests(&project[..1]), NOTHING);
}

#[test]
fn go_has_its_commands() {
    assert_eq!(tests(&[("go.mod", "module it\n")]), ["go test ./..."]);
    assert_eq!(lints(&[("go.mod", "module it\n")]), ["go vet ./..."]);
}

#[test]
fn a_makefile_is_taken_for_its_targets_only() {
    let makefile = "check := no\ntest: build\n\tcargo test\n.PHONY: lint\nfmt lint ::\n\ttrue\n# check: no\n";
    assert_eq!(tests(&[("Makefile", makefile)]), ["make test"]);
    assert_eq!(lints(&[("Makefile", makefile)]), ["make lint"]);
    assert_eq!(tests(&[("Makefile", "check:\n\ttrue\n")]), ["make check"]);
    for no_target in
        ["tests:\n", "test = 1\n", "test := 1\n", "test ::= 1\n", "all:\n\techo test: ok\n", "check:=x\n"]
    {
        assert_eq!(tests(&[("makefile", no_target)]), NOTHING, "{no_target}");
    }
}

#[test]
fn a_named_pipe_is_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["Cargo.toml", "package.json", "pyproject.toml", "go.mod", "Makefile"] {
        let made = std::process::Command::new("mkfifo").arg(dir.path().join(name)).status().unwrap();
        assert!(made.success());
    }
    assert_eq!(checks(dir.path(), Purpose::Test), []);
}

#[test]
fn what_the_project_has_said_itself_is_more_specific_than_what_its_language_suggests() {
    let files = [
        ("Cargo.toml", ""),
        ("package.json", r#"{ "scripts": { "test": "vitest run" } }"#),
        ("pyproject.toml", "[tool.pytest]\n"),
        ("go.mod", ""),
        ("Makefile", "test:\n"),
    ];
    let expected = ["npm run test", "make test", "pytest -q", "cargo test --quiet", "go test ./..."];
    assert_eq!(tests(&files), expected);
}
