use std::fs;

use super::*;

const FILES: &[(&str, &str)] = &[
    ("check.sh", ""),
    ("verify.py", ""),
    ("ci.mk", ""),
    ("mk/more.mk", ""),
    ("Makefile", "include mk/more.mk\nall:\n\tsh qa/verify.sh\n"),
    ("qa/verify.sh", ""),
    ("sub/check.sh", ""),
    ("sub/run.js", ""),
    ("sub/package.json", r#"{"scripts": {"test": "node run.js"}}"#),
    ("qa/cases.py", ""),
    ("checks/verify.py", ""),
    ("run.sh", ". \"$(dirname \"$0\")/common.sh\"\npython3 tools/verify.py $(python3 src/test_of.py)\n"),
    ("common.sh", "sh \"$here/tools/check_all.sh\"\nsh build.sh\n"),
    ("build.sh", "sh check.sh\n"),
    ("tools/verify.py", "from expected_values import ALL\nimport helper\n"),
    ("tools/expected_values.py", ""),
    ("tools/helper.py", ""),
    ("tools/check_all.sh", "sh ./run.sh\n"),
    ("src/test_of.py", ""),
];

/// Returns what judges in a folder with these files. The text of a link begins with `-> `.
fn judging(files: &[(&str, &str)], subject: &Subject) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match text.strip_prefix("-> ") {
            Some(target) => std::os::unix::fs::symlink(target, path).unwrap(),
            None => fs::write(path, text).unwrap(),
        }
    }
    let named = NamedPaths::of(subject, folder.path());
    let is_there =
        |line: &&String| folder.path().join(line.trim_start_matches('/')).symlink_metadata().is_ok();
    let mut lines: Vec<_> = named.lines.union(&named.preferred).filter(is_there).cloned().collect();
    lines.sort();
    lines
}

#[test]
fn configuration_names_what_it_loads() {
    for (configuration, text, loaded, others) in [
        (
            "jest.config.js",
            "module.exports = { setupFiles: ['<rootDir>/src/setup.js'] }",
            "src/setup.js",
            "src/add.js",
        ),
        (
            "jest.config.js",
            "module.exports = { globalSetup: './tools/global' }",
            "tools/global.ts",
            "tools/add.ts",
        ),
        (
            "config/jest.config.ts",
            "export default { rootDir: '..', transform: { x: '<rootDir>/tools/t.js' } }",
            "tools/t.js",
            "t.js",
        ),
        ("package.json", r#"{"main": "a.js", "jest": {"reporters": ["./report.js"]}}"#, "report.js", "a.js"),
        ("package.json", r#"{"mocha": {"require": ["./hooks"]}, "bin": "./cli.js"}"#, "hooks.js", "cli.js"),
        (".mocharc.yml", "require: ./hooks/root.js\n", "hooks/root.js", "root.js"),
        (
            "vitest.config.ts",
            "import own from './plugins/own'\nexport default { plugins: [own()] }",
            "plugins/own.ts",
            "other.ts",
        ),
        (
            "vite.config.ts",
            "export default { build: { lib: { entry: 'src/a.ts' } }, test: { setupFiles: 'src/b.ts' } }",
            "src/b.ts",
            "src/a.ts",
        ),
        ("playwright.config.ts", "import { x } from './settings.js'", "settings.ts", "other.ts"),
        ("conftest.py", "from app import x\npytest_plugins = ['plugs.own']\n", "plugs/own.py", "app.py"),
        ("pytest.ini", "[pytest]\naddopts = -q -p plugs.own\n", "plugs/own.py", "plugs/other.py"),
        (
            "tox.ini",
            "[pytest]\naddopts = -pplugs.own\n[testenv]\ndeps = -r needs.txt\n",
            "plugs/own.py",
            "needs.txt",
        ),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = ['-p', 'own']\n", "own.py", "pytest.py"),
        (
            "setup.cfg",
            "[metadata]\nfile = README.md\n[tool:pytest]\naddopts = -p own\n",
            "own.py",
            "README.md",
        ),
        (".npmrc", "node-options=--require ./hook.js\n", "hook.js", "other.js"),
        ("bunfig.toml", "[test]\npreload = [\"./setup.ts\"]\n", "setup.ts", "other.ts"),
        ("tsconfig.json", r#"{"extends": "./base.json", "files": ["a.ts"]}"#, "base.json", "a.ts"),
        (".cargo/config.toml", "[target.x]\nrunner = 'tools/run'\n", "tools/run", "run"),
        ("Cargo.toml", "[[test]]\nname = 'a'\npath = 'qa/all.rs'\n", "qa/all.rs", "src/lib.rs"),
    ] {
        let files = [(configuration, text), (loaded, ""), (others, "")];
        assert_eq!(judging(&files, &Subject::default()), [format!("/{loaded}")], "{configuration}: {text}");
    }
}

#[test]
fn loaded_files_and_checkers_judge_with_their_modules() {
    let task = "Make `sums.py` add.".to_owned();
    for (command, files, expected) in [
        (
            "",
            vec![
                ("jest.config.js", "{ setupFiles: ['./qa/setup.js'] }"),
                ("qa/setup.js", "import './more'; import '../src/add'"),
                ("qa/more.ts", ""),
                ("src/add.js", ""),
            ],
            vec!["/qa/more.ts", "/qa/setup.js"],
        ),
        (
            "python3 check.py",
            vec![("check.py", "import helpers\nfrom calc import add"), ("helpers.py", ""), ("calc.py", "")],
            vec!["/check.py", "/helpers.py"],
        ),
        (
            "python3 check.py",
            vec![("check.py", "import one, sums"), ("one.py", ""), ("sums.py", "")],
            vec!["/check.py", "/one.py"],
        ),
        (
            "python3 check.py",
            vec![("check.py", "import one, two"), ("one.py", ""), ("two.py", "")],
            vec!["/check.py", "/one.py", "/two.py"],
        ),
        (
            "python3 check.py",
            vec![("check.py", "import one, subprocess"), ("one.py", ""), ("two.py", "")],
            vec!["/check.py", "/one.py"],
        ),
        (
            "python3 qa/a.py",
            vec![
                ("qa/a.py", "import one\nimport app\nfrom pkg import x"),
                ("qa/one.py", ""),
                ("app/__init__.py", ""),
                ("pkg/__init__.py", ""),
            ],
            vec!["/qa/a.py", "/qa/one.py"],
        ),
        (
            "node check.mjs",
            vec![
                ("check.mjs", "import { a } from './near.mjs'\nimport b from './solve.mjs'"),
                ("near.mjs", ""),
                ("solve.mjs", ""),
            ],
            vec!["/check.mjs", "/near.mjs"],
        ),
    ] {
        let subject =
            Subject { commands: vec![command.to_owned()], task: task.clone(), ..Subject::default() };
        assert_eq!(judging(&files, &subject), expected, "{command}: {files:?}");
    }
}

#[test]
fn links_that_judge_lead_to_what_judges() {
    for (files, expected) in [
        (vec![("Makefile", "-> build/rules"), ("build/rules", "")], vec!["/build/rules"]),
        (
            vec![
                ("tests", "-> mine"),
                ("mine/a.py", ""),
                ("mine/data", "-> ../far"),
                ("far/b", ""),
                ("near/c", ""),
            ],
            vec!["/far", "/mine"],
        ),
        (vec![("tests/src", "-> ../src"), ("src/a.py", "")], vec![]),
        (vec![("tests", "-> src/checked"), ("src/checked/a.py", "")], vec!["/src/checked"]),
        (
            vec![("Makefile", "-> one"), ("one", "-> two/three"), ("two/three", "")],
            vec!["/one", "/two/three"],
        ),
        (
            vec![
                ("jest.config.js", "-> conf/jest.js"),
                ("conf/jest.js", "{ setupFiles: ['./s.js'] }"),
                ("conf/s.js", ""),
            ],
            vec!["/conf/jest.js", "/conf/s.js"],
        ),
        (vec![("golden", "-> data"), ("data/a", "")], vec!["/data"]),
        (vec![("tests", "-> ../elsewhere"), ("docs", "-> data"), ("data/a", "")], vec![]),
        (vec![("node_modules/own/test", "-> ../../own"), ("own/a", "")], vec![]),
    ] {
        let subject = Subject { protect: vec!["golden".to_owned()], ..Subject::default() };
        assert_eq!(judging(&files, &subject), expected, "{files:?}");
    }
}

#[test]
fn indirect_calls_name_what_they_call() {
    let files = &[
        (
            "Makefile",
            "DIR := qa\nall:\n\tsh $(DIR)/run_check.sh\nfound:\n\tfind qa -name '*.sh' -exec sh {} +\n-include deps.d\n",
        ),
        ("qa/one.sh", ""),
        ("qa/run_check.sh", ""),
        ("qa/data.txt", ""),
        ("list", "qa/one.sh\n"),
        ("src/a.py", ""),
        ("solve.py", ""),
        ("deps.d", ""),
        (
            "package.json",
            r#"{"scripts": {"test": "run-s unit:*", "unit:": "node qa/unit.js", "start": "node solve.js", "x": "node other.js"}}"#,
        ),
        ("qa/unit.js", ""),
        ("solve.js", ""),
        ("other.js", ""),
        ("qa/in.sh", ""),
    ];
    for (command, expected) in [
        ("D=qa; sh $D/one.sh", vec!["/qa/one.sh"]),
        ("ls qa/*.sh | xargs -n1 sh", vec!["/qa/in.sh", "/qa/one.sh", "/qa/run_check.sh"]),
        ("cat list | xargs sh", vec!["/list", "/qa/one.sh"]),
        ("find qa -name 'o*.sh' -exec sh {} ';'", vec!["/qa/one.sh"]),
        ("find qa -name 'o*.sh' | xargs -n1 sh", vec!["/qa/one.sh"]),
        ("find qa -type f -exec sh {} +", vec!["/qa"]),
        ("find src -name '*.py' -exec python3 -m py_compile {} +", vec![]),
        ("find . -name '*.txt' -exec cat {} +", vec![]),
        ("env -C qa sh one.sh", vec!["/qa/one.sh"]),
        ("env --chdir=qa sh one.sh", vec!["/qa/one.sh"]),
        ("for f in qa/o*; do sh $f; done", vec!["/qa/one.sh"]),
        ("make all", vec!["/Makefile", "/deps.d", "/qa/in.sh", "/qa/one.sh", "/qa/run_check.sh"]),
        ("npm test", vec!["/qa/unit.js"]),
        ("npm start | grep -q 42", vec![]),
        ("test \"$(python3 solve.py)\" = 42", vec![]),
        ("python3 solve.py | grep -q 42", vec![]),
        ("test \"$(sh qa/run_check.sh)\" = ok", vec!["/qa/run_check.sh"]),
        ("python3 solve.py", vec!["/solve.py"]),
    ] {
        let subject = Subject { commands: vec![command.to_owned()], ..Subject::default() };
        assert_eq!(judging(files, &subject), expected, "{command}");
    }
}

#[test]
fn a_command_names_what_it_judges_with() {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in FILES {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    std::os::unix::fs::symlink("checks", folder.path().join("cc")).unwrap();
    let absolute = format!("{}/check.sh", folder.path().display());
    for (command, expected) in [
        ("./check.sh", vec!["/check.sh"]),
        ("sh -euo pipefail check.sh --all", vec!["/check.sh"]),
        ("timeout 60 python3.12 -W error verify.py", vec!["/verify.py"]),
        (
            "make -f ci.mk all && ./check.sh",
            vec!["/Makefile", "/all", "/check.sh", "/ci.mk", "/mk/more.mk", "/qa/verify.sh"],
        ),
        ("cd sub && ./check.sh", vec!["/sub/check.sh"]),
        ("(cd sub; sh check.sh)", vec!["/sub/check.sh"]),
        ("cd sub && npm test", vec!["/sub/run.js"]),
        ("bash -c 'sh check.sh | tee log'", vec!["/check.sh"]),
        ("sh < check.sh", vec!["/check.sh"]),
        ("sh <check.sh", vec!["/check.sh"]),
        ("$PWD/check.sh", vec!["/check.sh"]),
        (&absolute, vec!["/check.sh"]),
        ("env X=1 bash ./check.sh | tee log", vec!["/check.sh"]),
        ("python3 -m checks.verify", vec!["/checks/verify.py"]),
        ("python3 -m unittest qa.cases", vec!["/qa/cases.py", "test*.py"]),
        (
            "./run.sh",
            vec![
                "/common.sh",
                "/run.sh",
                "/tools/check_all.sh",
                "/tools/expected_values.py",
                "/tools/helper.py",
                "/tools/verify.py",
            ],
        ),
        ("python3 cc/verify.py", vec!["/cc", "/cc/verify.py", "/checks/verify.py"]),
        ("for f in qa/*.sh; do sh $f; done", vec!["/qa/verify.sh"]),
        ("go test ./qa && grep -q x verify.py", vec![]),
        ("pytest qa/ -q", vec!["/qa"]),
        ("pytest qa/cases.py::test_one", vec!["/qa/cases.py"]),
        ("ruff check qa", vec![]),
        ("../check.sh", vec![]),
    ] {
        let subject = Subject { commands: vec![command.to_owned()], ..Subject::default() };
        let found = NamedPaths::of(&subject, folder.path()).lines;
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected, "{command}");
    }
}
