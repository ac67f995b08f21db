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

const REMAINS: &str = "
## What remains

The agent has the rights of the user who runs it. So these limits hold against agents that hang, leak or run wild,
and not against one that works against them with all that a user may do; for that, run the loop as a user of
its own, or in a container.

- **Work that is handed to a service that ran before the run**: a tmux server, `systemd-run`, cron. The service
  starts it, so it inherits neither the run's marks nor its control group, and nothing tells it from the user's own
  work. It is ended only if it carries the run's variable all the same: `at` passes it on, and so does
  `tmux new-session -e LOOP_RUN_ID=...`. A tmux server that the agent itself starts is ended with the agent.
- **The guardian and the loop killed together.** The agent works on until the next `loop` command in that folder.
  That command finds processes by a variable, by a limit that every child inherits, and by the run's control group.
  The group takes version 2 of control groups and a part of it that the user may write to, as in most desktop
  sessions and as root; elsewhere a process that drops both marks is not found.
- **A loop stopped and its guardian killed** stands still until the next `loop` command in that folder.
- **A person's `kill -STOP`** is continued like an agent's. Ctrl+Z and `kill -TSTP` stop a run and all of its
  processes until `fg` or `kill -CONT`; an agent can do that too, and gains nothing by it.
- **Sessions of `loop chat` and `loop schedule run`** are not listed as runs. What they leave behind when they are
  killed together with their guardian is not looked for.
";

const AGENTS: &str = "loop-cli/tests/hostile/agents";

/// The shared parts of the scripts.
const SHARED: [&str; 2] = ["lib", "lingers"];

fn page() -> String {
    cases::all().fold(HEAD.to_owned(), |page, (name, case)| page + &row(name, case)) + REMAINS
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
