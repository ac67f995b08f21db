//! `stop_condition` as it was written: a condition, or a tree of them.

use super::{
    bounds::MAX_CONDITION_DEPTH,
    diagnostics::{Diagnostic, Span},
    field::Field,
    fields::Fields,
};

const PATH: &str = "stop_condition";

/// The keys that make a condition of others.
const COMBINING: [&str; 4] =
    ["stop_condition.all", "stop_condition.any", "stop_condition.of", "stop_condition.not"];

/// A list of conditions. The reader has already reported an item that is not an object (`None`).
pub(crate) type RawConditions = Field<Vec<Option<RawStopCondition>>>;

/// When the goal is met. Validation distinguishes the forms later; each field here may be written.
#[derive(Debug, Default)]
pub(crate) struct RawStopCondition {
    /// Its location.
    pub(crate) span: Span,
    /// `evaluator_pass` (the default) or `output_matches`.
    pub(crate) kind: Field<String>,
    /// A regular expression for `output_matches`.
    pub(crate) pattern: Field<String>,
    /// Conditions that all have to be met.
    pub(crate) all: RawConditions,
    /// Conditions of which one has to be met.
    pub(crate) any: RawConditions,
    /// The required number of conditions in `of`. At least 1, and at most all of them.
    pub(crate) at_least: Field<i128>,
    /// The conditions that `at_least` counts.
    pub(crate) of: RawConditions,
    /// A condition that must not be met.
    pub(crate) not: Field<Box<RawStopCondition>>,
    /// The form that each of its keys belongs to, and where the key is written; in the order of the forms.
    pub(crate) forms: Vec<(ConditionForm, Span)>,
    /// True if it is nested too deeply, which is reported.
    pub(crate) is_too_deep: bool,
}

/// The ways to write a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConditionForm {
    Type,
    All,
    Any,
    AtLeast,
    Not,
}

/// The form to which each key belongs.
const FORMS: [(&str, ConditionForm); 7] = [
    ("stop_condition.type", ConditionForm::Type),
    ("stop_condition.pattern", ConditionForm::Type),
    ("stop_condition.all", ConditionForm::All),
    ("stop_condition.any", ConditionForm::Any),
    ("stop_condition.at_least", ConditionForm::AtLeast),
    ("stop_condition.of", ConditionForm::AtLeast),
    ("stop_condition.not", ConditionForm::Not),
];

impl RawStopCondition {
    /// Reads the condition at the top.
    pub(crate) fn read(fields: Fields<'_>) -> Self {
        Self::read_at(fields, 0)
    }

    /// Reads a condition that is nested `depth` deep.
    fn read_at(mut fields: Fields<'_>, depth: usize) -> Self {
        let forms = FORMS.iter().filter_map(|(path, form)| Some((*form, fields.key_span(path)?))).collect();
        let (kind, pattern) = (fields.text("stop_condition.type"), fields.text("stop_condition.pattern"));
        let at_least = fields.whole("stop_condition.at_least");
        let read = Self { span: fields.span(), kind, pattern, at_least, forms, ..Self::default() };
        if depth == MAX_CONDITION_DEPTH {
            let too_deep = COMBINING.iter().find_map(|path| fields.key_span(path));
            if let Some(span) = &too_deep {
                fields.report(nested_too_deep(span.clone()));
            }
            return Self { is_too_deep: too_deep.is_some(), ..read };
        }
        let part = |fields: Fields<'_>| Self::read_at(fields, depth + 1);
        Self {
            all: fields.nested_list("stop_condition.all", PATH, part),
            any: fields.nested_list("stop_condition.any", PATH, part),
            of: fields.nested_list("stop_condition.of", PATH, part),
            not: fields.nested("stop_condition.not", PATH, |fields| Box::new(part(fields))),
            ..read
        }
    }

    /// The conditions that it is made of.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Self> {
        let lists = [&self.all, &self.any, &self.of].into_iter().filter_map(|list| list.written());
        let not = self.not.written().map(|at| &*at.value);
        lists.flat_map(|at| at.value.iter().flatten()).chain(not)
    }

    /// Returns the number of conditions without parts, including itself.
    pub(crate) fn leaf_count(&self) -> usize {
        let is_leaf = self.forms.iter().all(|(form, _)| *form == ConditionForm::Type);
        if is_leaf { 1 } else { self.parts().map(Self::leaf_count).sum() }
    }

    /// Returns whether it, or any of its parts, looks for a pattern.
    pub(crate) fn has_pattern(&self) -> bool {
        self.pattern.written().is_some() || self.parts().any(Self::has_pattern)
    }
}

fn nested_too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(format!("conditions are nested more than {MAX_CONDITION_DEPTH} deep"))
        .at(span, "one too many")
        .help("join lists of the same kind: `all` in `all` is one `all`")
}
