//! Nobody changes manifests and task files without a person's approval, whatever their names.

use std::{fs, os::unix::fs::symlink};

use loop_guardrails::policy::{
    ActionPolicy, Verb,
    workspace::{Workspace, WorkspaceError},
};
use proptest::{prelude::*, sample::select};

const MANIFESTS: [&str; 3] = [
    r#"{"goal": "x", "agent": {}, "evaluator": {}, "guardrails": {}}"#,
    "agent:\n  command: x\nguardrails:\n  max_iterations: 1\n",
    "[agent]\ncommand = 'x'\n[evaluator]\ncommand = 'y'\n",
];

const TASKS: [&str; 2] =
    ["---\nchecks: [touch pwned]\n---\nDo it.\n", "[[chat.user]]\ncontent = '''Do it.'''\n"];

fn executed() -> impl Iterator<Item = &'static str> {
    MANIFESTS.into_iter().chain(TASKS)
}

fn scenario(policy: ActionPolicy) -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(folder.path(), policy).unwrap();
    (folder, workspace)
}

/// Returns the path that a person could approve.
#[track_caller]
fn question<T: std::fmt::Debug>(result: Result<T, WorkspaceError>) -> String {
    match result.unwrap_err() {
        WorkspaceError::Denied(denied) => denied.ruling.needs_approval.expect("a question").to_string(),
        other => panic!("{other}"),
    }
}

#[test]
fn what_would_be_executed_is_written_by_nobody_unasked() {
    let (folder, workspace) = scenario(ActionPolicy::default());
    for content in executed() {
        for path in ["ci.json", "new/folder/x.toml", "fix.md", "no-name"] {
            assert_eq!(question(workspace.check_write(path, content.as_bytes())), path, "{content}");
            assert_eq!(question(workspace.write(path, content.as_bytes())), path, "{content}");
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "no folder was made either");
    let approved = workspace.approving(["new/folder/x.toml".parse().unwrap()]);
    approved.write("new/folder/x.toml", MANIFESTS[2].as_bytes()).unwrap();
    assert_eq!(question(approved.write("ci.json", MANIFESTS[0].as_bytes())), "ci.json");
}

#[test]
fn what_is_executed_is_changed_by_nobody_unasked() {
    for content in executed() {
        let (folder, workspace) = scenario(ActionPolicy::default());
        fs::create_dir(folder.path().join("kit")).unwrap();
        fs::write(folder.path().join("kit/a"), content).unwrap();
        fs::write(folder.path().join("b"), "b").unwrap();
        symlink("kit/a", folder.path().join("link")).unwrap();
        symlink("kit", folder.path().join("box")).unwrap();
        for path in ["kit/a", "./kit/../kit//a", "link", "box/a"] {
            assert_eq!(question(workspace.write(path, b"x")), "kit/a", "{path}");
            assert_eq!(question(workspace.check(path, Verb::Write)), "kit/a", "{path}");
        }
        assert_eq!(question(workspace.remove("kit/a")), "kit/a");
        assert_eq!(question(workspace.remove("link")), "link");
        assert_eq!(question(workspace.rename("kit/a", "c")), "kit/a");
        assert_eq!(question(workspace.rename("b", "kit/a")), "kit/a");
        assert_eq!(question(workspace.rename("b", "link")), "link");
        let moved = workspace.rename("kit", "tools");
        assert!(matches!(moved, Err(WorkspaceError::RulesBelow { .. })), "{moved:?}");
        assert_eq!(fs::read_to_string(folder.path().join("kit/a")).unwrap(), content);
        workspace.read("kit/a").unwrap();
    }
}

/// The write would replace the file, and it may be a manifest.
#[test]
fn a_file_that_cannot_be_read_counts_as_one_that_is_executed() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, workspace) = scenario(ActionPolicy::default());
    let file = folder.path().join("closed");
    fs::write(&file, "x").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&file).is_err() {
        assert_eq!(question(workspace.write("closed", b"y")), "closed");
    }
}

#[test]
fn the_file_of_the_run_is_changed_by_nobody_unasked_whatever_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    let policy = ActionPolicy::default().asking_before([root.join("plan/fix.md"), "/elsewhere/b".into()]);
    let workspace = Workspace::open(&root, policy).unwrap();
    fs::create_dir(root.join("plan")).unwrap();
    fs::write(root.join("plan/fix.md"), "Do it.\n").unwrap();
    fs::write(root.join("b"), "b").unwrap();
    symlink("plan", root.join("box")).unwrap();
    symlink("box/fix.md", root.join("link")).unwrap();
    for path in ["plan/fix.md", "plan/./FIX.md", "box/fix.md", "link"] {
        question(workspace.write(path, b"x"));
    }
    let absolute = root.join("plan/fix.md");
    question(workspace.write(absolute.to_str().unwrap(), b"x"));
    question(workspace.remove("plan/fix.md"));
    question(workspace.rename("b", "plan/fix.md"));
    assert!(matches!(workspace.rename("plan", "other"), Err(WorkspaceError::RulesBelow { .. })));
    workspace.write("b", b"x").unwrap();
    workspace.write("fix.md", b"x").unwrap();
    assert_eq!(fs::read_to_string(root.join("plan/fix.md")).unwrap(), "Do it.\n");
}

#[test]
fn ordinary_files_are_written_and_changed() {
    let (folder, workspace) = scenario(ActionPolicy::default());
    for (path, content) in [
        ("package.json", r#"{"name": "x", "scripts": {"agent": "a", "evaluator": "b"}}"#),
        ("Cargo.toml", "[package]\nname = \"x\"\n[dependencies]\nagent = \"1\"\nguardrails = \"1\"\n"),
        ("docker-compose.yml", "services:\n  agent: {image: x}\n  evaluator: {image: y}\n"),
        (".github/workflows/ci.yml", "name: CI\non: push\njobs:\n  agent:\n    runs-on: x\n"),
        ("openapi.yaml", "openapi: 3.1.0\ninfo: {title: agent}\npaths: {}\n"),
        ("docs/page.md", "---\ntitle: Guardrails\n---\nagent: x\nevaluator: y\n"),
        ("src/main.rs", "struct Plan { agent: Agent, evaluator: Evaluator, guardrails: () }\n"),
        ("data.bin", "\0\x01"),
    ] {
        workspace.write(path, content.as_bytes()).unwrap();
        workspace.write(path, content.as_bytes()).unwrap();
    }
    workspace.rename("docs", "pages").unwrap();
    workspace.rename("package.json", "p.json").unwrap();
    workspace.remove("p.json").unwrap();
    assert!(folder.path().join("pages/page.md").exists());
}

#[derive(Debug, Clone)]
enum Step {
    Write(&'static str, &'static str),
    Rename(&'static str, &'static str),
    Remove(&'static str),
}

fn any_step() -> impl Strategy<Value = Step> {
    let path = || select(vec!["a", "d/b", "d/e/c", "d", "d/e", "link", "box/b", "box"]);
    let content = select(executed().chain(["", "x", "agent: {}\n", "---\n"]).collect::<Vec<_>>());
    prop_oneof![
        4 => (path(), content).prop_map(|(path, content)| Step::Write(path, content)),
        4 => (path(), path()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => path().prop_map(Step::Remove),
    ]
}

/// Returns the paths of the files that `loop` would execute, with their texts.
fn found(folder: &std::path::Path) -> Vec<(&'static str, String)> {
    let paths = ["a", "d/b", "d/e/c", "link", "box/b", "box/e/c", "d", "d/e", "box"];
    let texts =
        paths.into_iter().filter_map(|path| Some((path, fs::read_to_string(folder.join(path)).ok()?)));
    texts.filter(|(_, text)| executed().any(|content| content == text)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_steps_change_what_is_executed_anywhere(
        place in select(vec!["a", "d/b", "d/e/c"]),
        content in select(executed().collect::<Vec<_>>()),
        steps in prop::collection::vec(any_step(), 1..12),
    ) {
        let (folder, workspace) = scenario(ActionPolicy::default());
        let root = folder.path();
        fs::create_dir_all(root.join("d/e")).unwrap();
        for path in ["a", "d/b", "d/e/c"] {
            fs::write(root.join(path), if path == place { content } else { "as it was" }).unwrap();
        }
        symlink(place, root.join("link")).unwrap();
        symlink("d", root.join("box")).unwrap();
        let before = found(root);
        for step in steps {
            let _ = match step {
                Step::Write(path, content) => workspace.write(path, content.as_bytes()).map(drop),
                Step::Rename(from, to) => workspace.rename(from, to).map(drop),
                Step::Remove(path) => workspace.remove(path).map(drop),
            };
        }
        let after = found(root);
        prop_assert!(after.iter().all(|found| before.contains(found)), "{before:?} {after:?}");
        for path in [place, "link"] {
            prop_assert_eq!(fs::read_to_string(root.join(path)).unwrap(), content, "{}", path);
        }
    }
}

#[test]
fn a_bare_repository_of_any_name_is_guarded_like_dot_git() {
    let (folder, workspace) = scenario(ActionPolicy::default());
    for root in ["bare", "."] {
        let root = folder.path().join(root);
        for name in ["objects", "refs", "hooks"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        for name in ["HEAD", "config", "hooks/pre-push"] {
            fs::write(root.join(name), "x").unwrap();
        }
    }
    for path in ["bare/config", "config"] {
        assert!(workspace.read(path).is_err(), "{path}");
    }
    for path in ["bare/hooks/pre-push", "hooks/pre-push", "bare/new"] {
        assert!(workspace.write(path, b"x").is_err(), "{path}");
    }
    assert!(workspace.read("bare/HEAD").is_ok());
}

#[test]
fn nobody_turns_a_folder_into_a_repository_in_any_order() {
    let parts = ["docs/HEAD", "docs/objects/x", "docs/refs/x"];
    for last in 0..3 {
        let (_folder, workspace) = scenario(ActionPolicy::default());
        workspace.write("docs/config", b"[core]\nfsmonitor = touch pwned\n").unwrap();
        for before in (0..3).filter(|part| *part != last) {
            workspace.write(parts[before], b"x").unwrap();
        }
        assert!(workspace.write(parts[last], b"x").is_err(), "{}", parts[last]);
        if last > 0 {
            assert!(workspace.write("docs/commondir", b"x").is_err());
        }
    }
}

#[test]
fn a_file_that_gits_settings_name_is_changed_by_nobody_unasked() {
    let (folder, workspace) = scenario(ActionPolicy::default());
    fs::create_dir_all(folder.path().join(".git")).unwrap();
    fs::create_dir_all(folder.path().join("kit/hooks")).unwrap();
    let settings = "[core]\n\tfsmonitor = kit/Watch.sh\n\thooksPath = kit/hooks\n[filter \"x\"]\n\tclean = \
                    python3 kit/clean.py %f\n[remote \"origin\"]\n\turl = ../src\n";
    fs::write(folder.path().join(".git/config"), settings).unwrap();
    for path in ["kit/watch.sh", "kit/hooks/anything", "kit/clean.py"] {
        assert_eq!(question(workspace.check_write(path, b"x")), path);
        assert_eq!(question(workspace.write(path, b"x")), path);
    }
    for path in ["src/main.rs", "kit/other.sh", "README.md"] {
        workspace.write(path, b"x").unwrap();
    }
    assert_eq!(question(workspace.rename("kit/other.sh", "kit/clean.py")), "kit/clean.py");
    workspace.write("new/clean.py", b"x").unwrap_err();
    fs::create_dir(folder.path().join("old")).unwrap();
    fs::write(folder.path().join("old/clean.py"), "x").unwrap();
    fs::write(folder.path().join("old/other.py"), "x").unwrap();
    assert!(matches!(workspace.rename("old", "new"), Err(WorkspaceError::RulesBelow { .. })));
    assert_eq!(question(workspace.remove("old/clean.py")), "old/clean.py");
    fs::remove_file(folder.path().join("old/clean.py")).unwrap();
    workspace.rename("old", "new").unwrap();

    // The settings of a linked work tree are in its repository.
    let linked = tempfile::tempdir().unwrap();
    let git_dir = folder.path().join(".git/worktrees/w");
    fs::create_dir_all(&git_dir).unwrap();
    fs::write(git_dir.join("commondir"), "../..\n").unwrap();
    fs::write(linked.path().join(".git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
    let workspace = Workspace::open(linked.path(), ActionPolicy::default()).unwrap();
    assert_eq!(question(workspace.write("clean.py", b"x")), "clean.py");
    workspace.write("main.py", b"x").unwrap();

    // Settings that nobody can read name anything.
    fs::write(folder.path().join(".git/config"), vec![b'#'; 2 << 20]).unwrap();
    assert_eq!(question(workspace.write("main.py", b"x")), "main.py");
}
