//! The summary below a finished run.

use std::path::Path;

use loop_core::{Ending, StopReason};
use loop_guardrails::SpendingRate;
use loop_telemetry::words;

use crate::{
    drive::FinishedRun,
    view::{BAD, BOLD, GOOD, WARN, paint, text},
};
use loop_manifest::{Plan, remaining};

/// Formats why the loop stopped, the number of iterations, the time, the cost, the remaining budgets, and the next
/// step. `called` is the person's name for a path of the manifest: the path itself, or a flag. `is_kept` tells whether
/// the run can be resumed.
pub(crate) fn summary(
    plan: &Plan,
    FinishedRun { ending, progress, table, .. }: &FinishedRun,
    telemetry: &Path,
    is_kept: bool,
    called: impl Fn(&'static str) -> &'static str,
) -> String {
    let mut lines = vec![String::new(), heading(ending, &plan.name)];
    let mut row = |label: &str, value: String| lines.push(format!("  {label:<11}{value}"));
    if let Some((label, why)) = words::ending_reason(ending) {
        row(label, text::printable(why));
    }
    row("iterations", progress.iterations().to_string());
    row("time", words::run_time(progress));
    row("cost", text::cost(progress));
    if let Some(tokens) = text::tokens(progress) {
        row("tokens", tokens);
    }
    for (index, left) in remaining(&plan.limits, progress, table.mean_use()).into_iter().enumerate() {
        row(if index == 0 { "left" } else { "" }, left);
    }
    row("record", telemetry.display().to_string());
    row("next", next(plan, (ending, progress.iterations()), is_kept, called));
    lines.join("\n")
}

/// Describes in one line why the loop with this name stopped.
pub(super) fn heading(ending: &Ending, name: &str) -> String {
    let (style, sign) = match ending.reason() {
        None => (GOOD, "✓"),
        Some(StopReason::Cancelled) | Some(StopReason::Declined) => (WARN, "■"),
        _ => (BAD, "✗"),
    };
    format!("{} {}", paint(style, format_args!("{sign} {}", ending.name())), paint(BOLD, name))
}

/// Describes the next step for a person. `called` is the person's name for a path of the manifest.
fn next(
    plan: &Plan,
    (ending, iterations): (&Ending, u64),
    is_kept: bool,
    called: impl Fn(&'static str) -> &'static str,
) -> String {
    let again = if is_kept { "resume the run" } else { "run again" };
    let raise = |limit| format!("raise {}, or split the goal", called(limit));
    let (agent, check) = (called("agent.command"), called("evaluator.command"));
    match ending.reason() {
        None if iterations == 0 => "nothing: the check passed before the first iteration".to_owned(),
        None => {
            "look at what changed, with `git diff` for example, before you keep it".to_owned()
        }
        Some(StopReason::MaxIterations) if plan.evaluator.command.is_none() => {
            "look at the last output of the check, with `loop show -i N --evaluation`; then sharpen the prompt, \
             or the criteria"
                .to_owned()
        }
        Some(StopReason::MaxIterations) => format!(
            "run the check ({check}) yourself, and see what still fails; then sharpen the prompt, or raise {}",
            called("guardrails.max_iterations")
        ),
        Some(StopReason::BudgetExceeded) if ending.guardrail() == Some(SpendingRate::NAME) => {
            format!("find out why it was so fast; then {}", raise("guardrails.max_usd_per_hour"))
        }
        Some(StopReason::BudgetExceeded) => {
            format!("look at what the agent did for the money; then {}", raise("guardrails.max_cost_usd"))
        }
        Some(StopReason::TokensExceeded) => {
            format!("look at what the agent did; then {}", raise("guardrails.max_tokens"))
        }
        Some(StopReason::Unmetered) => format!(
            "find out why {agent} does not report its usage; or accept that with {}",
            called("guardrails.allow_unmetered")
        ),
        Some(StopReason::TimeExceeded) => {
            format!("look at what the agent did; then {}", raise("guardrails.max_seconds"))
        }
        Some(StopReason::HitlCheckpoint) if is_kept => {
            "look at what the agent did, then resume the run: `--note TEXT` adds a note to the next prompt".to_owned()
        }
        Some(StopReason::HitlCheckpoint) => {
            "look at what the agent did, and run again: in a terminal you will be asked".to_owned()
        }
        Some(StopReason::Declined) => format!("change what you did not like, and {again}"),
        Some(StopReason::ConsecutiveFailures) => {
            format!("run the agent ({agent}) and the check yourself, and find out which one fails, and why")
        },
        Some(StopReason::AgentUnavailable) => see_that_it_runs(agent),
        Some(StopReason::EvaluatorUnavailable) if plan.evaluator.command.is_none() => {
            "make sure that the judge can be asked: `loop check` looks for keys and programs".to_owned()
        }
        Some(StopReason::EvaluatorUnavailable) => see_that_it_runs(check),
        Some(StopReason::PromptUndeliverable) => {
            format!("take {{prompt}} out of {agent}: then the prompt goes to standard input, at any size")
        }
        Some(StopReason::Cancelled) => format!("{again} when you like; what the agent changed is still there"),
        _ => format!("find out why it stopped before you {again}"),
    }
}

fn see_that_it_runs(command: &str) -> String {
    format!("make sure that {command} can run: is it installed, and on PATH?")
}
