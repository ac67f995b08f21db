//! `stagnation`.

use loop_guardrails::{ScoreGain, StagnationRules};

use super::{
    super::{
        bounds::MAX_GAIN,
        diagnostics::Diagnostic,
        field::{Field, FieldValue},
        plan::{Direction, EvaluatorPlan, PacePlan, SnapshotMode},
        raw_stagnation::{RawScoreGain, RawStagnation},
    },
    snapshots::Restores,
    words::word,
};

/// The words, and whether something watches.
const MODES: [(&str, bool); 2] = [("auto", true), ("off", false)];

/// Validates the keys. A part of the plan that is `None` is reported already.
pub(super) fn stagnation(
    raw: RawStagnation,
    evaluator: &Option<EvaluatorPlan>,
    pace: Option<PacePlan>,
    restores: &Option<Restores>,
    problems: &mut Vec<Diagnostic>,
) -> Option<Option<StagnationRules>> {
    let evaluator = evaluator.as_ref();
    let has_command = evaluator.is_none_or(|plan| plan.command.is_some());
    let is_paced = pace.is_some_and(|pace| !pace.every.is_zero());
    let is_chosen = raw.object.is_some();
    if let Some(span) = raw.object.filter(|_| !has_command) {
        problems.push(
            Diagnostic::error("`stagnation` needs `evaluator.command`")
                .at(span, "there is no output of a check to compare")
                .help("write the command that judges, or remove this"),
        );
        return None;
    }
    let mode = raw.mode.judge(problems, |at| {
        word(&at, &MODES, "`auto` is the default; an object with `halt_after` and others is possible too")
    });
    let has_snapshots = restores.as_ref().is_none_or(|restores| restores.snapshots.mode != SnapshotMode::Off);
    let (nudge_after, halt_after) = order(raw.nudge_after, raw.halt_after, problems)?;
    let oscillation_after = raw.oscillation_after.judge(problems, |at| match has_snapshots {
        true => at_least(2, &at),
        false => Err(Diagnostic::error(format!("`{}` needs snapshots", at.key))
            .at(at.span, "nothing knows the earlier files")
            .help("remove `snapshots: off`, or this")),
    });
    let score = match raw.score {
        Some(raw) => Some(score_gain(raw, evaluator, problems)?),
        None => None,
    };
    let mut rules = StagnationRules::default();
    (rules.nudge_after, rules.halt_after) = (nudge_after, halt_after);
    (rules.oscillation_after, rules.score) = (oscillation_after.optional()?, score);
    let is_on = mode.or(true)? && has_command && (is_chosen || !is_paced);
    Some(is_on.then_some(rules))
}

/// Returns the numbers of the nudge and of the halt, which comes later.
fn order(nudge: Field<i128>, halt: Field<i128>, problems: &mut Vec<Diagnostic>) -> Option<(u64, u64)> {
    let usual = StagnationRules::default();
    let place = nudge.written().map(|at| (at.key, at.span.clone()));
    let nudge = nudge.judge(problems, |at| at_least(1, &at)).optional();
    let halt = halt.judge(problems, |at| at_least(2, &at)).optional();
    let (nudge, halt) = (nudge?, halt?);
    let halt_after = halt.or_else(|| Some(nudge?.saturating_add(3).max(usual.halt_after)));
    let halt_after = halt_after.unwrap_or(usual.halt_after);
    let nudge_after = nudge.unwrap_or_else(|| usual.nudge_after.min(halt_after - 1));
    if let Some((key, span)) = place.filter(|_| nudge_after >= halt_after) {
        problems.push(
            Diagnostic::error(format!("`{key}` has to be less than `stagnation.halt_after`"))
                .at(span, format!("the run halts after {halt_after}"))
                .help("lower this, or raise `halt_after`"),
        );
        return None;
    }
    Some((nudge_after, halt_after))
}

fn score_gain(
    raw: RawScoreGain,
    evaluator: Option<&EvaluatorPlan>,
    problems: &mut Vec<Diagnostic>,
) -> Option<ScoreGain> {
    let gain = raw.gain.judge(problems, |at| match at.value > 0.0 && at.value <= MAX_GAIN {
        true => Ok(at.value),
        false => Err(Diagnostic::error(format!("`{}` has to be a number above 0", at.key))
            .at(at.span, "not a gain of a score")
            .help("write by how much the best score has to improve")),
    });
    let within = raw.within.judge(problems, |at| at_least(1, &at));
    let score = evaluator?.score.as_ref();
    if score.is_none() {
        problems.push(
            Diagnostic::error("`stagnation.score` needs `evaluator.score`")
                .at(raw.span, "no step has a score")
                .help("write `evaluator.score` with a `pattern` or a `pointer`, or remove this"),
        );
    }
    let is_lower_better = score?.direction == Direction::Down;
    Some(ScoreGain { gain: gain.required()?, within: within.required()?, is_lower_better })
}

fn at_least(least: u64, at: &FieldValue<i128>) -> Result<u64, Diagnostic> {
    u64::try_from(at.value).ok().filter(|count| *count >= least).ok_or_else(|| {
        Diagnostic::error(format!("`{}` has to be at least {least}", at.key))
            .at(at.span.clone(), "not a number of iterations in a row")
            .help("write `stagnation: off` if nothing should watch for this")
    })
}
