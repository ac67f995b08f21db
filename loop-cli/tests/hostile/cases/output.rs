//! Agents that print and read in ways that stop or fool a reader.

use std::fs;

use super::cases;
use crate::{
    case::{Case, Ends, Fate},
    processes::peak_memory,
    stage::{Role, Stage},
    support::{Started, until},
    terminal::Terminal,
};

const NO_PROMPT: Fate = Fate::Untried("a check has no prompt");

cases! {
    gigabyte: Case::staged(
        "prints 1 GiB without a newline",
        "read as it comes, head and tail kept, in less than 64 MiB of memory: `goal_met`, exit code 0",
        "the same",
        a_gigabyte_passes_through_little_memory,
    ).alone();
    closes_stdin: Case::new(
        "closes its standard input at once, under a prompt of 5 MiB",
        Ends::goal_met("the rest of the prompt is dropped")
            .manifest(|manifest| manifest.set("goal", "x".repeat(5 << 20)))
            .fate(),
        NO_PROMPT,
    );
    talks_before_it_reads: Case::new(
        "prints 300 KB before it reads a prompt of 200 KB",
        Ends::goal_met("read while the prompt is written; the prompt arrives whole")
            .manifest(|manifest| manifest.set("goal", "x".repeat(200_000)))
            .proof(|stage, _| assert_eq!(stage.world.read("read").trim(), "200002"))
            .fate(),
        NO_PROMPT,
    );
    not_text: Case::new(
        "prints invalid UTF-8 and NULs",
        Ends::goal_met("later prompts show U+FFFD in the place of what is no text")
            .iterations(2)
            .manifest(|manifest| {
                let keeps = format!("cat > prompt; {}", manifest.0["agent"]["command"].as_str().expect("text"));
                manifest
                    .set("agent.command", keeps)
                    .set("agent.prompt", "{prior_output}")
                    .set("evaluator.command", "test -s prompt")
            })
            .proof(|stage, _| assert_eq!(stage.world.read("prompt"), "a\u{FFFD}\u{FFFD}b\0\0c\u{FFFD}"))
            .fate(),
        Ends::goal_met("the check is judged by its exit code").fate(),
    );
    prints_escapes: Case::staged(
        "prints terminal escapes, `$(...)` and placeholders that the next prompt carries",
        "text to all: byte for byte in the prompt, and not in the live view: `max_iterations`, exit code 1",
        "the same",
        escapes_are_text,
    );
}

fn a_gigabyte_passes_through_little_memory() {
    for role in Role::BOTH {
        let stage = Stage::new();
        let manifest = stage.manifest(role, &stage.command("gigabyte"));
        let started = stage.world.start_manifest(&manifest);
        passes(&stage, &started);
        started.finish().exits(0);
        stage.records("goal_met");
        stage.nobody_is_left();
    }
    for more in [None, Some("--show-output")] {
        let stage = Stage::new();
        // Permanently printed output is slow, so there is less of it.
        let size = if more.is_some() { 16 << 20 } else { 1 << 30 };
        let command = format!("{} {size}", stage.command("gigabyte"));
        stage.world.manifest(&stage.manifest(Role::Agent, &command));
        let args: Vec<_> = ["run", "loop.json"].into_iter().chain(more).collect();
        let terminal = Terminal::live(&stage.world, &args, (80, 24), false);
        passes(&stage, terminal.started());
        terminal.finish().exits(0);
    }
}

/// Waits until the gigabyte has gone through this loop, and looks at what that took.
fn passes(stage: &Stage, started: &Started) {
    until("the gigabyte is printed", || stage.note("printed").is_some());
    let peak = peak_memory(started.pid());
    stage.go();
    assert!(peak < 64 << 20, "{peak} bytes");
}

/// Text between `<` and `|` comes from the agent, and later text from the check.
fn escapes_are_text() {
    for (keeps, live) in
        [("cat > prompt.$LOOP_ITERATION", false), ("printf %s {prompt} > prompt.$LOOP_ITERATION", true)]
    {
        let stage = Stage::new();
        let says = stage.command("prints_escapes");
        let manifest = stage
            .manifest(Role::Agent, &format!("{keeps}; {says}"))
            .set("evaluator.command", format!("{says}; false"))
            .set("agent.prompt", "<{prior_output}|{evaluator_output}>");
        stage.world.manifest(&manifest);
        let shown = if live {
            let terminal = Terminal::live(&stage.world, &["run", "loop.json"], (80, 24), true);
            terminal.finish().exits(1).stderr
        } else {
            stage.world.run(&["run", "loop.json"]).exits(1).stderr
        };
        let printed = stage.world.read("printed");
        assert_eq!(stage.world.read("prompt.2"), format!("<{printed}|{printed}>"));
        let owned = fs::read_dir(stage.world.path("")).expect("a folder").filter_map(Result::ok);
        assert!(!owned.into_iter().any(|file| file.file_name() == "owned"), "something was carried out");
        for escape in ["\x1b[2J", "\x1b[3J", "\x1bc", "\x1b]", "\x07", "\x1b[31;5m", "\u{9b}"] {
            assert!(!shown.contains(escape), "{escape:?} is shown: {shown:?}");
        }
        stage.records("max_iterations");
        stage.nobody_is_left();
    }
}
