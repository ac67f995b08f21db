//! Waiting: usage that comes late counts, and limits bind.

use std::time::Duration;

use super::Run;
use crate::{Action, Input};

impl<O> Run<O> {
    /// Waits, and says what to do then.
    pub(super) async fn wait(&mut self, duration: Duration) -> Action {
        let end = self.signals.clock.now().after(duration);
        loop {
            let deadline = self.machine.deadline();
            tokio::select! {
                biased;
                () = self.signals.cancel.cancelled() => return self.feed(Input::Waited),
                () = self.signals.work.reported() => {
                    if let Some(finish) = self.reported_in_wait() {
                        return finish;
                    }
                }
                () = self.signals.clock.reach(deadline), if deadline.is_some_and(|deadline| deadline <= end) => {
                    if let Some(finish) = self.machine.handle(self.signals.clock.now(), Input::DeadlinePassed) {
                        return finish;
                    }
                }
                // The reader has caught up: usage that was held back for it can be told.
                () = self.outlet.flush(), if !self.outlet.is_clear() => {
                    if let Some(finish) = self.reported_in_wait() {
                        return finish;
                    }
                }
                () = self.signals.clock.reach(Some(end)) => return self.feed(Input::Waited),
            }
        }
    }

    /// Late usage came in a wait. As while work runs, it adds up in the meter while a reader lags.
    fn reported_in_wait(&mut self) -> Option<Action> {
        if !self.outlet.is_clear() && !self.machine.would_cross(&self.signals.work.usage()) {
            return None;
        }
        let finish = self.tell_usage();
        self.take_events();
        self.outlet.try_flush();
        finish
    }
}
