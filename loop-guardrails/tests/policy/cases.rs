//! The behaviour of a well-known terminal agent, case by case, and ours. The comments point out its holes and the
//! differences in our rules.

use std::{fs, os::unix::fs::symlink};

use loop_guardrails::policy::{
    ActionPolicy, LocalPath, Origin, Permissions, SecretFiles, Verb,
    audit::{Audit, AuditEntry, AuditOutcome},
    command::CommandPolicy,
    environment::EnvironmentPolicy,
    workspace::{Workspace, WorkspaceError},
};

fn scenario() -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("ws/agents")).unwrap();
    fs::create_dir(folder.path().join("outside")).unwrap();
    fs::write(folder.path().join("ws/id_rsa.pub"), "public").unwrap();
    symlink(folder.path().join("outside"), folder.path().join("ws/link")).unwrap();
    let workspace = Workspace::open(folder.path().join("ws"), ActionPolicy::default()).unwrap();
    (folder, workspace)
}

#[test]
fn tool_path() {
    let (_folder, workspace) = scenario();
    for path in ["../../etc/passwd", "x/secret.pem", "server.key", "id_rsa", "my.env"] {
        assert!(workspace.check(path, Verb::Read).is_err(), "{path}");
    }
    for path in ["agents", "id_rsa.pub"] {
        assert!(workspace.check(path, Verb::Read).is_ok(), "{path}");
    }
    // There, a root is prepended: a model that asks for `/etc/passwd` gets some other file.
    assert!(matches!(workspace.check("/etc/passwd", Verb::Read), Err(WorkspaceError::Outside(_))));
    // A hole there: it checks only the direct parent, which does not exist yet.
    assert!(matches!(
        workspace.check("link/newdir/new.txt", Verb::Write),
        Err(WorkspaceError::LinkOutside { .. })
    ));
}

#[test]
fn tool_symlink_escape() {
    let (folder, workspace) = scenario();
    // There, the file is written outside.
    assert!(workspace.write("link/newdir/pwn.txt", b"x").unwrap_err().is_refusal());
    assert_eq!(fs::read_dir(folder.path().join("outside")).unwrap().count(), 0);
}

#[test]
fn workspace_abs_path() {
    let (_folder, workspace) = scenario();
    let at = |path: &str| workspace.check(path, Verb::Read).map(|path| path.to_string());
    assert_eq!(at("src/main.go").unwrap(), "src/main.go");
    assert!(at("../outside").is_err());
    // There, a person's own commands have weaker rules than a model's. Here all commands have the same rules, and an
    // absolute path must be below the root.
    assert!(at("/etc/passwd").is_err());
    assert_eq!(at(workspace.root().join("src/main.go").to_str().unwrap()).unwrap(), "src/main.go");
}

#[test]
fn sensitive_file_denied() {
    let secrets = SecretFiles::new();
    let denied = |path: &str| secrets.rule_on(&path.parse::<LocalPath>().unwrap()).is_some();
    assert!(denied("proj/.env.local"));
    assert!(denied("proj/key.key"));
    assert!(!denied("proj/README.md"));
    // It allows this there, although the cloud's own tools keep their keys in a file with this name.
    assert!(denied("proj/credentials.json"));
}

#[test]
fn permission() {
    let permissions = Permissions::new()
        .with(LocalPath::root(), Verb::ALL, Origin::BuiltIn)
        .with("src/".parse().unwrap(), [Verb::Read], Origin::BuiltIn)
        .with("src/gen/".parse().unwrap(), [Verb::Read, Verb::Write], Origin::BuiltIn);
    assert!(permissions.on(&"src/gen/a.go".parse().unwrap(), Verb::Write).allowed);
}

#[test]
fn safe_mode() {
    let policy = CommandPolicy::new();
    assert!(policy.judge("ls").is_ok());
    assert!(policy.judge("LS").is_err());
}

#[test]
fn command_line() {
    let words = |line: &str| {
        let line = CommandPolicy::new().judge(line)?;
        Ok::<_, loop_guardrails::policy::DeniedAction>((line.program, line.arguments))
    };
    let expected = |program: &str, arguments: &[&str]| {
        (program.to_owned(), arguments.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(words("echo \"a b\" c\\ d").unwrap(), expected("echo", &["a b", "c d"]));
    assert!(words("echo 'unclosed").unwrap_err().to_string().contains("never closed"));
    assert!(words("   ").unwrap_err().to_string().contains("empty"));
    // There, empty words vanish, and backslashes disappear from single quotes. Shells do neither.
    assert_eq!(words("echo ''").unwrap(), expected("echo", &[""]));
    assert_eq!(words("echo '\\n'").unwrap(), expected("echo", &["\\n"]));
    // This is `abc`, which is not a program that may run.
    assert!(words("a\"b\"c").unwrap_err().to_string().contains("`abc`"));
    // It runs there, and prints every secret on its way.
    assert!(words("grep -r 'hello world' .").unwrap_err().to_string().contains("grep -r"));
    assert_eq!(words("grep 'hello world' x").unwrap(), expected("grep", &["hello world", "x"]));
}

#[test]
fn audit_ring() {
    let audit = Audit::new().capacity(3);
    for number in 0..5 {
        audit.record(AuditEntry::new(format!("c{number}"), "", AuditOutcome::Allowed)).unwrap();
    }
    let actions: Vec<_> = audit.newest(10).into_iter().map(|entry| entry.action).collect();
    assert_eq!(actions, ["c4", "c3", "c2"]);
}

/// Most filters list the variables that they pass. If such a list forgets a variable, the child fails. So ours lists
/// those that it withholds.
#[test]
fn env_filter() {
    let sees = |name: &str| EnvironmentPolicy::new().lets_see(name.as_ref(), "x".as_ref());
    for name in ["SHELL", "TERM", "TERM_PROGRAM", "PWD", "MY_TOOL_DEBUG"] {
        assert!(sees(name), "{name}");
    }
    // It withholds these there, because they are missing from its list. So a fetch over SSH fails, and a Go build too.
    for name in ["LC_ALL", "OLDPWD", "GOPATH", "SSH_AUTH_SOCK"] {
        assert!(sees(name), "{name}");
    }
    for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN"] {
        assert!(!sees(name), "{name}");
    }
}
