//! Entries with several words.

use super::*;
use crate::policy::{ActionPolicy, PolicySettings};

fn entry(line: &str) -> Option<String> {
    let denied = CommandPolicy::new().judge(line).expect_err(line);
    denied.ruling.needs_entry.map(|entry| entry.to_string())
}

#[test]
fn an_entry_allows_its_command_and_no_other_way_to_write_it() {
    let policy = allowing(&["cargo test", "git commit"]);
    for line in ["cargo test", "cargo test -q", "cargo 'test' --all", "car\\go test", "git commit -m 'a  b'"]
    {
        assert!(policy.judge(line).is_ok(), "{line}");
    }
    for line in [
        "cargo",
        "cargo run",
        "cargo testx",
        "cargo -q test",
        "cargo 'test -q'",
        "'cargo test'",
        "./cargo test",
        "/usr/bin/cargo test",
        "CARGO test",
        "FOO=1 cargo test",
        "env cargo test",
        "sh -c 'cargo test'",
        "xargs cargo test",
        "git push",
        "git -C . commit",
        "git -c alias.commit='!rm x' commit",
    ] {
        assert!(policy.judge(line).is_err(), "{line}");
    }
    // No entry allows a line that only a shell would understand.
    for line in ["cargo test; rm x", "cargo test && rm x"] {
        assert_eq!(policy.judge(line).unwrap_err().ruling.needs_entry, None);
    }
    assert_eq!(policy.judge("cargo test '&&' rm x").unwrap().arguments, ["test", "&&", "rm", "x"]);
}

#[test]
fn an_entry_switches_off_no_other_rule() {
    let allow = [
        "cargo test",
        "env",
        "sh -c",
        "./env x",
        "find . -delete",
        "git add",
        "git cat-file",
        "git commit",
        "git log",
        "./send",
        "awk",
    ];
    let allow = allow.map(|name| WithOrigin::new(name.parse().unwrap(), Origin::BuiltIn)).into();
    let forbid = vec![WithOrigin::new("cargo test".parse().unwrap(), Origin::line("loop.toml", 1))];
    let user = PolicySettings { allow, ..PolicySettings::default() };
    let project = PolicySettings { forbid, ..PolicySettings::default() };
    let policy = ActionPolicy::new(user, project).at("/work");
    for (line, rule) in [
        ("cargo test -q", "`cargo test` is forbidden"),
        ("env cargo test", "starts other programs"),
        ("sh -c 'ls'", "starts other programs"),
        ("./env x", "starts other programs"),
        ("awk 1", "starts other programs"),
        ("find . -delete", "it writes"),
        ("git add .env", "secret"),
        ("git add ../x", "outside"),
        ("git commit -F.env", "secret"),
        ("git commit -F/etc/hostname", "outside"),
        ("git commit -qF/etc/hostname", "outside"),
        ("git commit -qF.env", "secret"),
        ("git cat-file -p HEAD~3:.env", "secret"),
        ("git commit --file=.env", "secret"),
        ("./send data=@.env", "secret"),
        ("./send @.env", "secret"),
        ("./send -d@.env", "secret"),
        ("./send --a=b=.env", "secret"),
        ("./send --a=x:/etc/passwd", "outside"),
        ("./send file:///etc/passwd", "outside"),
        ("git log --output=x", "not an option"),
    ] {
        let denied = policy.on_command(line).expect_err(line);
        assert!(denied.ruling.rule.contains(rule), "{line}: {denied}");
        assert_eq!(denied.ruling.needs_entry, None, "{line}");
    }
    assert!(policy.on_command("git add src").is_ok());
}

#[test]
fn a_refusal_names_the_entry_that_a_person_could_add() {
    for (line, expected) in [
        ("cargo test -q", Some("cargo test")),
        ("./check.sh", Some("./check.sh")),
        ("git push origin", Some("git push")),
        ("git grep -Osh TODO", Some("git grep -Osh TODO")),
        ("git config core.abbrev 12", Some("git config core.abbrev 12")),
        ("git", None),
        ("git -C x push", None),
        ("git log --output=x", None),
        ("env cargo test", None),
        ("FOO=1 cargo test", None),
        ("cd x && cargo test", None),
        ("cargo test 2>&1", None),
        ("find . -delete", None),
        ("-x", None),
    ] {
        assert_eq!(entry(line).as_deref(), expected, "{line}");
    }
}

#[test]
fn a_forbidden_program_is_found_in_scripts_and_under_any_path() {
    let forbidding = |entry: &str| {
        let entry = WithOrigin::new(entry.parse().unwrap(), Origin::line("user.toml", 3));
        CommandPolicy::new().safe_mode(WithOrigin::new(false, Origin::BuiltIn)).forbid([entry])
    };
    for (entry, line) in [
        ("rm", "sed -n '1e rm victim' f.txt"),
        ("rm", "sed '1s/.*/rm victim/e' f.txt"),
        ("rm", "env sed -n '1erm x' f.txt"),
        ("id", "sed -n 1eid f.txt"),
        ("id", "sed s/x/id/e f.txt"),
        ("id", "gawk 'BEGIN{system(\"id\")}'"),
        ("/usr/bin/id", "id"),
        ("/usr/bin/id", "env id"),
        ("/usr/bin/id", "sh -c id"),
        ("./deploy.sh", "././deploy.sh now"),
        ("./deploy.sh", "sh deploy.sh"),
    ] {
        assert!(
            forbidding(entry).judge(line).unwrap_err().ruling.rule.contains("is forbidden"),
            "{entry}: {line}"
        );
    }
    for (entry, line) in [
        ("rm", "sed 's/format/form/' f.txt"),
        ("id", "sed -n '/width/p' f.txt"),
        ("git", "pytest tests/git/test_x.py"),
        ("./deploy.sh", "./deploy"),
    ] {
        assert!(forbidding(entry).judge(line).is_ok(), "{entry}: {line}");
    }
}

#[test]
fn a_forbidden_command_is_found_between_other_arguments() {
    let forbid = |policy: CommandPolicy| {
        policy.forbid([WithOrigin::new("git push".parse().unwrap(), Origin::line("user.toml", 3))])
    };
    let off = forbid(CommandPolicy::new().safe_mode(WithOrigin::new(false, Origin::BuiltIn)));
    for line in [
        "git push",
        "git -C . --no-pager push --force",
        "/usr/bin/git push",
        "env git push",
        "sh -c 'cd x; git -P push'",
        "git -c alias.p=push p",
        "git -c alias.p='!git push' p",
    ] {
        assert!(off.judge(line).unwrap_err().ruling.rule.contains("`git push` is forbidden"), "{line}");
    }
    for line in ["git status", "push git", "env push git", "git pushx"] {
        assert!(off.judge(line).is_ok(), "{line}");
    }
    let on = forbid(allowing(&["git push", "git"]));
    assert!(on.judge("git push origin").unwrap_err().ruling.rule.contains("is forbidden"));
    assert!(on.judge("git status").is_ok());
}

/// `sed` compiles each script as soon as it reads the option.
#[test]
fn the_sandbox_of_a_program_comes_before_its_scripts() {
    for line in ["sed -n -e p --sandbox x", "sed -f s.sed --sandbox x", "sed -n --expression=p --sandbox x"] {
        assert!(refusal(line).contains("needs `--sandbox` before its first script"), "{line}");
    }
    for line in ["sed -n --sandbox -e p x", "sed -n p x --sandbox"] {
        assert!(allowing(&["sed"]).judge(line).is_ok(), "{line}");
    }
}
