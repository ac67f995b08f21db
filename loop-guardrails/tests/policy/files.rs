//! The allowed operations of a workspace.

use std::{
    fs,
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::PathBuf,
    process::Command,
};

use loop_guardrails::policy::{
    ActionPolicy, LocalPath, Origin, Permissions, PolicySettings, Verb, WithOrigin,
    workspace::{ExplanationSubject, FileKind, Workspace, WorkspaceError},
};

fn scenario() -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(folder.path(), ActionPolicy::default()).unwrap();
    (folder, workspace)
}

fn text(workspace: &Workspace, path: &str) -> Result<String, WorkspaceError> {
    let mut text = String::new();
    workspace.read(path)?.file.read_to_string(&mut text).unwrap();
    Ok(text)
}

fn ruled(permissions: Permissions) -> ActionPolicy {
    let mut settings = PolicySettings::default();
    settings.permissions = permissions;
    ActionPolicy::new(settings, PolicySettings::default())
}

#[test]
fn links_within_are_walked_to_where_they_lead() {
    let (folder, workspace) = scenario();
    workspace.write("deep/er/file", b"x").unwrap();
    symlink("deep/er", folder.path().join("near")).unwrap();
    symlink(workspace.root().join("near/file"), folder.path().join("far")).unwrap();
    assert_eq!(workspace.read("far").unwrap().path.to_string(), "deep/er/file");
    // `..` is relative to the target folder, not to the link.
    assert_eq!(workspace.status("near/..").unwrap().path.to_string(), "deep");
    workspace.write("far", b"y").unwrap();
    assert!(fs::symlink_metadata(folder.path().join("far")).unwrap().is_symlink());
    assert_eq!(text(&workspace, "deep/er/file").unwrap(), "y");
}

#[test]
fn a_file_that_replaces_a_link_grows_wherever_its_name_leads_later() {
    let (folder, workspace) = scenario();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("target"), "mine").unwrap();
    let places: [fn(PathBuf, PathBuf) -> io::Result<()>; 2] =
        [|from, to| symlink(from, to), |from, to| fs::hard_link(from, to)];
    for place in places {
        let _ = fs::remove_file(path("log"));
        place(path("target"), path("log")).unwrap();
        let mut log = workspace.replace("log", b"a").unwrap();
        assert_eq!(fs::symlink_metadata(path("log")).unwrap().mode() & 0o7111, 0);
        assert_eq!(text(&workspace, "log").unwrap(), "a");
        fs::rename(path("log"), path("moved")).unwrap();
        place(path("target"), path("log")).unwrap();
        log.write_all(b"b").unwrap();
        assert_eq!(
            (text(&workspace, "moved").unwrap(), text(&workspace, "target").unwrap()),
            ("ab".into(), "mine".into())
        );
    }
    fs::create_dir(path("folder")).unwrap();
    assert!(workspace.replace("folder", b"").is_err());
}

#[test]
fn a_link_to_a_secret_is_a_secret() {
    let (folder, workspace) = scenario();
    fs::write(folder.path().join(".env"), "KEY").unwrap();
    symlink(".env", folder.path().join("notes")).unwrap();
    for refused in [workspace.read("notes").map(drop), workspace.write("notes", b"").map(drop)] {
        assert!(matches!(refused, Err(WorkspaceError::Denied(_))), "{refused:?}");
    }
    assert!(workspace.check("notes", Verb::Read).is_err());
    assert!(workspace.rename(".env", "notes.txt").is_err());
}

#[test]
fn rules_hold_wherever_a_link_comes_from() {
    let folder = tempfile::tempdir().unwrap();
    let permissions = Permissions::new().with(LocalPath::root(), Verb::ALL, Origin::BuiltIn).with(
        "locked".parse().unwrap(),
        [],
        Origin::line("user.toml", 3),
    );
    let workspace = Workspace::open(folder.path(), ruled(permissions)).unwrap();
    fs::create_dir_all(folder.path().join("outer/locked")).unwrap();
    fs::create_dir(folder.path().join("locked")).unwrap();
    fs::write(folder.path().join("locked/x"), "x").unwrap();
    symlink("locked", folder.path().join("open")).unwrap();
    let error = workspace.read("open/x").unwrap_err();
    assert!(error.is_refusal() && error.to_string().contains("user.toml:3"), "{error}");
}

#[test]
fn a_folder_with_rules_in_it_is_not_moved_away_from_them() {
    let folder = tempfile::tempdir().unwrap();
    let permissions = Permissions::new().with(LocalPath::root(), Verb::ALL, Origin::BuiltIn).with(
        "outer/locked".parse().unwrap(),
        [],
        Origin::BuiltIn,
    );
    let workspace = Workspace::open(folder.path(), ruled(permissions)).unwrap();
    fs::create_dir_all(folder.path().join("outer/locked")).unwrap();
    assert!(matches!(workspace.rename("outer", "other"), Err(WorkspaceError::RulesBelow { .. })));
    let mut settings = PolicySettings::default();
    settings.not_secret.push(WithOrigin::new("fixtures".parse().unwrap(), Origin::BuiltIn));
    let workspace =
        Workspace::open(folder.path(), ActionPolicy::new(settings, PolicySettings::default())).unwrap();
    assert!(workspace.rename("outer", "fixtures").is_err());
}

#[test]
fn every_verb_is_asked_for_what_needs_it() {
    let folder = tempfile::tempdir().unwrap();
    for verb in Verb::ALL {
        fs::write(folder.path().join("x"), "x").unwrap();
        let without = Verb::ALL.into_iter().filter(|it| *it != verb);
        let policy = ruled(Permissions::new().with(LocalPath::root(), without, Origin::BuiltIn));
        let workspace = Workspace::open(folder.path(), policy).unwrap();
        let allowed = |result: Result<(), WorkspaceError>| !result.is_err_and(|error| error.is_refusal());
        assert_eq!(allowed(workspace.read("x").map(drop)), verb != Verb::Read);
        assert_eq!(allowed(workspace.list(".").map(drop)), verb != Verb::Read);
        assert_eq!(allowed(workspace.status("x").map(drop)), verb != Verb::Read);
        assert_eq!(allowed(workspace.write("x", b"y").map(drop)), verb != Verb::Write);
        assert_eq!(allowed(workspace.create_dir("d").map(drop)), verb != Verb::Write);
        assert_eq!(
            allowed(workspace.rename("x", "y").map(drop)),
            ![Verb::Write, Verb::Delete].contains(&verb)
        );
        fs::write(folder.path().join("x"), "x").unwrap();
        assert_eq!(allowed(workspace.remove("x").map(drop)), verb != Verb::Delete);
        assert_eq!(workspace.policy().on_command("ls").is_ok(), verb != Verb::Exec);
    }
}

#[test]
fn a_write_is_whole_and_keeps_the_mode() {
    let (folder, workspace) = scenario();
    let path = folder.path().join("run.sh");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    let held = fs::File::open(&path).unwrap();
    assert!(!workspace.write("run.sh", b"new").unwrap().created);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o750);
    let mut old = String::new();
    { &held }.read_to_string(&mut old).unwrap();
    assert_eq!((old.as_str(), text(&workspace, "run.sh").unwrap().as_str()), ("old", "new"));
    assert!(workspace.write("new/er", b"").unwrap().created);
    let names: Vec<_> = workspace.list(".").unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["new", "run.sh"]);
}

#[test]
fn what_is_refused_leaves_no_folders_behind() {
    let (folder, workspace) = scenario();
    assert!(workspace.write("new/.env", b"").is_err());
    assert!(workspace.create_dir("new/credentials").is_err());
    assert!(!folder.path().join("new").exists());
}

#[test]
fn pipes_and_folders_are_not_read_as_files() {
    let (folder, workspace) = scenario();
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap().success());
    fs::create_dir(folder.path().join("folder")).unwrap();
    for path in ["pipe", "folder", "."] {
        assert!(matches!(workspace.read(path), Err(WorkspaceError::Kind { .. })), "{path}");
        assert!(matches!(workspace.write(path, b""), Err(WorkspaceError::Kind { .. })), "{path}");
    }
    assert!(matches!(workspace.list("pipe"), Err(WorkspaceError::Kind { .. })));
    assert_eq!(workspace.list(".").unwrap()[1].kind, FileKind::Other);
}

#[test]
fn a_circle_of_links_ends() {
    let (folder, workspace) = scenario();
    symlink("b", folder.path().join("a")).unwrap();
    symlink("a", folder.path().join("b")).unwrap();
    assert!(matches!(workspace.read("a"), Err(WorkspaceError::Restless { .. })));
}

#[test]
fn secrets_are_listed_and_marked() {
    let (folder, workspace) = scenario();
    fs::write(folder.path().join(".env"), "").unwrap();
    fs::write(folder.path().join("x"), "").unwrap();
    let listed: Vec<_> = workspace.list("").unwrap().into_iter().map(|it| (it.name, it.readable)).collect();
    assert_eq!(listed, [(".env".to_owned(), false), ("x".to_owned(), true)]);
}

#[test]
fn a_root_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = Workspace::open(folder.path().join("gone"), ActionPolicy::default()).unwrap_err();
    assert!(error.to_string().contains("gone"), "{error}");
}

#[test]
fn an_explanation_knows_where_links_lead() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    fs::create_dir(at("src")).unwrap();
    fs::write(at("Makefile"), "all:\n").unwrap();
    fs::write(at(".env"), "KEY=1").unwrap();
    symlink(".env", at("notes")).unwrap();
    symlink("/etc", at("etc")).unwrap();
    let workspace = Workspace::open(folder.path(), ActionPolicy::default()).unwrap();
    for (text, expected) in [
        ("Makefile", "allowed: "),
        ("src", "allowed: "),
        ("ls src", "allowed: `ls` is among the programs"),
        ("gone.txt", "allowed: "),
        ("notes", "denied: a link makes this mean to read `.env`, and files named `.env*` hold secrets"),
        ("cat notes", "denied: a link makes this mean to read `.env`, and files named"),
        ("cat ./.env", "denied: of `./.env`, files named `.env*`"),
        (".env", "denied: files named `.env*` hold secrets"),
        ("etc/passwd", "denied: the link `etc` leads out of the workspace, to /etc"),
        ("../x", "denied: `../x` is outside"),
        ("make", "denied: `make` is not among the programs"),
        ("", "denied: the command is empty"),
    ] {
        let shown = workspace.explain(text).ruling.to_string();
        assert!(shown.starts_with(expected), "{text}: {shown}");
    }
    for (text, rule) in [
        ("cat README.md | wc -l", "`wc` is among the programs"),
        ("echo a | sh", "`sh` starts other programs"),
        ("ls | tee x | cat", "`tee` is not among the programs"),
        ("cat README.md | ls", "only a person can allow `ls` to read"),
        ("ls && ls", "no shell is involved, so `&&`"),
    ] {
        let explained = workspace.explain(text).ruling;
        assert!(explained.rule.contains(rule), "{text}: {explained}");
        assert_eq!(explained.allowed, rule.contains("is among"), "{text}");
    }
    let ExplanationSubject::Path { leads_to: Some(place), .. } = workspace.explain("src/../src/x").subject
    else {
        panic!()
    };
    assert_eq!(place.to_string(), "src/x");
    let ExplanationSubject::Command { words } = workspace.explain("git log").subject else { panic!() };
    assert!(words.starts_with(&["git".to_owned(), "--no-pager".to_owned()]), "{words:?}");
}

/// A check and the later action resolve a path the same way, even if nothing exists there yet.
#[test]
fn a_check_says_what_a_write_would() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    fs::create_dir_all(at(".git/hooks")).unwrap();
    fs::create_dir_all(at("keys.pem")).unwrap();
    fs::create_dir_all(at("state/audit")).unwrap();
    fs::create_dir_all(at("src")).unwrap();
    for (link, target) in [
        ("hooks", ".git/hooks"),
        ("keys", "keys.pem"),
        ("kept", "state"),
        ("note", "src/new/.env"),
        ("in", "src"),
    ] {
        symlink(target, at(link)).unwrap();
    }
    let root = fs::canonicalize(folder.path()).unwrap();
    let policy = ActionPolicy::default().guard([root.join("state")]);
    let workspace = Workspace::open(folder.path(), policy).unwrap();
    for (path, allowed) in [
        ("hooks/pre-commit", false),
        ("hooks/new/file", false),
        ("keys/new", false),
        ("kept/audit/audit.jsonl", false),
        ("kept/new/er", false),
        ("note", false),
        ("new/../keys/x", false),
        ("new/folder/../../hooks/x", false),
        ("in/new/er/file", true),
        ("new/../in/x", true),
        ("new/folder/x", true),
    ] {
        let explained = workspace.explain_path(path, Verb::Write).ruling;
        assert_eq!(explained.allowed, allowed, "{path}: {explained}");
        assert!(!at("src/new").exists() && !at("new").exists(), "a question makes nothing");
        assert_eq!(workspace.write(path, b"x").is_ok(), allowed, "{path}");
        let _ = fs::remove_dir_all(at("new"));
        let _ = fs::remove_dir_all(at("src/new"));
    }
    assert!(workspace.check("keys", Verb::Delete).is_ok(), "the link is removed, not what it leads to");
    assert!(workspace.remove("keys").is_ok());
}

#[test]
fn a_link_that_leads_to_the_root_by_any_way_stays_inside() {
    let outer = tempfile::tempdir().unwrap();
    let inner = outer.path().join("ws");
    fs::create_dir_all(inner.join("sub")).unwrap();
    fs::write(inner.join("x"), "x").unwrap();
    fs::write(inner.join(".env"), "KEY").unwrap();
    fs::write(outer.path().join("x"), "outside").unwrap();
    symlink(&inner, outer.path().join("alias")).unwrap();
    let workspace = Workspace::open(&inner, ActionPolicy::default()).unwrap();
    let targets = [
        workspace.root().to_owned(),
        outer.path().join("alias"),
        inner.join("../ws"),
        "../ws".into(),
        ".".into(),
        "sub/..".into(),
        "sub/../../alias".into(),
    ];
    for target in targets {
        let link = inner.join("self");
        symlink(&target, &link).unwrap();
        assert_eq!(text(&workspace, "self/x").unwrap(), "x", "{target:?}");
        assert_eq!(text(&workspace, "self/sub/../self/x").unwrap(), "x", "{target:?}");
        assert!(workspace.read("self/.env").unwrap_err().is_refusal());
        assert!(workspace.read("self/../x").unwrap_err().is_refusal(), "above it is outside: {target:?}");
        assert!(workspace.check("self", Verb::Read).unwrap().is_root());
        fs::remove_file(link).unwrap();
    }
    symlink("../x", inner.join("out")).unwrap();
    assert!(matches!(workspace.read("out"), Err(WorkspaceError::LinkOutside { .. })));
}

/// Patterns that exclude secrets are compared with the name in the arguments, so the program gets the plain name.
#[test]
fn a_search_gets_the_plain_name_of_a_folder_however_it_is_spelled() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = PolicySettings::default();
    settings.allow = vec![WithOrigin::new("rg".parse().unwrap(), Origin::BuiltIn)];
    let policy = ActionPolicy::new(settings, PolicySettings::default());
    let workspace = Workspace::open(folder.path(), policy).unwrap();
    for path in [".kube/cache", ".git/x", "p/gh/x", "-x"] {
        fs::create_dir_all(folder.path().join(path)).unwrap();
    }
    for (target, link) in [(".kube", "kube"), (".git", "g"), (".", "here"), ("p", "q")] {
        symlink(target, folder.path().join(link)).unwrap();
    }
    let root = workspace.root().display().to_string();
    for (spelled, plain) in [
        (".kube//", ".kube"),
        (".kube/cache/..", ".kube"),
        ("./.kube/./", ".kube"),
        ("kube", ".kube"),
        ("here/kube/.", ".kube"),
        ("g", ".git"),
        ("q//gh/./", "p/gh"),
        ("here", "."),
        ("./-x", "./-x"),
        ("ROOT/.kube//", ".kube"),
    ] {
        let line = format!("rg x -- {}", spelled.replace("ROOT", &root));
        let opened = workspace.open_command(&line).unwrap();
        assert_eq!(opened.command.arguments.last().unwrap(), plain, "{line}");
    }
}
