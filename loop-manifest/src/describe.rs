//! Describes a plan in words, for a person who will leave it unattended for a night.

mod agent;
mod seal;
mod stagnation;

use std::{fmt::Write, num::NonZeroU64, time::Duration};

use loop_agents::{
    process::{
        ResourceLimits,
        sandbox::{Enforcement, SandboxNetwork},
    },
    shell::Placeholder,
};
use loop_telemetry::words::{bytes as size, count, span};

use super::{
    compose::ON_FINISH_TIME,
    plan::{
        ConfidencePlan, EvaluatorPlan, JudgePlan, Limits, PacePlan, ParallelPlan, Pick, Plan, PlanCheck,
        ResumePlan, ReviewCommand, ReviewPlan, ReviewerPlan,
    },
    sandbox_plan::SandboxPlan,
    stop_plan::StopPlan,
};

/// The plan as a short page of plain text that ends with a line feed.
pub fn describe(plan: &Plan) -> String {
    let mut page = format!("{}\n", plan.name);
    row(&mut page, "goal", plan.goal.trim());
    for (index, (name, value)) in plan.variables.iter().enumerate() {
        row(&mut page, if index == 0 { "variables" } else { "" }, &format!("{name} = {}", value.trim()));
    }
    agent::lines(&mut page, plan);
    evaluator(&mut page, &plan.evaluator);
    if plan.check_first {
        row(&mut page, "", "also runs before the first iteration; if it passes, the agent never starts");
    }
    row(&mut page, "done when", &goal(plan));
    row(&mut page, "limits", &limits(&plan.limits));
    if !plan.resources.is_empty() {
        row(&mut page, "resources", &resources(plan.resources));
    }
    if let Some(stagnation) = stagnation::line(plan) {
        row(&mut page, "stagnation", &stagnation);
    }
    if let Some(parallel) = plan.parallel {
        row(&mut page, "at once", &at_once(parallel));
    }
    if let Some(every) = plan.limits.checkpoint {
        row(&mut page, "asks you", &checkpoint(every));
        row(&mut page, "", "needs a terminal; without one the run halts there");
    }
    if let Some(waits) = waits(plan.pace) {
        row(&mut page, "waits", &waits);
    }
    row(
        &mut page,
        "feedback",
        &format!("up to {} of output for each placeholder", bytes(plan.feedback_bytes)),
    );
    if plan.agent.prompt.mentions(Placeholder::Memory) {
        row(&mut page, "memory", &format!("up to {} tokens of what earlier work taught", plan.memory_tokens));
    }
    match plan.resume {
        ResumePlan::Rerun => {}
        ResumePlan::Ask => row(&mut page, "cut off", "asks you before it runs that iteration again"),
        ResumePlan::Halt => {
            row(&mut page, "cut off", "halts when resumed, before it runs that iteration again");
        }
    }
    if let Some(command) = &plan.on_finish {
        row(&mut page, "afterwards", command.trim());
        row(
            &mut page,
            "",
            &format!("runs once the run has ended, however it ended, for up to {}", span(ON_FINISH_TIME)),
        );
    }
    page
}

fn at_once(ParallelPlan { count, pick }: ParallelPlan) -> String {
    let wins = match pick {
        Pick::First => "the first that meets the goal wins, and the others end",
        Pick::Best => "the one with the best score wins",
    };
    format!("{count} loops, each in a copy of the folder; {wins}")
}

/// Describes the checks, their limits and their sandbox.
fn evaluator(page: &mut String, plan: &EvaluatorPlan) {
    for (label, text) in &checks(plan) {
        row(page, label, text);
    }
    for line in seal::lines(plan) {
        row(page, "", &line);
    }
    if let Some(limits) = call_limits(plan.max_time, None) {
        row(page, "", &limits);
    }
    if let Some(sandbox) = &plan.sandbox {
        row(page, "", &confined(sandbox));
    }
}

/// Describes the sandbox of a command.
fn confined(SandboxPlan { write, read, network, enforcement }: &SandboxPlan) -> String {
    let paths =
        |paths: &[String]| paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
    let write =
        if write.is_empty() { "writes no folder".to_owned() } else { format!("writes {}", paths(write)) };
    let read = read.as_ref().map(|read| format!(", reads {}", paths(read))).unwrap_or_default();
    let network = match network {
        SandboxNetwork::None => ", without network".to_owned(),
        SandboxNetwork::Hosts(hosts) if hosts.is_empty() => ", reaches no host".to_owned(),
        SandboxNetwork::Hosts(hosts) => {
            format!(", reaches only {}", paths(&hosts.iter().map(ToString::to_string).collect::<Vec<_>>()))
        }
        _ => String::new(),
    };
    let lenient =
        if *enforcement == Enforcement::Warn { ", as far as this machine can enforce it" } else { "" };
    format!("in a sandbox: {write}{read}{network}{lenient}")
}

/// The warning before a run that will come to a checkpoint, where nobody can be asked.
pub fn nobody_to_ask(plan: &Plan) -> Option<String> {
    let every = plan.limits.checkpoint.filter(|every| *every < plan.limits.max_iterations)?;
    Some(format!(
        "nobody can be asked here, so the run halts at its first checkpoint; it has one {}",
        checkpoint(every)
    ))
}

fn checkpoint(every: NonZeroU64) -> String {
    format!("after every {}iteration that did not meet the goal", ordinal(every))
}

/// Adds a label and its text; further lines of the text are aligned with the first.
pub(super) fn row(page: &mut String, label: &str, text: &str) {
    for (index, line) in text.lines().enumerate() {
        let label = if index == 0 { label } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(page, "  {label:<11}{line}");
    }
}

fn waits(pace: PacePlan) -> Option<String> {
    let some = |wait: Duration| (!wait.is_zero()).then(|| span(wait));
    let every = some(pace.every).map(|wait| format!("{wait} between iterations"));
    let backoff = some(pace.backoff).map(|wait| format!("{wait} after two failures in a row, then longer"));
    let waits: Vec<_> = every.into_iter().chain(backoff).collect();
    (!waits.is_empty()).then(|| waits.join("\n"))
}

/// The limits of one call of a command, if there are any.
fn call_limits(max_time: Option<Duration>, max_silence: Option<Duration>) -> Option<String> {
    let time = max_time.map(span);
    let silence = max_silence.map(|silence| format!("{} without output", self::span(silence)));
    let limits: Vec<_> = [&time, &silence].into_iter().flatten().map(String::as_str).collect();
    (!limits.is_empty()).then(|| format!("loop ends it after {}", list(&limits, "or")))
}

/// The checks of a plan, each with a label.
pub fn checks(plan: &EvaluatorPlan) -> Vec<(&'static str, String)> {
    let command = plan.command.as_deref().map(|command| ("check", command.trim().to_owned()));
    let confidence = plan.confidence.as_ref().map(|ConfidencePlan { at_least, key }| {
        ("confidence", format!("the agent ends with {{\"{key}\": N}}, N from {at_least} to 1"))
    });
    let judge = plan.judge.as_ref().map(|judge| ("judge", of_judge(judge)));
    let review = plan.review.as_ref().map(|review| ("review", of_review(review)));
    let steps = plan.plan.as_ref().map(|plan| ("plan", of_plan(plan)));
    let files = plan.pipeline.as_ref().map(|pipeline| ("pipeline", pipeline.to_string()));
    [command, confidence, judge, steps, files, review].into_iter().flatten().collect()
}

fn of_plan(PlanCheck { file, repairs, keep_going, one_step }: &PlanCheck) -> String {
    let steps = if *one_step { "the next open step" } else { "one open step in each iteration" };
    let end = if *keep_going { "goes on after a blocked step" } else { "ends at a blocked step" };
    format!(
        "{}: {steps}, with {} each\n{end}",
        file.display(),
        repairs.map_or_else(
            || "the repairs of the settings".to_owned(),
            |times| format!("up to {}", count(times, "repair"))
        )
    )
}

fn of_judge(JudgePlan { model, criteria, votes, .. }: &JudgePlan) -> String {
    let votes = match (votes.needed(), votes.most()) {
        (1, 1) => String::new(),
        (needed, most) => format!("; {needed} of {most} votes must say yes"),
    };
    let criteria: String = criteria.iter().map(|criterion| format!("\n- {}", criterion.trim())).collect();
    format!("the model {}{votes}, by{criteria}", model.as_str())
}

fn of_review(ReviewPlan { reviewer, .. }: &ReviewPlan) -> String {
    match reviewer {
        ReviewerPlan::Command(ReviewCommand { line, .. }) => {
            format!("{}\n{}", line.as_str().trim(), agent::prompt(line))
        }
        ReviewerPlan::Model { name, rounds } => {
            let rounds = count(*rounds, "round");
            format!("the model {}, with tools that only look, in up to {rounds}", name.as_str())
        }
    }
}

fn goal(plan: &Plan) -> String {
    let EvaluatorPlan { command, confidence, judge, review, plan: steps, pipeline, .. } = &plan.evaluator;
    // The check itself looks for a single pattern.
    let of_command = if plan.stop.is_plain() { &plan.stop } else { &StopPlan::EvaluatorPass };
    let command = command.is_some().then(|| of_command.describe("the check exits 0"));
    let confidence = confidence.is_some().then(|| "the agent is sure enough".to_owned());
    let judge = judge.is_some().then(|| "the judge says yes".to_owned());
    let steps = steps.as_ref().map(|steps| match steps.one_step {
        true => "the next step is done".to_owned(),
        false => "every step is done".to_owned(),
    });
    let files = pipeline.is_some().then(|| "every reply is confident enough".to_owned());
    let review = review.is_some().then(|| "the review finds nothing left".to_owned());
    let parts: Vec<_> = [&command, &confidence, &judge, &steps, &files, &review]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let order = if parts.len() > 1 { ", asked in this order" } else { "" };
    let passes = format!("{}{order}", list(&parts, "and"));
    match parts.as_slice() {
        _ if plan.stop.is_plain() => passes,
        [one] => plan.stop.describe(one),
        _ => format!("{}\nit passes if {passes}", plan.stop.describe("the check passes")),
    }
}

fn limits(limits: &Limits) -> String {
    let mut parts = vec![count(limits.max_iterations.get(), "iteration")];
    parts.extend(limits.max_time.map(span));
    parts.extend(limits.max_cost.map(|cost| cost.to_string()));
    parts.extend(limits.max_hourly_cost.map(|cost| format!("{cost} in any hour")));
    parts.extend(limits.max_tokens.map(|tokens| count(tokens.get(), "token")));
    parts.extend(
        limits.max_consecutive_failures.map(|most| format!("{} in a row", count(most.get(), "failure"))),
    );
    let parts: Vec<_> = parts.iter().map(String::as_str).collect();
    format!("at most {}", list(&parts, "or"))
}

fn resources(ResourceLimits { processes, memory }: ResourceLimits) -> String {
    let processes = processes.map(|most| format!("{most} processes"));
    let memory = memory.map(|most| format!("{} of memory", size(most.get())));
    let parts: Vec<_> = [&processes, &memory].into_iter().flatten().map(String::as_str).collect();
    format!("all commands together use at most {}", list(&parts, "and"))
}

pub(super) fn list(parts: &[&str], last: &str) -> String {
    match parts {
        [init @ .., end] if !init.is_empty() => format!("{} {last} {end}", init.join(", ")),
        _ => parts.concat(),
    }
}

/// Returns "", "2nd ", "3rd " or "11th ", for use between "every" and its noun.
fn ordinal(number: NonZeroU64) -> String {
    let ending = match (number.get() % 100, number.get() % 10) {
        (_, _) if number.get() == 1 => return String::new(),
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending} ")
}

fn bytes(count: usize) -> String {
    if count.is_multiple_of(1 << 10) { format!("{} KiB", count >> 10) } else { format!("{count} bytes") }
}
