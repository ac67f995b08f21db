//! Files that a later command executes, or that an agent follows: changed by nobody without a person's yes.

use std::{fs, os::unix::fs::symlink};

use loop_guardrails::policy::{
    ActionPolicy, Denied, LocalPath, Verb,
    workspace::{Workspace, WorkspaceError},
};

fn world() -> (tempfile::TempDir, Workspace) {
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

/// The path about which a person could be asked.
fn question<T: std::fmt::Debug>(result: Result<T, WorkspaceError>) -> Option<LocalPath> {
    match result.unwrap_err() {
        WorkspaceError::Denied(Denied { ruling, .. }) => ruling.needs_approval,
        other => panic!("{other}"),
    }
}

#[test]
fn no_way_leads_to_them_unasked() {
    let (folder, workspace) = world();
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
    // A write puts a new file in the place of a name, so the other names of the old one keep it.
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
    let (folder, workspace) = world();
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
    let (folder, workspace) = world();
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
