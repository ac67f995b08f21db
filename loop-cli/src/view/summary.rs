//! What stands under a run that is over.

use std::{path::Path, time::Duration};

use loop_core::{Ending, Progress, StopReason};

use super::{BAD, BOLD, GOOD, WARN, paint, text};

/// Why the loop stopped, after how many iterations, how long, at what cost, and what to do next.
pub(crate) fn summary(name: &str, ending: &Ending, progress: &Progress, telemetry: &Path) -> String {
    let (style, sign) = match ending.reason() {
        StopReason::GoalMet => (GOOD, "✓"),
        StopReason::Cancelled | StopReason::Declined => (WARN, "■"),
        _ => (BAD, "✗"),
    };
    let mut lines = vec![
        String::new(),
        format!("{} {}", paint(style, format_args!("{sign} {}", ending.reason())), paint(BOLD, name)),
    ];
    let mut row = |label: &str, value: String| lines.push(format!("  {label:<11}{value}"));
    if !ending.halt.message.is_empty() {
        row("why", text::printable(&ending.halt.message));
    }
    row("iterations", progress.iterations().to_string());
    row("time", time(progress));
    row("cost", text::cost(progress));
    if let Some(tokens) = progress.usage().tokens() {
        row("tokens", tokens.to_string());
    }
    row("record", telemetry.display().to_string());
    row("next", next(ending).to_owned());
    lines.join("\n")
}

fn time(progress: &Progress) -> String {
    let elapsed = text::duration(progress.elapsed());
    let waited = progress.elapsed().saturating_sub(progress.working());
    // What the loop itself takes between two steps is no wait.
    if waited < Duration::from_secs(1) {
        return elapsed;
    }
    format!("{elapsed}, of which {} working", text::duration(progress.working()))
}

/// What a person would do now.
fn next(ending: &Ending) -> &'static str {
    match ending.reason() {
        StopReason::GoalMet => "look at what changed, with `git diff` for example, before you keep it",
        StopReason::MaxIterations => {
            "run evaluator.command by hand, and see what is left; then sharpen the prompt, or raise guardrails.max_iterations"
        }
        StopReason::BudgetExceeded => {
            "look at what was done for the money; then raise guardrails.max_cost_usd, or split the goal"
        }
        StopReason::TokensExceeded => {
            "look at what was done; then raise guardrails.max_tokens, or split the goal"
        }
        StopReason::TimeExceeded => {
            "look at what was done; then raise guardrails.max_seconds, or split the goal"
        }
        StopReason::HitlCheckpoint => "look at what was done, and run again: in a terminal you will be asked",
        StopReason::Declined => "change what you did not like, and run again",
        StopReason::ConsecutiveFailures => "run agent.command by hand, and see why it fails",
        StopReason::AgentUnavailable => "see that agent.command can be run: is it installed, and on PATH?",
        StopReason::EvaluatorUnavailable => {
            "see that evaluator.command can be run: is it installed, and on PATH?"
        }
        StopReason::PromptUndeliverable => {
            "take {prompt} out of agent.command: then the prompt goes to standard input, at any size"
        }
        StopReason::Cancelled => "run again when you like; what the agent changed is still there",
        _ => "see why it stopped before you run it again",
    }
}
