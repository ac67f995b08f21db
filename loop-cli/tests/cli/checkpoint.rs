//! Checkpoints, with a person at a terminal and without one.

use std::process::Stdio;

use serde_json::json;

use crate::{
    support::{CommandResult, Manifest, RunningCommand, Scenario, shown},
    terminal::Terminal,
};

const QUESTION: &str = "type a note for the next prompt:";

/// Returns a loop that asks after every iteration, meets its goal in the third, and keeps its prompts.
fn asking() -> Manifest {
    let agent = "cat > prompt.$LOOP_ITERATION; echo '{\"cost_usd\": 0.25}' >> \"$LOOP_USAGE_FILE\"";
    Manifest::new(agent, "echo 2 failed; test $LOOP_ITERATION = 3")
        .set("agent.prompt", "{goal}[{guidance}]{prior_output}")
        .set("guardrails.hitl_checkpoint", 1)
        .set("guardrails.max_iterations", 5)
}

/// Presses each of these keys when the loop asks, until its end.
fn answered(scenario: &Scenario, answers: &[&str]) -> CommandResult {
    scenario.manifest(&asking());
    let mut terminal = Terminal::with(scenario, &["run", "loop.json"], |command| {
        command.env("NO_COLOR", "1");
    });
    for (keys, nth) in answers.iter().zip(1..) {
        terminal.shows(QUESTION, nth);
        terminal.types(keys);
    }
    terminal.finish()
}

#[test]
fn yes_enter_and_a_note_go_on() {
    let scenario = Scenario::new();
    let ran = answered(&scenario, &["y\n", "mind the {goal} & $HOME\n"]).exits(0);
    assert_eq!(scenario.read("prompt.1"), "All is well[]");
    assert_eq!(scenario.read("prompt.2"), "All is well[]");
    assert_eq!(scenario.read("prompt.3"), "All is well[mind the {goal} & $HOME]");
    shown("checkpoint_answered", &ran.stderr);
}

#[test]
fn a_note_of_several_lines_can_be_pasted() {
    let scenario = Scenario::new();
    answered(&scenario, &["y\n", "first\nsecond\nthird\n"]).exits(0);
    assert_eq!(scenario.read("prompt.3"), "All is well[first\nsecond\nthird]");
}

#[test]
fn enter_alone_is_yes() {
    answered(&Scenario::new(), &["\n", "\n"]).exits(0);
}

#[test]
fn a_note_guides_one_prompt_and_not_the_one_after_it() {
    let scenario = Scenario::new();
    answered(&scenario, &["first\n", "\n"]).exits(0);
    assert_eq!(scenario.read("prompt.2"), "All is well[first]");
    assert_eq!(scenario.read("prompt.3"), "All is well[]");
}

#[test]
fn no_ctrl_d_and_ctrl_c_decline() {
    for keys in ["n\n", "No\n", "\u{4}", "\u{3}"] {
        let scenario = Scenario::new();
        let ran = answered(&scenario, &["\n", keys]).exits(1);
        let record = scenario.record();
        assert_eq!(record["stop_reason"], "declined", "{keys:?}");
        assert_eq!((&record["iterations"], &record["success"]), (&2.into(), &false.into()));
        assert!(!scenario.has("prompt.3"));
        if keys == "n\n" {
            shown("checkpoint_declined", &ran.stderr);
        }
    }
}

#[test]
fn keys_pressed_before_the_question_do_not_answer_it() {
    let scenario = Scenario::new();
    let (held, agent) = (scenario.fifo("held"), "echo there > held; read go < go");
    scenario.manifest(&Manifest::new(agent, "false").set("guardrails.hitl_checkpoint", true));
    assert!(scenario.command("mkfifo", &["go"]).status().unwrap().success());
    let mut terminal = Terminal::new(&scenario, &["run", "loop.json"]);
    assert_eq!(held.line(), "there\n");
    terminal.types("yes\n");
    terminal.shows("yes", 1);
    std::fs::write(scenario.path("go"), "go\n").unwrap();
    terminal.shows(QUESTION, 1);
    terminal.types("n\n");
    terminal.finish().exits(1);
    assert_eq!(
        (&scenario.record()["iterations"], &scenario.record()["stop_reason"]),
        (&json!(1), &json!("declined"))
    );
}

#[test]
fn an_agent_that_failed_is_pointed_out() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("exit 7", "false").set("guardrails.hitl_checkpoint", true));
    let mut terminal = Terminal::new(&scenario, &["run", "loop.json"]);
    terminal.shows(QUESTION, 1);
    terminal.types("n\n");
    terminal.finish().exits(1).says(&["  agent  the agent exited with 7\n"]);
}

#[test]
fn the_goal_is_met_without_a_question() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("true", "true").set("guardrails.hitl_checkpoint", true));
    let ran = Terminal::new(&scenario, &["run", "loop.json"]).finish().exits(0);
    assert!(!ran.stderr.contains(QUESTION));
}

#[test]
fn every_second_iteration_may_be_enough() {
    let scenario = Scenario::new();
    scenario.manifest(&asking().set("guardrails.hitl_checkpoint", 2));
    let mut terminal = Terminal::new(&scenario, &["run", "loop.json"]);
    terminal.shows(QUESTION, 1);
    assert!(scenario.has("prompt.2") && !scenario.has("prompt.3"));
    terminal.types("\n");
    terminal.finish().exits(0);
}

/// Checks the halt of a checkpoint that nobody answers.
fn halted(scenario: &Scenario, ran: CommandResult) {
    let ran = ran.exits(1);
    assert!(!ran.stderr.contains(QUESTION));
    let record = scenario.record();
    assert_eq!(record["stop_reason"], "hitl_checkpoint");
    assert_eq!((&record["blockable"], &record["iterations"]), (&json!(true), &json!(1)));
}

#[test]
fn without_a_terminal_a_checkpoint_halts_the_run() {
    let scenario = Scenario::new();
    let ran = scenario.run_manifest(&asking()).says(&["hitl_checkpoint"]);
    halted(&scenario, ran);
}

#[test]
fn an_answer_in_a_pipe_is_no_person() {
    let scenario = Scenario::new();
    scenario.manifest(&asking());
    let (input, answers) = std::io::pipe().unwrap();
    std::io::Write::write_all(&mut &answers, b"y\ny\ny\n").unwrap();
    let mut command = scenario.loop_command(&["run", "loop.json"]);
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = RunningCommand::as_it_is(&mut command).finish();
    halted(&scenario, ran);
}

#[test]
fn whoever_wants_no_questions_is_asked_none() {
    let scenario = Scenario::new();
    scenario.manifest(&asking());
    let ran = Terminal::new(&scenario, &["run", "loop.json", "--non-interactive"]).finish();
    halted(&scenario, ran);
}
