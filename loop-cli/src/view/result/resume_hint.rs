//! The command that resumes a run.

use loop_core::{Ending, StopReason};
use loop_guardrails::SpendingRate;

/// Returns the command that resumes this run, as a line below its summary; `None` if the run met its goal.
pub(crate) fn resume_hint(ending: &Ending, run: &str) -> Option<String> {
    // A spending rate that is too high stays too high: more money does not help.
    let reason = ending.reason()?;
    let is_rate = ending.guardrail() == Some(SpendingRate::NAME);
    let command = resume_command(Some(reason).filter(|_| !is_rate), run);
    Some(format!("  {:<11}{command}", "resume"))
}

/// Returns the command that resumes a run which ended for this reason, with the flag that raises the limit.
pub(crate) fn resume_command(reason: Option<&StopReason>, run: &str) -> String {
    let more = match reason {
        Some(StopReason::MaxIterations) => " --add-iterations N",
        Some(StopReason::BudgetExceeded) => " --add-cost USD",
        Some(StopReason::TimeExceeded) => " --add-seconds N",
        Some(StopReason::TokensExceeded) => " --add-tokens N",
        _ => "",
    };
    format!("loop resume {run}{more}")
}
