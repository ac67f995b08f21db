//! How to go on with a run that did not meet its goal.

use loop_core::{Ending, StopReason};
use loop_guardrails::SpendingRate;

/// The command that goes on with the run of this name, as a line beneath its summary; `None` if its goal is met.
pub(crate) fn resuming(ending: &Ending, run: &str) -> Option<String> {
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
