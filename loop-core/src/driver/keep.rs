//! Keeping a run's journal: nothing begins before what led to it is safe.

use super::Run;
use crate::{
    Action, Event, EventKind, Halt, Input, Journal, Phase, StopReason, WorkResult, machine::Told, with_causes,
};

/// A run's journal, and whether it can still be written.
pub(crate) struct Keeper<O> {
    journal: Box<dyn Journal<O>>,
    state: State,
}

enum State {
    Sound,
    /// It cannot be written, for this reason, and the machine does not know it yet.
    Broken(String),
    /// The same, and the machine was told.
    Told(String),
}

impl<O> Keeper<O> {
    pub(crate) fn new(journal: Box<dyn Journal<O>>) -> Self {
        Self { journal, state: State::Sound }
    }

    /// Appends what happened; `output` is that of the step which is not settled. A journal that failed once
    /// is left alone: it must not get a hole.
    // Not in the way of a run without a journal.
    #[cold]
    pub(super) fn append(&mut self, events: &[Event], output: Option<&O>) {
        if events.is_empty() || !matches!(self.state, State::Sound) {
            return;
        }
        let made = |event: &Event| {
            matches!(event.kind, EventKind::IterationFinished { result: WorkResult::Done(()), .. })
        };
        let output = output.filter(|_| events.iter().any(made));
        let kept = self.journal.append(events, output);
        self.note(kept);
    }

    async fn sync(&mut self) {
        if matches!(self.state, State::Sound) {
            let synced = self.journal.sync().await;
            self.note(synced);
        }
    }

    fn note(&mut self, result: Result<(), crate::BoxError>) {
        if let Err(error) = result {
            self.state = State::Broken(with_causes(&*error));
        }
    }

    /// Why it cannot be written, the first time this is asked.
    fn news(&mut self) -> Option<String> {
        let State::Broken(why) = &self.state else { return None };
        let why = why.clone();
        self.state = State::Told(why.clone());
        Some(why)
    }

    /// Why it cannot be written.
    pub(super) fn failure(self) -> Option<String> {
        match self.state {
            State::Sound => None,
            State::Broken(why) | State::Told(why) => Some(why),
        }
    }
}

impl<O> Run<O> {
    /// Makes the run's past safe before this action. If that fails, nothing may start: the run ends, at
    /// once if it can.
    pub(super) async fn keep(&mut self, action: &mut Action) {
        if let Some(keeper) = &mut self.outlet.keeper {
            keeper.sync().await;
        }
        if let Some(Told::Due) = self.tell_failure() {
            *action = self.decide(self.machine.progress().now());
        }
        self.look_again();
    }

    /// Tells the machine once that the journal cannot be written, if it cannot.
    pub(super) fn tell_failure(&mut self) -> Option<Told> {
        let why = self.outlet.keeper.as_mut()?.news()?;
        if self.machine.progress().phase() == Phase::Ended {
            return None;
        }
        let message = format!("the run cannot be recorded: {why}");
        let halt = Halt::new(StopReason::Failed, message);
        Some(self.machine.tell(self.signals.clock.now(), Input::Halted { halt }))
    }
}
