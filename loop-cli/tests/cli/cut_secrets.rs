//! A message shows the end of what a program printed. If that end begins within a secret, no part of the secret is shown.
//! The same holds for a reply or an output that breaks off within one.

use std::{fs, path::Path};

use loop_testing::Answer;
use serde_json::json;

use crate::{
    chat_harness::{CTRL_C, ChatHarness},
    model_server::{KEY, ModelServer},
    session::transcript_entries,
    support::{CommandResult, FOREVER, Manifest, RunningCommand, Scenario},
};

const SECRET: &str = "qZ7kWv9XbN3mTr5YdL8p";

/// Returns a command that prints the secret from a file with this many bytes behind it, on one line.
fn prints(bytes_behind: usize) -> String {
    format!("printf 'it is %s%0{bytes_behind}d\\n' $(cat key) 0")
}

fn knowing(scenario: &Scenario, args: &[&str]) -> CommandResult {
    RunningCommand::new(scenario.loop_command(args).env("MY_TOKEN", SECRET)).finish()
}

fn has_no_part(place: &str, text: &str) {
    let part = (0..=SECRET.len() - 6).map(|at| &SECRET[at..at + 6]).find(|part| text.contains(part));
    assert_eq!(part, None, "{place}: {text}");
}

fn has_no_part_in(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            has_no_part_in(&entry);
        } else if entry.extension().is_none_or(|extension| extension != "md" && extension != "json") {
            has_no_part(
                &entry.display().to_string(),
                &String::from_utf8_lossy(&fs::read(&entry).expect("a file")),
            );
        }
    }
}

#[test]
fn the_reason_of_a_missing_program_or_a_failed_last_command_has_none() {
    for behind in (478..=500).step_by(2) {
        let scenario = Scenario::new();
        scenario.write("key", SECRET);
        let (out, err) = (format!("{}; exit 9", prints(behind)), format!("{} >&2; exit 127", prints(behind)));
        scenario.manifest(&Manifest::new(&err, "false").set("on_finish", out));
        let ran = knowing(&scenario, &["run"]).says(&["exited with 127", "in `on_finish`"]);
        has_no_part("the messages", &(ran.stdout + &ran.stderr));
        has_no_part("the list", &knowing(&scenario, &["show"]).stdout);
        has_no_part_in(&scenario.state());
    }
}

#[test]
fn a_reviewers_last_words_have_none() {
    for behind in (278..=300).step_by(2) {
        let scenario = Scenario::new();
        scenario.write("key", SECRET);
        scenario.write("task.md", "---\nchecks: ['true']\n---\nDo it.\n");
        let (agent, review) = (format!("{}; exit 126", prints(478)), prints(behind));
        for agent in ["echo did it", &agent] {
            let args = ["task", "task.md", "--agent", agent, "--review-agent", &review, "--max", "1", "-v"];
            let ran = knowing(&scenario, &args);
            has_no_part("the messages", &(ran.stdout + &ran.stderr));
            has_no_part_in(&scenario.state());
            has_no_part_in(&scenario.path(".loop"));
        }
    }
}

/// Returns the beginning of a reply that ends within the server's key.
fn half() -> Answer {
    Answer::deltas(["the key is ", &KEY[..9], &KEY[9..15]])
}

#[test]
fn a_reply_that_breaks_off_has_none() {
    let server = ModelServer::new([half().breaks(), Answer::deltas(["Fine."])]);
    let ran = server.chat(&Scenario::new(), "Hello?", &[]).exits(0).says(&["the reply broke off"]);
    assert_eq!(ran.stdout, "the key is [redacted]\nFine.\n");
    // Nothing is missing behind this one.
    let ran = ModelServer::new([half()]).chat(&Scenario::new(), "Hello?", &[]).exits(0);
    assert_eq!(ran.stdout, format!("the key is {}\n", &KEY[..15]));
}

#[test]
fn a_reply_that_breaks_off_in_a_session_has_none() {
    let scenario = Scenario::new();
    let server = ModelServer::new([half().breaks(), half().stalls()]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (80, 24));
    chat.wait_for_prompt_after("/help");
    chat.types("Hello?\r");
    chat.sees("starts again");
    chat.types(CTRL_C);
    chat.wait_for_prompt_after("interrupted");
    let page = chat.page();
    assert!(page.contains("the key is [redacted]") && !page.contains(&KEY[..6]), "{page}");
    chat.leaves();
    let entries = format!("{:?}", transcript_entries(&scenario));
    assert!(entries.contains("the key is [redacted]…") && !entries.contains(&KEY[..6]), "{entries}");
}

#[test]
fn a_models_reply_that_breaks_off_in_a_run_has_none() {
    let agent = json!({ "model": "openai:scripted", "prompt": "{goal}" });
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("-", "true").set("agent", agent));
    let server = ModelServer::new([half().breaks(), Answer::deltas(["Fine."])]);
    let ran = server.run(&scenario, &["run", "loop.json", "--show-output", "--keep-output"]).exits(0);
    assert!(
        ran.stderr.contains("the key is [redacted]") && !ran.stderr.contains(&KEY[..6]),
        "{}",
        ran.stderr
    );
    no_file_has(&scenario.state(), &KEY[..6]);
}

#[test]
fn the_output_of_an_agent_or_check_that_a_limit_ends_has_none() {
    let printing = format!("printf 'it is %s' $(cut -c 1-12 key); {FOREVER}");
    for (agent, check) in [(printing.as_str(), "true"), ("true", printing.as_str())] {
        for limit in ["guardrails.max_seconds", "agent.max_seconds", "evaluator.max_seconds"] {
            let scenario = Scenario::new();
            scenario.write("key", SECRET);
            scenario.manifest(&Manifest::new(agent, check).set(limit, 1).set("guardrails.max_seconds", 3));
            let ran = knowing(&scenario, &["run", "--show-output", "--keep-output"]);
            assert!(ran.stderr.contains("it is [redacted]"), "{limit}: {}", ran.stderr);
            has_no_part("the messages", &(ran.stdout + &ran.stderr));
            no_file_has(&scenario.state(), &SECRET[..6]);
        }
    }
}

fn no_file_has(folder: &Path, part: &str) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            no_file_has(&entry, part);
        } else {
            let text = fs::read(&entry).expect("a file");
            let text = String::from_utf8_lossy(&text);
            assert!(!text.contains(part), "{}: {text}", entry.display());
        }
    }
}
