//! When the goal is met.

use loop_agents::output::Pattern;

use super::super::{
    diagnostics::{Diagnostic, Span},
    field::{At, Field},
    nearest,
    plan::StopPlan,
    raw::{RawEvaluator, RawStopCondition},
    source,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    EvaluatorPass,
    OutputMatches,
}

const KINDS: [(&str, Kind); 2] =
    [("evaluator_pass", Kind::EvaluatorPass), ("output_matches", Kind::OutputMatches)];

const FLAVOUR: &str = "patterns are those of Rust's `regex`: no look-around and no backreferences; with `(?m)` in front, `^` and `$` match at every line";

/// The condition that `raw` describes.
pub(super) fn stop(
    raw: RawStopCondition,
    evaluator: &RawEvaluator,
    text: &str,
    problems: &mut Vec<Diagnostic>,
) -> Option<StopPlan> {
    let kind_written = raw.kind.written().map(|at| at.span.clone());
    let kind = raw.kind.judge(problems, kind).or(Kind::EvaluatorPass);
    let pattern = raw.pattern.judge(problems, |at| pattern(&at, text));
    // Where nothing judges at all, that is reported.
    let RawEvaluator { command, confidence, judge, review, .. } = evaluator;
    let is_mute =
        matches!(command, Field::Absent) && (confidence.is_some() || judge.is_some() || review.is_some());
    if let (Some(Kind::OutputMatches), Some(span), true) = (kind, &kind_written, is_mute) {
        let finding = Diagnostic::error("`output_matches` needs `evaluator.command`");
        let finding = finding.at(span.clone(), "there is no command whose output could match");
        problems.push(finding.help("remove it: what there is has to pass in any case"));
        return None;
    }
    match (kind?, pattern) {
        (Kind::EvaluatorPass, Field::Absent) => Some(StopPlan::EvaluatorPass),
        (Kind::OutputMatches, Field::Written(pattern)) => Some(StopPlan::OutputMatches(pattern.value)),
        (Kind::OutputMatches, Field::Absent) => {
            let finding = Diagnostic::error("`stop_condition.pattern` is missing");
            let finding = finding.at(kind_written.unwrap_or_default(), "this needs a pattern");
            problems.push(
                finding.help("add `pattern`: a regular expression that the check's output has to match"),
            );
            None
        }
        (Kind::EvaluatorPass, Field::Written(pattern)) => {
            let finding = Diagnostic::error("`stop_condition.pattern` would be ignored");
            let finding = finding.at(pattern.span, "`evaluator_pass` looks at the exit code only");
            problems
                .push(finding.help("set `stop_condition.type` to `output_matches`, or remove the pattern"));
            None
        }
        (_, Field::Refused) => None,
    }
}

fn kind(at: At<String>) -> Result<Kind, Diagnostic> {
    if let Some((_, kind)) = KINDS.iter().find(|(name, _)| *name == at.value) {
        return Ok(*kind);
    }
    let meant = nearest::closest(&at.value, KINDS, |(name, _)| name);
    Err(Diagnostic::error(format!("unknown stop condition `{}`", at.value))
        .at(at.span, nearest::suggestion(meant.map(|(name, _)| name)))
        .note("`evaluator_pass` (the default) is met when the check exits 0, `output_matches` when its output matches a pattern as well"))
}

fn pattern(at: &At<String>, text: &str) -> Result<Pattern, Diagnostic> {
    if at.value.is_empty() {
        return Err(Diagnostic::error(format!("`{}` is empty", at.key))
            .at(at.span.clone(), "this would match any output")
            .help("name what a good output has in it; `evaluator_pass` needs no pattern"));
    }
    Pattern::new(&at.value).map_err(|error| {
        Diagnostic::error(format!("`{}` cannot be used as a regular expression", at.key))
            .at(place(at, error.offset(), text), error.problem())
            .note(FLAVOUR)
    })
}

/// The sign at `offset` in the pattern, unless escapes make it another place in the file.
fn place(at: &At<String>, offset: Option<usize>, text: &str) -> Span {
    let written = source::find(text, &at.span, &at.value, 0);
    match offset {
        Some(offset) if text.get(written.clone()) == Some(at.value.as_str()) => {
            let sign = at.value.get(offset..).and_then(|rest| rest.chars().next());
            let start = written.start + offset;
            start..start + sign.map_or(0, char::len_utf8)
        }
        _ => at.span.clone(),
    }
}
