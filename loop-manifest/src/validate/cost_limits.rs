//! Cost limits for agents whose cost stays unknown.

use loop_agents::usage::{Format, Prices};

use super::super::{
    diagnostics::{Diagnostic, Span},
    keys::flag,
    plan::{AgentPlan, EvaluatorPlan, ReviewPlan, ReviewerPlan, UsagePlan, WorkPlan},
    raw::{RawEvaluator, RawGuardrails},
    usage_reporter,
};
use crate::names::{ModelName, VendorModel};

/// Refuses a limit on the cost of an agent that reports neither its cost nor its model, so that no price helps: the
/// limit would never bind, and its owner would find out from the bill. `command` is the location of the agent's
/// command.
pub(super) fn agent(raw: &RawGuardrails, agent: &AgentPlan, command: Span, problems: &mut Vec<Diagnostic>) {
    refuse(raw, "agent", UnknownCost::of(agent), command, problems);
}

/// The locations of a check's models.
pub(super) struct ModelSpans {
    judge: Span,
    review: Span,
}

impl ModelSpans {
    pub(super) fn of(raw: &RawEvaluator) -> Self {
        let judge = raw.judge.as_ref().and_then(|judge| judge.model.written());
        let review = raw.review.as_ref().and_then(|review| review.model.written());
        let [judge, review] = [judge, review].map(|at| at.map(|at| at.span.clone()).unwrap_or_default());
        Self { judge, review }
    }
}

/// Refuses such a limit for the models of a check, to which the prices of `usage` apply as well.
pub(super) fn models(
    raw: &RawGuardrails,
    evaluator: &EvaluatorPlan,
    usage: &UsagePlan,
    places: ModelSpans,
    problems: &mut Vec<Diagnostic>,
) {
    if let Some(judge) = &evaluator.judge {
        refuse(raw, "judge", UnknownCost::of_model(&judge.model, usage), places.judge, problems);
    }
    if let Some(ReviewPlan { reviewer: ReviewerPlan::Model { name, .. }, .. }) = &evaluator.review {
        refuse(raw, "review", UnknownCost::of_model(name, usage), places.review, problems);
    }
}

fn refuse(
    raw: &RawGuardrails,
    who: &str,
    why: Option<UnknownCost>,
    place: Span,
    problems: &mut Vec<Diagnostic>,
) {
    let accepted = raw.allow_unmetered.written().is_some_and(|at| at.value);
    let limits = [&raw.max_cost_usd, &raw.max_usd_per_hour];
    let limits: Vec<_> = limits.into_iter().filter_map(|limit| limit.written()).collect();
    let Some(why) = why.filter(|_| !accepted && !limits.is_empty()) else { return };
    let names: Vec<_> = limits.iter().map(|limit| format!("`{}`", limit.key)).collect();
    let title = format!("{} cannot be enforced: the cost of the {who} cannot be known", names.join(" and "));
    let finding = limits.iter().fold(Diagnostic::error(title), |finding, limit| {
        finding.at(limit.span.clone(), "no usage would count toward this")
    });
    let finding = finding.at(place, why.label());
    let of_flags = limits.iter().any(|limit| flag::key(limit.key).is_some());
    problems.push(why.help(of_flags).into_iter().fold(finding, Diagnostic::help));
}

/// The user's own table is empty.
fn has_no_prices(usage: &UsagePlan) -> bool {
    usage.prices.as_ref().is_some_and(Prices::is_empty)
}

/// The reason why the cost stays unknown.
enum UnknownCost {
    /// The agent names neither a cost nor a model.
    Model,
    /// The user's own table is empty.
    Prices,
    /// The prices of this date do not include this model.
    Price { model: String, date: String },
}

impl UnknownCost {
    fn of(AgentPlan { work, usage, .. }: &AgentPlan) -> Option<Self> {
        let model = match work {
            WorkPlan::Model(model) => return Self::of_model(&model.name, usage),
            WorkPlan::Command(_) if usage.format.flags().is_some() && has_no_prices(usage) => {
                return Some(Self::Prices);
            }
            // This is the only format that reports neither cost nor model.
            WorkPlan::Command(_) if usage.format != Format::CodexJson => return None,
            WorkPlan::Command(_) => match &usage.model {
                Some(model) => model,
                None => return Some(Self::Model),
            },
        };
        Self::of_name(model, usage)
    }

    fn of_model(name: &ModelName, usage: &UsagePlan) -> Option<Self> {
        if has_no_prices(usage) {
            return Some(Self::Prices);
        }
        // A name from the user's settings may be any model.
        let VendorModel { id, .. } = name.as_str().parse().ok()?;
        Self::of_name(&id, usage)
    }

    fn of_name(model: &str, usage: &UsagePlan) -> Option<Self> {
        let bundled = Prices::bundled();
        let prices = usage.prices.as_ref().unwrap_or(&bundled);
        let no_price = || Self::Price { model: model.to_owned(), date: prices.date().to_owned() };
        (!prices.has(model)).then(no_price)
    }

    fn label(&self) -> String {
        match self {
            Self::Model => "this reports neither its cost nor its model".to_owned(),
            Self::Prices => "its price file has no prices".to_owned(),
            Self::Price { model, date } => {
                format!("the price list of {date} has no price for its model, `{model}`")
            }
        }
    }

    /// Returns advice, for a manifest or for a loop from flags.
    fn help(&self, of_flags: bool) -> Vec<String> {
        let named =
            format!("name its model in the command: `codex exec --json {} NAME`", usage_reporter::MODEL);
        let first = match (self, of_flags) {
            (Self::Model, true) => named,
            (Self::Model, false) => format!("{named}, or in `agent.model`"),
            (Self::Prices, _) => {
                "write the prices of its models into the file of `agent.prices`, or remove that key to use the \
                 bundled ones"
                    .to_owned()
            }
            (Self::Price { .. }, true) => {
                "write a manifest, with `agent.prices`: a file that has its price".to_owned()
            }
            (Self::Price { .. }, false) => "write `agent.prices`: a file that has its price".to_owned(),
        };
        let rest = match of_flags {
            true => vec![
                "or limit the time of the run, which always works",
                "or accept that the limit does nothing: `--allow-unmetered`",
            ],
            false => vec![
                "or set `guardrails.max_tokens`, because it does report tokens",
                "or accept that the limit does nothing: `guardrails.allow_unmetered: true`",
            ],
        };
        [first].into_iter().chain(rest.into_iter().map(str::to_owned)).collect()
    }
}
