//! Reviews, alone and in loops.
#![cfg(feature = "review")]
#![cfg(all(test, unix))]

mod cases;
mod prompts;
mod reviewer_access;
mod verdicts;
mod workers;

use std::{fs, path::Path};

use loop_agents::{
    chat::{Chat, ScriptedModel},
    review::{ActionLog, ReviewEvaluator, TaskOutput},
    shell::{Shell, ShellAgent},
    tools::Toolbox,
};
use loop_core::{
    EvaluationContext, Evaluator, Loop, Report, StepRecord, Verdict, Work, WorkError, evaluator_passed,
    iteration_fn,
};
use loop_guardrails::policy::{
    ActionPolicy, Origin, PolicySettings, WithOrigin, environment::EnvironmentPolicy, workspace::Workspace,
};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Creates a reviewer's tools for a user whose settings would allow other agents everything.
fn tools(folder: &Path) -> Toolbox {
    let mut user = PolicySettings::default();
    user.safe_mode = Some(WithOrigin::new(false, Origin::BuiltIn));
    user.allow = vec![WithOrigin::new("sh".parse().expect("a prefix"), Origin::BuiltIn)];
    let policy = ActionPolicy::new(user, PolicySettings::default()).reviewing();
    let workspace = Workspace::open(folder, policy).expect("a workspace");
    let vars = [("PATH", std::env::var("PATH").expect("a path")), ("LC_ALL", "C".to_owned())];
    Toolbox::reviewing(workspace).environment(vars, &EnvironmentPolicy::new())
}

/// Creates a review by a model.
fn by_model(folder: &Path, model: &ScriptedModel) -> ReviewEvaluator {
    ReviewEvaluator::by_chat(Chat::new(model.clone()).tools(tools(folder))).task("Write a poem.")
}

/// Creates a shell with the environment that a test needs.
fn shell(folder: &Path) -> Shell {
    let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
    Shell::new().inherit_env(vars).dir(folder)
}

fn command(folder: &Path, line: &str) -> ShellAgent {
    ShellAgent::new(line).expect("a command").shell(shell(folder))
}

/// Creates the result of an agent with these words.
fn said(words: &str) -> TaskOutput {
    let mut worked = TaskOutput::default();
    words.clone_into(&mut worked.words);
    worked.actions = ActionLog::default();
    worked
}

/// Reviews an agent's result once.
async fn reviewed(review: &mut ReviewEvaluator, worked: TaskOutput) -> Result<Verdict, WorkError> {
    review.evaluate(EvaluationContext::new(&Work::new(), 1, worked.into())).await
}

/// Runs a loop of at most three iterations, with an agent that gives the same words each time.
async fn looped(review: ReviewEvaluator, words: &'static str) -> Report<TaskOutput> {
    let agent = iteration_fn(async move |_| Ok(said(words)));
    let looped = Loop::new(agent).evaluate(review).until(evaluator_passed()).at_most(3);
    looped.run().await.expect("a loop")
}

fn verdict(step: Option<&StepRecord>) -> &Verdict {
    step.and_then(StepRecord::verdict).expect("a verdict")
}

fn write(folder: &TempDir, path: &str, text: &str) {
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, text).expect("a file");
}
