//! Plans: a goal and its steps, in a Markdown file that people edit.
//!
//! A model that gets a large task in one prompt forgets its later parts. A plan names the parts as steps, and each step
//! gets a turn of its own. The [`PlanDocument`] is the file in which the plan is kept.

mod annotation;
mod document;
mod error;
mod lines;
mod validation;

pub use self::{
    document::{MAX_STEPS, PlanDocument, PlanStep, StepState},
    error::PlanError,
    validation::StepValidation,
};
