//! The error of building a loop.

use crate::{HistoryError, Phase, Progress, SnapshotError};

/// The error of building a loop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The goal was set before the evaluator, so it would never look at a verdict.
    #[error(
        "the loop's goal was set before its evaluator, so it would never look at a verdict: call `.evaluate(evaluator)` before `.until(condition)`"
    )]
    GoalBeforeEvaluator,
    /// The events to resume from are not the history of a run.
    #[error("the run cannot be resumed: {0}; resume from an undamaged copy, or start a new run")]
    Damaged(#[from] HistoryError),
    /// The snapshot to resume from is that of another loop, or damaged.
    #[error("the run cannot be resumed: {0}")]
    Snapshot(#[from] SnapshotError),
    /// The loop has no stop condition.
    #[error(
        "the loop has no goal: call `.until(condition)`, or `.until(never())` if only its limits should end it"
    )]
    NoGoal,
    /// The bound allows no iteration or no time.
    #[error("the loop's bound is zero, so it could do nothing: allow at least one iteration, or some time")]
    ZeroBound,
    /// A guardrail has the name under which the limits of an outer loop end an inner one.
    #[error(
        "a guardrail is called `{}`, but that names the limits of a loop around this one: rename the guardrail",
        crate::work::OuterLimits::NAME
    )]
    ReservedName,
    /// The events come from another loop.
    #[error("the events to resume from are those of a loop {} an evaluator, but this loop is {} one",
        if *.recorded { "with" } else { "without" }, if *.recorded { "without" } else { "with" })]
    EvaluatorChanged {
        /// Whether the recorded loop had an evaluator.
        recorded: bool,
    },
    /// The run stopped between an iteration and its evaluation.
    #[error("the run stopped before {}", match *.iteration {
        0 => "the first output was evaluated: pass that output to `.evaluate_first(output)`".to_owned(),
        iteration => format!(
            "iteration {iteration} was evaluated: pass its output to `.resume(events, output)`"
        ),
    })]
    OutputMissing {
        /// The iteration that was not evaluated; 0 if the output that is
        /// [evaluated first](crate::Loop::evaluate_first) is missing.
        iteration: u64,
    },
    /// The journal cannot be read, or is damaged. Holds the text of its error.
    #[error("the run's journal cannot be used: {0}")]
    Journal(String),
    /// The journal of a new run already holds a run.
    #[error(
        "the journal already holds a run: continue it with `.resume_from(journal)`, or use an empty journal"
    )]
    JournalUsed,
    /// A driver of your own does not know the time of the other members of a budget.
    #[error(
        "the loop shares a budget with a time limit, which only the tokio driver keeps: use `.run()`, or limit the \
         loop's own time with `.at_most_for(time)`"
    )]
    SharedTime,
    /// Too many loops run within each other.
    #[error(
        "more than {} loops would run within each other: let an outer loop do the work of an inner one",
        crate::MAX_DEPTH
    )]
    TooDeep,
    /// The loop has more than one source for its past.
    #[error(
        "the run's history was given twice: use only one of `.resume(events, output)`, `.resume_from(journal)` \
         and `.journal(journal)`; `.resume_from(journal)` also records what happens from now on"
    )]
    TwoHistories,
}

/// Checks that these parts can continue the restored run.
pub(super) fn check_restored(
    progress: &Progress,
    evaluated: bool,
    has_output: bool,
) -> Result<(), BuildError> {
    if progress.phase() == Phase::New {
        return Ok(());
    }
    if progress.is_evaluated() != evaluated {
        return Err(BuildError::EvaluatorChanged { recorded: progress.is_evaluated() });
    }
    match progress.needs_output() && !has_output {
        true => Err(BuildError::OutputMissing { iteration: progress.iterations() }),
        false => Ok(()),
    }
}
