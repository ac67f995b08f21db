//! What `git` may do.

use super::*;

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
        "HEAD:./src/a.rs",
        ":(exclude,glob,icase)**/.env*",
    ] {
        assert!(line.arguments.iter().any(|word| word == expected), "{expected}: {line:?}");
    }
    for (asked, given) in [
        ("1234abcd^{}", "1234abcd^{}^{commit}"),
        ("main..1234abcd", "main^{commit}..1234abcd^{commit}"),
        ("main...", "main^{commit}..."),
        ("HEAD^!", "HEAD^!"),
    ] {
        let line = judged(&format!("git diff {asked}"));
        assert!(line.arguments.iter().any(|word| word == given), "{line:?}");
    }
    let line = judged("git diff -- src");
    assert!(
        line.arguments.contains(&":(literal)src".to_owned()) && !line.arguments.contains(&".".to_owned())
    );
}

#[test]
fn values_of_gits_options_stay_as_they_are_and_paths_are_not_taken_for_values() {
    let line = judged("git log -n 1000 -S deadbeef --author x:y");
    for word in ["1000", "deadbeef", "x:y"] {
        assert!(line.arguments.iter().any(|it| it == word), "{line:?}");
    }
    assert_eq!(judged("git blame -n .env").paths, [".env"]);
    assert_eq!(judged("git status -n .env").paths, [".env"]);
}
