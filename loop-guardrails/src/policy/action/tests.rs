//! Laws for all settings of users and projects.

use proptest::prelude::*;

use super::*;

fn with_origin<T>(value: T, file: &str) -> WithOrigin<T> {
    WithOrigin::new(value, Origin::line(file, 1))
}

fn any_settings(file: &'static str) -> impl Strategy<Value = PolicySettings> {
    let programs = || prop::sample::subsequence(vec!["ls", "cargo", "env", "./run.sh"], 0..3);
    let paths = || prop::sample::subsequence(vec![".", "src", "src/gen", ".env", "a/.env"], 0..3);
    let verbs = prop::sample::subsequence(Verb::ALL.to_vec(), 0..=4);
    let modes = prop::option::of(any::<bool>());
    let times = prop::option::of((1u64..1000).prop_map(Duration::from_secs));
    (programs(), programs(), paths(), verbs, paths(), modes, times).prop_map(
        move |(allow, forbid, ruled, verbs, shown, safe_mode, time)| {
            let named = |names: Vec<&str>| {
                names.into_iter().map(|name| with_origin(name.parse().unwrap(), file)).collect()
            };
            let local = |path: &str| path.parse::<LocalPath>().unwrap();
            PolicySettings {
                safe_mode: safe_mode.map(|mode| with_origin(mode, file)),
                allow: named(allow),
                forbid: named(forbid),
                permissions: ruled.iter().fold(Permissions::new(), |all, path| {
                    all.with(local(path), verbs.clone(), Origin::line(file, 2))
                }),
                command_time: time.map(|time| with_origin(time, file)),
                not_secret: shown.into_iter().map(|path| with_origin(local(path), file)).collect(),
                ..PolicySettings::default()
            }
        },
    )
}

proptest! {
    /// The settings of a cloned repository never allow anything new.
    #[test]
    fn a_project_never_widens_what_the_user_allows(
        user in any_settings("user.toml"),
        project in any_settings("loop.toml"),
    ) {
        let alone = ActionPolicy::new(user.clone(), PolicySettings::default());
        let both = ActionPolicy::new(user, project);
        prop_assert!(both.command_time() <= alone.command_time());
        for path in ["src/a", "src/gen/b", "README", ".env", "a/.env/x", ".git/config", "run.sh"] {
            for verb in Verb::ALL {
                prop_assert!(!both.explain_path(path, verb).allowed || alone.explain_path(path, verb).allowed);
            }
        }
        for line in ["ls src", "cargo test", "env", "./run.sh", "cat .env", "ls ..", "find . -delete"] {
            prop_assert!(both.on_command(line).is_err() || alone.on_command(line).is_ok(), "{}", line);
        }
    }
}

#[test]
fn what_a_project_cannot_have_is_listed_with_its_line() {
    let project = PolicySettings {
        safe_mode: Some(with_origin(false, "loop.toml")),
        allow: vec![
            with_origin("ls".parse().unwrap(), "loop.toml"),
            with_origin("curl".parse().unwrap(), "loop.toml"),
        ],
        not_secret: vec![with_origin(".env".parse().unwrap(), "loop.toml")],
        command_time: Some(with_origin(Duration::from_secs(3600), "loop.toml")),
        ..PolicySettings::default()
    };
    let policy = ActionPolicy::new(PolicySettings::default(), project);
    let texts: Vec<_> = policy.ignored().iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 4);
    assert!(texts[3].contains("`command_seconds = 3600`"), "{texts:?}");
    assert!(texts[0].contains("allow = [\"curl\"]` (loop.toml:1) has no effect"), "{texts:?}");
}

#[test]
fn a_command_is_judged_by_the_paths_in_it() {
    let policy = ActionPolicy::default().at("/home/kim/app");
    for line in [
        "cat .env",
        "grep x config/id_rsa",
        "cat /etc/passwd",
        "ls ../x",
        "git show HEAD:.env",
        "head /home/kim/app/../x",
    ] {
        assert!(policy.on_command(line).is_err(), "{line}");
    }
    for line in ["cat README.md", "cat /home/kim/app/README.md", "grep /etc/passwd notes", "echo .env"] {
        assert!(policy.on_command(line).is_ok(), "{line}");
    }
}

#[test]
fn every_verb_is_asked_for_commands_and_paths() {
    let user = PolicySettings {
        permissions: Permissions::new()
            .with(LocalPath::root(), [Verb::Read], Origin::line("user.toml", 1))
            .with("bin".parse().unwrap(), Verb::ALL, Origin::line("user.toml", 2)),
        ..PolicySettings::default()
    };
    let policy = ActionPolicy::new(user, PolicySettings::default());
    let denied = policy.on_command("ls").unwrap_err();
    assert_eq!(denied.ruling.origin.to_string(), "user.toml:1");
    assert!(denied.to_string().contains("without exec"), "{denied}");
}

#[test]
fn the_rules_and_gits_programs_are_not_the_models_to_change() {
    let policy = ActionPolicy::default();
    for path in [
        "loop.toml",
        "./LOOP.toml",
        "sub/loop.toml",
        ".git/hooks/pre-commit",
        "sub/.GIT/HEAD",
        ".gi\u{200c}t/HEAD",
    ] {
        assert!(
            !policy.explain_path(path, Verb::Write).allowed
                && !policy.explain_path(path, Verb::Delete).allowed
        );
        assert!(policy.explain_path(path, Verb::Read).allowed);
    }
}

#[test]
fn a_persons_yes_is_for_these_paths_and_overrules_nothing_else() {
    let path = |path: &str| path.parse::<LocalPath>().unwrap();
    let policy = ActionPolicy::default();
    let ruling = policy.on_path(&path("a/AGENTS.md"), Verb::Write);
    assert_eq!(ruling.needs_approval.as_deref(), Some(&path("a/AGENTS.md")));
    assert_eq!(policy.on_path(&path(".git/HEAD"), Verb::Write).needs_approval, None);
    let asked = policy.clone().approving([path(".claude/commands/x.md"), path(".git/HEAD"), path(".env")]);
    for (text, allowed) in [
        (".claude/commands/x.md", true),
        (".claude/commands", true),
        (".claude/commands/y.md", false),
        ("a/AGENTS.md", false),
        (".git/HEAD", false),
        (".env", false),
    ] {
        assert_eq!(asked.on_path(&path(text), Verb::Write).allowed, allowed, "{text}");
    }
    // Nobody is asked to approve an action that is not allowed anyway.
    let looking = policy.reviewing().on_path(&path("AGENTS.md"), Verb::Write);
    assert!(!looking.allowed && looking.needs_approval.is_none(), "{looking}");
}

#[test]
fn what_is_guarded_is_not_changed_where_it_lies_below_the_root() {
    let guarded = ["/home/kim/.config/loop/loop.toml", "/home/kim/.local/state/loop"].map(PathBuf::from);
    let at = |root: &str| ActionPolicy::default().at(root).guard(guarded.clone());
    let home = at("/home/kim");
    for path in [".config/loop/loop.toml", ".local/state/loop/audit/audit.jsonl", ".local/state/loop"] {
        assert!(!home.explain_path(path, Verb::Write).allowed && home.explain_path(path, Verb::Read).allowed);
        let elsewhere = at("/home/kim/app").explain_path(path, Verb::Write);
        assert!(elsewhere.allowed || elsewhere.needs_approval.is_some(), "{elsewhere}");
    }
    assert!(home.explain_path(".config/nextest.toml", Verb::Write).allowed);
    assert!(home.has_rules_about(&".config".parse().unwrap()), "it cannot be moved away as a whole");
    assert!(home.on_command("ls").is_ok());
}

#[test]
fn an_explanation_names_the_rule_and_its_line() {
    let user = PolicySettings {
        permissions: Permissions::new()
            .with(LocalPath::root(), Verb::ALL, Origin::line("user.toml", 4))
            .with("secrets/".parse().unwrap(), [], Origin::line("user.toml", 5)),
        forbid: vec![WithOrigin::new("git".parse().unwrap(), Origin::line("user.toml", 9))],
        ..PolicySettings::default()
    };
    let policy = ActionPolicy::new(user, PolicySettings::default());
    for (text, expected) in [
        ("./secrets/x", "denied: `secrets` has no permissions (user.toml:5)"),
        ("a/b", "allowed: the permissions of `.` are [read, write, exec, delete] (user.toml:4)"),
        ("git log", "denied: `git` is forbidden (user.toml:9)"),
        ("ls", "allowed: `ls` is among the programs of safe mode (built in)"),
        ("cat ./secrets/x", "denied: of `./secrets/x`, `secrets` has no permissions (user.toml:5)"),
        ("../x", "denied: `../x` is outside of the workspace"),
        ("curl", "denied: `curl` is not among the programs"),
    ] {
        let shown = policy.explain(text).to_string();
        assert!(shown.starts_with(expected), "{shown}");
    }
}

#[test]
fn the_folders_above_the_root_count_as_well() {
    let at = |root: &str| ActionPolicy::default().at(root);
    for (root, path) in [
        ("/home/kim/.aws", "config"),
        ("/home/kim/.Kube", "config"),
        ("/home/kim/.docker", "config.json"),
        ("/home/kim/.config/gh", "hosts.yml"),
        ("/home/kim/.ssh", "mykey"),
        ("/home/kim/app/.git", "config"),
        ("/home/kim/app/.git/modules/lib", "config"),
        ("/srv/app.git", "config"),
        ("/home/kim/.secrets/app", "a/b"),
    ] {
        let policy = at(root);
        assert!(!policy.explain_path(path, Verb::Read).allowed, "{root} {path}");
        assert!(policy.on_command("ls").is_err(), "{root}");
    }
    for (root, path) in [("/home/kim/app/.git", "hooks/pre-commit"), ("/home/kim/app/.git/hooks", "x")] {
        assert!(!at(root).explain_path(path, Verb::Write).allowed, "{root} {path}");
    }
    for (root, path) in [("/home/kim/.claude", "settings.json"), ("/home/kim/.claude/commands", "x.md")] {
        let ruling = at(root).explain_path(path, Verb::Write);
        assert!(!ruling.allowed && ruling.needs_approval.is_some(), "{root} {path}");
        assert!(at(root).explain_path(path, Verb::Read).allowed);
    }
    for (root, path) in [
        ("/home/kim/.config/nvim", "init.lua"),
        ("/home/kim/credentials-service", "src/main.rs"),
        ("/home/kim/app/.claude/worktrees/fix", "src/main.rs"),
        ("/home/kim/app/.git/worktrees/x/y", "src/main.rs"),
        ("/tmp/.tmpAbc/work", "README.md"),
    ] {
        let policy = at(root);
        for verb in [Verb::Read, Verb::Write] {
            assert!(policy.explain_path(path, verb).allowed, "{root} {path} {verb}");
        }
        assert!(policy.on_command("ls").is_ok(), "{root}");
    }
}
