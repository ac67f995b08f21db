//! Agents and evaluators as parts of a loop, with real commands.
#![cfg(feature = "shell")]

mod common;

use std::{
    fs,
    sync::{Arc, Mutex},
    time::Duration,
};

use common::{Fifo, shell};
use loop_agents::{
    output::Pattern,
    process::{Exit, OutputStream},
    shell::{
        CommandEvaluator, EVALUATOR_EXIT_MARK, EVALUATOR_MATCHES_MARK, MAX_PATTERNS, ShellAgent, ShellOutput,
        has_match,
    },
    usage::UsageFile,
};
use loop_core::{
    Ceiling, Cost, EvaluationContext, Evaluator, Halt, Iteration, IterationContext, Loop, Report, StopReason,
    Usage, Usd, Verdict, Work, WorkError, evaluator_passed,
};

fn agent(line: &str) -> ShellAgent {
    ShellAgent::new(line).expect("a good line").shell(shell())
}

fn evaluator(line: &str) -> CommandEvaluator {
    CommandEvaluator::new(line).expect("a good line").shell(shell())
}

/// Runs the first iteration, outside of a loop.
async fn once(agent: &mut ShellAgent) -> Result<ShellOutput, WorkError> {
    agent.run(IterationContext::new(&Work::new(), 1)).await
}

async fn judge(evaluator: &mut CommandEvaluator, iteration: u64) -> Result<Verdict, WorkError> {
    evaluator.evaluate(EvaluationContext::new(&Work::new(), iteration, Arc::new(()))).await
}

async fn run(agent: ShellAgent, evaluator: CommandEvaluator, most: u64) -> Report<ShellOutput> {
    let looped = Loop::new(agent).evaluate(evaluator).until(evaluator_passed()).at_most(most);
    looped.run().await.expect("the loop is complete")
}

fn halt<T>(result: Result<T, WorkError>) -> Halt {
    match result {
        Err(WorkError::Halt(halt)) => halt,
        Err(error) => panic!("it failed in another way: {error}"),
        Ok(_) => panic!("it went through"),
    }
}

#[tokio::test]
async fn the_loop_runs_until_the_check_passes_and_feeds_forward_what_happened() {
    let dir = tempfile::tempdir().unwrap();
    let place = shell().dir(dir.path());
    let agent = ShellAgent::new("cat >prompt$LOOP_ITERATION; echo out$LOOP_ITERATION; echo why >&2; exit 5")
        .unwrap()
        .goal("$& {iteration} \\1")
        .prompt(
            "{iteration}/{goal}/{prior_output}/{evaluator_output}/{agent_exit_code}/{evaluator_exit_code}",
        )
        .shell(place.clone());
    let tests =
        CommandEvaluator::new("echo '{goal}'; echo e >&2; test -e prompt3 || exit 4").unwrap().shell(place);
    let report = run(agent, tests, 5).await;
    assert_eq!((report.reason(), report.iterations()), (None, 3));
    let prompt = |iteration: u64| fs::read_to_string(dir.path().join(format!("prompt{iteration}"))).unwrap();
    assert_eq!(prompt(1), "1/$& {iteration} \\1////");
    assert_eq!(prompt(2), "2/$& {iteration} \\1/out1\n/{goal}\ne\n/5/4");
    assert_eq!(prompt(3), "3/$& {iteration} \\1/out2\n/{goal}\ne\n/5/4");
    let last = report.last_step().unwrap();
    assert_eq!(last.fault(), Some("the agent exited with 5: why"));
    let mark = last.marks().iter().find(|mark| &*mark.name == EVALUATOR_EXIT_MARK).unwrap();
    assert_eq!(mark.hash, 0);
}

#[tokio::test]
async fn which_patterns_a_check_found_is_part_of_the_step_and_not_of_the_verdict() {
    let patterns = |count: usize| (0..count).map(|n| Pattern::new(&format!("<{n}>")).unwrap());
    let last = MAX_PATTERNS - 1;
    // The second pattern is in the middle of more output than we keep.
    let filler = "head -c 200000 /dev/zero | tr '\\0' x";
    let line = format!("{filler}; echo '<1>'; {filler}; echo '<{last}>' >&2; test $LOOP_ITERATION = 2");
    let tests = evaluator(&line).looking_for(patterns(MAX_PATTERNS)).unwrap();
    let report = run(agent("true"), tests, 5).await;
    assert_eq!((report.reason(), report.iterations()), (None, 2));
    let step = report.last_step().unwrap();
    let found: Vec<_> = (0..=MAX_PATTERNS).filter(|index| has_match(step, *index)).collect();
    assert_eq!(found, [1, last]);
    assert!(evaluator("true").looking_for(patterns(MAX_PATTERNS + 1)).is_err());
    let report = run(agent("true"), evaluator("echo '<0>'"), 1).await;
    let step = report.last_step().unwrap();
    assert!(!has_match(step, 0) && step.marks().iter().all(|mark| &*mark.name != EVALUATOR_MATCHES_MARK));
}

#[tokio::test]
async fn a_prompt_in_the_command_arrives_byte_for_byte_and_stdin_is_empty() {
    let prompt = "it's \"q\" $(touch PWNED) `id` \n--flag é";
    let dir = tempfile::tempdir().unwrap();
    let mut agent =
        ShellAgent::new("printf %s {prompt}; wc -c >&2").unwrap().goal(prompt).shell(shell().dir(dir.path()));
    let output = once(&mut agent).await.unwrap();
    assert_eq!(output.stdout.to_bytes(), prompt.as_bytes());
    assert_eq!(output.stderr.last_text(10), "0");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_prompt_of_a_million_bytes_arrives_on_stdin() {
    let output = once(&mut agent("wc -c").goal("x".repeat(1_000_000))).await.unwrap();
    assert_eq!(output.stdout.last_text(20), "1000000");
}

#[tokio::test]
async fn a_prompt_too_long_for_an_argument_ends_the_run_before_anything_is_spawned() {
    let dir = tempfile::tempdir().unwrap();
    let mut agent = ShellAgent::new("touch ran; echo {prompt}")
        .unwrap()
        .goal("x".repeat(131_072))
        .shell(shell().dir(dir.path()));
    let halt = halt(once(&mut agent).await);
    assert_eq!((halt.reason, halt.blockable), (StopReason::PromptUndeliverable, true));
    assert!(halt.message.contains("stdin"), "{}", halt.message);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    assert!(agent.preview(&IterationContext::new(&Work::new(), 1)).is_err());
}

#[tokio::test]
async fn a_prompt_in_the_command_is_what_is_too_long_if_the_system_says_so() {
    // The system counts the command and its environment together.
    let mut place = shell();
    for number in 0..70 {
        place = place.env(format!("BIG{number}"), "x".repeat(100_000));
    }
    let mut with_prompt = agent("echo {prompt}").goal("x").shell(place.clone());
    let refused = halt(once(&mut with_prompt).await);
    assert_eq!(refused.reason, StopReason::PromptUndeliverable);
    assert!(refused.message.contains("stdin"), "{}", refused.message);
    let mut without = agent("cat").goal("x").shell(place);
    assert_eq!(halt(once(&mut without).await).reason, StopReason::AgentUnavailable);
}

#[tokio::test]
async fn an_agent_that_is_not_there_ends_the_run() {
    for (line, said) in [("no-such-agent", "not found"), ("exit 126", "exited with 126")] {
        let halt = halt(once(&mut agent(line)).await);
        assert_eq!((halt.reason, halt.blockable), (StopReason::AgentUnavailable, true));
        assert!(halt.message.contains(said), "{}", halt.message);
    }
    let mut homeless = agent("true").shell(shell().dir("/nonexistent/dir"));
    let halt = halt(once(&mut homeless).await);
    assert_eq!(halt.reason, StopReason::AgentUnavailable);
    assert!(halt.message.contains("/nonexistent/dir"), "{}", halt.message);
}

#[tokio::test]
async fn an_evaluator_that_is_not_there_ends_the_run_in_the_first_iteration_only() {
    let mut missing = evaluator("no-such-check");
    let halt = halt(judge(&mut missing, 1).await);
    assert_eq!((halt.reason, halt.blockable), (StopReason::EvaluatorUnavailable, true));
    assert!(halt.message.contains("not found"), "{}", halt.message);
    let verdict = judge(&mut missing, 2).await.unwrap();
    assert!(!verdict.passed() && verdict.text().contains("not found"));
}

#[tokio::test]
async fn an_evaluator_that_was_stopped_leaves_no_mark() {
    let work = Work::new();
    work.interrupt();
    let context = EvaluationContext::new(&work, 1, Arc::new(()));
    let verdict = evaluator("sleep 60").evaluate(context).await.unwrap();
    assert!(!verdict.passed());
    assert_eq!(work.take_notes().marks, []);
}

#[tokio::test]
async fn a_pattern_needs_its_match_and_exit_0_over_the_whole_stream() {
    let check = async |line: &str| {
        let mut evaluator = evaluator(line).matching(Pattern::new("DONE").unwrap()).text_bytes(1000);
        evaluator.check().await.unwrap().verdict
    };
    assert!(check("echo DONE").await.passed());
    assert!(check("echo DONE >&2").await.passed());
    // The pattern is in the middle of more output than we keep.
    let noise = "head -c 5000000 /dev/zero | tr '\\0' x";
    assert!(check(&format!("{noise}; echo DONE; {noise}")).await.passed());
    assert_eq!(check("echo DONE; exit 1").await.feedback(), Some("the check exited with 1"));
    let unmatched = check("echo done").await;
    assert_eq!(
        unmatched.feedback(),
        Some("the check exited with 0, but nothing in its output matches `DONE`")
    );
    assert!(check("exit 3").await.feedback().unwrap().contains("exited with 3, and nothing"));
}

#[tokio::test]
async fn what_is_fed_forward_is_bounded_and_says_so_once() {
    let dir = tempfile::tempdir().unwrap();
    let place = shell().dir(dir.path());
    let long = "head -c 100000 /dev/zero | tr '\\0' x; echo end";
    let agent = ShellAgent::new(&format!("cat >prompt; {long}"))
        .unwrap()
        .prompt("{prior_output}|{evaluator_output}")
        .feedback_bytes(1000)
        .shell(place.clone());
    let tests = CommandEvaluator::new(&format!("{long}; exit 1")).unwrap().text_bytes(1000).shell(place);
    let report = run(agent, tests, 2).await;
    assert_eq!(report.reason(), Some(&StopReason::MaxIterations));
    let prompt = fs::read_to_string(dir.path().join("prompt")).unwrap();
    let texts: Vec<&str> = prompt.split('|').collect();
    for text in &texts {
        assert_eq!(text.matches("[... 99004 bytes left out ...]").count(), 1);
        assert!(text.len() < 1100 && text.ends_with("end\n"));
    }
    assert_eq!(texts.len(), 2);
}

#[tokio::test]
async fn what_agent_and_evaluator_report_is_added_up() {
    let file = UsageFile::create().unwrap();
    let report_line = |usd: &str| format!(r#"echo '{{"cost_usd":{usd}}}' >>"$LOOP_USAGE_FILE""#);
    let agent = agent(&report_line("0.5")).shell(shell().usage_file(file.clone()));
    let tests = evaluator(&format!("{}; exit 1", report_line("0.25"))).shell(shell().usage_file(file));
    let report = run(agent, tests, 2).await;
    assert_eq!(report.usage().cost, Some(Cost::known(Usd::micros(1_500_000))));
}

#[tokio::test]
async fn a_report_in_the_middle_of_an_iteration_is_heard_and_the_agent_ended() {
    let work = Work::new();
    // `ShellAgent` creates the usage file, so this command does not create its own.
    let line = r#"trap 'echo "{\"input_tokens\":3}" >>"$LOOP_USAGE_FILE"; exit 0' TERM
        sh -c 'echo "{\"cost_usd\":5}" >>"$LOOP_USAGE_FILE"; exec sleep 60' & wait"#;
    let mut agent = agent(line).shell(shell().grace(Duration::from_secs(20)));
    let cut = async {
        work.reported().await;
        assert_eq!(work.take_usage(), Usage::unknown().with_cost(Cost::known(Usd::dollars(5))));
        work.interrupt();
    };
    let (output, ()) = tokio::join!(agent.run(IterationContext::new(&work, 1)), cut);
    assert_eq!(output.unwrap().exit, Exit::Code(0));
    // Usage that the agent reports during its shutdown counts.
    assert_eq!(work.take_usage(), Usage::unknown().with_input_tokens(3));
    assert_eq!(work.take_notes().fault, None);
}

#[tokio::test]
async fn a_dropped_iteration_is_dead_and_its_last_report_counts() {
    let (fifo, work) = (Fifo::new(), Work::new());
    let line = format!(
        r#"exec 3>'{}'; trap '' TERM; printf '{{"cost_usd":1}}' >>"$LOOP_USAGE_FILE"; echo x; sleep 60"#,
        fifo.path()
    );
    let held = fifo.held_until_end();
    let (tell, told) = tokio::sync::oneshot::channel();
    let mut tell = Some(tell);
    let mut agent = agent(&line).on_output(move |_, _| {
        tell.take().map(|tell| tell.send(()));
    });
    tokio::select! {
        _ = agent.run(IterationContext::new(&work, 1)) => panic!("it cannot end by itself"),
        told = told => told.unwrap(),
    }
    held.await;
    assert_eq!(work.take_usage(), Usage::unknown().with_cost(Cost::known(Usd::dollars(1))));
}

#[tokio::test]
async fn listeners_see_both_outputs() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let theirs = Arc::clone(&seen);
    let mut agent = agent("echo a; echo b >&2").on_output(move |stream, bytes| {
        theirs.lock().unwrap().push((stream, bytes.to_vec()));
    });
    once(&mut agent).await.unwrap();
    let mut seen = seen.lock().unwrap().clone();
    seen.sort_by_key(|(_, bytes)| bytes.clone());
    assert_eq!(seen, [(OutputStream::Stdout, b"a\n".to_vec()), (OutputStream::Stderr, b"b\n".to_vec())]);
}

#[tokio::test]
async fn a_preview_is_the_first_iteration_and_runs_nothing() {
    let agent = agent("agent {prompt}").goal("it").prompt("{iteration}: {goal} {seconds_left}");
    let cx = IterationContext::new(&Work::new(), 1).with_left(Ceiling::time(Duration::from_secs(90)));
    let preview = agent.preview(&cx).unwrap();
    assert_eq!(preview.prompt, "1: it 90");
    assert_eq!(
        (preview.invocation.line.as_str(), preview.invocation.input.as_str()),
        ("agent '1: it 90'", "")
    );
}

#[test]
fn an_empty_check_is_refused_since_it_would_always_pass() {
    assert!(CommandEvaluator::new("  ").is_err());
}
