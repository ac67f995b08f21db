//! The plan or the pipeline whose steps the agent does.

use super::{
    super::{
        diagnostics::Diagnostic,
        field::FieldValue,
        field::SpannedText,
        plan::{PipelineCheck, PlanCheck},
        raw::{RawAgent, RawEvaluator},
        raw_checks::{RawPipeline, RawPlanCheck},
    },
    words::{filled, threshold, word},
    work::place,
};
use loop_agents::{
    pipeline::{ConfidenceGate, MAX_FILES, MAX_RETRIES},
    plan::{MAX_REPAIRS, PLAN_FILE},
};

/// The words of `evaluator.plan.steps`, and whether one step is enough.
const STEPS: [(&str, bool); 2] = [("all", false), ("next", true)];

/// Validates the keys about the plan.
pub(super) fn plan_check(raw: RawPlanCheck, problems: &mut Vec<Diagnostic>) -> Option<PlanCheck> {
    let file = raw.file.judge(problems, filled);
    let repairs = raw.repairs.judge(problems, |at| times(at, MAX_REPAIRS).map(Some));
    let keep_going = raw.keep_going.judge(problems, |at| Ok(at.value));
    let one_step = raw.steps.judge(problems, |at| word(&at, &STEPS, "`all` is the default"));
    Some(PlanCheck {
        file: file.or(PLAN_FILE.to_owned())?.into(),
        repairs: repairs.or(None)?,
        keep_going: keep_going.or(false)?,
        one_step: one_step.or(false)?,
    })
}

/// Validates the keys about the pipeline.
pub(super) fn pipeline(raw: RawPipeline, problems: &mut Vec<Diagnostic>) -> Option<PipelineCheck> {
    let files = raw.files.judge(problems, files);
    let gate = raw.at_least.judge(problems, gate);
    let accept_guess = raw.accept_guess.judge(problems, |at| Ok(at.value));
    let repeats = raw.repeats.judge(problems, |at| times(at, MAX_RETRIES));
    let (files, gate) = (files.required()?, gate.required()?);
    Some(PipelineCheck { files, gate: gate.accept_guess(accept_guess.or(false)?).retries(repeats.or(0)?) })
}

fn files(at: FieldValue<Vec<SpannedText>>) -> Result<Vec<String>, Diagnostic> {
    let count = at.value.len();
    if !(1..=MAX_FILES).contains(&count) {
        return Err(Diagnostic::error(format!("`{}` has to be a list of 1 to {MAX_FILES} files", at.key))
            .at(at.span, format!("these are {count}")));
    }
    if let Some(empty) = at.value.iter().find(|file| file.value.trim().is_empty()) {
        return Err(Diagnostic::error(format!("a file of `{}` has no name", at.key))
            .at(empty.span.clone(), "this is empty")
            .help("write the path of a file, or remove it"));
    }
    Ok(at.value.into_iter().map(|file| file.value).collect())
}

fn gate(at: FieldValue<f64>) -> Result<ConfidenceGate, Diagnostic> {
    let (key, span) = (at.key, at.span.clone());
    let refused = |error| Diagnostic::error(format!("`{key}`: {error}")).at(span, "no confidence");
    threshold(at).and_then(|share| ConfidenceGate::at_least(share).map_err(refused))
}

/// Refuses what has no meaning beside a plan or a pipeline: another check, whose failure no step would repair, and a
/// prompt.
pub(super) fn alone(agent: &RawAgent, evaluator: &RawEvaluator, problems: &mut Vec<Diagnostic>) {
    let of_plan =
        "no step would repair what the other one finds: write it into the plan, as `[validate: command CMD]`";
    let of_pipeline = "no file would repair what the other one finds: keep one of them";
    let (name, span, judges, help, prompts, parts) = match (&evaluator.plan, &evaluator.pipeline) {
        (Some(plan), _) => {
            ("plan", &plan.span, "the plan judges its steps", of_plan, "the step is the prompt", "steps")
        }
        (None, Some(pipeline)) => (
            "pipeline",
            &pipeline.span,
            "the pipeline judges its replies",
            of_pipeline,
            "the files are the prompts",
            "files",
        ),
        (None, None) => return,
    };
    problems.extend(evaluator.checks().filter(|check| *check != name).map(|other| {
        Diagnostic::error(format!("`evaluator.{name}` and `evaluator.{other}` are two checks"))
            .at(span.clone(), judges)
            .help(help)
    }));
    let tools = place(&agent.tools).filter(|_| evaluator.plan.is_none());
    // A model reads instructions in its system prompt. A command has nothing but the prompts of the steps.
    let skills = place(&agent.skills).filter(|_| agent.command.written().is_some());
    let of_command = format!("a command gets only the prompts of the {parts}");
    let useless = [
        place(&agent.prompt).map(|at| (at, prompts)),
        tools.map(|at| (at, "its steps have no tools")),
        skills.map(|at| (at, of_command.as_str())),
    ];
    problems.extend(useless.into_iter().flatten().map(|(at, why)| {
        Diagnostic::error(format!("`{}` has no use beside `evaluator.{name}`", at.key))
            .at(at.span, why)
            .help("remove it")
    }));
}

fn times(at: FieldValue<i128>, most: u64) -> Result<u64, Diagnostic> {
    u64::try_from(at.value).ok().filter(|times| *times <= most).ok_or_else(|| {
        Diagnostic::error(format!("`{}` has to be a number from 0 to {most}", at.key))
            .at(at.span, "not such a number")
    })
}
