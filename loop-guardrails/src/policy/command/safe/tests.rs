//! Every entry of the tables, and lines that people and models write.

use super::{table::PROGRAMS, *};

fn allowing(programs: &[&str]) -> CommandPolicy {
    let programs = programs.iter().map(|name| Placed::new((*name).to_owned(), Origin::line("user.toml", 1)));
    CommandPolicy::new().allow(programs)
}

fn refusal(line: &str) -> String {
    let program = line.split(' ').next().unwrap();
    match allowing(&[program]).judge(line) {
        Ok(found) => panic!("`{line}` runs: {found:?}"),
        Err(denied) => denied.to_string(),
    }
}

fn judged(line: &str) -> CommandLine {
    CommandPolicy::new().judge(line).unwrap()
}

#[test]
fn every_option_of_the_table_is_refused_however_it_is_written() {
    for program in PROGRAMS {
        for name in program.names {
            for option in program.refused.iter().flat_map(|(_, options)| *options) {
                for line in [format!("{name} {option}"), format!("{name} x {option} y")] {
                    assert!(refusal(&line).contains("is refused"), "{line}");
                }
                if option.starts_with("--") {
                    assert!(refusal(&format!("{name} {option}=x")).contains("is refused"));
                    let part = &option[..option.len() - 1];
                    assert!(refusal(&format!("{name} {part}=x")).contains("is refused"), "{name} {part}");
                } else if option.len() == 2 && *name != "find" {
                    // After other letters, and with its value attached.
                    assert!(refusal(&format!("{name} -9{}x", &option[1..])).contains("is refused"));
                }
            }
        }
    }
}

#[test]
fn a_program_that_needs_an_option_does_not_run_without() {
    for (name, option) in PROGRAMS.iter().filter_map(|it| Some((it.names[0], it.needs?.0))) {
        assert!(refusal(&format!("{name} x")).contains(option), "{name}");
        assert!(allowing(&[name]).judge(&format!("{name} {option} x")).is_ok(), "{name}");
    }
    assert!(refusal("sed --sandbox -i s/a/b/ x").contains("is refused"));
    assert!(refusal("awk 'BEGIN { system(\"id\") }'").contains("--sandbox"));
    assert!(refusal("tar xf a.tar").contains("-t"));
    assert!(refusal("tar -tf a.tar --to-command=id").contains("is refused"));
}

#[test]
fn programs_that_start_others_do_not_run_although_they_are_allowed() {
    for program in ["env", "xargs", "timeout", "nice", "sudo", "sh", "bash", "time", "npx", "su", "watch"] {
        assert!(refusal(&format!("{program} ls")).contains("starts other programs"), "{program}");
    }
}

#[test]
fn what_only_shows_runs() {
    for line in [
        "ls -la src",
        "cat a b",
        "grep -n -A 3 fn src/main.rs",
        "head -n 5 x",
        "tail -20 x",
        "wc -l x",
        "find . -name '*.rs' -type f",
        "stat x",
        "jq .name package.json",
        "sort -k2,2n -u x",
        "uniq -c x",
        "git status --short",
        "git log --oneline -5",
        "git diff HEAD~1 -- src",
        "git show HEAD:src/main.rs",
        "git blame -L1,5 src/main.rs",
        "cut -d: -f1 x",
        "date -u +%F",
        "bat -p x",
        "git log -S needle -p",
    ] {
        let found = CommandPolicy::new().judge(line);
        assert!(found.is_ok(), "{line}: {found:?}");
    }
}

#[test]
fn names_are_exact() {
    for line in ["LS", "/bin/ls", "./ls", "curl https://example.org", "rm -rf /", "'' x", "-ls"] {
        assert!(CommandPolicy::new().judge(line).is_err(), "{line}");
    }
}

#[test]
fn every_word_that_names_a_file_is_a_path() {
    for (line, paths) in [
        ("cat a -n b -- -c", &["a", "b", "-c"][..]),
        ("grep -e x a b", &["a", "b"]),
        ("grep x a", &["a"]),
        ("grep -f patterns a", &["patterns", "a"]),
        ("grep -fpatterns a", &["patterns", "a"]),
        ("grep --file=patterns a", &["patterns", "a"]),
        ("grep --fil patterns a", &["patterns", "a"]),
        ("find -P a b -name c", &["a", "b"]),
        ("sort -k 2 a -", &["a"]),
        ("wc --unknown=/etc/passwd a", &["/etc/passwd", "a"]),
        ("git show HEAD:.env", &[".env"]),
        ("git show :0:.env", &[".env"]),
        ("git diff a -- b", &["a", "b"]),
        ("git diff HEAD:x..HEAD:.env", &["x", ".env"]),
        ("git diff :x...:0:.env", &["x", ".env"]),
    ] {
        assert_eq!(judged(line).paths, paths, "{line}");
    }
    assert_eq!(allowing(&["mytool"]).judge("mytool a --x b").unwrap().paths, ["a", "b"]);
}

#[test]
fn a_second_file_of_uniq_would_be_written() {
    for line in ["uniq a b", "uniq - b"] {
        assert!(refusal(line).contains("second file"), "{line}");
    }
}

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

#[test]
fn a_script_in_an_option_leaves_the_first_word_a_path() {
    for line in [
        "gawk --sandbox -e1 .env",
        "gawk --sandbox --source 1 .env",
        "sed --sandbox -ep .env",
        "grep -ex .env",
    ] {
        let program = line.split(' ').next().unwrap();
        assert_eq!(allowing(&[program]).judge(line).unwrap().paths, [".env"], "{line}");
    }
}

#[test]
fn what_is_forbidden_runs_in_no_mode() {
    let origin = Origin::line("loop.toml", 7);
    let off = CommandPolicy::new()
        .safe_mode(Placed::new(false, Origin::line("user.toml", 2)))
        .forbid([Placed::new("curl".to_owned(), origin.clone())]);
    assert_eq!(off.judge("curl x").unwrap_err().ruling.origin, origin);
    assert_eq!(off.judge("rm x").unwrap().ruling.origin.to_string(), "user.toml:2");
    assert!(off.judge("ls\nrm x").is_err());
}
