//! Warns about a review whose cost is unknown or unlimited.

use super::{
    super::{diagnostics::Diagnostic, raw::RawManifest, usage_reporter},
    judge::{has_budget, is_free},
};

pub(super) fn of(raw: &RawManifest) -> Vec<Diagnostic> {
    [unlimited(raw), without_usage_report(raw)].into_iter().flatten().collect()
}

/// Warns about a paid model without any limit.
fn unlimited(raw: &RawManifest) -> Option<Diagnostic> {
    let model = raw.evaluator.review.as_ref()?.model.written()?;
    if is_free(&model.value) || has_budget(&raw.guardrails) {
        return None;
    }
    let times = raw.guardrails.max_iterations.written().map_or(1, |at| at.value);
    let finding = Diagnostic::warning("no limit bounds the cost of the review");
    let label = if times == 1 { "reviews once".to_owned() } else { format!("reviews up to {times} times") };
    Some(finding.at(model.span.clone(), label).help("set `guardrails.max_cost_usd`"))
}

/// Warns about an agent that can report its usage, but whose flags do not request it.
fn without_usage_report(raw: &RawManifest) -> Option<Diagnostic> {
    let agent = raw.evaluator.review.as_ref()?.agent.written()?;
    let reporter = usage_reporter::without_usage_report(&agent.value)?;
    let finding = Diagnostic::warning("nobody knows what the review costs");
    let label = format!("the flags of `{}` do not make it report its usage", reporter.program);
    let money = [&raw.guardrails.max_cost_usd, &raw.guardrails.max_usd_per_hour];
    let limits = money.into_iter().filter_map(|limit| limit.written());
    let finding = limits.fold(finding.at(agent.span.clone(), label), |finding, limit| {
        finding.at(limit.span.clone(), "only a lower bound of the cost counts toward this")
    });
    Some(finding.help(format!("write `{}`", reporter.reporting_command())))
}
