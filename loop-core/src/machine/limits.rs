//! What the guardrails leave, and the kernel's own limits.

use super::{MAX_ATTEMPTS, MAX_DEFERRALS, Machine};
use crate::{Ceiling, Decision, Ending, Halt, Phase, RunTime, StopReason, Usage, event::Stage};

impl Machine {
    /// What all guardrails together leave to the work that begins now.
    pub fn left(&self) -> Ceiling {
        self.guardrails
            .iter()
            .fold(Ceiling::NONE, |left, guardrail| left.min(guardrail.ceiling(&self.progress)))
    }

    /// The run time at which [`Input::DeadlinePassed`](crate::Input::DeadlinePassed) is due, as far as is known now. Binds while work
    /// runs and during waits.
    pub fn deadline(&self) -> Option<RunTime> {
        self.left().time.map(|left| self.progress.now().after(left))
    }

    /// Whether work would be interrupted if it reported this usage now. A driver may hold such a
    /// report for a moment, to see whether the work comes to its end with it.
    pub fn would_cross(&self, usage: &Usage) -> bool {
        self.guardrails.iter().any(|guardrail| guardrail.ceiling(&self.progress).after(usage).is_exhausted())
    }

    /// The kernel's own limits on one index.
    pub(super) fn exhausted(&self) -> Option<Ending> {
        let next = &self.progress.next;
        let halt = if next.deaths >= MAX_ATTEMPTS {
            let message = format!("the run died {MAX_ATTEMPTS} times in the same step");
            Halt::new(StopReason::AttemptsExhausted, message)
        } else if next.deferrals >= MAX_DEFERRALS {
            let message = format!("the same work was put off {MAX_DEFERRALS} times");
            let reason = match self.progress.phase {
                Phase::Before(Stage::Evaluation) => StopReason::EvaluatorUnavailable,
                _ => StopReason::AgentUnavailable,
            };
            Halt::new(reason, message)
        } else {
            return None;
        };
        Some(Ending { halt, guardrail: None })
    }

    /// The first guardrail that leaves nothing of something, and how the run ends for it.
    pub(super) fn crossed(&self) -> Option<Ending> {
        self.guardrails.iter().find_map(|guardrail| {
            let left = guardrail.ceiling(&self.progress);
            left.is_exhausted().then(|| Ending {
                halt: match guardrail.check(&self.progress) {
                    Decision::Halt(halt) => halt,
                    _ => Halt::new(left.stop_reason(), ""),
                },
                guardrail: Some(guardrail.name().to_owned()),
            })
        })
    }
}
