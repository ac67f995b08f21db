//! Warns about models and prices for tokens that nobody reads.

use loop_agents::usage::Format;

use super::super::{diagnostics::Diagnostic, field::FieldValue, raw::RawManifest};

pub(super) fn of(raw: &RawManifest) -> Vec<Diagnostic> {
    let agent = &raw.agent;
    // A model reports its usage, and its name identifies the worker.
    if agent.command.written().is_none() {
        return Vec::new();
    }
    let format = agent.format.written().map_or(Some(Format::Text), |at| at.value.parse().ok());
    let Some(format) = format else { return Vec::new() };
    if format.flags().is_some() {
        return Vec::new();
    }
    // A judge and a reviewer use the prices as well.
    let is_alone = raw.evaluator.judge.is_none() && raw.evaluator.review.is_none();
    let prices = Some(&agent.prices).filter(|_| is_alone);
    [Some(&agent.model), prices]
        .into_iter()
        .flatten()
        .filter_map(|key| idle(key.written()?, format))
        .collect()
}

/// Warns about keys that estimate a cost from tokens, where no tokens are read.
fn idle(at: &FieldValue<String>, format: Format) -> Option<Diagnostic> {
    let finding = Diagnostic::warning(format!("`{}` does nothing here", at.key));
    let finding = finding.at(at.span.clone(), format!("with the format `{format}` nothing is estimated"));
    Some(finding.help("name the agent's own format in `agent.format`, or remove this"))
}
