//! A check that is an agent itself. It costs money too, and what it prints is not read.

use super::super::{diagnostics::Diagnostic, raw::RawManifest, reporter};

pub(super) fn of(raw: &RawManifest) -> Vec<Diagnostic> {
    uncounted(raw).into_iter().collect()
}

fn uncounted(raw: &RawManifest) -> Option<Diagnostic> {
    let check = raw.evaluator.command.written()?;
    let program = reporter::uncounted(&check.value)?;
    let finding = Diagnostic::warning("nobody knows what the check costs");
    let finding = finding
        .at(check.span.clone(), format!("`{program}` is an agent, and of a check nothing is read as usage"));
    let money = [&raw.guardrails.max_cost_usd, &raw.guardrails.max_usd_per_hour];
    let finding = money.into_iter().filter_map(|limit| limit.written()).fold(finding, |finding, limit| {
        finding.at(limit.span.clone(), "what is held against this is a lower bound")
    });
    Some(finding.help(
        "let it append what it used to the file that LOOP_USAGE_FILE names, as a line like `{\"cost_usd\": 0.01}`",
    ))
}
