//! `HOSTILE.md`: the table of all cases.

use std::{collections::BTreeSet, fs};

use crate::{
    case::{Case, Ends, Fate, Trial},
    cases,
};

const HEAD: &str = "\
# Hostile agents

<!-- Generated from the table of the tests in loop-cli/tests/hostile. -->

What agents do that are left alone overnight, and what `loop run` makes of it. Each row is a test: a script
runs through the real command, as the agent of a loop and as its check. In every one of them the run ends
within its limit, the grace time (5 s) and 2 s more; none of its processes is left, which the test finds out
by itself from the system's list of processes; and there is one record of the run, unless the loop itself is
killed.

| agent | what it does | what happens | the same as the check |
| --- | --- | --- | --- |
";

const AGENTS: &str = "loop-cli/tests/hostile/agents";

/// What the scripts share.
const SHARED: [&str; 2] = ["lib", "lingers"];

fn page() -> String {
    cases::all().fold(HEAD.to_owned(), |page, (name, case)| page + &row(name, case))
}

fn row(name: &str, case: &Case) -> String {
    let (agent, check) = match &case.trial {
        Trial::Roles { agent, check } => (told(agent), told(check)),
        Trial::Staged { agent, check, .. } => ((*agent).to_owned(), (*check).to_owned()),
    };
    let check = if check == agent { "the same".to_owned() } else { check };
    format!("| {} | {} | {agent} | {check} |\n", title(name, case), case.does)
}

/// A case's name, as a link to its script.
fn title(name: &str, case: &Case) -> String {
    let script = case.script.unwrap_or(name);
    format!("[{}]({AGENTS}/{script}.sh)", name.replace('_', " "))
}

fn told(fate: &Fate) -> String {
    match fate {
        Fate::Ends(Ends { happens, stop_reason, code, .. }) => {
            format!("{happens}: `{stop_reason}`, exit code {code}")
        }
        Fate::Untried(reason) => format!("not tried: {reason}"),
    }
}

#[test]
fn the_page_in_the_repository_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../HOSTILE.md");
    let renewed = concat!(env!("CARGO_TARGET_TMPDIR"), "/HOSTILE.md");
    fs::write(renewed, page()).expect("a file");
    let current = fs::read_to_string(path).unwrap_or_default() == page();
    assert!(current, "renew it: cp {renewed} HOSTILE.md");
}

#[test]
fn every_script_is_told_of() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hostile/agents");
    let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let scripts: BTreeSet<_> =
        files.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect();
    let told = cases::all().map(|(name, case)| case.script.unwrap_or(name));
    let told: BTreeSet<_> = told.chain(SHARED).map(str::to_owned).collect();
    assert_eq!(scripts, told);
}
