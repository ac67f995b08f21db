//! The keys about a plan, as they were written.

use super::{diagnostics::Span, field::Field, fields::Fields};

/// `evaluator.plan`: a plan whose steps the agent performs, one after the other.
#[derive(Debug)]
pub(crate) struct RawPlanCheck {
    /// The location of the object.
    pub(crate) span: Span,
    /// The file of the plan. Default: `.loop/plan.md`.
    pub(crate) file: Field<String>,
    /// How often a step is repaired. Default: 2.
    pub(crate) repairs: Field<i128>,
    /// Whether later steps are performed after a blocked one. Default: `false`.
    pub(crate) keep_going: Field<bool>,
    /// `all` (the default) or `next`.
    pub(crate) steps: Field<String>,
}

impl RawPlanCheck {
    /// Reads the object.
    pub(crate) fn read(mut fields: Fields<'_>) -> Self {
        Self {
            span: fields.span(),
            file: fields.text("evaluator.plan.file"),
            repairs: fields.whole("evaluator.plan.repairs"),
            keep_going: fields.flag("evaluator.plan.keep_going"),
            steps: fields.text("evaluator.plan.steps"),
        }
    }
}
