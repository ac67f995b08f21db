//! Waits, during which late usage still counts and limits still apply.

use std::time::Duration;

use super::RunState;
use crate::{Input, Phase, machine::InputEffect};

impl<O> RunState<O> {
    /// Waits for the pace, or until deferred work can be retried. Passes usage to the machine at once, as while work
    /// runs.
    pub(super) async fn wait(&mut self, duration: Duration) {
        let end = self.signals.clock.now().after(duration);
        while let Phase::Waiting(_) = self.machine.progress().phase() {
            let deadline = self.machine.deadline();
            tokio::select! {
                biased;
                () = self.signals.end.requested() => return self.answer_waited(),
                () = self.signals.work.reported() => self.tell_usage(),
                () = self.signals.clock.reach(deadline), if deadline.is_some_and(|deadline| deadline <= end) => {
                    self.machine.tell(self.signals.clock.now(), Input::DeadlinePassed);
                }
                () = self.event_sink.advance(), if self.event_sink.has_pending() => {
                    if let Some(InputEffect::Due) = self.tell_failure() {
                        return;
                    }
                }
                () = self.signals.clock.reach(Some(end)) => return self.answer_waited(),
            }
            self.take_events();
        }
    }

    fn answer_waited(&mut self) {
        self.answer(|machine, at| machine.tell(at, Input::Waited));
    }
}
