//! Tests every table entry, and lines that people and models write.

mod entries;
mod git;

use super::{
    table::{OptionEffect, Program, programs},
    *,
};

fn allowing(programs: &[&str]) -> CommandPolicy {
    let programs =
        programs.iter().map(|name| WithOrigin::new(name.parse().unwrap(), Origin::line("user.toml", 1)));
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

fn refused(program: &Program) -> impl Iterator<Item = (OptionEffect, &'static str)> {
    let all = program
        .refused
        .iter()
        .flat_map(|(does, options)| options.split_whitespace().map(move |option| (*does, option)));
    all.collect::<Vec<_>>().into_iter()
}

#[test]
fn every_option_of_the_table_is_refused_however_it_is_written() {
    for program in programs() {
        for (name, (does, option)) in
            program.names.iter().flat_map(|name| refused(program).map(move |it| (name, it)))
        {
            assert!(!program.knows(option), "{name} {option}");
            let before = match program {
                Program { is_ordered: true, .. } => "",
                Program { has_bundle: true, .. } => "-v x ",
                _ => "x ",
            };
            for line in [format!("{name} {option}"), format!("{name} {before}{option} y")] {
                let why = format!("{name} {option}` is refused: {}", does.text());
                assert!(refusal(&line).contains(&why), "{line}");
            }
            if option.starts_with("--") {
                assert!(refusal(&format!("{name} {option}=x")).contains("is refused"));
                for end in 3..option.len() {
                    let part = &option[..end];
                    let judged = allowing(&[name]).judge(&format!("{name} {part}=x"));
                    assert!(judged.is_err() || program.knows(part), "{name} {part}");
                }
            } else if option.len() == 2 && *name != "find" {
                // This also holds after other letters, and with the value attached.
                assert!(refusal(&format!("{name} -9{}x", &option[1..])).contains("is refused"));
            }
        }
    }
}

#[test]
fn an_option_that_nobody_knows_is_refused() {
    for program in programs().filter(|program| program.operands != table::Operands::Anything) {
        let name = program.names[0];
        assert!(
            refusal(&format!("{name} --no-such-option x")).contains("not known to be harmless"),
            "{name}"
        );
    }
    // The option would take `-e` as its value, and then read the file that we take for a pattern.
    assert!(judged("grep -e p --label -e .env").paths == [".env"]);
    assert!(refusal("grep --lab -e .env").contains("not known"));
    // A number with a letter is an option without a value, so the next word would be a file that it reads.
    for line in
        ["head -5c /etc/passwd", "tail -5c /etc/passwd", "grep -5e -e .env", "jq -5 .env", "du --excl x .env"]
    {
        assert!(refusal(line).contains("is refused"), "{line}");
    }
}

#[test]
fn a_program_that_needs_an_option_does_not_run_without() {
    for program in programs().filter(|program| !program.needs.is_empty()) {
        let name = program.names[0];
        let needed: Vec<_> = program.needs.iter().map(|(option, _)| *option).collect();
        assert!(refusal(&format!("{name} x")).contains(needed[0]), "{name}");
        assert!(allowing(&[name]).judge(&format!("{name} {} x", needed.join(" "))).is_ok(), "{name}");
    }
    assert!(refusal("sed --sandbox -i s/a/b/ x").contains("is refused"));
    assert!(refusal("gawk 'BEGIN { system(\"id\") }'").contains("--sandbox"));
    assert!(refusal("tar xf a.tar").contains("-t"));
    assert!(refusal("tar I ./evil.sh -t -f a.tar --force-local").contains("its first word needs a `-`"));
    assert!(refusal("tar -tf host:a.tar").contains("--force-local"));
    assert!(refusal("tar -tf a.tar --force-local --to-command=id").contains("is refused"));
}

#[test]
fn an_option_behind_the_first_word_of_gawk_is_a_file() {
    assert!(refusal("gawk 1 --sandbox").contains("runs with `--sandbox` only"));
    assert_eq!(allowing(&["gawk"]).judge("gawk --sandbox 1 -v .env").unwrap().paths, ["-v", ".env"]);
    // The words before it decide which word is a file.
    let with_script = allowing(&["gawk"]).judge("gawk --sandbox -e 1 a -F .env").unwrap();
    assert_eq!(with_script.paths, ["a", "-F", ".env"]);
}

/// `tree` takes the level from the next word, and an output file from the word after that.
#[test]
fn letters_after_a_detached_value_are_options() {
    for line in ["tree -Lo 2 AGENTS.md", "tree -aLo 2 x", "tree -Ll 2", "tree -LR 2", "tree -L2o x"] {
        assert!(refusal(line).contains("is refused"), "{line}");
    }
    assert_eq!(allowing(&["tree"]).judge("tree -aLd 2 src").unwrap().paths, ["src"]);
}

#[test]
fn every_word_of_find_that_is_no_test_is_a_path() {
    for line in [
        "find -- /etc",
        "find /etc -name x",
        "find . -name x /etc",
        "find . -newer /etc",
        "find -samefile /etc",
        "find -P /etc",
        "find ( /etc )",
    ] {
        assert!(judged(line).paths.contains(&"/etc".to_owned()), "{line}");
    }
    for line in ["find -O1 /etc", "find -D stat /etc", "find . -newerXY x", "find -fprint0 x", "find -f /etc"]
    {
        assert!(refusal(line).contains("is refused"), "{line}");
    }
}

#[test]
fn what_scripts_say_is_looked_at() {
    for line in [
        "jq 'import \"a\" as a {search: \"/etc\"}; .'",
        "jq 'include \"/etc/x\"; .' a",
        "jq -n '\"/etc/x\" | modulemeta'",
        "jq -n --arg a b 'include \"x\"; .'",
        "gawk --sandbox 'BEGIN { ARGV[1] = \"/etc/passwd\"; ARGC = 2 } 1'",
        "gawk --sandbox '@include \"/etc/passwd\"'",
        "gawk --sandbox -e 'BEGIN { SYMTAB[\"ARGV\"] }'",
    ] {
        assert!(refusal(line).contains("is refused: it reads files that are not named"), "{line}");
    }
    assert!(CommandPolicy::new().judge("jq .compilerOptions.include,.important tsconfig.json").is_ok());
    assert_eq!(judged("jq --arg a b .a .env").paths, [".env"]);
    assert_eq!(judged("jq --arg a .env .env x").paths, ["x"]);
}

#[test]
fn the_clock_is_not_set() {
    for line in [
        "date 010100002030",
        "date -u 010100002030",
        "date -u -- 0101",
        "date -s x",
        "date -us x",
        "date --se=x",
    ] {
        assert!(CommandPolicy::new().judge(line).is_err(), "{line}");
    }
    for line in ["date", "date +%s", "date -Iseconds", "date -d yesterday +%F", "date -u --date=@0"] {
        assert!(CommandPolicy::new().judge(line).is_ok(), "{line}");
    }
}

#[test]
fn bat_keeps_no_cache() {
    for line in ["bat cache --build", "bat cache -b", "bat cache --clear", "bat -b cache", "bat cache"] {
        assert!(refusal(line).contains("is refused: it writes"), "{line}");
    }
    assert_eq!(judged("bat ./cache").paths, ["./cache"]);
}

#[test]
fn rg_leaves_secrets_out_whatever_it_is_told() {
    let line = allowing(&["rg"]).judge("rg -g '*.pem' x src -- -e").unwrap();
    let at = |word: &str| line.arguments.iter().position(|it| it == word).unwrap();
    assert!(at("*.pem") < at("--iglob=!**/*.pem") && at("--iglob=!**/id_*") < at("--"), "{line:?}");
    assert_eq!(line.paths, ["src", "-e"]);
}

#[test]
fn of_a_program_that_nobody_knows_values_are_paths_too() {
    let line = allowing(&["mytool"]).judge("mytool --file=/etc/passwd --x= -v y").unwrap();
    assert_eq!(line.paths, ["/etc/passwd", "y"]);
}

#[test]
fn programs_that_start_others_do_not_run_although_they_are_allowed() {
    for program in
        ["env", "xargs", "timeout", "nice", "sudo", "sh", "bash", "time", "npx", "su", "watch", "awk"]
    {
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
        "git log --all --graph --oneline --since=1.week --author kim",
        "git show --stat HEAD~2",
        "git status -sb -- src",
        "ls -1la --color=never src",
        "grep -inE 'a|b' x",
        "echo -n --anything",
        "tr -d x",
        "du -sh --max-depth=1 .",
        "find . -maxdepth 2 -newermt 2024-01-01 -not -path './target/*' -print",
        "head -20 x",
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
        ("find -P a b -name c", &["a", "b"]),
        ("sort -k 2 a -", &["a"]),
        ("du --exclude-from=/etc/passwd a", &["/etc/passwd", "a"]),
        ("sort --random-source /etc/passwd a", &["/etc/passwd", "a"]),
        ("git show HEAD:.env", &[".env"]),
        ("git show :0:.env", &[".env"]),
        ("git diff a -- b", &["b"]),
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
        .safe_mode(WithOrigin::new(false, Origin::line("user.toml", 2)))
        .forbid([WithOrigin::new("curl".parse().unwrap(), origin.clone())]);
    assert_eq!(off.judge("curl x").unwrap_err().ruling.origin, origin);
    assert_eq!(off.judge("rm x").unwrap().ruling.origin.to_string(), "user.toml:2");
    assert!(off.judge("ls\nrm x").is_err());
}

#[test]
fn a_forbidden_program_is_started_in_no_other_way() {
    let off = CommandPolicy::new()
        .safe_mode(WithOrigin::new(false, Origin::line("user.toml", 2)))
        .forbid([WithOrigin::new("rm".parse().unwrap(), Origin::line("user.toml", 3))]);
    for line in [
        "rm x",
        "/bin/rm x",
        "./rm",
        "RM x",
        "env rm x",
        "/usr/bin/env -i A=1 /bin/rm x",
        "env -S 'rm x'",
        "env '-Srm x'",
        "xargs -a list rm",
        "nice -n 5 timeout 9 rm x",
        "sh -c 'cd x && rm y'",
        "bash -lc 'echo $(rm y)'",
        "busybox rm x",
        "find . -exec rm {} +",
        "sort --compress-program=rm x",
        "sh '-crm x'",
        "sh -c 'r\"\"m x'",
        "ash -c 'rm x'",
        "uv run rm x",
        "git -c alias.x='!rm y' x",
        "no-such-program rm x",
    ] {
        let denied = off.judge(line).unwrap_err();
        assert!(denied.to_string().contains("`rm` is forbidden (user.toml:3)"), "{line}: {denied}");
    }
    for line in [
        "ls rm",
        "grep rm x",
        "cargo build",
        "env warm",
        "find . -perm 600",
        "sh -c 'echo --confirm'",
        "docker run --rm x",
    ] {
        assert!(off.judge(line).is_ok(), "{line}");
    }
    let on = CommandPolicy::new().forbid([WithOrigin::new("du".parse().unwrap(), Origin::BuiltIn)]);
    assert!(on.judge("find . -name du").is_ok(), "in safe mode find starts nothing");
}
