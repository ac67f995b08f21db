//! Warns about stop conditions that hold at unexpected times.

use super::super::{
    diagnostics::{Diagnostic, Span},
    raw::RawManifest,
    raw_condition::{ConditionForm, RawConditions, RawStopCondition},
};

pub(super) fn of(raw: &RawManifest) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    without_effect(&raw.stop_condition, &mut warnings);
    warnings.extend(met_by_a_fail(&raw.stop_condition));
    warnings
}

/// Warns about a match beside a sufficient pass: a match needs a pass, so it adds nothing.
fn without_effect(raw: &RawStopCondition, warnings: &mut Vec<Diagnostic>) {
    let alternatives: Vec<_> =
        raw.any.written().into_iter().flat_map(|at| at.value.iter().flatten()).collect();
    if let Some(pass) = alternatives.iter().find_map(|part| word(part, "evaluator_pass")) {
        for matching in alternatives.iter().filter_map(|part| word(part, "output_matches")) {
            let finding = Diagnostic::warning("`output_matches` has no effect here");
            let finding = finding
                .at(matching, "this also needs the check to pass")
                .at(pass.clone(), "and then this is met already");
            warnings.push(finding.help("remove one of them, or write `all` instead of `any`"));
        }
    }
    raw.parts().for_each(|part| without_effect(part, warnings));
}

/// Warns about a negated match, which also holds when the check fails.
fn met_by_a_fail(raw: &RawStopCondition) -> Option<Diagnostic> {
    let (_, span) = raw.forms.first()?;
    // A person who negates only the check wants it to fail.
    if !raw.has_pattern() || !holds_after_a_fail(raw) {
        return None;
    }
    let finding = Diagnostic::warning("the goal is met by a check that fails");
    let finding = finding.at(span.clone(), "this holds whenever the check does not pass");
    Some(finding.help("if the check has to pass as well, put `type: evaluator_pass` beside it in `all`"))
}

/// Returns whether the condition holds when the check fails, that is, when no condition without parts holds.
fn holds_after_a_fail(raw: &RawStopCondition) -> bool {
    let count = |list: &RawConditions| {
        let parts = list.written().into_iter().flat_map(|at| at.value.iter().flatten());
        parts.filter(|part| holds_after_a_fail(part)).count()
    };
    let length = |list: &RawConditions| list.written().map_or(0, |at| at.value.len());
    match raw.forms.first() {
        None | Some((ConditionForm::Type, _)) => false,
        Some((ConditionForm::All, _)) => count(&raw.all) == length(&raw.all),
        Some((ConditionForm::Any, _)) => count(&raw.any) > 0,
        Some((ConditionForm::AtLeast, _)) => {
            let needed = raw.at_least.written().and_then(|at| usize::try_from(at.value).ok());
            needed.is_some_and(|needed| count(&raw.of) >= needed)
        }
        Some((ConditionForm::Not, _)) => raw.not.written().is_some_and(|at| !holds_after_a_fail(&at.value)),
    }
}

/// Returns the location of the condition's `type`, if it is this word.
fn word(raw: &RawStopCondition, word: &str) -> Option<Span> {
    raw.kind.written().filter(|at| at.value == word).map(|at| at.span.clone())
}
