//! `loop run --dry-run`: what the first iteration would be, without the agent.

use anyhow::Context;
use loop_core::Ceiling;

use super::{
    Failure,
    trial::{self, show},
};
use crate::{
    compose::{self, Place},
    manifest::{Format, Plan, withheld},
};

/// Shows the first prompt, the commands and what they will not see of the environment, and tries the
/// evaluator once. Writes no telemetry. `format` is that of the manifest, if there is one.
pub(crate) async fn exec(plan: &Plan, place: &Place, format: Option<Format>) -> Result<(), Failure> {
    let agent = compose::agent(plan, place)?;
    let limits = &plan.limits;
    let cost = [limits.max_cost, limits.max_hourly_cost].into_iter().flatten().min();
    let left = Ceiling { time: limits.max_time, cost, tokens: None };
    let preview = agent.preview(left).context("the first prompt").map_err(Failure::Usage)?;
    show("prompt", &preview.prompt);
    show("agent (not run)", &preview.invocation.line);
    show("check", &plan.evaluator.command);
    let withheld = withheld(plan, &place.env, format);
    if !withheld.is_empty() {
        show("environment", &withheld);
    }
    trial::exec(plan, place).await
}
