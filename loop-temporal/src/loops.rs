//! The source of loops: what a submission means.

use std::sync::Arc;

use async_trait::async_trait;
use loop_core::{ActionId, BoxError, Progress, Question};

use crate::{Link, RemoteRun, StepAnswer, StepRequest, Submission};

/// Makes loops from submissions. A worker of manifests has [`PlannedLoops`](crate::PlannedLoops).
#[async_trait]
pub trait Loops: Send + Sync + 'static {
    /// Makes the run, for the workflow. The same arguments always have to give the same run.
    ///
    /// # Errors
    /// The submission does not describe a loop.
    fn run(&self, run: &str, submission: &Submission) -> Result<Box<dyn RemoteRun>, LoopError>;

    /// Performs a step.
    ///
    /// # Errors
    /// This worker cannot perform it. The step then counts as one in which the run died.
    async fn perform(&self, request: StepRequest, link: Arc<dyn Link>) -> Result<StepAnswer, LoopError>;

    /// Notes that a question is open. Default: nothing, the answer comes as a signal.
    fn asked(&self, run: &str, id: ActionId, question: &Question, progress: &Progress) {
        let _ = (run, id, question, progress);
    }

    /// Takes back a run that is over. Default: drops it.
    fn finished(&self, run: &str, ended: Box<dyn RemoteRun>) {
        let _ = (run, ended);
    }
}

/// A run or a step that a worker cannot make.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LoopError(#[source] BoxError);

impl LoopError {
    /// Creates the error with this cause.
    pub fn new(cause: impl Into<BoxError>) -> Self {
        Self(cause.into())
    }
}
