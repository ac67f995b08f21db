//! `parallel`: several loops at once.

use super::{
    super::{
        bounds::MAX_LANES,
        diagnostics::Diagnostic,
        field::{FieldValue, FlagOrWhole},
        plan::{ParallelPlan, Pick},
        raw::RawManifest,
        raw_parallel::RawParallel,
    },
    words::word,
};

/// The words of `parallel.pick`.
const PICKS: [(&str, Pick); 2] = [("first", Pick::First), ("best", Pick::Best)];

/// Validates the keys about loops that run at once.
pub(super) fn parallel(
    raw: Option<RawParallel>,
    problems: &mut Vec<Diagnostic>,
) -> Option<Option<ParallelPlan>> {
    let Some(raw) = raw else { return Some(None) };
    let count = raw.count.judge(problems, count);
    let pick = raw.pick.judge(problems, |at| word(&at, &PICKS, "`first` is the default"));
    Some(Some(ParallelPlan { count: count.required()?, pick: pick.or(Pick::First)? }))
}

fn count(at: FieldValue<i128>) -> Result<usize, Diagnostic> {
    usize::try_from(at.value).ok().filter(|count| (2..=MAX_LANES).contains(count)).ok_or_else(|| {
        Diagnostic::error(format!("`{}` has to be from 2 to {MAX_LANES}", at.key))
            .at(at.span, "not a number of loops at once")
            .help("one loop needs no `parallel`")
    })
}

/// Refuses what has no meaning for several loops at once.
pub(super) fn alone(raw: &RawManifest, problems: &mut Vec<Diagnostic>) {
    let Some(parallel) = &raw.parallel else { return };
    let mut refuse = |why: &str, help: &str| {
        let error = Diagnostic::error(why).at(parallel.span.clone(), "several loops work at once");
        problems.push(error.help(help.to_owned()));
    };
    if raw.evaluator.plan.is_some() {
        refuse("`evaluator.plan` cannot be performed by several loops", "remove `parallel`, or the plan");
    }
    if raw.evaluator.pipeline.is_some() {
        refuse(
            "`evaluator.pipeline` cannot be answered by several loops",
            "remove `parallel`, or the pipeline",
        );
    }
    if raw.agent.usage_log.written().is_some() {
        refuse(
            "several loops cannot share `agent.usage_log`: each would count the lines of the others",
            "remove `parallel`, or let the agent append to the file that LOOP_USAGE_FILE names",
        );
    }
    if raw
        .guardrails
        .hitl_checkpoint
        .written()
        .is_some_and(|at| !matches!(at.value, FlagOrWhole::Flag(false)))
    {
        refuse(
            "several loops cannot ask at `guardrails.hitl_checkpoint`",
            "remove `parallel`, or the checkpoint",
        );
    }
    if raw.on_regression.written().is_some_and(|at| at.value == "restore") {
        refuse("`on_regression: restore` needs snapshots of each loop", "remove `parallel`, or write `keep`");
    }
}
