//! From a case and a model to a plan.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    time::Duration,
};

use loop_agents::shell::Template;
use loop_manifest::{ExecutionContext, LoadedPlan, Overrides, Plan, Source, init, plan::WorkPlan};
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

/// The plans of prompts that differ only in their words, and the parts that were tried for them.
#[derive(Debug, Default)]
pub(crate) struct Planner {
    plans: HashMap<String, Plan>,
    tried: HashSet<String>,
}

impl Planner {
    /// Returns the plan of a case for a model or an agent; without one, its manifest names it. `run_time` is its longest
    /// time, if neither the case nor its manifest has a limit.
    pub(crate) fn plan(
        &mut self,
        case: &Case,
        subject: Option<&Subject>,
        run_time: Duration,
    ) -> Result<Plan, CaseErrors> {
        let failed = |why: String| CaseError::new(&case.path, why.trim_end());
        let finished = |source: Source| {
            let loaded = Plan::of(source).and_then(LoadedPlan::finished);
            loaded.map(|loaded| loaded.plan).map_err(|why| failed(why.to_string()))
        };
        let mut plan = match &case.work {
            CaseWork::Prompt { prompt, system, tools } => {
                let key = format!("{subject:?} {system:?} {tools:?}");
                let known = match self.plans.entry(key) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => {
                        let source = source_of_prompt(case, subject, system.as_deref(), tools);
                        new.insert(finished(source.map_err(failed)?)?)
                    }
                };
                // Not in the source, where braces in it would be placeholders.
                let mut plan = known.clone();
                plan.goal.clone_from(prompt);
                plan.agent.prompt = Template::new("{goal}");
                plan
            }
            CaseWork::Manifest(path) => {
                let overrides = Overrides::new("loop assay");
                let overrides = match subject {
                    None => overrides,
                    Some(Subject::Model(name)) => overrides.with("--model", name),
                    Some(Subject::Agent(line)) => overrides.with("--agent", init::in_full(line)),
                };
                finished(Source::open(path).map_err(|why| failed(why.to_string()))?.overridden(overrides))?
            }
        };
        limit(&mut plan, case, run_time);
        let obstacles = case.checks.iter().filter_map(|check| check.obstacle(&plan));
        let obstacles: Vec<_> = obstacles.map(failed).collect();
        if obstacles.is_empty() { Ok(plan) } else { Err(CaseErrors(obstacles)) }
    }

    /// Tries to build what a run needs, in the folder from which the case starts.
    pub(crate) fn try_out(
        &mut self,
        case: &Case,
        plan: &Plan,
        cx: &ExecutionContext,
        check_time: Duration,
    ) -> Result<(), CaseErrors> {
        let failed = |why: String| CaseError::new(&case.path, why);
        let folder = case.folder.as_deref().unwrap_or(cx.folder());
        let cx = cx.in_copy(folder).map_err(|error| failed(error.to_string()))?.on_warning(|_| ());
        let checks = case.checks.iter().filter_map(|check| check.evaluator(plan, check_time));
        let mut all: Vec<_> = checks.map(|check| check.evaluator(&cx).map(drop)).collect();
        let mut errors = Vec::new();
        if !case.is_prompt() || self.tried.insert(format!("{folder:?} {:?}", plan.agent)) {
            errors.extend(plan.missing_agents(folder, cx.variables()).into_iter().map(failed));
            all.push(plan.compose(&cx).map(drop));
        }
        let failures = all.into_iter().filter_map(Result::err);
        errors.extend(failures.map(|error| failed(loop_core::with_causes(&error))));
        if errors.is_empty() { Ok(()) } else { Err(CaseErrors(errors)) }
    }
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
fn limit(plan: &mut Plan, case: &Case, run_time: Duration) {
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
    plan.limits.max_time = plan.limits.max_time.or(Some(run_time));
}

/// Returns the name of the agent of a plan: its model, or its command.
pub(crate) fn subject(plan: &Plan) -> String {
    match &plan.agent.work {
        WorkPlan::Model(model) => model.name.as_str().to_owned(),
        WorkPlan::Command(command) => command.as_str().trim().to_owned(),
    }
}
