//! `loop run --dry-run`: shows the first iteration without running the agent.

use crate::command::{
    Failure,
    run_lifecycle::preflight::{self, show},
};
use loop_manifest::{ExecutionContext, Format, Plan, checks, withheld};

/// Shows the first prompt, the commands and the variables hidden from them, and tries the evaluator once. Writes no
/// telemetry. `format` is the format of the manifest, if there is one.
pub(super) async fn exec(plan: &Plan, cx: &ExecutionContext, format: Option<Format>) -> Result<(), Failure> {
    let first = plan.first_prompt(cx)?;
    show("prompt", &first.prompt);
    show("agent (not run)", &first.agent);
    for (label, text) in checks(&plan.evaluator) {
        show(label, &text);
    }
    let withheld = withheld(plan, cx.variables(), format);
    if !withheld.is_empty() {
        show("environment", &withheld);
    }
    preflight::try_evaluator(plan, cx).await
}
