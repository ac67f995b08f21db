//! A limit on failures in a row.
//!
//! An expired key, a full disk, a model that was switched off: every iteration now fails in the same way and at once,
//! and a loop that may run a hundred iterations wastes all of them. Nothing will change until a person intervenes, so
//! the run halts while some of its budget is left.

use loop_core::{Decision, Guardrail, Halt, Progress, SnapshotError, StopReason};

/// Halts after this number of failed steps in a row.
///
/// A step fails if its iteration or its evaluator fails or notes a [fault](loop_core::IterationContext::fault), such as
/// an exit code. **A failing verdict does not count**, because it is normal in a loop. One good step resets the count.
/// A limit of zero halts before the first iteration.
/// first iteration.
///
/// ```
/// use loop_core::{IterationContext, Loop, StopReason, WorkError, iteration_fn};
/// use loop_guardrails::{ConsecutiveFailures, after};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = iteration_fn(async |_: IterationContext<()>| Err(WorkError::failed("the key has expired")));
/// let report =
///     Loop::new(agent).until(after(100)).at_most(100).guard(ConsecutiveFailures::new(3)).run().await?;
/// assert_eq!(report.reason(), Some(&StopReason::ConsecutiveFailures));
/// assert_eq!(report.iterations(), 3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConsecutiveFailures(u64);

impl ConsecutiveFailures {
    /// Halts after `limit` failures in a row.
    pub const fn new(limit: u64) -> Self {
        Self(limit)
    }
}

impl Guardrail for ConsecutiveFailures {
    fn name(&self) -> &str {
        "consecutive_failures"
    }
    fn check(&self, progress: &Progress) -> Decision {
        let failures = progress.consecutive_failures();
        if failures < self.0 {
            return Decision::Continue;
        }
        let last = progress.last_step().and_then(|step| step.failure().or(step.fault()));
        Decision::Halt(Halt::new(StopReason::ConsecutiveFailures, message(failures, last)))
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(String::new())
    }
}

fn message(failures: u64, last: Option<&str>) -> String {
    match (failures, last) {
        (0, _) => "the limit of failures in a row is 0".to_owned(),
        (1, Some(last)) => format!("the last step failed: {last}"),
        (1, None) => "the last step failed".to_owned(),
        (_, Some(last)) => format!("the last {failures} steps failed, most recently: {last}"),
        (_, None) => format!("the last {failures} steps failed"),
    }
}
