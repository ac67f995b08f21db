//! Warns about checks that also cost money: an agent as the command, or a model as the judge.

use loop_agents::judge::DEFAULT_CONFIDENCE_KEY;

use super::super::{
    diagnostics::Diagnostic,
    raw::{RawGuardrails, RawManifest},
    usage_reporter,
};
use crate::names::VendorModel;

pub(super) fn of(raw: &RawManifest) -> Vec<Diagnostic> {
    [uncounted(raw), unlimited(raw), unasked(raw)].into_iter().flatten().collect()
}

/// Warns about an agent in a check, whose usage reports are not read.
fn uncounted(raw: &RawManifest) -> Option<Diagnostic> {
    let check = raw.evaluator.command.written()?;
    let program = usage_reporter::uncounted(&check.value)?;
    let finding = Diagnostic::warning("nobody knows what the check costs");
    let finding = finding.at(
        check.span.clone(),
        format!("`{program}` is an agent, but usage is not read from the output of a check"),
    );
    let money = [&raw.guardrails.max_cost_usd, &raw.guardrails.max_usd_per_hour];
    let finding = money.into_iter().filter_map(|limit| limit.written()).fold(finding, |finding, limit| {
        finding.at(limit.span.clone(), "only a lower bound of the cost counts toward this")
    });
    Some(finding.help(
        "let it append its usage to the file that LOOP_USAGE_FILE names, as a line like `{\"cost_usd\": 0.01}`",
    ))
}

/// Warns about a paid judge without any limit.
fn unlimited(raw: &RawManifest) -> Option<Diagnostic> {
    let judge = raw.evaluator.judge.as_ref()?;
    let model = judge.model.written()?;
    if is_free(&model.value) || has_budget(&raw.guardrails) {
        return None;
    }
    let votes = judge.votes.written().map_or(1, |at| at.value);
    let times = raw.guardrails.max_iterations.written().map_or(1, |at| at.value).saturating_mul(votes);
    let finding = Diagnostic::warning("no limit bounds the cost of the judge");
    let label = if times == 1 { "asked once".to_owned() } else { format!("asked up to {times} times") };
    let finding = finding.at(model.span.clone(), label);
    Some(finding.help("set `guardrails.max_cost_usd`"))
}

/// Returns whether a model costs nothing, as far as its name tells.
pub(super) fn is_free(model: &str) -> bool {
    model.parse().is_ok_and(|model: VendorModel| model.is_local())
}

pub(super) fn has_budget(limits: &RawGuardrails) -> bool {
    let money = [&limits.max_cost_usd, &limits.max_usd_per_hour];
    money.into_iter().any(|limit| limit.written().is_some()) || limits.max_tokens.written().is_some()
}

/// Warns about an agent that must report its confidence, but whose prompt does not say so.
fn unasked(raw: &RawManifest) -> Option<Diagnostic> {
    let confidence = raw.evaluator.confidence.as_ref()?;
    let (prompt, at_least) = (raw.agent.prompt.written()?, confidence.at_least.written()?);
    let key = confidence.key.written().map_or(DEFAULT_CONFIDENCE_KEY, |at| at.value.as_str());
    let system = raw.agent.system.written().map_or("", |at| &at.value);
    if prompt.value.contains(key) || system.contains(key) || key.trim().is_empty() {
        return None;
    }
    let finding = Diagnostic::warning("the prompt does not ask the agent how sure it is");
    let finding = finding.at(prompt.span.clone(), format!("this prompt does not contain `{key}`"));
    let finding = finding.at(at_least.span.clone(), "without the number nothing passes");
    Some(finding.help(format!("add: End with a line of JSON, {{\"{key}\": a number from 0 to 1}}.")))
}
