//! The keys about checks of what an agent says, and about the steps that it does, as they were written.

use super::{
    diagnostics::Span,
    field::{Field, SpannedText},
    fields::Fields,
};

/// `evaluator.confidence`: the confidence that the agent must report.
#[derive(Debug, Default)]
pub(crate) struct RawConfidence {
    /// The least number that passes. Required; above 0 and up to 1.
    pub(crate) at_least: Field<f64>,
    /// The key of the confidence. Default: `confidence`.
    pub(crate) key: Field<String>,
}

/// `evaluator.judge`: a model that judges what the agent said.
#[derive(Debug, Default)]
pub(crate) struct RawJudge {
    /// Its name. Required.
    pub(crate) model: Field<String>,
    /// The criteria. Required; from 1 to 20 sentences.
    pub(crate) criteria: Field<Vec<SpannedText>>,
    /// The maximum number of votes. From 1 to 25. Default: 1.
    pub(crate) votes: Field<i128>,
    /// The required number of yes votes. From 1 to `votes`. Default: more than half.
    pub(crate) pass: Field<i128>,
    /// Additional instructions.
    pub(crate) prompt: Field<String>,
}

impl RawConfidence {
    /// Reads the object.
    pub(crate) fn read(mut fields: Fields<'_>) -> Self {
        Self {
            at_least: fields.number("evaluator.confidence.at_least"),
            key: fields.text("evaluator.confidence.key"),
        }
    }
}

impl RawJudge {
    /// Reads the object.
    pub(crate) fn read(mut fields: Fields<'_>) -> Self {
        Self {
            model: fields.text("evaluator.judge.model"),
            criteria: fields.list("evaluator.judge.criteria"),
            votes: fields.whole("evaluator.judge.votes"),
            pass: fields.whole("evaluator.judge.pass"),
            prompt: fields.text("evaluator.judge.prompt"),
        }
    }
}

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

/// `evaluator.pipeline`: files with prompts that the agent answers, one after the other.
#[derive(Debug)]
pub(crate) struct RawPipeline {
    /// The location of the object.
    pub(crate) span: Span,
    /// The files. Required.
    pub(crate) files: Field<Vec<SpannedText>>,
    /// The confidence that each reply needs. Required.
    pub(crate) at_least: Field<f64>,
    /// Whether a guessed confidence can pass. Default: `false`.
    pub(crate) accept_guess: Field<bool>,
    /// How often a step is repeated. Default: 0.
    pub(crate) repeats: Field<i128>,
}

impl RawPipeline {
    /// Reads the object.
    pub(crate) fn read(mut fields: Fields<'_>) -> Self {
        Self {
            span: fields.span(),
            files: fields.list("evaluator.pipeline.files"),
            at_least: fields.number("evaluator.pipeline.at_least"),
            accept_guess: fields.flag("evaluator.pipeline.accept_guess"),
            repeats: fields.whole("evaluator.pipeline.repeats"),
        }
    }
}
