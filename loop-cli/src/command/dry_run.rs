//! `loop run --dry-run`: what the first iteration would be, without the agent.

use anyhow::Context;
use loop_agents::{chat::ChatAgent, shell::ShellAgent};
use loop_core::{Ceiling, IterationContext, Work};

use super::{
    Failure,
    trial::{self, show},
};
use crate::compose::{Place, Worker};
use loop_manifest::{
    Format, Plan, checks,
    plan::{ModelPlan, WorkPlan},
    withheld,
};

/// Shows the first prompt, the commands and what they will not see of the environment, and tries the
/// evaluator once. Writes no telemetry. `format` is that of the manifest, if there is one.
pub(crate) async fn exec(plan: &Plan, place: &Place, format: Option<Format>) -> Result<(), Failure> {
    let limits = &plan.limits;
    let cost = [limits.max_cost, limits.max_hourly_cost].into_iter().flatten().min();
    let mut left = Ceiling::NONE;
    (left.time, left.cost) = (limits.max_time, cost);
    let (prompt, agent) = first(plan, place, left).map_err(Failure::Usage)?;
    show("prompt", &prompt);
    show("agent (not run)", &agent);
    for (label, text) in checks(&plan.evaluator) {
        show(label, &text);
    }
    let withheld = withheld(plan, &place.env, format);
    if !withheld.is_empty() {
        show("environment", &withheld);
    }
    trial::exec(plan, place).await
}

/// The first prompt, and who would be given it.
fn first(plan: &Plan, place: &Place, left: Ceiling) -> anyhow::Result<(String, String)> {
    match &plan.agent.work {
        WorkPlan::Command(command) => {
            let preview = ShellAgent::of(command, plan, place)?.preview(left).context("the first prompt")?;
            Ok((preview.prompt, preview.invocation.line))
        }
        WorkPlan::Model(part @ ModelPlan { name, .. }) => {
            let cx = IterationContext::new(&Work::new(), 1).with_left(left);
            let prompt = Worker::prompt_in(&ChatAgent::of(part, plan, place)?, &cx);
            Ok((prompt, format!("the model {}", name.as_str())))
        }
    }
}
