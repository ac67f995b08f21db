//! Waits, during which late usage still counts and limits still apply.

use std::time::Duration;

use super::RunState;
use crate::{Input, InputEffect, Phase};

impl<O> RunState<O> {
    /// Waits for the pace, or until deferred work can be retried. Passes usage to the machine at once, as while work
    /// runs.
    pub(super) async fn wait(&mut self, duration: Duration) {
        let end = self.clock.now().after(duration);
        while let Phase::Waiting(_) = self.progress().phase() {
            let deadline = self.run.machine.deadline();
            tokio::select! {
                biased;
                () = self.run.end.requested() => return self.answer_waited(),
                () = self.run.work.reported() => self.tell_usage(),
                () = self.clock.reach(deadline), if deadline.is_some_and(|deadline| deadline <= end) => {
                    self.run.machine.fact_from_outside(self.clock.now(), Input::DeadlinePassed);
                }
                () = self.event_sink.advance(), if self.event_sink.has_pending() => {
                    if let Some(InputEffect::Due) = self.tell_failure() {
                        return;
                    }
                }
                () = self.clock.reach(Some(end)) => return self.answer_waited(),
            }
            self.take_events();
        }
    }

    fn answer_waited(&mut self) {
        self.answer(crate::Machine::waited);
    }
}
