//! `HOSTILE.md`: the table of all cases.

use std::{collections::BTreeSet, fs};

use crate::{
    case::{CaseRun, ExpectedEnd, ExpectedResult, HostileCase},
    cases,
};

const HEAD: &str = "\
# Hostile agents

<!-- Generated from the table of the tests in loop-cli/tests/hostile. -->

What does `loop run` do when an agent misbehaves while nobody watches?

Each row below is a test. It runs a script through the real command, once as the agent of a loop and once as its check.
In every test, except in those that suspend the loop, or disable both the loop and its watchdog:

- the run ends within its limit, the grace time (5 s) and 2 s more;
- the system's list of processes shows that none of the run's processes is left;
- there is one record of the run, unless the loop itself is killed.

The *watchdog* is a process that `loop` starts to watch itself. If `loop` dies, the watchdog kills the run's processes.
Every process of a run inherits two *marks*, a variable and a limit, by which `loop` recognises it.

| script | behaviour | result as the agent | result as the check |
| --- | --- | --- | --- |
";

const REMAINS: &str = "
## Limits

The agent has the rights of the user who runs it. These limits hold against agents that hang, leak or run wild. They do
not hold against an agent that uses all of the user's rights to break them. Against such an agent, run the loop in a
container, or as a separate user.

- **Work for a service that ran before the run**, such as a tmux server, `systemd-run` or cron. The service starts this
  work, so the work inherits neither the run's marks nor its control group, and looks like the user's own work. The loop
  ends it only if it carries the run's variable: `at` passes the variable on, and so does
  `tmux new-session -e LOOP_RUN_ID=...`. The loop ends a tmux server that the agent itself started.
- **The watchdog and the loop killed together.** The agent continues until the next `loop` command in that folder or
  below it, or in any folder if that one was renamed. That command finds processes by their marks and by the run's
  control group. The group requires control groups of version 2 (cgroup v2) with a part that the user may write to, as in
  most desktop sessions and as root. Elsewhere, the command does not find a process that drops both marks.
- **A stopped or frozen loop whose watchdog is killed, stopped or frozen too** stays so until the next `loop` command in
  that folder. An agent that debugs both (`ptrace`) keeps them stopped for as long as it lives.
- **An agent that loads its own code into a copy of `loop`** can pose as the watchdog of a stopped loop. The next `loop`
  command continues the loop as soon as any other process of the run works.
- **`kill -STOP` by a person.** The watchdog continues the loop, as it does after an agent's SIGSTOP. Ctrl+Z and
  `kill -TSTP` stop a run and all of its processes until `fg` or `kill -CONT`. An agent can do that too. If one of its
  processes continues meanwhile, it has about eight seconds until the watchdog ends the run's processes. The time limit
  does not count these seconds.
- **A loop that begins with children**, as after `exec loop` in a shell with background jobs, or as the first process of
  a container. Then the watchdog tells by the marks and the control group which processes belong to the run. A process
  that drops both marks and leaves the group can work while somebody suspends the loop with SIGTSTP.
- **The hard limit on open files** of the loop. An agent can lower it (`prlimit`), and nobody but root can raise it
  again. With too few files, the loop cannot read the list of processes, and warns of that.
- **Sessions of `loop chat` and `loop schedule run`.** Their watchdogs keep them running as well. But they are not listed
  as runs. If they are killed or stopped together with their watchdog, no `loop` command searches for the processes that
  they leave behind, or continues them.
";

const AGENTS: &str = "loop-cli/tests/hostile/agents";

/// The shared parts of the scripts.
const SHARED: [&str; 2] = ["lib", "lingers"];

fn page() -> String {
    cases::all().fold(HEAD.to_owned(), |page, (name, case)| page + &row(name, case)) + REMAINS
}

fn row(name: &str, case: &HostileCase) -> String {
    let (agent, check) = match &case.run {
        CaseRun::Roles { agent, check } => (describe(agent), describe(check)),
        CaseRun::Custom { agent, check, .. } => ((*agent).to_owned(), (*check).to_owned()),
    };
    let check = if check == agent { "the same".to_owned() } else { check };
    format!("| {} | {} | {agent} | {check} |\n", title(name, case), case.does)
}

/// Returns a case's name, as a link to its script.
fn title(name: &str, case: &HostileCase) -> String {
    let script = case.script.unwrap_or(name);
    format!("[{}]({AGENTS}/{script}.sh)", name.replace('_', " "))
}

fn describe(expected: &ExpectedResult) -> String {
    match expected {
        ExpectedResult::Ends(ExpectedEnd { happens, stop_reason, code, .. }) => {
            format!("{happens}: `{stop_reason}`, exit code {code}")
        }
        ExpectedResult::Untried(reason) => format!("not tried: {reason}"),
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
fn every_script_is_reported() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hostile/agents");
    let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let scripts: BTreeSet<_> =
        files.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect();
    let told = cases::all().map(|(name, case)| case.script.unwrap_or(name));
    let told: BTreeSet<_> = told.chain(SHARED).map(str::to_owned).collect();
    assert_eq!(scripts, told);
}
