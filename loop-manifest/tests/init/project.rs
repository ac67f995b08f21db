//! Detection of projects, each a folder with a few files.

use std::{fs, os::unix::fs::PermissionsExt as _};

use super::*;

#[path = "runnable.rs"]
mod runnable;

/// Returns the commands that are detected in a folder with these files, the most specific first.
fn found(purpose: Purpose, files: &[(&str, &str)]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = dir.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
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

/// A test file for `unittest`.
const CASES: &str = "import unittest\nclass It(unittest.TestCase):\n  def test_it(self): pass\n";

/// A test file for pytest. `unittest` runs no test in it, and passes.
const FUNCTIONS: &str = "def test_it(): assert True\n";

#[test]
fn a_folder_without_a_project_speaks_for_nothing() {
    assert_eq!(tests(&[("README.md", "make test")]), NOTHING);
}

#[test]
fn tests_that_a_project_runs_by_itself_are_found() {
    let django =
        ("manage.py", "os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'site.settings')\nfrom django.core");
    for (files, command) in [
        (
            vec![
                ("manage.py", "from django.core.management import execute_from_command_line"),
                ("shop/tests.py", ""),
            ],
            "python3 manage.py test",
        ),
        (vec![django, ("uv.lock", "")], "uv run python3 manage.py test"),
        (vec![("package.json", "{}"), ("bun.lock", ""), ("a.test.ts", "")], "bun test"),
        (vec![("package.json", "{}"), ("src/b.spec.tsx", "import { test } from 'bun:test'")], "bun test"),
        (vec![("Makefile", "build:\n\tcc a.c\ntests: build\n\t./a.out\n")], "make tests"),
        (vec![("justfile", "tests:\n  cargo test\n")], "just tests"),
        (vec![("justfile", "import 'ci.just'\n"), ("ci.just", "test:\n  cargo test\n")], "just test"),
        (vec![("test/a.bats", "@test 'x' { true; }")], "bats test"),
        (vec![("smoke.bats", "")], "bats ."),
    ] {
        assert_eq!(tests(&files).first().map(String::as_str), Some(command), "{files:?}");
    }
    for files in
        [vec![("manage.py", "print(1)")], vec![("package.json", "{}"), ("a.test.ts", "import 'vitest'")]]
    {
        assert_eq!(tests(&files), NOTHING, "{files:?}");
    }
}

#[test]
fn a_script_for_the_tests_has_to_be_executable() {
    use std::os::unix::fs::PermissionsExt as _;
    for name in ["test.sh", "run_tests.sh", "scripts/test.sh"] {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "exit 0").unwrap();
        let commands =
            || checks(dir.path(), Purpose::Test).into_iter().map(|check| check.command).collect::<Vec<_>>();
        assert_eq!(commands(), NOTHING);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(commands(), [format!("./{name}")]);
        assert_eq!(checks(dir.path(), Purpose::Lint).len(), 0);
    }
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
        [("pyproject.toml", "[project]\ndependencies = [\"pytest-mock\"]\n"), ("tests/test_it.py", CASES)];
    assert_eq!(tests(&project), ["python3 -m unittest discover -s tests"]);
    assert_eq!(lints(&project), NOTHING);
    assert_eq!(tests(&project[..1]), NOTHING);
    let package = [("test/__init__.py", ""), ("test/test_it.py", CASES)];
    assert_eq!(tests(&package), ["python3 -m unittest discover -s test -t ."]);
    assert_eq!(tests(&[("test_it.py", CASES)]), ["python3 -m unittest"]);
    assert_eq!(tests(&[("it_test.py", CASES)]), ["python3 -m unittest discover -p '*_test.py'"]);
    assert_eq!(tests(&[("test_it.py", "")]), NOTHING);
}

#[test]
fn python_without_a_pyproject_is_known_by_its_other_files() {
    for files in [
        [("requirements.txt", "requests\npytest==8.1 # the runner\n")],
        [("requirements/dev.txt", "pytest\n")],
        [("setup.cfg", "[tool:pytest]\naddopts = -x\n")],
        [("pytest.ini", "[pytest]\n")],
        [("Pipfile", "[dev-packages]\npytest = \"*\"\n")],
    ] {
        assert_eq!(tests(&files), ["python3 -m pytest -q"], "{files:?}");
    }
    let tox = ("tox.ini", "[tox]\n[testenv]\ncommands = pytest\n");
    assert_eq!(tests(&[tox]), ["tox -q"]);
    assert_eq!(tests(&[tox, ("pyproject.toml", "[tool.pytest]\n")]), ["tox -q", "pytest -q"]);
    assert_eq!(tests(&[("noxfile.py", "")]), ["nox"]);
    assert_eq!(tests(&[("requirements.txt", "pytest-mock\n")]), NOTHING);
    assert_eq!(lints(&[("setup.cfg", "[flake8]\n")]), ["flake8"]);
}

#[test]
fn cmake_is_called_with_its_preset_or_a_folder_for_the_build() {
    for (files, command) in [
        (
            &[("CMakeLists.txt", "project(x)\nENABLE_TESTING()\n")] as &[_],
            "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
        ),
        (
            &[
                ("CMakeLists.txt", "enable_testing()\n"),
                (
                    "CMakePresets.json",
                    r#"{"configurePresets": [{"name": "dev", "binaryDir": "${sourceDir}/out"}]}"#,
                ),
            ],
            "cmake --preset dev && cmake --build out && ctest --test-dir out --output-on-failure",
        ),
        (
            &[("CMakeLists.txt", "enable_testing()\n"), ("CMakePresets.json", "{")],
            "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
        ),
    ] {
        assert_eq!(tests(files), [command], "{files:?}");
    }
}

#[test]
fn each_build_tool_has_its_commands() {
    for (files, command) in [
        (&[("pom.xml", "")] as &[_], "mvn -q test"),
        (&[("pom.xml", ""), ("mvnw", "#!")], "./mvnw -q test"),
        (&[("build.gradle.kts", "")], "gradle --quiet test"),
        (&[("build.gradle", ""), ("gradlew", "#!")], "./gradlew --quiet test"),
        (&[("settings.gradle", ""), ("app/build.gradle", ""), ("gradlew", "#!")], "./gradlew --quiet test"),
        (&[("Gemfile", "gem 'rspec'\n")], "bundle exec rspec"),
        (&[("Gemfile", "gemspec\n"), (".rspec", "")], "bundle exec rspec"),
        (&[("Rakefile", "Rake::TestTask.new(:test)\n")], "rake test"),
        (&[("Rakefile", "task :test do\n  sh 'x'\nend\n")], "rake test"),
        (&[("Rakefile", "task test: :build\n")], "rake test"),
        (&[("Rakefile", "task \"test\" do\nend\n"), ("Gemfile", "")], "bundle exec rake test"),
        (&[("t/01-basic.t", "")], "prove -lr t"),
        (&[("t/01-basic.t", ""), ("cpanfile.snapshot", "")], "carton exec prove -lr t"),
        (&[("pyproject.toml", "[tool.tox]\nenv_list = [\"py\"]\n")], "tox -q"),
        (&[("tox.toml", "env_list = [\"py\"]\n")], "tox -q"),
        (&[("setup.cfg", "[tox:tox]\n[testenv]\n")], "tox -q"),
        (&[("test/a.test.js", "import test from 'node:test';\n")], "node --test"),
        (&[("package.json", "{}"), ("test/unit/a.js", "require(\"node:test\")")], "node --test"),
        (&[("package.json", "{}"), ("a_test.mjs", "import { it } from \"node:test\"")], "node --test"),
        (&[("package.json", r#"{ "scripts": { "test:unit": "x", "test:e2e": "y" } }"#)], "npm run test:unit"),
        (
            &[(
                "package.json",
                r#"{ "scripts": { "test": "echo \"Error: no test specified\"", "test:ci": "x" } }"#,
            )],
            "npm run test:ci",
        ),
        (&[("composer.json", r#"{ "scripts": { "test:unit": "phpunit" } }"#)], "composer run test:unit"),
        (&[("deno.json", r#"{ "tasks": { "test:unit": "deno test a" } }"#)], "deno task test:unit"),
        (&[("mix.exs", "")], "mix test"),
        (&[("It.sln", "")], "dotnet test"),
        (&[("It.Tests.csproj", "")], "dotnet test"),
        (&[("Package.swift", "")], "swift test"),
        (&[("deno.json", "{}")], "deno test"),
        (&[("deno.jsonc", "{ // none\n}")], "deno test"),
        (&[("deno.json", r#"{ "tasks": { "test": "deno test -A" } }"#)], "deno task test"),
        (&[("composer.json", r#"{ "scripts": { "test": ["phpunit"] } }"#)], "composer run test"),
        (&[("justfile", "set x := y\n@test *args: build\n")], "just test"),
        (&[("Taskfile.yml", "version: 3\ntasks:\n  test:\n    cmds: [go test]\n")], "task test"),
        (&[("mise.toml", "[tasks.test]\nrun = \"true\"\n")], "mise run test"),
        (&[("pixi.toml", "[project]\nname = \"x\"\n[tasks]\ntest = \"pytest\"\n")], "pixi run test"),
        (&[("pyproject.toml", "[tool.pixi.tasks]\ntest = \"pytest\"\n")], "pixi run test"),
        (&[("pyproject.toml", "[tool.pdm.scripts]\ntest = \"pytest\"\n")], "pdm run test"),
        (&[("package.json", r#"{ "devDependencies": { "vitest": "1" } }"#)], "npx vitest run"),
        (&[("build.zig", "")], "zig build test"),
        (&[("pubspec.yaml", "dependencies:\n  flutter:\n    sdk: flutter\n")], "flutter test"),
        (&[("it.cabal", "")], "cabal test"),
    ] {
        assert_eq!(tests(files), [command], "{files:?}");
    }
    let nextest = [("Cargo.toml", "[workspace]\nmembers = []\n"), (".config/nextest.toml", "")];
    assert_eq!(tests(&nextest)[0], "cargo nextest run --workspace --status-level fail");
    assert_eq!(lints(&[("Gemfile", "gem 'rubocop'\n")]), ["bundle exec rubocop"]);
    assert_eq!(lints(&[("mix.exs", "{:credo, \"~> 1\"}")]), ["mix credo"]);
}

#[test]
fn files_that_only_look_like_a_project_point_to_nothing() {
    for file in [
        ("CMakeLists.txt", "project(x)\n"),
        ("Gemfile", "gem 'rails'\n"),
        ("justfile", "build test:\n\ttrue\nalias test := build\n"),
        ("Taskfile.yml", "tasks:\n  build: test\n"),
        ("mise.toml", "[tools]\ntest = \"1\"\n"),
        ("tests/data.txt", ""),
        ("tox.ini", "[flake8]\n"),
        (".sln", ""),
        ("notes.gradle", ""),
        ("Rakefile", "task :build do\nend\ntask :test_data\n"),
        ("t/README", ""),
        ("docs/t/x.test", ""),
        ("pyproject.toml", "[tool.black]\n"),
        ("test/a.test.js", "import { it } from 'vitest';\n"),
        ("tests/helper.js", "import test from 'node:test';\n"),
        ("package.json", r#"{ "scripts": { "test:watch": "x", "testing": "y", "test:update": "z" } }"#),
    ] {
        assert_eq!(tests(&[file]), NOTHING, "{file:?}");
    }
}

#[test]
fn projects_in_subfolders_are_found_if_the_folder_has_none() {
    let files = [
        ("web/package.json", r#"{ "scripts": { "test": "vitest run" } }"#),
        ("my services/api/go.mod", ""),
        ("node_modules/x/package.json", r#"{ "scripts": { "test": "x" } }"#),
        (".hidden/go.mod", ""),
        ("a/b/c/d/go.mod", ""),
    ];
    assert_eq!(tests(&files), ["cd web && npm run test", "cd 'my services'/api && go test ./..."]);
    assert_eq!(tests(&[files[0], ("Makefile", "test:\n")]), ["make test"]);
    assert_eq!(tests(&[("a/b/c/go.mod", "")]), ["cd a/b/c && go test ./..."]);
    let root = ("package.json", r#"{ "workspaces": ["packages/*"] }"#);
    let part = ("packages/x/package.json", r#"{ "scripts": { "test": "jest" } }"#);
    assert_eq!(tests(&[root, ("yarn.lock", ""), part]), ["cd packages/x && yarn run test"]);
}

#[test]
fn an_unreadable_file_of_a_project_is_named() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(unreadable(dir.path()), None);
    fs::write(dir.path().join("package.json"), "{ \"scripts\": ").unwrap();
    let why = unreadable(dir.path()).unwrap();
    assert!(why.starts_with("package.json names no command, because it cannot be read: EOF"), "{why}");
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
        ["testing:\n", "test = 1\n", "test := 1\n", "test ::= 1\n", "all:\n\techo test: ok\n", "check:=x\n"]
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
