//! Turns the manifest as written into the plan: checks each value, and the combination of values.
//!
//! Every function here takes written values, adds errors to `problems`, and returns its part of the plan if there is
//! one. None stops at its first error.

mod agent;
mod cost_limits;
mod environment;
mod evaluator;
mod guardrails;
mod limits;
mod parallel;
mod plan_check;
mod review;
mod sandbox;
mod seal;
mod snapshots;
mod stagnation;
mod stop;
mod usage;
mod words;
mod work;

use std::time::Duration;

use loop_agents::{shell::Variables, usage::Prices};

use super::{
    bounds::{BACKOFF_SECONDS, FEEDBACK_BYTES, MAX_BACKOFF_SECONDS, MEMORY_TOKENS, MIN_FEEDBACK_BYTES},
    diagnostics::Diagnostic,
    field::{Field, FieldValue},
    plan::{EvaluatorPlan, PacePlan, PipelineCheck, Plan, PlanCheck, ResumePlan},
    raw::RawManifest,
    raw_pace::{RawFeedback, RawMemory, RawPace},
};
pub(crate) use usage::prices;
use words::{empty, filled, word};

/// The parts of a plan that come from elsewhere than the fields of the manifest.
#[derive(Debug)]
pub(crate) struct SourceContext<'a> {
    /// The text that locations point into.
    pub(crate) text: &'a str,
    /// The loop's name, if the manifest has none.
    pub(crate) default_name: String,
    /// The prices of its price file.
    pub(crate) prices: Option<Prices>,
    /// The values of its variables.
    pub(crate) variables: Variables,
}

/// The plan that `raw` describes.
pub(crate) fn plan(
    mut raw: RawManifest,
    cx: SourceContext<'_>,
    problems: &mut Vec<Diagnostic>,
) -> Option<Plan> {
    let SourceContext { text, default_name, prices, variables } = cx;
    parallel::alone(&raw, problems);
    let (name, goal) = (raw.name.judge(problems, name), raw.goal.judge(problems, filled));
    let command = work::span(&raw.agent);
    plan_check::alone(&raw.agent, &raw.evaluator, problems);
    let parallel = parallel::parallel(raw.parallel.take(), problems);
    let sandboxes = [raw.sandbox, raw.agent.sandbox.take(), raw.evaluator.sandbox.take()];
    let [shared, of_agent, of_check] = sandboxes.map(|raw| sandbox::partial(raw, problems));
    let mut agent = agent::agent(raw.agent, (text, &variables), prices, problems);
    if let Some(agent) = &agent {
        guardrails::metered(&raw.guardrails, agent, command.clone(), problems);
        if let (Some(Some(_)), Some(_)) = (&of_agent, agent.model()) {
            problems.push(sandbox::of_model(command.clone()));
        }
        cost_limits::agent(&raw.guardrails, agent, command, problems);
    }
    let needs = snapshots::Needs::of(&raw.evaluator);
    let check_first = raw.check_first.judge(problems, |at| evaluator::check_first(&at, &raw.evaluator));
    let models = cost_limits::ModelSpans::of(&raw.evaluator);
    let restores = snapshots::restores(raw.snapshots, raw.on_halt, raw.on_regression, needs, problems);
    let stop = stop::stop(raw.stop_condition, &raw.evaluator, text, problems);
    let evaluator = evaluator::evaluator(raw.evaluator, (text, &variables), problems);
    if let (Some(agent), Some(evaluator)) = (&agent, &evaluator) {
        cost_limits::models(&raw.guardrails, evaluator, &agent.usage, models, problems);
    }
    let (limits, resources) =
        (guardrails::limits(raw.guardrails, problems), limits::limits(raw.limits, problems));
    let pace = pace(raw.pace, problems);
    let stagnation = stagnation::stagnation(raw.stagnation, &evaluator, pace, &restores, problems);
    let next = next_iteration(raw.feedback, raw.memory, raw.resume, problems);
    let shell = raw.shell.judge(problems, |at| word(&at, &SHELLS, "`auto` is the default"));
    if let (Some(agent), Some(always)) = (&mut agent, shell.or(false)) {
        agent.always_shell = always;
    }
    let on_finish = raw.on_finish.judge(problems, |at| evaluator::plain_command(&at, text, &variables));
    let (mut agent, mut evaluator, restores, shared) = (agent?, evaluator?, restores?, shared?);
    (agent.sandbox, evaluator.sandbox) =
        (sandbox::merged(of_agent?, shared.as_ref()), sandbox::merged(of_check?, shared.as_ref()));
    Some(Plan {
        name: name.or(default_name)?,
        goal: goal.optional()?.or_else(|| default_goal(&evaluator))?,
        variables,
        agent,
        evaluator,
        check_first: check_first.or(false)? || needs.is_sealed,
        stop: stop?,
        limits: limits?,
        resources: resources?,
        stagnation: stagnation?,
        parallel: parallel?,
        pace: pace?,
        feedback_bytes: next?.0,
        memory_tokens: next?.1,
        resume: next?.2,
        on_finish: on_finish.optional()?,
        snapshots: restores.snapshots,
        on_halt: restores.on_halt,
        on_regression: restores.on_regression,
        metadata: raw.metadata.optional()?,
    })
}

/// Returns the goal of a manifest that has none. Without a command, a plan or a pipeline, the lack is already reported.
fn default_goal(evaluator: &EvaluatorPlan) -> Option<String> {
    let command = || evaluator.command.as_ref().map(|check| format!("Make this command exit 0: {check}"));
    let of_plan = |plan: &PlanCheck| format!("Perform the plan in {}", plan.file.display());
    let of_pipeline =
        |pipeline: &PipelineCheck| format!("Answer the prompts in {}", pipeline.files.join(", "));
    let steps = evaluator.plan.as_ref().map(of_plan);
    steps.or_else(|| evaluator.pipeline.as_ref().map(of_pipeline)).or_else(command)
}

/// The words of `resume`.
const RESUMES: [(&str, ResumePlan); 3] =
    [("rerun", ResumePlan::Rerun), ("ask", ResumePlan::Ask), ("halt", ResumePlan::Halt)];

/// The note beside an unknown word of `resume`.
const RESUME_NOTE: &str =
    "it decides what happens to an iteration in which the run was cut off; `rerun` is the default";

/// The words of `shell`, and whether a shell reads every command.
const SHELLS: [(&str, bool); 2] = [("auto", false), ("always", true)];

/// Validates a name. Names appear in file names, metrics and command lines, so only characters that all of them accept
/// are allowed.
fn name(at: FieldValue<String>) -> Result<String, Diagnostic> {
    let better = kebab_case(&at.value);
    if at.value == better && !better.is_empty() {
        return Ok(at.value);
    }
    let finding =
        Diagnostic::error("`name` has to be lower-case letters and digits, with hyphens between them");
    let finding = finding.at(at.span, "not a name for a loop");
    if better.is_empty() {
        return Err(finding.help("remove it to name the loop after its file"));
    }
    Err(finding.help(format!("write `{better}`, or remove it to name the loop after its file")))
}

/// The words of a text as a name for a loop; empty if it has none.
pub fn kebab_case(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    let allowed = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit();
    let words: Vec<_> = text.split(|sign| !allowed(sign)).filter(|word| !word.is_empty()).collect();
    words.join("-")
}

fn pace(raw: RawPace, problems: &mut Vec<Diagnostic>) -> Option<PacePlan> {
    let seconds =
        |at: FieldValue<f64>| guardrails::seconds(&at, 0.0, "of 0 or more", "this is less than zero");
    let every = raw.every_seconds.judge(problems, seconds);
    let backoff = raw.backoff_seconds.judge(problems, |at| match at.value {
        long if long > MAX_BACKOFF_SECONDS => Err(too_long(&at)),
        _ => seconds(at),
    });
    Some(PacePlan {
        every: every.or(Duration::ZERO)?,
        backoff: backoff.or(Duration::from_secs(BACKOFF_SECONDS))?,
    })
}

fn too_long(at: &FieldValue<f64>) -> Diagnostic {
    Diagnostic::error(format!("`{}` has to be a time of up to {MAX_BACKOFF_SECONDS}s", at.key))
        .at(at.span.clone(), "longer than the longest wait")
        .help("it doubles with each failure in a row; to wait longer after every iteration, write `pace.every_seconds`")
}

/// Returns the bytes of feedback and the tokens of memories in the next prompt, and how an interrupted iteration continues.
fn next_iteration(
    feedback: RawFeedback,
    memory: RawMemory,
    resume: Field<String>,
    problems: &mut Vec<Diagnostic>,
) -> Option<(usize, u64, ResumePlan)> {
    let feedback = feedback.max_bytes.judge(problems, feedback_bytes);
    let memory = memory.max_tokens.judge(problems, memory_tokens);
    let resume = resume.judge(problems, |at| word(&at, &RESUMES, RESUME_NOTE));
    Some((feedback.or(FEEDBACK_BYTES)?, memory.or(MEMORY_TOKENS)?, resume.or(ResumePlan::Rerun)?))
}

fn memory_tokens(at: FieldValue<i128>) -> Result<u64, Diagnostic> {
    u64::try_from(at.value).map_err(|_| {
        Diagnostic::error(format!("`{}` has to be at least 0", at.key))
            .at(at.span, "not a number of tokens")
            .help(format!("the default is {MEMORY_TOKENS}; 0 leaves `{{memory}}` empty"))
    })
}

fn feedback_bytes(at: FieldValue<i128>) -> Result<usize, Diagnostic> {
    usize::try_from(at.value).ok().filter(|bytes| *bytes >= MIN_FEEDBACK_BYTES).ok_or_else(|| {
        Diagnostic::error(format!("`{}` has to be at least {MIN_FEEDBACK_BYTES}", at.key))
            .at(at.span, "too small to be useful")
            .help(format!("the default is {FEEDBACK_BYTES}"))
    })
}
