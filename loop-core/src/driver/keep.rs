//! Writes a run's journal, so that nothing begins before the events that led to it are stored.

use std::time::Duration;

use super::{Run, Signals};
use crate::{
    Action, Event, EventKind, Halt, Input, Journal, Phase, RunTime, StopReason, WorkResult, machine::Told,
    with_causes,
};

/// How long a sync may still take after a cancellation or a passed deadline. A disk that never answers must not block a
/// run forever, and a slow disk must not lose the run's end.
const SYNC_TIME: Duration = Duration::from_secs(30);

/// A run's journal, and whether it can still be written.
pub(crate) struct Keeper<O> {
    journal: Box<dyn Journal<O>>,
    state: State,
}

enum State {
    Sound,
    /// It cannot be written, for this reason, and the machine does not know it yet.
    Broken(String),
    /// Broken for this reason, and the machine knows it.
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
        if !matches!(self.state, State::Sound) {
            return;
        }
        let made = |event: &Event| {
            matches!(event.kind, EventKind::IterationFinished { result: WorkResult::Done(()), .. })
        };
        let output = output.filter(|_| events.iter().any(made));
        let kept = self.journal.append(events, output);
        self.note(kept);
    }

    async fn sync(&mut self, signals: &Signals, deadline: Option<RunTime>) {
        if !matches!(self.state, State::Sound) {
            return;
        }
        let synced = tokio::select! {
            biased;
            synced = self.journal.sync() => synced,
            () = signals.sync_time_over(deadline) => {
                Err(format!("its journal was not synced within {SYNC_TIME:?} after the run had to end").into())
            }
        };
        self.note(synced);
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

impl Signals {
    /// Resolves when a sync has taken too long for a run that has to end.
    async fn sync_time_over(&self, deadline: Option<RunTime>) {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => {}
            () = self.clock.reach(deadline) => {}
        }
        tokio::time::sleep(SYNC_TIME).await;
    }
}

impl<O> Run<O> {
    /// Syncs the journal before this action. If that fails, nothing may start, and the run ends as soon as it can.
    pub(super) async fn keep(&mut self, action: &mut Action) {
        let deadline = self.machine.deadline();
        if let Some(keeper) = &mut self.outlet.keeper {
            keeper.sync(&self.signals, deadline).await;
        }
        if let Some(Told::Due) = self.tell_failure() {
            *action = self.decide(self.machine.progress().now());
        }
    }

    /// Tells the machine once that the journal cannot be written, if it cannot.
    pub(super) fn tell_failure(&mut self) -> Option<Told> {
        let why = self.outlet.keeper.as_mut()?.news()?;
        if self.machine.progress().phase() == Phase::Ended {
            return None;
        }
        // A run that was cancelled ends for that.
        self.tell_cancel();
        let message = format!("the run cannot be recorded: {why}");
        let halt = Halt::new(StopReason::Failed, message);
        Some(self.machine.tell(self.signals.clock.now(), Input::Halted { halt }))
    }
}
