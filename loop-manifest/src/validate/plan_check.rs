//! The plan whose steps the agent performs.

use super::{
    super::{
        diagnostics::Diagnostic,
        field::FieldValue,
        plan::PlanCheck,
        raw::{RawAgent, RawEvaluator},
        raw_plan::RawPlanCheck,
    },
    words::{filled, word},
    work::place,
};
use loop_agents::plan::{DEFAULT_REPAIRS, PLAN_FILE};

/// The words of `evaluator.plan.steps`, and whether one step is enough.
const STEPS: [(&str, bool); 2] = [("all", false), ("next", true)];

/// Validates the keys about the plan.
pub(super) fn plan_check(raw: RawPlanCheck, problems: &mut Vec<Diagnostic>) -> Option<PlanCheck> {
    let file = raw.file.judge(problems, filled);
    let repairs = raw.repairs.judge(problems, repairs);
    let keep_going = raw.keep_going.judge(problems, |at| Ok(at.value));
    let one_step = raw.steps.judge(problems, |at| word(&at, &STEPS, "`all` is the default"));
    Some(PlanCheck {
        file: file.or(PLAN_FILE.to_owned())?.into(),
        repairs: repairs.or(DEFAULT_REPAIRS)?,
        keep_going: keep_going.or(false)?,
        one_step: one_step.or(false)?,
    })
}

/// Refuses what has no meaning beside a plan: another check, whose failure no step would repair, and a prompt.
pub(super) fn alone(agent: &RawAgent, evaluator: &RawEvaluator, problems: &mut Vec<Diagnostic>) {
    let Some(plan) = &evaluator.plan else { return };
    problems.extend(evaluator.checks().filter(|check| *check != "plan").map(|other| {
        Diagnostic::error(format!("`evaluator.plan` and `evaluator.{other}` are two checks"))
            .at(plan.span.clone(), "the plan judges its steps")
            .help("no step would repair what the other one finds: write it into the plan, as `[validate: command CMD]`")
    }));
    problems.extend(place(&agent.prompt).map(|at| {
        Diagnostic::error(format!("`{}` has no use beside `evaluator.plan`", at.key))
            .at(at.span, "the step is the prompt")
            .help("remove it")
    }));
}

fn repairs(at: FieldValue<i128>) -> Result<u64, Diagnostic> {
    u64::try_from(at.value).map_err(|_| {
        Diagnostic::error(format!("`{}` has to be a number of 0 or more", at.key))
            .at(at.span, "not such a number")
    })
}
