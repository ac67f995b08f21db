//! The stop condition.

use loop_agents::{output::Pattern, shell::MAX_PATTERNS};

use super::super::{
    diagnostics::{Diagnostic, Span},
    field::{Field, FieldValue},
    keys, nearest,
    raw::RawEvaluator,
    raw_condition::{ConditionForm, RawConditions, RawStopCondition},
    source,
    stop_plan::StopPlan,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConditionType {
    EvaluatorPass,
    OutputMatches,
}

const KINDS: [(&str, ConditionType); 2] =
    [("evaluator_pass", ConditionType::EvaluatorPass), ("output_matches", ConditionType::OutputMatches)];

const ONE_FORM: &str = "a condition is a `type`, `all`, `any`, `at_least` with `of`, or `not`";

const FLAVOUR: &str = "patterns are those of Rust's `regex`: no look-around and no backreferences; with `(?m)` in front, `^` and `$` match at every line";

/// Validates the condition in `raw`.
pub(super) fn stop(
    raw: RawStopCondition,
    evaluator: &RawEvaluator,
    text: &str,
    problems: &mut Vec<Diagnostic>,
) -> Option<StopPlan> {
    let (span, leaves) = (raw.span.clone(), raw.leaf_count());
    // A manifest without any evaluator is reported elsewhere.
    let is_mute = evaluator.checks().next().is_some_and(|first| first != "command");
    let plan = ConditionRules { text, is_mute, problems }.at_the_top(raw);
    if leaves > MAX_PATTERNS {
        let finding = Diagnostic::error(format!("`stop_condition` has {leaves} conditions in it"));
        let finding = finding.at(span, format!("the limit is {MAX_PATTERNS}"));
        problems.push(finding.help("join patterns with `|`: one pattern can replace several"));
        return None;
    }
    plan
}

/// The rules for every condition, however deeply it is nested.
struct ConditionRules<'a> {
    text: &'a str,
    /// True if there is no command whose output could match a pattern.
    is_mute: bool,
    problems: &'a mut Vec<Diagnostic>,
}

impl ConditionRules<'_> {
    /// Without any condition, the check has to pass.
    fn at_the_top(&mut self, raw: RawStopCondition) -> Option<StopPlan> {
        if raw.forms.is_empty() { self.plain(raw) } else { self.condition(raw) }
    }

    fn condition(&mut self, raw: RawStopCondition) -> Option<StopPlan> {
        let Some((form, span)) = raw.forms.first().cloned() else {
            let finding = Diagnostic::error("a condition in `stop_condition` is empty");
            self.problems.push(finding.at(raw.span, "this is empty").help(ONE_FORM));
            return None;
        };
        if let Some((_, other)) = raw.forms.iter().find(|(other, _)| *other != form) {
            let finding = Diagnostic::error("a condition in `stop_condition` has two forms at once");
            let finding = finding.at(span, "this is one of them").at(other.clone(), "this is another");
            self.problems.push(finding.help(ONE_FORM));
            return None;
        }
        if raw.is_too_deep {
            return None;
        }
        match form {
            ConditionForm::Type => self.plain(raw),
            ConditionForm::All => {
                self.list(raw.all, "it would be met whatever the check says").map(StopPlan::All)
            }
            ConditionForm::Any => self.list(raw.any, "it could never be met").map(StopPlan::Any),
            ConditionForm::AtLeast => self.at_least(raw.at_least, raw.of, span),
            ConditionForm::Not => {
                raw.not.required().and_then(|raw| self.condition(*raw)).map(Box::new).map(StopPlan::Not)
            }
        }
    }

    fn list(&mut self, raw: RawConditions, empty: &str) -> Option<Vec<StopPlan>> {
        let FieldValue { key, value: raw, span } = raw.written_at()?;
        if raw.is_empty() {
            let finding = Diagnostic::error(format!("`{key}` is empty")).at(span, empty);
            self.problems.push(finding.help("list at least one condition"));
            return None;
        }
        // Report errors in every part: one must not hide the others.
        let parts: Vec<_> = raw.into_iter().map(|raw| raw.and_then(|raw| self.condition(raw))).collect();
        parts.into_iter().collect()
    }

    fn at_least(&mut self, needed: Field<i128>, of: RawConditions, span: Span) -> Option<StopPlan> {
        for (is_absent, missing) in [
            (matches!(needed, Field::Absent), "stop_condition.at_least"),
            (matches!(of, Field::Absent), "stop_condition.of"),
        ] {
            if is_absent {
                let finding = Diagnostic::error(format!("`{missing}` is missing"));
                let finding = finding.at(span.clone(), "this is half of a condition");
                let (name, meaning) = (keys::name(missing), keys::meaning(missing));
                self.problems.push(finding.help(format!("add `{name}`: {meaning}")));
            }
        }
        let written = of.written().map(|at| at.value.len());
        let needed = needed.judge(self.problems, |at| needed_of(at, written));
        let parts = self.list(of, "there is nothing to count");
        Some(StopPlan::AtLeast(needed.required()?, parts?))
    }

    /// Validates a condition without parts.
    fn plain(&mut self, raw: RawStopCondition) -> Option<StopPlan> {
        let kind_written = raw.kind.written().map(|at| at.span.clone());
        let kind = raw.kind.judge(self.problems, kind).or(ConditionType::EvaluatorPass);
        let pattern = raw.pattern.judge(self.problems, |at| pattern(&at, self.text));
        if let (Some(ConditionType::OutputMatches), Some(span), true) = (kind, &kind_written, self.is_mute) {
            let finding = Diagnostic::error("`output_matches` needs `evaluator.command`");
            let finding = finding.at(span.clone(), "there is no command whose output could match");
            self.problems.push(finding.help("remove it: the other checks have to pass in any case"));
            return None;
        }
        match (kind?, pattern) {
            (ConditionType::EvaluatorPass, Field::Absent) => Some(StopPlan::EvaluatorPass),
            (ConditionType::OutputMatches, Field::Written(pattern)) => {
                Some(StopPlan::OutputMatches(pattern.value))
            }
            (ConditionType::OutputMatches, Field::Absent) => {
                let finding = Diagnostic::error("`stop_condition.pattern` is missing");
                let finding = finding.at(kind_written.unwrap_or_default(), "this needs a pattern");
                self.problems.push(
                    finding.help("add `pattern`: a regular expression that the check's output has to match"),
                );
                None
            }
            (ConditionType::EvaluatorPass, Field::Written(pattern)) => {
                let finding = Diagnostic::error("`stop_condition.pattern` would be ignored");
                let finding = finding.at(pattern.span, "`evaluator_pass` looks at the exit code only");
                self.problems.push(
                    finding.help("set `stop_condition.type` to `output_matches`, or remove the pattern"),
                );
                None
            }
            (_, Field::Refused) => None,
        }
    }
}

/// Validates the required number of conditions against the number of written ones, if there are any.
fn needed_of(at: FieldValue<i128>, written: Option<usize>) -> Result<usize, Diagnostic> {
    let key = at.key;
    let needed = usize::try_from(at.value).unwrap_or(if at.value < 0 { 0 } else { usize::MAX });
    if needed == 0 {
        return Err(Diagnostic::error(format!("`{key}` has to be a whole number of at least 1"))
            .at(at.span, "it would be met whatever the check says"));
    }
    match written {
        // An empty list has its own message.
        Some(count) if count > 0 && needed > count => {
            let conditions =
                if count == 1 { "1 condition".to_owned() } else { format!("{count} conditions") };
            Err(Diagnostic::error(format!("`{key}` is more than there are conditions"))
                .at(at.span, format!("of {conditions}, {} cannot be met", at.value))
                .help("lower it, or add conditions to `of`"))
        }
        _ => Ok(needed),
    }
}

fn kind(at: FieldValue<String>) -> Result<ConditionType, Diagnostic> {
    if let Some((_, kind)) = KINDS.iter().find(|(name, _)| *name == at.value) {
        return Ok(*kind);
    }
    let meant = nearest::closest(&at.value, KINDS, |(name, _)| name);
    Err(Diagnostic::error(format!("unknown stop condition `{}`", at.value))
        .at(at.span, nearest::suggestion(meant.map(|(name, _)| name)))
        .note("`evaluator_pass` (the default) is met when the check exits 0, `output_matches` when its output matches a pattern as well"))
}

fn pattern(at: &FieldValue<String>, text: &str) -> Result<Pattern, Diagnostic> {
    if at.value.is_empty() {
        return Err(Diagnostic::error(format!("`{}` is empty", at.key))
            .at(at.span.clone(), "this would match any output")
            .help("name something that only a good output contains; `evaluator_pass` needs no pattern"));
    }
    Pattern::new(&at.value).map_err(|error| {
        Diagnostic::error(format!("`{}` cannot be used as a regular expression", at.key))
            .at(place(at, error.offset(), text), error.problem())
            .note(FLAVOUR)
    })
}

/// Returns the location of the sign at `offset` in the pattern, or of the whole pattern if escapes shift it in the
/// file.
fn place(at: &FieldValue<String>, offset: Option<usize>, text: &str) -> Span {
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
