//! What comes next, and whether there is still time for it.

use super::Run;
use crate::{Action, Input, Phase, RunTime};

impl<O> Run<O> {
    /// Decides what to do next, once the reader has room for it, and makes the run's past safe before it.
    pub(super) async fn next(&mut self) -> Action {
        // To settle a step is to ask a pure condition: it takes no time, and what follows it is kept.
        if self.machine.progress().phase() == Phase::Settling {
            return Action::Settle;
        }
        // There are the events that led to it, and its own.
        let waits = !self.outlet.has_room(self.machine.events().len() + 1);
        let keeps = self.outlet.keeper.is_some();
        if waits || keeps {
            // Boxed, because a run that nothing holds up would else carry the room for it around.
            return Box::pin(self.next_when_safe(waits, keeps)).await;
        }
        let action = self.decide(self.machine.progress().now());
        self.begin_work(self.outlet.is_observed(), None);
        action
    }

    /// Decides what to do next in a run that its reader or its journal holds up.
    async fn next_when_safe(&mut self, waits: bool, keeps: bool) -> Action {
        let mut now = self.machine.progress().now();
        let mut was_over = None;
        if waits {
            was_over = Some(self.machine.left().time.is_some_and(|left| left.is_zero()));
            self.take_events();
            self.wait_for_reader().await;
            now = self.signals.clock.now();
        }
        let mut action = self.decide(now);
        if keeps {
            self.keep(&mut action).await;
        }
        self.begin_work(true, was_over);
        action
    }

    /// Looks at what the guardrails leave, if work begins now, and once more if the run was held up.
    fn begin_work(&mut self, held_up: bool, was_over: Option<bool>) {
        if let Phase::Working(_) = self.machine.progress().phase() {
            self.left = self.machine.left();
            if held_up {
                self.look_again(was_over);
            }
        }
    }

    pub(super) fn decide(&mut self, now: RunTime) -> Action {
        let Some(action) = self.machine.decide(now) else {
            unreachable!("each input that answers an action leaves something to decide")
        };
        self.take_events();
        action
    }

    /// Waits for the reader between two pieces of work, so that no work and no limit on one waits with it; a
    /// cancellation gets past it.
    async fn wait_for_reader(&mut self) {
        tokio::select! {
            biased;
            () = self.outlet.make_room() => {}
            () = self.signals.cancel.cancelled() => {}
        }
        self.tell_usage();
        self.tell_cancel();
    }

    /// A reader, an observer or the journal took time since the last work ended: it may be too late for the work
    /// that begins now. `was_over` says that it was too late before, where that is not known from what is left. Then
    /// the machine decided to begin all the same, because the work is a step's first evaluation, and so it does for a
    /// run that nobody reads.
    fn look_again(&mut self, was_over: Option<bool>) {
        self.tell_cancel();
        let Some(left) = self.left.time else { return };
        let now = self.signals.clock.now();
        let taken = now.since(self.machine.progress().now());
        self.left.time = Some(left.saturating_sub(taken));
        if !was_over.unwrap_or(left.is_zero()) && left <= taken {
            self.machine.tell(now, Input::DeadlinePassed);
        }
    }
}
