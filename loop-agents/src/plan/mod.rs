//! Plans: a goal and its steps, in a Markdown file that people edit.
//!
//! A model that gets a large task in one prompt forgets its later parts. A plan names the parts as steps, and each step
//! gets a turn of its own, and a validation. The [`PlanDocument`] is the text of the plan, and [`PlanFile`] the file in
//! which it is kept. [`PlanExecution`] performs the next step, and [`PlanEvaluator`] decides whether it is done.

mod annotation;
mod calls;
mod checks;
mod document;
mod error;
mod evaluator;
mod execution;
mod file;
mod lines;
mod prompt;
mod validation;

pub use self::{
    calls::FailedCall,
    checks::{FailedCheck, StepChecks, ToolChecks, VALIDATION_TIME},
    document::{MAX_STEPS, PlanDocument, PlanStep, StepState},
    error::PlanError,
    evaluator::{BLOCKED, DEFAULT_REPAIRS, MAX_REPAIRS, PlanEvaluator},
    execution::{PlanExecution, StepOutput, UNUSABLE},
    file::{PLAN_FILE, PlanFile, PlanFileError},
    prompt::request,
    validation::StepValidation,
};
