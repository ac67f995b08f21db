//! Agents with their own report formats as parts of a loop. A shell prints the recorded streams.
#![cfg(feature = "shell")]

mod common;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use common::shell;
use loop_agents::{
    shell::{ShellAgent, ShellOutput},
    usage::{Format, Prices, UsageReader},
};
use loop_core::{
    Ceiling, CostQuality, Iteration, IterationContext, Loop, RunCost, StopReason, Usd, Work, WorkError,
    condition_fn,
};
use loop_guardrails::{MaxTokens, after};

fn stream(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("conformance/streams").join(name)
}

fn reporting(line: &str, format: Format) -> ShellAgent {
    let reader = UsageReader::new(format, Prices::bundled());
    ShellAgent::new(line).expect("a good line").shell(shell()).usage_reader(reader)
}

/// Creates an agent that prints this recording.
fn recorded(name: &str, format: Format) -> ShellAgent {
    reporting(&format!("cat {}", stream(name).display()), format)
}

async fn once(agent: &mut ShellAgent, work: &Work) -> Result<ShellOutput, WorkError> {
    agent.run(IterationContext::new(work, 1)).await
}

#[tokio::test]
async fn what_is_used_is_metered_and_what_is_said_is_handed_on() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heard);
    let mut agent = recorded("pi/tool.stdout", Format::PiJson)
        .on_output(move |_, bytes| seen.lock().unwrap().extend_from_slice(bytes));
    let work = Work::new();
    let output = once(&mut agent, &work).await.unwrap();
    assert_eq!(output.said().to_bytes(), b"The file is written.");
    assert!(output.stdout.total() > 1000);
    let usage = work.usage();
    assert_eq!(usage.tokens(), Some(2548));
    let cost = usage.cost.unwrap();
    assert_eq!((cost.usd, cost.quality), (Usd::micros(2_820), CostQuality::Known));
    let heard = String::from_utf8(heard.lock().unwrap().clone()).unwrap();
    assert!(heard.ends_with("The file is written.") && !heard.contains('{'), "{heard}");
}

#[tokio::test]
async fn a_failure_that_the_agent_reports_is_one_whatever_its_exit_code() {
    let error = once(&mut recorded("pi/fault.stdout", Format::PiJson), &Work::new()).await.unwrap_err();
    let WorkError::Failed(source) = error else { panic!("{error}") };
    assert!(source.to_string().starts_with("the agent reports a failure: "), "{source}");
}

#[tokio::test]
async fn a_rate_limit_whose_end_is_known_puts_the_work_off_until_then() {
    let error = once(&mut recorded("claude/limit.stdout", Format::ClaudeStreamJson), &Work::new()).await;
    let Err(WorkError::Later { after }) = error else { panic!("{error:?}") };
    assert_eq!(after, Duration::from_secs(30));
}

#[tokio::test]
async fn a_limit_that_never_ends_is_asked_less_and_less_often() {
    let line = r#"echo '{"type":"turn.failed","error":{"message":"429: rate limit, try again in 0s"}}'"#;
    let mut agent = reporting(line, Format::CodexJson);
    let mut waits = Vec::new();
    for _ in 0..12 {
        let error = once(&mut agent, &Work::new()).await;
        let Err(WorkError::Later { after }) = error else { panic!("{error:?}") };
        waits.push(after.as_secs());
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
}

#[tokio::test]
async fn a_budget_is_held_against_a_stream_in_its_middle() {
    let line = format!("cat {}; sleep 1000", stream("pi/tool.stdout").display());
    let agent = reporting(&line, Format::PiJson);
    let never = condition_fn(|_: &loop_core::Step<ShellOutput>, _| false);
    let looped = Loop::new(agent).until(never).at_most(3).guard(MaxTokens::new(2_000));
    let report = looped.run().await.unwrap();
    assert_eq!((report.reason(), report.iterations()), (Some(&StopReason::TokensExceeded), 1));
    assert_eq!(report.progress().usage().tokens(), Some(2548));
}

#[tokio::test]
async fn what_is_odd_is_told_once() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&notes);
    let mut agent = reporting("echo 'not json'", Format::CodexJson)
        .on_note(move |note| told.lock().unwrap().push(note.to_owned()));
    for _ in 0..2 {
        once(&mut agent, &Work::new()).await.unwrap();
    }
    let notes = notes.lock().unwrap();
    assert_eq!(
        *notes,
        ["the agent printed nothing in the format codex-json; does it run with `exec --json`?"]
    );
}

#[tokio::test]
async fn the_agent_is_told_what_is_left() {
    let line = r#"echo "$LOOP_BUDGET_USD_LEFT/$LOOP_SECONDS_LEFT""#;
    let mut agent = ShellAgent::new(line).unwrap().shell(shell());
    let left = Ceiling::cost(Usd::micros(1_250_000)).min(Ceiling::time(Duration::from_millis(9_900)));
    let output = agent.run(IterationContext::new(&Work::new(), 1).with_left(left)).await.unwrap();
    assert_eq!(output.stdout.last_text(100), "1.25/9");
    let output = once(&mut agent, &Work::new()).await.unwrap();
    assert_eq!(output.stdout.last_text(100), "/");
}

#[tokio::test]
async fn a_limit_of_the_agents_own_is_a_fault_and_the_work_is_judged() {
    let line = r#"echo '{"type":"result","subtype":"error_max_turns","is_error":true}'; exit 1"#;
    let work = Work::new();
    once(&mut reporting(line, Format::ClaudeStreamJson), &work).await.unwrap();
    let fault = work.take_notes().fault.unwrap();
    assert_eq!(&*fault, "the agent reached its own limit: error_max_turns; the agent exited with 1");
}

#[tokio::test]
async fn the_reason_for_a_deferral_is_noted() {
    let work = Work::new();
    let later = once(&mut recorded("claude/limit.stdout", Format::ClaudeStreamJson), &work).await;
    assert!(matches!(later, Err(WorkError::Later { .. })), "{later:?}");
    let why = work.take_notes().fault.unwrap();
    assert!(why.starts_with("the agent reports a rate limit: API Error: Request rejected (429)"), "{why}");
}

#[tokio::test]
async fn a_total_that_comes_to_what_was_estimated_makes_the_runs_cost_known() {
    let agent = recorded("claude/tool.stdout", Format::ClaudeStreamJson);
    let report = Loop::new(agent).until(after(1)).at_most(1).run().await.unwrap();
    assert_eq!(report.progress().cost(), RunCost::Exactly(Usd::micros(5_850)));
}

#[tokio::test]
async fn what_is_told_in_two_places_counts_in_both_and_is_noted_once() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&notes);
    let stream = stream("pi/tool.stdout");
    let line = format!(r#"cat {}; echo '{{"cost_usd":1}}' >>"$LOOP_USAGE_FILE""#, stream.display());
    let mut agent =
        reporting(&line, Format::PiJson).on_note(move |note| told.lock().unwrap().push(note.to_owned()));
    let work = Work::new();
    for _ in 0..2 {
        once(&mut agent, &work).await.unwrap();
    }
    assert_eq!(work.usage().cost.unwrap().usd, Usd::micros(2_005_640));
    let notes = notes.lock().unwrap();
    assert!(notes.len() == 1 && notes[0].contains("counts twice"), "{notes:?}");
}
