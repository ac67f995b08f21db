//! The command that resumes a run.

use loop_core::{Ending, StopReason};
use loop_guardrails::SpendingRate;

/// Returns the command that resumes this run, as a line below its summary; `None` if the run met its goal.
pub(crate) fn resume_hint(ending: &Ending, run: &str) -> Option<String> {
    let more = match ending.reason() {
        None => return None,
        Some(StopReason::MaxIterations) => " --add-iterations N",
        Some(StopReason::BudgetExceeded) if ending.guardrail() != Some(SpendingRate::NAME) => {
            " --add-cost USD"
        }
        Some(StopReason::TimeExceeded) => " --add-seconds N",
        Some(StopReason::TokensExceeded) => " --accept-changes",
        _ => "",
    };
    Some(format!("  {:<11}loop resume {run}{more}", "resume"))
}
