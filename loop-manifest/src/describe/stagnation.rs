//! The words about runs that get nowhere.

use loop_guardrails::{ScoreGain, StagnationRules};
use loop_telemetry::words::count;

use crate::plan::Plan;

/// Describes when the run halts, if its iterations suffice for that.
pub(super) fn line(plan: &Plan) -> Option<String> {
    let StagnationRules { nudge_after, halt_after, oscillation_after, score, .. } = plan.stagnation?;
    let iterations = |count: u64| self::count(count, "iteration");
    let mut parts = Vec::new();
    if halt_after < plan.limits.max_iterations.get() {
        parts.push(format!(
            "halts after {} in a row with the same result; tells the agent after {nudge_after}",
            iterations(halt_after)
        ));
    }
    parts
        .extend(oscillation_after.map(|after| {
            format!("halts after {} in a row that bring back earlier files", iterations(after))
        }));
    parts.extend(score.map(|ScoreGain { gain, within, .. }| {
        format!("halts if the best score does not improve by {gain} in {}", iterations(within))
    }));
    (!parts.is_empty()).then(|| parts.join("\n"))
}
