//! The connection of a step in progress to its workflow.

use async_trait::async_trait;
use loop_core::BoxError;

use crate::UsageReports;

/// The connection of a step in progress to its workflow.
#[async_trait]
pub trait Link: Send + Sync {
    /// Resolves when the step has to end.
    async fn cancelled(&self);

    /// Sends reports to the workflow.
    ///
    /// # Errors
    /// Fails if it is not certain that they arrived.
    async fn report(&self, reports: UsageReports) -> Result<(), BoxError>;
}
