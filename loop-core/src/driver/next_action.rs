//! Chooses the next action, and checks whether there is still time for it.

use super::RunState;
use crate::{Action, Input, Phase, RunTime};

impl<O> RunState<O> {
    /// Returns the next action. Returns `None` if the reader or the journal delays it: await
    /// [`delayed_action`](Self::delayed_action) then.
    pub(super) fn next_action(&mut self) -> Option<Action> {
        // Settling a step only asks a pure condition. That takes no time, and we store its result later.
        if self.progress().phase() == Phase::Settling {
            return Some(Action::Settle);
        }
        if self.event_sink.journal.is_some() || self.waits_for_reader() {
            return None;
        }
        let action = self.decide(self.progress().now());
        self.begin_work(self.run.is_observed(), None);
        Some(action)
    }

    /// The reader needs room for the pending events, and for the event of the action itself.
    fn waits_for_reader(&self) -> bool {
        !self.event_sink.reader.has_room(self.run.events().len() + 1)
    }

    /// Waits until the reader has room and the past is safe, and returns the next action.
    pub(super) async fn delayed_action(&mut self) -> Action {
        let mut now = self.progress().now();
        let mut was_over = None;
        if self.waits_for_reader() {
            was_over = Some(self.run.machine.left().time.is_some_and(|left| left.is_zero()));
            self.take_events();
            self.wait_for_reader().await;
            now = self.clock.now();
        }
        let mut action = self.decide(now);
        self.sync_journal(&mut action).await;
        self.begin_work(true, was_over);
        action
    }

    /// Reads the guardrails' remaining limits for work that begins now. If the run was delayed, it also corrects the
    /// remaining time.
    #[inline]
    fn begin_work(&mut self, held_up: bool, was_over: Option<bool>) {
        if let Phase::Working(_) = self.progress().phase() {
            self.left = self.run.machine.left();
            if held_up {
                self.recheck_remaining_time(was_over);
            }
        }
    }

    pub(super) fn decide(&mut self, now: RunTime) -> Action {
        let Some(action) = self.run.decide(now) else {
            unreachable!("each input that answers an action leaves something to decide")
        };
        self.take_events();
        action
    }

    /// Waits for the reader between two pieces of work, so that neither work nor its limits have to wait. A
    /// cancellation ends the wait.
    async fn wait_for_reader(&mut self) {
        tokio::select! {
            biased;
            () = self.event_sink.reader.make_room() => {}
            () = self.run.end.requested() => {}
        }
        self.tell_usage();
        self.run.tell_end(self.clock.now());
    }

    /// Checks the remaining time again, because a reader, an observer or the journal took time since the last work
    /// ended. If the time ran out during this delay, the deadline has passed. If it had run out before the delay, the
    /// work continues: it is the first evaluation of a step, which the machine starts in any case. `was_over` tells
    /// whether the time had run out before the delay; if it is `None`, the remaining time tells.
    fn recheck_remaining_time(&mut self, was_over: Option<bool>) {
        let now = self.clock.now();
        self.run.tell_end(now);
        let Some(left) = self.left.time else { return };
        let taken = now.since(self.progress().now());
        self.left.time = Some(left.saturating_sub(taken));
        if !was_over.unwrap_or(left.is_zero()) && left <= taken {
            self.run.machine.fact_from_outside(now, Input::DeadlinePassed);
        }
    }
}
