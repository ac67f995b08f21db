//! The remaining limits of the guardrails, and the kernel's own limits.

use std::time::Duration;

use super::{MAX_ATTEMPTS, MAX_DEFERRALS, Machine};
use crate::{
    Ceiling, Decision, Ending, Halt, Phase, RunTime, StopReason, Usage, bound::in_words, event::Stage,
};

impl Machine {
    /// Returns the limits that all guardrails together leave for the work that begins now.
    pub fn left(&self) -> Ceiling {
        let mut left = Ceiling::NONE;
        self.guardrails.iter().for_each(|guardrail| left.tighten(&guardrail.ceiling(&self.progress)));
        left
    }

    /// Returns the run time at which [`Input::DeadlinePassed`](crate::Input::DeadlinePassed) is due, as far as the
    /// machine knows now. It applies while work runs and during waits.
    pub fn deadline(&self) -> Option<RunTime> {
        self.left().time.map(|left| self.progress.now().after(left))
    }

    /// Returns whether the machine would interrupt the work if it reported this usage now. A driver may delay such a
    /// report for a moment, in case the work is about to end anyway.
    pub fn would_cross(&self, usage: &Usage) -> bool {
        self.guardrails.iter().any(|guardrail| guardrail.ceiling(&self.progress).after(usage).is_exhausted())
    }

    /// Checks the kernel's own limits on one iteration.
    pub(super) fn exhausted(&self) -> Option<Ending> {
        let next = &self.progress.next;
        let halt = if next.deaths >= MAX_ATTEMPTS {
            let message = format!("the run died {MAX_ATTEMPTS} times in the same step");
            Halt::new(StopReason::AttemptsExhausted, message)
        } else if next.deferrals >= MAX_DEFERRALS {
            let message = format!("the same work was deferred {MAX_DEFERRALS} times");
            let reason = match self.progress.phase {
                Phase::Before(Stage::Evaluation) => StopReason::EvaluatorUnavailable,
                _ => StopReason::AgentUnavailable,
            };
            Halt::new(reason, message)
        } else {
            return None;
        };
        Some(Ending::halted(halt))
    }

    /// Returns the ending if the run's time would be over before the deferred work can be retried. Hours of waiting for
    /// that would be pointless.
    pub(super) fn too_late(&self, after: Duration) -> Option<Ending> {
        self.guardrails.iter().find_map(|guardrail| {
            let left = guardrail.ceiling(&self.progress).time.filter(|left| *left <= after)?;
            let message = format!(
                "the deferred work can be tried again in {}, but the run's time ends in {}",
                in_words(whole_seconds(after)),
                in_words(whole_seconds(left))
            );
            let halt = Halt::new(StopReason::TimeExceeded, message);
            Some(Ending::halted_by(guardrail.name(), halt))
        })
    }

    /// Attributes an ending that work requested to the guardrail whose limit the work reached. Work that contains
    /// another run ends for that limit by itself, but does not know the guardrail.
    pub(super) fn attributed(&self, ending: Ending) -> Ending {
        if ending.is_success() || ending.guardrail().is_some() {
            return ending;
        }
        self.crossed().filter(|crossed| crossed.reason() == ending.reason()).unwrap_or(ending)
    }

    /// Returns the ending of the first guardrail with an exhausted limit.
    pub(super) fn crossed(&self) -> Option<Ending> {
        self.guardrails.iter().find_map(|guardrail| {
            let left = guardrail.ceiling(&self.progress);
            left.is_exhausted().then(|| {
                let halt = match guardrail.check(&self.progress) {
                    Decision::Halt(halt) => halt,
                    _ => left.halt(),
                };
                Ending::halted_by(guardrail.name(), halt)
            })
        })
    }
}

/// Drops the fraction of a second from a long time, for display.
fn whole_seconds(time: Duration) -> Duration {
    if time < Duration::from_secs(1) { time } else { Duration::from_secs(time.as_secs()) }
}
