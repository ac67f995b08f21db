//! The words about an agent.

use loop_agents::shell::{BackgroundPolicy, CommandLine};
use loop_guardrails::policy::environment::{Inheritance, NamePattern};

use super::{call_limits, confined, list, row};
use crate::{
    environment::EnvironmentPlan,
    names::ToolName,
    plan::{ModelPlan, Plan, UsagePlan, WorkPlan},
};

/// Describes the agent, and the limits on what it may do.
pub(super) fn lines(page: &mut String, plan: &Plan) {
    match &plan.agent.work {
        WorkPlan::Command(command) => {
            row(page, "agent", command.as_str().trim());
            row(page, "", prompt(command));
            row(page, "", &usage(plan));
        }
        WorkPlan::Model(model) => of_model(page, model, &plan.agent.usage),
    }
    if let Some(skills) = skills(plan) {
        row(page, "", &skills);
    }
    environment(page, &plan.agent.env);
    if let Some(limits) = call_limits(plan.agent.max_time, plan.agent.max_silence) {
        row(page, "", &limits);
    }
    if let (Some(background), WorkPlan::Command(_)) = (background(plan.agent.background), &plan.agent.work) {
        row(page, "", background);
    }
    if let (Some(sandbox), WorkPlan::Command(_)) = (&plan.agent.sandbox, &plan.agent.work) {
        row(page, "", &confined(sandbox));
    }
}

/// A model as the agent.
fn of_model(page: &mut String, ModelPlan { name, system, tools }: &ModelPlan, usage: &UsagePlan) {
    row(page, "agent", &format!("the model {}", name.as_str()));
    let tools: Vec<_> = tools.iter().map(ToolName::as_str).collect();
    let tools = match tools.len() {
        0 => "without tools".to_owned(),
        all if all == ToolName::ALL.len() => "with all tools, under the policy".to_owned(),
        _ => format!("with {}, under the policy", list(&tools, "and")),
    };
    let system = if system.is_some() { ", and a system prompt" } else { "" };
    row(page, "", &format!("{tools}{system}; each iteration is a separate conversation"));
    row(page, "", &format!("its cost is estimated from {}", prices(usage)));
}

/// The named skills, and what the agent reads of them.
fn skills(plan: &Plan) -> Option<String> {
    let names: Vec<_> = plan.agent.skills.as_ref()?.iter().map(String::as_str).collect();
    Some(match (names.len(), &plan.agent.work) {
        (0, _) => "without skills".to_owned(),
        (_, WorkPlan::Model(_)) => format!("with the instructions of the skills {}", list(&names, "and")),
        (_, WorkPlan::Command(_)) => format!("its prompt lists the skills {}", list(&names, "and")),
    })
}

/// Describes the source of the prices, and their date.
fn prices(UsagePlan { prices, .. }: &UsagePlan) -> String {
    let date = prices.clone().unwrap_or_default().date().to_owned();
    let whose = if prices.is_some() { "your prices" } else { "list prices" };
    format!("{whose} of {date}")
}

pub(super) fn prompt(command: &CommandLine) -> &'static str {
    if command.takes_prompt() {
        "the prompt is part of the command, quoted"
    } else {
        "the prompt goes to its standard input"
    }
}

fn usage(plan: &Plan) -> String {
    let UsagePlan { format, model, log, .. } = &plan.agent.usage;
    let log =
        log.as_ref().map(|log| format!("lines that it appends to {} count as its usage", log.display()));
    if format.flags().is_some() {
        let prices = prices(&plan.agent.usage);
        let model =
            model.as_ref().map(|model| format!(", for {model} if it names no model")).unwrap_or_default();
        return format!(
            "its usage is read from what it prints ({format})\n\
             a cost that it does not report is estimated from {prices}{model}{}",
            log.map(|log| format!("\n{log}")).unwrap_or_default()
        );
    }
    if let Some(log) = log {
        return log;
    }
    let said = if plan.agent.reports_usage() {
        "its usage is read from the file that LOOP_USAGE_FILE names"
    } else {
        "it does not report its usage: its cost will be unknown"
    };
    said.to_owned()
}

fn environment(page: &mut String, env: &EnvironmentPlan) {
    if env.inherit == Inheritance::None {
        row(page, "", "its environment starts empty");
    }
    let pass: Vec<_> = env.pass.iter().map(NamePattern::as_str).collect();
    if !pass.is_empty() {
        row(page, "", &format!("with {} passed on", list(&pass, "and")));
    }
    let set: Vec<_> = env.set.keys().map(String::as_str).collect();
    if !set.is_empty() {
        row(page, "", &format!("with {} set", list(&set, "and")));
    }
}

/// The treatment of unfinished background work, unless it is the default.
const fn background(policy: BackgroundPolicy) -> Option<&'static str> {
    match policy {
        BackgroundPolicy::Wait => {
            Some("background work that it declares may go on for a minute after its end")
        }
        BackgroundPolicy::Fail => Some("an iteration that leaves background work unfinished fails"),
        _ => None,
    }
}
