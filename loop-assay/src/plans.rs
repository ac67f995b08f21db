//! From a case and a model to a plan.

use std::time::Duration;

use loop_agents::shell::Template;
use loop_core::Usd;
use loop_manifest::{LoadedPlan, Overrides, Plan, Source, init, plan::WorkPlan};
use serde_json::json;

use crate::{
    case::{Case, CaseWork},
    check::Check,
    error::{CaseError, CaseErrors},
};

/// The subject of an assay: a model or an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// A model, by its name.
    Model(String),
    /// An agent: a command, or a name that `loop init` knows.
    Agent(String),
}

/// The limits of one run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunLimits {
    /// The longest time, if neither the case nor its manifest has a limit.
    pub(crate) time: Duration,
    /// The share of the budget.
    pub(crate) cost: Option<Usd>,
}

/// Returns the plan of a case for a model or an agent; without one, its manifest names it.
pub(crate) fn plan(case: &Case, subject: Option<&Subject>, limits: RunLimits) -> Result<Plan, CaseErrors> {
    let failed = |why: String| CaseError::new(&case.path, why.trim_end());
    let source = match &case.work {
        CaseWork::Prompt { system, tools, .. } => {
            source_of_prompt(case, subject, system.as_deref(), tools).map_err(failed)?
        }
        CaseWork::Manifest(path) => {
            let overrides = Overrides::new("loop assay");
            let overrides = match subject {
                None => overrides,
                Some(Subject::Model(name)) => overrides.with("--model", name),
                Some(Subject::Agent(line)) => overrides.with("--agent", init::in_full(line)),
            };
            Source::open(path).map_err(|why| failed(why.to_string()))?.overridden(overrides)
        }
    };
    let loaded = Plan::of(source).and_then(LoadedPlan::finished);
    let mut plan = loaded.map_err(|why| failed(why.to_string()))?.plan;
    if let CaseWork::Prompt { prompt, .. } = &case.work {
        // Not in the source, where braces in it would be placeholders.
        plan.goal.clone_from(prompt);
        plan.agent.prompt = Template::new("{goal}");
    }
    limit(&mut plan, case, limits);
    let obstacles = case.checks.iter().filter_map(|check| check.obstacle(&plan));
    let obstacles: Vec<_> = obstacles.map(failed).collect();
    if obstacles.is_empty() { Ok(plan) } else { Err(CaseErrors(obstacles)) }
}

/// Returns the manifest of a loop that answers a prompt once. Its checks come later.
fn source_of_prompt(
    case: &Case,
    subject: Option<&Subject>,
    system: Option<&str>,
    tools: &[String],
) -> Result<Source, String> {
    let mut agent = json!({ "prompt": "{goal}" });
    match subject {
        None => return Err("the prompt needs a model or an agent: use `--model NAME`".to_owned()),
        Some(Subject::Model(name)) => {
            agent["model"] = name.as_str().into();
            agent["tools"] = tools.into();
            if let Some(system) = system {
                agent["system"] = system.into();
            }
        }
        Some(Subject::Agent(_)) if system.is_some() || !tools.is_empty() => {
            return Err("`system` and `tools` need a model, but the agent is a command".to_owned());
        }
        Some(Subject::Agent(line)) => agent["command"] = init::in_full(line).into(),
    }
    let text = json!({
        "name": "case",
        "goal": "an answer",
        "agent": agent,
        "evaluator": { "command": "true" },
        "guardrails": { "max_iterations": 1 },
    });
    Ok(Source::stored(&case.path, text.to_string()))
}

/// Lowers the limits of a plan to those of its case and of the assay.
fn limit(plan: &mut Plan, case: &Case, limits: RunLimits) {
    let least = |one: Option<Duration>, other| Some(one.map_or(other, |one| one.min(other)));
    for check in &case.checks {
        match check {
            Check::MaxTime(time) => plan.limits.max_time = least(plan.limits.max_time, *time),
            Check::MaxTokens(tokens) => {
                let tokens = std::num::NonZeroU64::new(*tokens);
                plan.limits.max_tokens = plan.limits.max_tokens.into_iter().chain(tokens).min();
            }
            _ => {}
        }
    }
    plan.limits.max_time = plan.limits.max_time.or(Some(limits.time));
    plan.limits.max_cost = plan.limits.max_cost.into_iter().chain(limits.cost).min();
}

/// Returns the name of the agent of a plan: its model, or its command.
pub(crate) fn subject(plan: &Plan) -> String {
    match &plan.agent.work {
        WorkPlan::Model(model) => model.name.as_str().to_owned(),
        WorkPlan::Command(command) => command.as_str().trim().to_owned(),
    }
}
