//! The evaluator, tried once before an agent is paid for anything.

use anyhow::Context;
use loop_core::Outcome;

use super::Failure;
use crate::{
    compose::{self, Place},
    manifest::Plan,
    view::{self, text},
};

/// Tries the evaluator, shows what it says, and warns if it passes already.
pub(super) async fn exec(plan: &Plan, place: &Place) -> Result<(), Failure> {
    let checked = compose::evaluator(plan, place)?.check().await.context("evaluator.command")?;
    let verdict = checked.verdict;
    show("check, tried once", &text::printable(verdict.text()));
    view::tell(&format!("verdict: {} (the check {})", verdict.outcome(), checked.exit));
    if verdict.outcome() == Outcome::Pass {
        view::warning("the check passes already, before the agent has done anything");
    }
    Ok(())
}

/// Shows a text under a title.
pub(super) fn show(title: &str, body: &str) {
    view::tell(&format!("{}\n{}\n", view::paint(view::BOLD, format_args!("-- {title}")), body.trim_end()));
}
