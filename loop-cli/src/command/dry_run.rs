//! `loop run --dry-run`: what the first iteration would be, without the agent.

use std::process::ExitCode;

use anyhow::Context;
use loop_core::{Ceiling, Outcome};

use super::Failure;
use crate::{
    compose::{self, Place},
    exit,
    manifest::Plan,
    view::{self, text},
};

/// Shows the first prompt and the commands, and tries the evaluator once. Writes no telemetry.
pub(crate) async fn exec(plan: &Plan, place: &Place) -> Result<ExitCode, Failure> {
    let agent = compose::agent(plan, place)?;
    let left = Ceiling { time: plan.limits.max_time, cost: plan.limits.max_cost, tokens: None };
    let preview = agent.preview(left).context("the first prompt").map_err(Failure::Usage)?;
    show("prompt", &preview.prompt);
    show("agent (not run)", &preview.invocation.line);
    show("check", &plan.evaluator);

    let checked = compose::evaluator(plan, place)?.check().await.context("evaluator.command")?;
    let verdict = checked.verdict;
    show("check, tried once", &text::printable(verdict.text()));
    view::tell(&format!("verdict: {} (the check {})", verdict.outcome(), checked.exit));
    if verdict.outcome() == Outcome::Pass {
        view::warning("the check passes already, before the agent has done anything");
    }
    Ok(ExitCode::from(exit::OK))
}

fn show(title: &str, body: &str) {
    view::tell(&format!("{}\n{}\n", view::paint(view::BOLD, format_args!("-- {title}")), body.trim_end()));
}
