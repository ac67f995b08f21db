use std::{fs, path::Path};

use super::*;

/// Returns what judges in a folder with these files, as patterns.
fn named(files: &[(&str, &str)], task: &str) -> NamedPaths {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    NamedPaths::of(&Subject { task: task.to_owned(), ..Subject::default() }, folder.path())
}

#[test]
fn places_of_tests_judge_and_sources_do_not() {
    for (files, expected) in [
        (
            vec![("pytest.ini", "[pytest]\npython_files = *_cases.py\n"), ("qa/a_cases.py", "")],
            vec!["*_cases.py"],
        ),
        (
            vec![
                ("pyproject.toml", "[tool.pytest.ini_options]\ntestpaths = ['qa', 'src']\n"),
                ("qa/a.py", ""),
                ("src/a.py", ""),
            ],
            vec!["/qa"],
        ),
        (
            vec![
                ("web/jest.config.js", "{ testMatch: ['<rootDir>/qa/**/*.js'], roots: ['<rootDir>/src'] }"),
                ("web/qa/a.js", ""),
                ("web/src/a.js", ""),
            ],
            vec!["/web/qa/**/*.js"],
        ),
        (
            vec![("jest.config.js", "{ testRegex: '/qa/.*\\\\.js$' }"), ("qa/a.js", ""), ("src/a.js", "")],
            vec!["/qa/a.js"],
        ),
    ] {
        let lines = named(&files, "").lines;
        assert_eq!(lines.into_iter().collect::<Vec<_>>(), expected, "{files:?}");
    }
}

#[test]
fn what_is_in_a_file_says_that_it_judges() {
    let test = ("tests/test_app.py", "from helpers import same\nfrom app import add\n");
    for (files, task, expected) in [
        (vec![("kit/t.go", "import \"testing\"\n"), ("a.go", "import \"fmt\"\n")], "", vec!["/kit/t.go"]),
        (
            vec![("src/test.rs", "#[test]\nfn a() {}"), ("src/commands/test.rs", "fn run() {}")],
            "",
            vec!["/src/test.rs"],
        ),
        (vec![("helpers.py", ""), test], "", vec!["/helpers.py"]),
        (vec![("helpers.py", ""), test, ("app.py", "import helpers")], "", vec![]),
        (vec![("helpers.py", ""), test], "make helpers add", vec![]),
        (vec![("helpers.py", ""), test, ("tests/test_helpers.py", "")], "", vec![]),
        (vec![("conftest.py", "from hooks import *\n"), ("hooks.py", "")], "", vec!["/hooks.py"]),
        (
            vec![("conftest.py", "from app import plug\n"), ("app/plug.py", "def pytest_x(): pass")],
            "",
            vec!["/app/plug.py"],
        ),
        (vec![("conftest.py", "from app import add\n"), ("app/__init__.py", "def add(): pass")], "", vec![]),
    ] {
        let lines = named(&files, task).lines;
        assert_eq!(lines.into_iter().collect::<Vec<_>>(), expected, "{files:?}");
    }
}

#[test]
fn helpers_of_tests_judge_in_every_language() {
    let node = ("x.test.js", "const { same } = require('./support');\nconst add = require('./add');\n");
    let go = ("add_test.go", "import \"app/internal/testutil\"\nfunc TestAdd() { same() }");
    let own = ("go.mod", "module app\n");
    let rust = (
        "tests/a.rs",
        "#[path = \"../qa/all.rs\"]\nmod all;\ninclude_str!(\"../data/four\"); app::testing::same()",
    );
    for (files, task, expected) in [
        (vec![node, ("support.js", ""), ("add.js", "")], "", vec!["/support.js"]),
        (vec![node, ("support.js", ""), ("add.js", "require('./support')")], "", vec![]),
        (vec![node, ("support.js", ""), ("support.spec.js", "")], "", vec![]),
        (vec![node, ("support.js", "")], "write support", vec![]),
        (vec![node, ("support/index.ts", "")], "", vec!["/support/index.ts"]),
        (vec![node, ("add.js", "const test = require('node:test')")], "", vec!["/add.js"]),
        (
            vec![
                ("x.test.js", "import {a} from '../src/test-utils/all.js'; read('data/golden.txt')"),
                ("data/golden.txt", ""),
            ],
            "",
            vec!["/data/golden.txt"],
        ),
        (vec![own, go, ("internal/testutil/same.go", "")], "", vec!["/internal/testutil/same.go"]),
        (vec![own, go, ("internal/testutil/same.go", ""), ("a.go", "\"app/internal/testutil\"")], "", vec![]),
        (vec![own, go, ("helpers.go", "func same() {}")], "", vec!["/helpers.go"]),
        (vec![own, go, ("helpers.go", "func same() {}"), ("a.go", "same()")], "", vec![]),
        (vec![own, go, ("helpers.go", "func same() {}\nfunc Add() {}")], "", vec![]),
        (vec![rust, ("qa/all.rs", ""), ("data/four", "")], "", vec!["/data/four", "/qa/all.rs"]),
        (vec![rust, ("src/testing.rs", ""), ("src/lib.rs", "pub mod testing;")], "", vec!["/src/testing.rs"]),
        (vec![rust, ("src/testing.rs", ""), ("src/lib.rs", "testing::same()")], "", vec![]),
        (
            vec![
                ("src/lib.rs", "#[cfg(test)]\nmod cases;\nmod add;"),
                ("src/cases.rs", ""),
                ("src/add.rs", ""),
            ],
            "",
            vec!["/src/cases.rs"],
        ),
        (
            vec![
                ("tests/test_a.py", "from app.testing import same"),
                ("app/testing.py", ""),
                ("app/__init__.py", ""),
            ],
            "",
            vec!["/app/testing.py"],
        ),
    ] {
        let lines = named(&files, task).lines;
        assert_eq!(lines.into_iter().collect::<Vec<_>>(), expected, "{files:?}");
    }
}

#[test]
fn helpers_with_names_judge() {
    for (files, task, expected) in [
        (
            vec![
                (
                    "package.json",
                    r##"{"name": "app", "exports": {"./kit": "./qa/helper.js"}, "imports": {"#h": "./qa/harness.js"}}"##,
                ),
                ("x.test.js", "require('app/kit'); require('#h')"),
                ("qa/helper.js", ""),
                ("qa/harness.js", ""),
            ],
            "",
            vec!["/qa/harness.js", "/qa/helper.js"],
        ),
        (
            vec![
                ("package.json", r##"{"name": "app", "imports": {"#h": "./src/helper.js"}}"##),
                ("x.test.js", "require('#h')"),
                ("src/helper.js", ""),
                ("src/a.js", "import '#h'"),
            ],
            "",
            vec![],
        ),
        (
            vec![
                (
                    "web/tsconfig.json",
                    "{\n  // Names.\n  \"compilerOptions\": {\"paths\": {\"@/*\": [\"./src/*\"],}}\n}",
                ),
                ("web/x.test.ts", "import { same } from '@/testing/same'"),
                ("web/src/testing/same.ts", ""),
            ],
            "",
            vec!["/web/src/testing/same.ts"],
        ),
    ] {
        let lines = named(&files, task).lines;
        assert_eq!(lines.into_iter().collect::<Vec<_>>(), expected, "{files:?}");
    }
}

#[test]
fn helpers_in_modules_of_go_and_embedded_files_judge() {
    let own = ("go.mod", "module app\n");
    for (files, task, expected) in [
        (
            vec![
                own,
                ("a_test.go", "import \"example.com/testutil\""),
                ("testutil/go.mod", "module example.com/testutil\n"),
                ("testutil/same.go", ""),
            ],
            "",
            vec!["/testutil/same.go"],
        ),
        (
            vec![
                own,
                ("sub/a_test.go", "//go:embed want.txt\nvar want string"),
                ("sub/want.txt", ""),
                ("want.txt", ""),
            ],
            "",
            vec!["/sub/want.txt"],
        ),
    ] {
        let lines = named(&files, task).lines;
        assert_eq!(lines.into_iter().collect::<Vec<_>>(), expected, "{files:?}");
    }
}

#[test]
fn crates_for_tests_judge() {
    let kit = |section: &str| format!("[package]\nname = 'a'\n[{section}]\nkit = {{ path = 'kit' }}\n");
    let own = ("kit/Cargo.toml", "[package]\nname = 'kit'\n");
    for (section, source, expected) in [
        ("dev-dependencies", "pub fn same() {}", vec!["/kit"]),
        ("target.'cfg(unix)'.dev-dependencies", "pub fn same() {}", vec!["/kit"]),
        ("dependencies", "pub fn same() {}", vec![]),
        ("dev-dependencies", "#[test]\nfn a() {}", vec![]),
    ] {
        let document = kit(section);
        let files = [("Cargo.toml", document.as_str()), own, ("kit/src/lib.rs", source)];
        assert_eq!(named(&files, "").lines.into_iter().collect::<Vec<_>>(), expected, "{section}");
    }
}

#[test]
fn modules_of_the_project_replace_nothing() {
    let files = [
        ("calc/test_calc.py", ""),
        ("calc/sums.py", ""),
        ("pytest.ini", "[pytest]\npythonpath = backend\n"),
        ("pkg/__init__.py", ""),
    ];
    let found = named(&files, "write token.py and backend/json.py");
    assert!(found.has_python);
    for root in ["calc", "backend"] {
        assert!(found.python_roots().contains(Path::new(root)), "{root}");
    }
    for own in ["calc/sums", "calc/token", "backend/json"] {
        assert!(found.own_modules.contains(Path::new(own)), "{own}: {:?}", found.own_modules);
    }
    assert!(!found.own_modules.contains(Path::new("calc/json")));
}
