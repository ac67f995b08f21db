//! Nobody changes files that a later command executes, or that an agent follows, without a person's approval.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use loop_guardrails::policy::{
    ActionPolicy, DeniedAction, LocalPath, Verb,
    workspace::{Workspace, WorkspaceError},
};
use proptest::{collection::vec, prelude::*, sample::select};

fn scenario() -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(folder.path(), ActionPolicy::default()).unwrap();
    for path in ["AGENTS.md", "a.txt", "kit/deep/loop.yaml", "mine/instructions/x.md", "plain/b.txt"] {
        fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
        fs::write(folder.path().join(path), "as it was").unwrap();
    }
    (folder, workspace)
}

fn path(path: &str) -> LocalPath {
    path.parse().unwrap()
}

/// Returns the path that a person could approve.
fn question<T: std::fmt::Debug>(result: Result<T, WorkspaceError>) -> Option<LocalPath> {
    match result.unwrap_err() {
        WorkspaceError::Denied(DeniedAction { ruling, .. }) => ruling.needs_approval.map(|path| *path),
        other => panic!("{other}"),
    }
}

#[test]
fn no_way_leads_to_them_unasked() {
    let (folder, workspace) = scenario();
    symlink("AGENTS.md", folder.path().join("notes")).unwrap();
    symlink("kit", folder.path().join("box")).unwrap();
    fs::hard_link(folder.path().join("AGENTS.md"), folder.path().join("twin")).unwrap();
    for target in
        ["AGENTS.md", "./x/../AGENTS.md", "agents.MD", "notes", "box/deep/loop.yaml", ".claude/new/x"]
    {
        assert!(question(workspace.write(target, b"hostile")).is_some(), "{target}");
    }
    assert!(question(workspace.remove("AGENTS.md")).is_some());
    assert!(question(workspace.create_dir(".cursor/rules")).is_some());
    assert!(question(workspace.rename("AGENTS.md", "b.txt")).is_some());
    assert!(question(workspace.rename("a.txt", "CLAUDE.md")).is_some());
    assert!(question(workspace.rename("plain", ".claude")).is_some());
    // A write creates a new file under the name, so the old file keeps its other names.
    workspace.write("twin", b"hostile").unwrap();
    for moved in [("kit", "other"), ("kit/deep", "here"), ("mine", ".github")] {
        let refused = workspace.rename(moved.0, moved.1);
        assert!(matches!(refused, Err(WorkspaceError::RulesBelow { .. })), "{moved:?} {refused:?}");
    }
    workspace.rename("plain", "plainer").unwrap();
    for kept in ["AGENTS.md", "kit/deep/loop.yaml"] {
        assert_eq!(fs::read_to_string(folder.path().join(kept)).unwrap(), "as it was", "{kept}");
    }
    assert!(!folder.path().join(".claude").exists() && !folder.path().join(".cursor").exists());
}

#[test]
fn what_a_link_of_such_a_name_leads_to_is_such_a_file_too() {
    let (folder, workspace) = scenario();
    symlink("docs/agents.txt", folder.path().join("CLAUDE.md")).unwrap();
    symlink("plain", folder.path().join(".codex")).unwrap();
    for target in ["docs/agents.txt", "plain/b.txt", "CLAUDE.md", ".codex/b.txt"] {
        assert!(question(workspace.write(target, b"hostile")).is_some(), "{target}");
    }
    workspace.write("a.txt", b"x").unwrap();
    assert!(!folder.path().join("docs/agents.txt").exists());
}

#[test]
fn a_persons_yes_lets_the_one_change_through() {
    let (folder, workspace) = scenario();
    symlink("AGENTS.md", folder.path().join("CLAUDE.md")).unwrap();
    let asked = question(workspace.check("CLAUDE.md", Verb::Write)).unwrap();
    assert_eq!(asked, path("AGENTS.md"));
    let approved = workspace.approving([path("CLAUDE.md"), asked]);
    assert_eq!(approved.write("CLAUDE.md", b"better").unwrap().path, path("AGENTS.md"));
    assert!(approved.write("loop.yaml", b"x").is_err() && workspace.write("AGENTS.md", b"x").is_err());
    let asked = question(workspace.check(".claude/commands/x.md", Verb::Write)).unwrap();
    assert_eq!(asked, path(".claude/commands/x.md"));
    workspace.approving([asked]).write(".claude/commands/x.md", b"x").unwrap();
}

#[test]
fn a_link_anywhere_makes_its_target_such_a_file() {
    for (link, target, written) in [
        (".claude/settings.json", "../docs/s.json", "docs/s.json"),
        (".cursor/rules", "../docs", "docs/a/x.mdc"),
        (".claude/hooks", "../scripts", "scripts/start.sh"),
        ("sub/AGENTS.md", "../docs/agents.txt", "docs/agents.txt"),
        ("sub/loop.yaml", "../docs/loop.txt", "docs/loop.txt"),
        ("other/deep/CLAUDE.md", "../../docs/../plain/b.txt", "plain/b.txt"),
        ("sub/GEMINI.md", "ROOT/docs/x.txt", "docs/x.txt"),
        ("sub/GEMINI.md", "../../NAME/docs/x.txt", "docs/x.txt"),
        // The last name but one is a link too, and an agent follows the whole path.
        (".of-tomorrow", "plain", "plain/rules/x.md"),
    ] {
        let (folder, workspace) = scenario();
        let root = workspace.root().to_owned();
        let name = root.file_name().unwrap().to_str().unwrap();
        let target = target.replace("ROOT", root.to_str().unwrap()).replace("NAME", name);
        fs::create_dir_all(folder.path().join(link).parent().unwrap()).unwrap();
        symlink(&target, folder.path().join(link)).unwrap();
        assert_eq!(question(workspace.write(written, b"hostile")), Some(path(written)), "{link} -> {target}");
        assert_eq!(
            question(workspace.check(written, Verb::Write)),
            Some(path(written)),
            "{link} -> {target}"
        );
        workspace.write("kit/other.txt", b"x").unwrap();
    }
}

#[test]
fn a_link_of_git_lets_nobody_write_its_target() {
    let (folder, workspace) = scenario();
    fs::create_dir_all(folder.path().join(".git/objects")).unwrap();
    symlink("../hooks", folder.path().join(".git/hooks")).unwrap();
    let refused = workspace.write("hooks/run", b"hostile");
    assert_eq!(question(refused), None);
    // The search skips git's object store.
    symlink("../../a.txt", folder.path().join(".git/objects/AGENTS.md")).unwrap();
    workspace.write("a.txt", b"x").unwrap();
}

#[test]
fn where_not_all_links_can_be_looked_at_each_change_needs_a_yes() {
    let (folder, workspace) = scenario();
    workspace.write("a.txt", b"x").unwrap();
    symlink("/proc/self/cwd/a.txt", folder.path().join("CLAUDE.md")).unwrap();
    assert_eq!(question(workspace.write("a.txt", b"hostile")), Some(path("a.txt")));
    workspace.approving([path("a.txt")]).write("a.txt", b"y").unwrap();
    fs::remove_file(folder.path().join("CLAUDE.md")).unwrap();
    workspace.write("a.txt", b"x").unwrap();
    fs::create_dir(folder.path().join("many")).unwrap();
    fs::write(folder.path().join("many/first"), "").unwrap();
    for number in 0..=50_000 {
        symlink("first", folder.path().join(format!("many/{number}"))).unwrap();
    }
    assert_eq!(question(workspace.write("a.txt", b"hostile")), Some(path("a.txt")));
}

/// Collects all files that a reader who follows links would find in a workspace, with their names and texts.
fn found(root: &Path, at: &Path, depth: u32, all: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(root.join(at)).unwrap().flatten() {
        let path = at.join(entry.file_name());
        let Some(real) = fs::canonicalize(root.join(&path)).ok().filter(|real| real.starts_with(root)) else {
            continue;
        };
        if real.is_dir() && depth > 0 {
            found(root, &path, depth - 1, all);
        } else if real.is_file() {
            all.push((path, fs::read_to_string(real).unwrap()));
        }
    }
}

fn any_path() -> impl Strategy<Value = String> {
    let name = select(vec!["a", "b", "AGENTS.md", ".claude", ".dot", "rules", ".git", "..", "a", "b"]);
    vec(name, 1..4).prop_map(|names| names.join("/"))
}

fn any_target() -> impl Strategy<Value = String> {
    let before = select(vec!["", "", "../", "../../", "IN/", "../in/"]);
    (before, any_path()).prop_map(|(before, path)| format!("{before}{path}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// No call writes a text that an agent would find under a name that it follows, whatever the links.
    #[test]
    fn no_agent_finds_what_nobody_said_yes_to(
        links in vec((any_path(), any_target()), 0..6),
        calls in vec((0..4, any_path(), any_path()), 1..8),
    ) {
        let around = tempfile::tempdir().unwrap();
        let inside = around.path().canonicalize().unwrap().join("in");
        fs::create_dir(&inside).unwrap();
        for (link, target) in &links {
            let path = inside.join(link);
            if !link.contains("..") && fs::create_dir_all(path.parent().unwrap()).is_ok() {
                // Leave out links that conflict with existing files.
                let _ = symlink(target.replace("IN", inside.to_str().unwrap()), path);
            }
        }
        let workspace = Workspace::open(&inside, ActionPolicy::default()).unwrap();
        for (kind, first, second) in &calls {
            match kind {
                0 | 1 => drop(workspace.write(first, b"hostile")),
                2 => drop(workspace.rename(first, second)),
                _ => drop(workspace.remove(first)),
            }
        }
        let mut texts = Vec::new();
        found(&inside, Path::new(""), 4, &mut texts);
        for (path, text) in texts {
            let path = LocalPath::new(&path).unwrap();
            let is_guarded = !workspace.policy().on_path(&path, Verb::Write).allowed;
            prop_assert!(!(is_guarded && text == "hostile"), "{path}");
        }
    }
}
