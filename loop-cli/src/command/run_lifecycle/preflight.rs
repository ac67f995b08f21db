//! Checks before the first paid step: a trial of the evaluator, and whether programs exist.

use std::{ffi::OsString, path::Path};

use loop_agents::{
    process::{CutReason, try_limits},
    shell::CheckOutput,
};
use loop_core::{StepRecord, with_causes};

use crate::command::{Failure, OrFail, usage};
use crate::{
    persistence,
    view::{self, text},
};
use loop_manifest::{
    ExecutionContext, Plan,
    model::Model,
    plan::{EvaluatorPlan, ReviewerPlan, WorkPlan},
};

/// Tries the evaluator, shows its result, and warns if it already passes. Fails if a run would end in its first
/// iteration. Also warns about a missing agent. Returns the record of the check, if it came to a verdict.
pub(crate) async fn try_evaluator(plan: &Plan, cx: &ExecutionContext) -> Result<Option<StepRecord>, Failure> {
    plan.missing_agents(cx.folder(), cx.variables()).iter().for_each(|missing| view::warning(missing));
    let Some(mut command) = plan.check_command(cx)? else {
        view::print_or_warn("nothing to try: there is no command, and no output to judge yet");
        return Ok(None);
    };
    let checked = plan.judge_output(command.check().await.or_internal("evaluator.command")?);
    let CheckOutput { verdict, exit, cut, .. } = &checked;
    show("check, tried once", &text::printable(verdict.text()));
    if let Some(cut) = cut {
        view::print_or_warn(&format!("verdict: none (the check was ended {cut})"));
        view::warning(&unfinished(*cut));
        return Ok(None);
    }
    view::print_or_warn(&format!("verdict: {} (the check {exit})", verdict.outcome()));
    if exit.is_unavailable() {
        return Err(usage!(
            "the check cannot run: it {exit}, which means that the shell did not find the program, or may not \
             run it\n  a run would end in its first iteration as `evaluator_unavailable`: fix `evaluator.command`"
        ));
    }
    let EvaluatorPlan { confidence, judge, review, .. } = &plan.evaluator;
    let is_all = confidence.is_none() && judge.is_none() && review.is_none();
    if is_all && plan.is_met_by(checked.record()) {
        view::warning(match plan.stop.is_plain() {
            true => "the check already passes before the agent has done anything",
            false => "the goal is already met before the agent has done anything",
        });
    }
    Ok(Some(checked.record()))
}

/// Returns advice about a check that was ended before its verdict.
fn unfinished(cut: CutReason) -> String {
    let advice = match cut {
        CutReason::TimeLimit(_) => "\n  raise `evaluator.max_seconds`, or make the check faster",
        CutReason::Requested | CutReason::SilenceLimit(_) => "",
    };
    format!("the check was ended {cut}: in a run, such an iteration fails{advice}")
}

/// Warns about limits that this machine cannot enforce.
pub(crate) fn check_limits(plan: &Plan) {
    if let Err(error) = try_limits(plan.resources) {
        view::warning(&format!("`limits` cannot be enforced here: {}", with_causes(&error)));
    }
}

/// Shows a text under a title.
pub(crate) fn show(title: &str, body: &str) {
    view::print_or_warn(&format!(
        "{}\n{}\n",
        view::paint(view::BOLD, format_args!("-- {title}")),
        body.trim_end()
    ));
}

/// Warns about unusable models, for example without a key.
pub(crate) fn check_models(plan: &Plan, dir: &Path, vars: &[(OsString, OsString)]) {
    let agent = match &plan.agent.work {
        WorkPlan::Model(model) => Some(("agent.model", &model.name)),
        WorkPlan::Command(_) => None,
    };
    let judge = plan.evaluator.judge.as_ref().map(|judge| ("evaluator.judge.model", &judge.model));
    let review = match plan.reviewer() {
        Some(ReviewerPlan::Model { name, .. }) => Some(("evaluator.review.model", name)),
        Some(ReviewerPlan::Command(_)) | None => None,
    };
    let named: Vec<_> = [agent, judge, review].into_iter().flatten().collect();
    let lookup = |name: &str| vars.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    if named.is_empty() {
        return;
    }
    let settings = match persistence::settings(dir, lookup) {
        Ok(settings) => settings,
        Err(findings) => return view::say(&view::diagnostics(&findings)),
    };
    for (key, name) in named {
        if let Err(error) = Model::choose(Some(name.as_str()), &settings, vars) {
            view::warning(&format!("cannot ask `{key}`: {error:#}"));
        }
    }
}

/// Refuses a run or a task that lacks a program.
pub(crate) fn refuse_missing(missing: &[String]) -> Result<(), Failure> {
    match missing.first() {
        Some(missing) => Err(usage!("{missing}")),
        None => Ok(()),
    }
}
