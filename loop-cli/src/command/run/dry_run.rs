//! `loop run --dry-run`: shows the first iteration without running the agent.

use crate::command::{
    Failure,
    run_lifecycle::preflight::{self, show},
};
use loop_manifest::{ExecutionContext, Format, Plan, checks, withheld};

/// Shows the first prompt, the commands and the variables hidden from them, and tries the evaluator once. Writes no
/// telemetry. `format` is the format of the manifest, if there is one.
pub(super) async fn exec(plan: &Plan, cx: &ExecutionContext, format: Option<Format>) -> Result<(), Failure> {
    let checked = if plan.check_first { preflight::try_evaluator(plan, cx).await? } else { None };
    let first = plan.first_prompt(checked, cx)?;
    show("prompt", &first.prompt);
    show("agent (not run)", &first.agent);
    for (label, text) in checks(&plan.evaluator) {
        show(label, &text);
    }
    let withheld = withheld(plan, cx.variables(), format);
    if !withheld.is_empty() {
        show("environment", &withheld);
    }
    if !plan.check_first {
        preflight::try_evaluator(plan, cx).await?;
    }
    Ok(())
}
