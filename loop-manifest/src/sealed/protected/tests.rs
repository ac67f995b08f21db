use loop_agents::process::Supervisor;

use super::{super::named::Subject, *};
use crate::plan::{MinTests, OnProtectedChange};

fn protected(command: &str, protect: &[&str], files: &[&str]) -> ProtectedPaths {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
    }
    let cx = ExecutionContext::new(folder.path(), Supervisor::new("run-1")).unwrap();
    let plan = SealPlan {
        protect: protect.iter().map(|line| (*line).to_owned()).collect(),
        min_tests: MinTests::Count,
        on_change: OnProtectedChange::Restore,
        setup: None,
    };
    let subject = Subject { commands: vec![command.to_owned()], ..Subject::default() };
    ProtectedPaths::of(&plan, &NamedPaths::of(&subject, folder.path()), &cx)
}

fn facts(is_new: bool, is_link: bool) -> PathFacts {
    PathFacts { is_new, is_link, is_in_known_folder: false }
}

#[test]
fn modules_of_python_and_packages_that_choose_tests_are_those_of_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let cx = ExecutionContext::new(folder.path(), Supervisor::new("run-1")).unwrap();
    let set = |paths: &[&str]| paths.iter().map(|path| PathBuf::from(*path)).collect::<BTreeSet<_>>();
    let named = NamedPaths {
        lines: [UNITTEST.to_owned()].into(),
        roots: set(&["", "calc"]),
        above_tests: set(&["pkg"]),
        modules: ["hamcheck", "app", "statistics"].map(str::to_owned).into(),
        own_modules: set(&["app"]),
        ..NamedPaths::default()
    };
    let plan = SealPlan {
        protect: Vec::new(),
        min_tests: MinTests::Count,
        on_change: OnProtectedChange::Keep,
        setup: None,
    };
    let protected = ProtectedPaths::of(&plan, &named, &cx);
    for (path, expected) in [
        ("hamcheck.py", Origin::First),
        ("hamcheck/__init__.py", Origin::First),
        ("calc/statistics.py", Origin::First),
        ("other/statistics.py", Origin::Judged),
        ("app/new.py", Origin::Judged),
        ("testapp.py", Origin::First),
        ("pkg/__init__.py", Origin::Merged),
    ] {
        assert_eq!(protected.origin(Path::new(path), facts(true, false)), expected, "{path}");
    }
    let merge = |first, judged: &str| protected.merge(Path::new("pkg/__init__.py"), first, judged.as_bytes());
    assert_eq!(merge(None, "def load_tests(): pass"), None);
    assert!(merge(Some(b"load_tests = 1"), "load_tests = 2").is_some());
    assert!(merge(Some(b""), "x = 1").is_some());
}

#[test]
fn new_documents_judge_nothing_in_folders_that_were_there() {
    let protected = protected("go test ./...", &[], &["go.mod", "sub/a.go"]);
    let known = PathFacts { is_in_known_folder: true, ..PathFacts::NEW };
    for name in ["package.json", "pyproject.toml", "Cargo.toml", "go.mod", "requirements-dev.txt"] {
        let path = Path::new("sub").join(name);
        assert_eq!(protected.origin(&path, known), Origin::Merged, "{name}");
        assert_eq!(protected.origin(&path, PathFacts::NEW), Origin::Judged, "{name}");
    }
    assert_eq!(protected.merge(Path::new("sub/go.mod"), None, b"module x\n"), None);
    let merged = protected.merge(Path::new("go.mod"), Some(b"module a\n"), b"module x\n");
    assert_eq!(merged.as_deref(), Some(&b"module a\n"[..]));
}

#[test]
fn each_path_has_the_origin_that_the_conventions_say() {
    let protected = protected(
        "./check.sh && node tools/verify.js",
        &["!tests/scratch/**"],
        &["check.sh", "tools/verify.js"],
    );
    for (path, is_new, expected) in [
        ("check.sh", false, Origin::First),
        ("tools/verify.js", false, Origin::First),
        ("tools/other.js", false, Origin::Judged),
        ("tests/scratch/a.py", true, Origin::Judged),
        ("src/lib.rs", false, Origin::Judged),
        ("src/a.test.ts", true, Origin::First),
        ("src/sums/tests.rs", true, Origin::Judged),
        ("tests/sums_tests.rs", true, Origin::First),
        ("build.rs", true, Origin::First),
        ("src/target/mod.rs", true, Origin::Judged),
        ("__pycache__/x", true, Origin::Built),
        ("_heapq.py", true, Origin::First),
        ("pytest_cov/plugin.py", true, Origin::First),
        ("new/package.json", true, Origin::Judged),
        ("app/package.json", false, Origin::Merged),
        ("unittest.py", true, Origin::First),
        ("unittest/__init__.py", true, Origin::First),
        ("unittest.cpython-312-x86_64-linux-gnu.so", true, Origin::First),
        ("unittest/notes.md", true, Origin::Judged),
        ("json/data.py", false, Origin::Judged),
        ("app/types.py", true, Origin::Judged),
        ("node_modules/jest/index.js", true, Origin::First),
        ("node_modules/.vite/vitest/results.json", false, Origin::Built),
        ("web/node_modules/.cache/babel/a.json", true, Origin::Built),
    ] {
        assert_eq!(protected.origin(Path::new(path), facts(is_new, false)), expected, "{path}");
    }
}

#[test]
fn an_exception_frees_a_document_and_a_script() {
    let protected = protected("python3 main.py", &["!package.json", "!main.py"], &["main.py"]);
    assert_eq!(protected.origin(Path::new("package.json"), facts(false, false)), Origin::Judged);
    assert_eq!(protected.origin(Path::new("main.py"), facts(false, false)), Origin::Judged);
}

#[test]
fn results_can_be_written_again_and_programs_cannot() {
    let protected = protected("./run", &[], &["run", "tests/a.json", "pkg/tsconfig.json"]);
    for (path, expected) in [
        ("tests/a.json", true),
        ("testdata/sum.golden", true),
        ("tests/test_a.py", false),
        ("Makefile", false),
        ("run", false),
        ("pkg/tsconfig.json", false),
    ] {
        assert_eq!(protected.may_be_rewritten(Path::new(path)), expected, "{path}");
    }
}

#[test]
fn a_name_of_a_package_leads_to_the_helper_of_the_start() {
    let protected = protected("npm test", &[], &["package.json", "tests/kit.js"]);
    let first = r#"{"name": "app", "exports": {"./kit": "./tests/kit.js", "./add": "./a.js"}}"#;
    let judged = r#"{"name": "app", "exports": {"./kit": "./src/kit.js", "./add": "./b.js"}}"#;
    let merged =
        protected.merge(Path::new("package.json"), Some(first.as_bytes()), judged.as_bytes()).unwrap();
    let merged: serde_json::Value = serde_json::from_slice(&merged).unwrap();
    assert_eq!(merged["exports"], serde_json::json!({"./kit": "./tests/kit.js", "./add": "./b.js"}));
}
