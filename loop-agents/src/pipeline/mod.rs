//! Pipelines: prompts in files, each of which also gets the reply to the file before it.
//!
//! A chain of prompts fails silently: a weak answer in its middle becomes the basis of all later ones. So every reply of a
//! pipeline states how confident the model is, and the first reply that is not confident enough ends the pipeline. The
//! [`PipelineExecution`] sends the next [`PipelineFile`] and reads the [`ConfidenceScore`] of the reply, and
//! [`PipelineEvaluator`] compares that with the [`ConfidenceGate`].

mod evaluator;
mod execution;
mod file;
mod gate;
mod percent;
mod prompt;
mod removal;
mod score;
mod stated;

pub use self::{
    evaluator::{NOT_PASSED, PipelineEvaluator},
    execution::{PipelineExecution, PipelineOutput, STEP_FAILED},
    file::{MAX_FILE_BYTES, MAX_FILES, PipelineFile, PipelineFileError},
    gate::{ConfidenceGate, MAX_RETRIES},
    percent::{Percent, PercentError},
    score::{ConfidenceScore, ScoreMethod, ScoredReply},
};
