//! Tests the policy for `git`.

use super::*;
use crate::policy::{ActionPolicy, Permissions, PolicySettings, Verb};

#[test]
fn git_shows_and_does_nothing_else() {
    for line in [
        "git",
        "git commit -m x",
        "git -c core.pager=id log",
        "git -C /etc log",
        "git config x y",
        "git diff --output=x",
        "git diff --outp x",
        "git log --ext-diff",
        "git show --textconv HEAD",
        "git diff --no-index a b",
        "git diff -Oorder",
        "git blame -S revs x",
        "git log --show-signature",
        "git log -L1,5:.env",
        "git status -v",
        "git status -sv",
        "git log --full-diff -p -- x",
        "git show HEAD:../../etc/passwd",
        "git grep -O x",
        "git show --indexed-objects",
        "git show --all",
        "git show --tags",
        "git log --notes=x",
        "git log --format=%GK",
        "git log -L:main",
        "git log --follow -- x",
        "git diff HEAD:a HEAD:b",
        "git show 'HEAD^{/.*|x:y}:.env.local'",
        "git show 'HEAD@{10:00}:top.txt'",
        "git blame -S revs -- x",
        "git blame",
        "git blame a -- b c",
        "git diff --output x",
        "git log --since",
    ] {
        assert!(CommandPolicy::new().judge(line).is_err(), "{line}");
    }
}

#[test]
fn git_runs_without_the_repositorys_programs_and_leaves_secrets_out() {
    let line = judged("git show 1234abcd HEAD:src/a.rs");
    for expected in [
        "core.fsmonitor=false",
        "--no-ext-diff",
        "--no-textconv",
        "1234abcd^{commit}",
        "HEAD^{commit}:./src/a.rs",
        ":(exclude,glob,icase)**/.env*",
    ] {
        assert!(line.arguments.iter().any(|word| word == expected), "{expected}: {line:?}");
    }
    let line = judged("git diff -- src");
    assert!(
        line.arguments.contains(&":(literal)src".to_owned()) && !line.arguments.contains(&".".to_owned())
    );
}

#[test]
fn values_are_written_into_the_words_of_their_options() {
    let line = judged("git log -n 1000 -S deadbeef --author x:y -U3 -5 --stat=80 v1");
    let words = ["-n1000", "-Sdeadbeef", "--author=x:y", "-U3", "-5", "--stat=80", "v1^{commit}"];
    let at = line.arguments.iter().position(|word| word == words[0]).unwrap();
    assert_eq!(line.arguments[at..at + words.len()], words);
    assert_eq!(judged("git blame -n .env").paths, [".env"]);
    assert_eq!(judged("git blame HEAD~1 .env").paths, [".env"]);
    assert_eq!(judged("git status -s .env").paths, [".env"]);
}

/// `.git/HEAD` can contain the hash of a file or of a folder.
#[test]
fn a_head_that_nobody_names_is_a_commit_too() {
    let names_head = |line: &CommandLine| line.arguments.iter().any(|word| word == "HEAD^{commit}");
    for line in ["git show", "git show --stat -- a", "git diff --cached", "git diff --staged -p"] {
        assert!(names_head(&judged(line)), "{line}");
    }
    for line in
        ["git show v1", "git show HEAD:a", "git diff", "git diff v1", "git diff --cached v1", "git status"]
    {
        assert!(!names_head(&judged(line)), "{line}");
    }
    // Without a commit, git compares the index with an empty folder.
    for (configuration, empty) in [("", "4b825dc6"), ("extensions.objectformat\nsha256\0", "6ef19b41")] {
        let mut line = judged("git diff --cached");
        line.answer(GitQuestion::Configuration, 0, configuration.as_bytes()).unwrap();
        line.answer(GitQuestion::Index, 0, b"").unwrap();
        line.answer(GitQuestion::Names, 128, b"").unwrap();
        assert!(!names_head(&line) && line.arguments.iter().any(|word| word.starts_with(empty)), "{line:?}");
    }
}

/// The path of a note is the hash of a commit, so no rule would recognise a secret in it.
#[test]
fn notes_are_left_out_by_their_paths() {
    let (hash, note) = ("0c".repeat(20), format!("5d/{}", "0c".repeat(19)));
    for path in [&hash, &note, &format!("ab/{}", "0c".repeat(31))] {
        for line in [
            format!("git show notes/commits:{path}"),
            format!("git blame notes/commits -- ./{path}"),
            format!("git log -p -- {path}"),
        ] {
            assert!(refusal(&line).contains("a note of git"), "{line}");
        }
    }
    let mut line = judged("git diff v1 notes/commits");
    assert!(
        line.arguments.iter().any(|word| word.starts_with(":(exclude,top,glob)[0-9a-f][0-9a-f]/[0-9a-f]"))
    );
    line.answer(GitQuestion::Index, 0, b"").unwrap();
    line.answer(GitQuestion::Names, 0, format!("README.md\0{note}\0").as_bytes()).unwrap();
    assert!(line.arguments.contains(&format!(":(exclude,top,literal){note}")), "{line:?}");
    assert!(!line.arguments.iter().any(|word| word.contains("glob")));
    for path in ["0c".repeat(19), format!("{hash}.txt"), format!("g{}", &hash[1..])] {
        assert!(CommandPolicy::new().judge(&format!("git log -p -- {path}")).is_ok(), "{path}");
    }
}

#[test]
fn git_leaves_out_what_the_permissions_withhold() {
    let permissions = Permissions::new()
        .with(LocalPath::root(), Verb::ALL, Origin::BuiltIn)
        .with("private".parse().unwrap(), [], Origin::line("loop.toml", 2))
        .with("src/gen".parse().unwrap(), [Verb::Write], Origin::line("loop.toml", 3));
    let allow = ["tree", "rg"].map(|name| WithOrigin::new(name.parse().unwrap(), Origin::BuiltIn)).into();
    let settings = PolicySettings { permissions, allow, ..PolicySettings::default() };
    let policy = ActionPolicy::new(settings, PolicySettings::default());
    let hidden = |line: &str| {
        let line = policy.on_command(line).unwrap();
        let hidden = line.arguments.into_iter().filter(|word| word.starts_with(":(exclude,literal)"));
        hidden.map(|word| word.replace(":(exclude,literal)", "")).collect::<Vec<_>>()
    };
    for line in ["git diff", "git log -p", "git show", "git status"] {
        assert_eq!(hidden(line), ["private", "src/gen"], "{line}");
    }
    assert_eq!(hidden("git diff -- src"), ["src/gen"]);
    for line in [
        "git diff -- private/x",
        "git show HEAD:private/x",
        "git blame src/gen/a",
        "grep x private/y",
        "find .",
        "find src -name x",
        "du",
        "ls -R src",
        "tree src",
        "rg needle",
    ] {
        let denied = policy.on_command(line).unwrap_err();
        assert!(denied.to_string().contains("loop.toml:"), "{line}: {denied}");
    }
    for line in ["find docs", "ls src", "ls -R docs", "rg needle docs"] {
        assert!(policy.on_command(line).is_ok(), "{line}");
    }
}
