//! Costs that nobody will ever know, and limits on them.

use loop_agents::usage::{Format, Prices, Tokens};

use super::super::{
    diagnostics::Diagnostic,
    field::At,
    raw::{RawAgent, RawGuardrails, RawManifest},
};

pub(super) fn of(raw: &RawManifest, prices: Option<&Prices>) -> Vec<Diagnostic> {
    let agent = &raw.agent;
    let format = agent.format.written().map_or(Some(Format::Text), |at| at.value.parse().ok());
    let Some(format) = format else { return Vec::new() };
    if format.flags().is_none() {
        return [&agent.model, &agent.prices]
            .into_iter()
            .filter_map(|key| idle(key.written()?, format))
            .collect();
    }
    unknown_cost(agent, &raw.guardrails, format, prices).into_iter().collect()
}

/// What is there to estimate a cost from tokens, where no tokens are read.
fn idle(at: &At<String>, format: Format) -> Option<Diagnostic> {
    let finding = Diagnostic::warning(format!("`{}` does nothing here", at.key));
    let finding = finding.at(at.span.clone(), format!("with the format `{format}` nothing is estimated"));
    Some(finding.help("name the agent's own format in `agent.format`, or remove this"))
}

/// A limit on the cost of an agent that says neither its cost nor its model. Tokens are known all the same.
fn unknown_cost(
    agent: &RawAgent,
    limits: &RawGuardrails,
    format: Format,
    prices: Option<&Prices>,
) -> Option<Diagnostic> {
    let limit = limits.max_cost_usd.written().or(limits.max_usd_per_hour.written())?;
    if format != Format::CodexJson {
        return None;
    }
    let finding = Diagnostic::warning("what the agent costs cannot be known");
    let finding = finding.at(limit.span.clone(), "this limit would never bind");
    let Some(model) = agent.model.written() else {
        let at = agent.format.written()?;
        let finding = finding.at(at.span.clone(), "this names neither a cost nor a model");
        return Some(finding.help("write `agent.model` with the model that it uses, or limit `max_tokens`"));
    };
    let tokens = Tokens { output: Some(1), ..Tokens::default() };
    let bundled = Prices::bundled();
    let prices = prices.unwrap_or(&bundled);
    if prices.estimate(&model.value, &tokens).is_some() {
        return None;
    }
    let label = format!("the prices of {} have none for this model", prices.date());
    let finding = finding.at(model.span.clone(), label);
    Some(finding.help("write `agent.prices` with a file that has its price, or limit `max_tokens`"))
}
