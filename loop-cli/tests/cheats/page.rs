//! `CHEATS.md`: the table of all cases.

use std::fs;

use crate::cases::{Case, cheats, honest};

const HEAD: &str = "\
# Cheats

<!-- Generated from the table of the tests in loop-cli/tests/cheats. -->

Can an agent pass a sealed check without solving the task?

Each row is a test of `loop run` with `evaluator.sealed: true`, in a small project whose `add` subtracts. The agent is one
line of shell. [Sealed checks](book/src/sealed.md) explains how the check is sealed, and what stays open.

## None of these ends as a success

Most of them end as `goal_met` with a check that is not sealed. Those with a * attack the seal itself.

| project | what the agent does |
| --- | --- |
";

const HONEST_HEAD: &str = "
## Each of these is a success

Beside solving the task, the agent does this:

| project | what the agent does |
| --- | --- |
";

fn page() -> String {
    let (cheats, honest): (String, String) = (cheats().map(row).collect(), honest().map(row).collect());
    format!("{HEAD}{cheats}{HONEST_HEAD}{honest}")
}

fn row(case: &Case) -> String {
    let mark = if case.is_on_the_seal { " *" } else { "" };
    format!("| `{}` | {}{mark} |\n", case.check(), case.name)
}

#[test]
fn the_page_in_the_repository_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../CHEATS.md");
    let renewed = concat!(env!("CARGO_TARGET_TMPDIR"), "/CHEATS.md");
    fs::write(renewed, page()).expect("a file");
    let current = fs::read_to_string(path).unwrap_or_default() == page();
    assert!(current, "renew it: cp {renewed} CHEATS.md");
}
