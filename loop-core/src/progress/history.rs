//! Rules for which events can follow which. A history that breaks them is damaged, and no run can continue from it.

use super::{Phase, Progress};
use crate::{Ending, Event, EventKind, RunTime, event::Stage};

/// The error for events that are not the history of a run: some are missing, duplicated, damaged or out of order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the history is damaged at event {number} (`{event}`): {why}")]
pub struct HistoryError {
    number: u64,
    event: &'static str,
    why: Damage,
}

impl HistoryError {
    /// Returns the number of the first event that cannot be right, from 1.
    pub const fn number(&self) -> u64 {
        self.number
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Damage {
    #[error("the event before it has the number {0}")]
    Number(u64),
    #[error("the events between {0} and it are missing")]
    Missing(u64),
    #[error("no run has so many events")]
    TooMany,
    #[error("the event before it happened later, at {0}")]
    Time(RunTime),
    #[error("the iteration before it is {0}")]
    Iteration(u64),
    #[error("it cannot happen while {0}")]
    Order(&'static str),
    #[error("no step before it met the goal")]
    Unearned,
    #[error("the step before it met the goal")]
    Met,
}

/// The highest valid event number. A greater one is damage, and leaves no room to count the events after it.
pub(super) const MAX_SEQUENCE: u64 = u64::MAX / 2;

impl Progress {
    /// Checks that this event can follow those before it.
    pub(super) fn check(&self, event: &Event) -> Result<(), HistoryError> {
        let why = match &event.kind {
            _ if event.sequence != 0 && event.sequence <= self.sequence => Damage::Number(self.sequence),
            _ if event.sequence > MAX_SEQUENCE => Damage::TooMany,
            _ if event.at < self.now => Damage::Time(self.now),
            kind if !self.can_follow(kind) => Damage::Order(self.phase.in_words()),
            // Consecutive usage reports may have been merged into one, which has the number of the last.
            kind if event.sequence > self.sequence + 1
                && !matches!(kind, EventKind::UsageReported { .. }) =>
            {
                Damage::Missing(self.sequence)
            }
            kind if self.due.is_some() && kind.begins() => Damage::Order("the run is about to end"),
            EventKind::RunFinished { ending } if ending.is_success() && !self.has_met_goal() => {
                Damage::Unearned
            }
            EventKind::RunFinished { ending } if self.has_met_goal() && !ending.is_success() => Damage::Met,
            // Only a halt interrupts work.
            EventKind::InterruptRequested { cause } if cause.is_success() => Damage::Unearned,
            EventKind::IterationStarted { iteration, .. } if *iteration != self.iterations + 1 => {
                Damage::Iteration(self.iterations)
            }
            _ => return Ok(()),
        };
        let number = if event.sequence == 0 { self.sequence + 1 } else { event.sequence };
        Err(HistoryError { number, event: event.kind.name(), why })
    }

    fn has_met_goal(&self) -> bool {
        self.due.as_ref().is_some_and(Ending::is_success)
    }

    fn can_follow(&self, kind: &EventKind) -> bool {
        match (kind, self.phase) {
            (EventKind::RunStarted { .. }, phase) => phase == Phase::New,
            (_, Phase::New) => false,
            // A run that met its goal stays as it ended.
            (EventKind::RunResumed {}, _) => !self.ending.as_ref().is_some_and(Ending::is_success),
            (_, Phase::Ended) => false,
            (
                EventKind::UsageReported { .. }
                | EventKind::CancelRequested {}
                | EventKind::HaltRequested { .. },
                _,
            )
            | (EventKind::QuestionAsked { .. }, Phase::Before(Stage::Iteration))
            | (EventKind::QuestionAnswered { .. }, Phase::Asking)
            | (EventKind::WaitFinished {}, Phase::Waiting(_))
            | (EventKind::IterationStarted { .. }, Phase::Before(Stage::Iteration))
            | (EventKind::EvaluationStarted {}, Phase::Before(Stage::Evaluation))
            | (EventKind::StepSettled { .. }, Phase::Settling)
            | (EventKind::DeadlinePassed {}, Phase::Working(_) | Phase::Waiting(_))
            | (EventKind::Granted { .. }, Phase::Before(_) | Phase::Settling)
            | (EventKind::RunFinished { .. }, Phase::Before(_) | Phase::Waiting(_) | Phase::Asking) => true,
            (EventKind::WaitStarted { before, .. }, Phase::Before(stage)) => *before == stage,
            // Interrupted work is cut, whatever it did in its grace time.
            (EventKind::IterationFinished { .. }, Phase::Working(Stage::Iteration))
            | (EventKind::EvaluationFinished { .. }, Phase::Working(Stage::Evaluation))
            | (EventKind::InterruptRequested { .. }, Phase::Working(_)) => !self.interrupted,
            (EventKind::WorkCut { .. }, Phase::Working(_)) => self.interrupted,
            _ => false,
        }
    }
}

impl EventKind {
    /// Returns whether this event begins something. A run that is about to end begins nothing.
    const fn begins(&self) -> bool {
        matches!(
            self,
            Self::IterationStarted { .. }
                | Self::EvaluationStarted {}
                | Self::WaitStarted { .. }
                | Self::QuestionAsked { .. }
        )
    }
}

impl Phase {
    const fn in_words(self) -> &'static str {
        match self {
            Self::New => "the run has not started",
            Self::Before(Stage::Iteration) => "the next iteration is due",
            Self::Before(Stage::Evaluation) => "an evaluation is due",
            Self::Asking => "a question is open",
            Self::Waiting(_) => "the run waits",
            Self::Working(Stage::Iteration) => "an iteration is under way",
            Self::Working(Stage::Evaluation) => "an evaluation is under way",
            Self::Settling => "a step is to be settled",
            Self::Ended => "the run is over",
        }
    }
}
