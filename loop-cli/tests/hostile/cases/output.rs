//! Agents that print and read in ways that stop or fool a reader.

use std::fs;

use super::cases;
use crate::{
    case::{ExpectedEnd, ExpectedResult, HostileCase},
    hostile_scenario::{HostileScenario, Role},
    processes::peak_memory,
    support::{RunningCommand, wait_until},
    terminal::Terminal,
};

const NO_PROMPT: ExpectedResult = ExpectedResult::Untried("a check has no prompt");

cases! {
    gigabyte: HostileCase::custom(
        "prints 1 GiB without a newline",
        "the loop reads everything and keeps head and tail, in less than 64 MiB of memory: `goal_met`, exit code 0",
        "the same",
        a_gigabyte_passes_through_little_memory,
    ).alone();
    closes_stdin: HostileCase::new(
        "closes its standard input at once, under a prompt of 5 MiB",
        ExpectedEnd::goal_met("the loop drops the rest of the prompt")
            .manifest(|manifest| manifest.set("goal", "x".repeat(5 << 20)))
            .expected(),
        NO_PROMPT,
    );
    talks_before_it_reads: HostileCase::new(
        "prints 300 KB before it reads a prompt of 200 KB",
        ExpectedEnd::goal_met("the loop reads while it writes; the prompt arrives complete")
            .manifest(|manifest| manifest.set("goal", "x".repeat(200_000)))
            .proof(|hostile_scenario, _| assert_eq!(hostile_scenario.scenario.read("read").trim(), "200002"))
            .expected(),
        NO_PROMPT,
    );
    not_text: HostileCase::new(
        "prints invalid UTF-8 and NULs",
        ExpectedEnd::goal_met("later prompts show U+FFFD in place of invalid bytes")
            .iterations(2)
            .manifest(|manifest| {
                let keeps = format!("cat > prompt; {}", manifest.0["agent"]["command"].as_str().expect("text"));
                manifest
                    .set("agent.command", keeps)
                    .set("agent.prompt", "{prior_output}")
                    .set("evaluator.command", "test -s prompt")
            })
            .proof(|hostile_scenario, _| assert_eq!(hostile_scenario.scenario.read("prompt"), "a\u{FFFD}\u{FFFD}b\0\0c\u{FFFD}"))
            .expected(),
        ExpectedEnd::goal_met("the exit code of the check decides").expected(),
    );
    prints_escapes: HostileCase::custom(
        "prints terminal escapes, `$(...)` and placeholders, which are part of the next prompt",
        "they stay text: byte for byte in the prompt, and removed from the live view: `max_iterations`, exit code 1",
        "the same",
        escapes_are_text,
    );
}

fn a_gigabyte_passes_through_little_memory() {
    for role in Role::BOTH {
        let hostile_scenario = HostileScenario::new();
        let manifest = hostile_scenario.manifest(role, &hostile_scenario.command("gigabyte"));
        let started = hostile_scenario.scenario.start_manifest(&manifest);
        passes(&hostile_scenario, &started);
        started.finish().exits(0);
        hostile_scenario.records("goal_met");
        hostile_scenario.nobody_is_left();
    }
    for more in [None, Some("--show-output")] {
        let hostile_scenario = HostileScenario::new();
        // Permanently printed output is slow, so there is less of it.
        let size = if more.is_some() { 16 << 20 } else { 1 << 30 };
        let command = format!("{} {size}", hostile_scenario.command("gigabyte"));
        hostile_scenario.scenario.manifest(&hostile_scenario.manifest(Role::Agent, &command));
        let args: Vec<_> = ["run", "loop.json"].into_iter().chain(more).collect();
        let terminal = Terminal::live(&hostile_scenario.scenario, &args, (80, 24), false);
        passes(&hostile_scenario, terminal.started());
        terminal.finish().exits(0);
    }
}

/// Waits until the gigabyte has passed through this loop, and checks the memory that this took.
fn passes(hostile_scenario: &HostileScenario, started: &RunningCommand) {
    wait_until("the gigabyte is printed", || hostile_scenario.note("printed").is_some());
    let peak = peak_memory(started.pid());
    hostile_scenario.go();
    assert!(peak < 64 << 20, "{peak} bytes");
}

/// Text between `<` and `|` comes from the agent, and later text from the check.
fn escapes_are_text() {
    for (keeps, live) in
        [("cat > prompt.$LOOP_ITERATION", false), ("printf %s {prompt} > prompt.$LOOP_ITERATION", true)]
    {
        let hostile_scenario = HostileScenario::new();
        let says = hostile_scenario.command("prints_escapes");
        let manifest = hostile_scenario
            .manifest(Role::Agent, &format!("{keeps}; {says}"))
            .set("evaluator.command", format!("{says}; false"))
            .set("agent.prompt", "<{prior_output}|{evaluator_output}>");
        hostile_scenario.scenario.manifest(&manifest);
        let shown = if live {
            let terminal = Terminal::live(&hostile_scenario.scenario, &["run", "loop.json"], (80, 24), true);
            terminal.finish().exits(1).stderr
        } else {
            hostile_scenario.scenario.run(&["run", "loop.json"]).exits(1).stderr
        };
        let printed = hostile_scenario.scenario.read("printed");
        assert_eq!(hostile_scenario.scenario.read("prompt.2"), format!("<{printed}|{printed}>"));
        let owned =
            fs::read_dir(hostile_scenario.scenario.path("")).expect("a folder").filter_map(Result::ok);
        assert!(!owned.into_iter().any(|file| file.file_name() == "owned"), "something was carried out");
        for escape in ["\x1b[2J", "\x1b[3J", "\x1bc", "\x1b]", "\x07", "\x1b[31;5m", "\u{9b}"] {
            assert!(!shown.contains(escape), "{escape:?} is shown: {shown:?}");
        }
        hostile_scenario.records("max_iterations");
        hostile_scenario.nobody_is_left();
    }
}
