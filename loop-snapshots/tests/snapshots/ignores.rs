//! The patterns of `.gitignore`, compared with git.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use loop_snapshots::{CaptureOptions, LeftOut};
use proptest::{prelude::*, test_runner::TestRunner};

use crate::tree::Sandbox;

const PATHS: &[&str] = &[
    "a",
    "b.o",
    "a b",
    "#x",
    "!x",
    "x ",
    "d/a",
    "d/b.o",
    "d/e/a",
    "d/e/f/b.o",
    "build/out",
    "lib/build/x",
    "[a]",
    "a-c",
    "Z9",
    "d/e/f/g/a",
];

fn git(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let mut git = Command::new("git");
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").current_dir(folder);
    let output = git.args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The files that git ignores.
fn ignored_by_git(folder: &Path) -> BTreeSet<PathBuf> {
    let output = git(folder, &["ls-files", "-z", "--others", "--ignored", "--exclude-standard"]);
    let names = output.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| PathBuf::from(String::from_utf8_lossy(name).into_owned())).collect()
}

fn line() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "*",
        "**",
        "?",
        "/",
        "d",
        "e",
        "f",
        ".o",
        "[a-c]",
        "[!b]",
        "[[:digit:]]",
        "[]a]",
        "\\",
        "!",
        "#",
        " ",
        "build",
        "x",
        "Z",
        "-",
        "/**/",
        "**/",
        "/**",
    ]);
    prop_oneof![
        3 => prop::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat()),
        2 => prop::sample::select(vec![
            "*", "!*/", "build/", "/build", "d/*", "!d/e", "**/f", "d/**/a", "*.o", "!b.o", "\\#x", "\\!x", "x\\ ", "a\r", "d/**", "*\\/**", "d\\/a",
            "\\/d", "d\\/",
            "/*", "!/d",
        ]).prop_map(str::to_owned),
    ]
}

#[test]
fn captures_leave_out_what_git_ignores() {
    let sandbox = std::cell::RefCell::new(Sandbox::new());
    let folder = sandbox.borrow().folder();
    git(&folder, &["init", "-q"]);
    for path in PATHS {
        sandbox.borrow().write(path, "");
    }
    let number = std::cell::Cell::new(0);
    let lines = || prop::collection::vec(line(), 0..4).prop_map(|lines| lines.join("\n"));
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() };
    let result = TestRunner::new(config).run(&(lines(), lines(), lines()), |(top, below, exclude)| {
        let mut sandbox = sandbox.borrow_mut();
        sandbox.write(".gitignore", &top);
        sandbox.write("d/.gitignore", &below);
        sandbox.write(".git/info/exclude", &exclude);
        number.set(number.get() + 1);
        let id = crate::tree::id(number.get());
        let capture = sandbox.store.capture(&id, &CaptureOptions::default()).unwrap();
        let left_out = capture.left_out.iter().filter(|(_, reason)| *reason == LeftOut::Ignored);
        let left_out: Vec<_> = left_out.map(|(path, _)| path).collect();
        let all = PATHS.iter().copied().chain([".gitignore", "d/.gitignore"]).map(PathBuf::from);
        let ours: BTreeSet<_> = all
            .filter(|path| path.ancestors().any(|path| left_out.iter().any(|left_out| *left_out == path)))
            .collect();
        prop_assert_eq!(ours, ignored_by_git(&folder));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn patterns_above_the_folder_count_up_to_the_top_of_the_repository() {
    let sandbox = Sandbox::new();
    git(&sandbox.folder(), &["init", "-q"]);
    sandbox.write(".gitignore", "deep/below/a\n*.o\n");
    sandbox.write("deep/.gitignore", "/below/b\n");
    for name in ["a", "b", "c", "x.o"] {
        sandbox.write(&format!("deep/below/{name}"), "");
    }
    let mut store =
        loop_snapshots::Store::open(&sandbox.state(), &sandbox.folder().join("deep/below")).unwrap();
    let capture = store.capture(&crate::tree::id(0), &CaptureOptions::default()).unwrap();
    let left_out: Vec<_> = capture.left_out.iter().map(|(path, _)| path.to_str().unwrap()).collect();
    assert_eq!(left_out, ["a", "b", "x.o"]);
}

#[test]
fn a_hostile_pattern_takes_no_time() {
    let mut sandbox = Sandbox::new();
    sandbox.write(".gitignore", format!("{}b\n{}b\n", "*a".repeat(2000), "**/".repeat(2000)));
    sandbox.write(&"a".repeat(250), "");
    fs::create_dir_all(sandbox.folder().join(["a"; 200].join("/"))).unwrap();
    assert_eq!(sandbox.capture(0).snapshot.files, 2);
}
