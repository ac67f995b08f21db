//! The exact prompts of the agents.

use std::sync::Arc;

use loop_agents::{
    chat::{Chat, ChatAgent, ScriptedModel},
    review::{ActionLog, ChatWorker, EXECUTOR, Findings, REVIEWER, TaskExecution, TaskOutput},
    shell::CommandEvaluator,
};
use loop_core::{EvaluationContext, Evaluator, IterationContext, Step, StepRecord, Verdict, Work};
use serde_json::json;

use super::{by_model, folder, said, shell};

fn shown(name: &str, text: &str) {
    insta::with_settings!({
        filters => [(r"[0-9a-f]{32}", "[number]")],
        omit_expression => true,
        prepend_module_to_snapshot => false
    }, {
        insta::assert_snapshot!(name, text);
    });
}

fn execution(task: &'static str) -> TaskExecution<ChatWorker> {
    let worker = ChatWorker::new(ChatAgent::new(Chat::new(ScriptedModel::new())));
    TaskExecution::new(worker, 5, move || Ok(task.to_owned()))
}

fn prompt(task: &'static str, cx: &IterationContext<TaskOutput>) -> String {
    execution(task).prompt_in(cx).expect("a prompt")
}

/// Creates the result of an agent with all kinds of actions.
fn busy() -> TaskOutput {
    let mut worked = said("I am half done.\nSTATUS: INCOMPLETE\nNEXT STEPS:\n- paint it\n");
    let mut actions = ActionLog::default();
    actions.wrote("a.py");
    actions.edited("c.py");
    actions.read("spec.md");
    actions.ran("pytest -q", Some(1));
    actions.failed("edit_file(m.py)", "there is no such file");
    actions.rejected("run_command(curl x)", "`curl` is not among the programs of safe mode");
    worked.so_far.wrote("b.py");
    worked.so_far.absorb(&actions);
    worked.actions = actions;
    worked
}

fn second(worked: TaskOutput, record: StepRecord) -> IterationContext<TaskOutput> {
    let step = Step::new(record, Some(Arc::new(worked)));
    IterationContext::new(&Work::new(), 2).with_previous(Some(Arc::new(step)))
}

#[test]
fn what_agents_are_told_of_how_to_work() {
    shown("executor", EXECUTOR);
    shown("reviewer", REVIEWER);
}

#[test]
fn the_first_loop_is_told_the_task_whole() {
    shown("first", &prompt("Write a program.\n\nIt says hello.", &IterationContext::new(&Work::new(), 1)));
}

#[test]
fn a_loop_that_was_cut_off_is_told_so_and_a_note_is_not_lost() {
    let cx =
        IterationContext::new(&Work::new(), 1).with_attempt(2).with_guidance(Some("not the tests".into()));
    shown("cut_off", &prompt("Write a program.", &cx));
}

#[test]
fn later_loops_are_told_what_was_done_and_what_is_left() {
    let found = Findings::new(["add tests", "fix the parser"], "", "It runs.").to_string();
    let record = StepRecord::new(1).with_verdict(Verdict::fail().with_text(found));
    shown("later", &prompt("Write a program.", &second(busy(), record)));
}

#[test]
fn without_a_verdict_the_agents_own_next_steps_are_told_as_such() {
    let found = Findings::default().to_string();
    let record = StepRecord::new(1).with_verdict(Verdict::inconclusive().with_text(found));
    shown("unreviewed", &prompt("Write a program.", &second(busy(), record)));
}

#[test]
fn a_loop_that_failed_is_told_of_without_what_it_did_not_leave() {
    let record = StepRecord::new(1).with_failure("the model did not answer");
    let step = Step::new(record, None);
    let cx = IterationContext::new(&Work::new(), 2).with_previous(Some(Arc::new(step)));
    shown("failed", &prompt("Write a program.", &cx));
}

/// Returns the reviewer's prompt about this result.
async fn told(worked: TaskOutput, before: Option<Findings>) -> String {
    let folder = folder();
    let model = ScriptedModel::new()
        .calls("give_verdict", json!({ "pending": [], "blocker": "", "summary": "" }))
        .says("Given.");
    let check = |line: &str| CommandEvaluator::new(line).expect("a check").shell(shell(folder.path()));
    let mut review = by_model(folder.path(), &model)
        .check("make test", check("echo 1 passed"))
        .check("make lint", check("echo 1 warning; false"))
        .instructions("Look at the names.");
    let cx = EvaluationContext::new(&Work::new(), 2, Arc::new(worked));
    let step = |found: Findings| {
        let record = StepRecord::new(1).with_verdict(Verdict::fail().with_text(found.to_string()));
        Arc::new(Step::new(record, None))
    };
    review.evaluate(cx.with_previous(before.map(step))).await.expect("a verdict");
    let asked = model.requests().remove(0);
    assert_eq!(asked.system.as_deref(), Some(REVIEWER));
    asked.messages[0].text().to_owned()
}

#[tokio::test]
async fn a_reviewer_is_told_what_really_happened_and_what_is_but_claimed() {
    shown("reviewing", &told(busy(), Some(Findings::new(["add tests"], "", "It runs."))).await);
}

#[tokio::test]
async fn a_reviewer_of_nothing_is_told_that_nothing_was_seen() {
    shown("reviewing_nothing", &told(said(""), None).await);
}

#[tokio::test]
async fn prompts_are_bounded_whatever_was_done() {
    let mut worked = said(&"I did it all. ".repeat(100_000));
    for number in 0..5_000 {
        let text = format!("{number}{}", "x".repeat(1000));
        worked.actions.wrote(&text);
        worked.actions.ran(&text, Some(1));
        worked.actions.failed(&text, &text);
        worked.actions.rejected(&text, &text);
    }
    worked.so_far = worked.actions.clone();
    assert!(told(worked.clone(), None).await.len() < 64 * 1024);
    let found = Findings::new([&"y".repeat(100_000); 100], &"z".repeat(100_000), &"s".repeat(100_000));
    let record = StepRecord::new(1).with_verdict(Verdict::fail().with_text(found.to_string()));
    let long: &'static str = Box::leak("t ".repeat(1_000_000).into_boxed_str());
    let prompt = prompt(long, &second(worked, record));
    assert!(prompt.len() < 160 * 1024, "{}", prompt.len());
    assert!(prompt.contains("bytes left out"));
}

#[test]
fn what_agents_print_is_not_filled_in_again() {
    let found = Findings::new(["{{task}} {{guidance}}"], "", "").to_string();
    let record = StepRecord::new(1).with_verdict(Verdict::fail().with_text(found));
    let prompt = prompt("Write {{pending}}.", &second(said("{{task}}"), record));
    assert!(prompt.contains("Write {{pending}}.") && prompt.contains("- {{task}} {{guidance}}"), "{prompt}");
}
