//! Writes a run's journal, so that nothing begins before the events that led to it are stored.

use std::time::Duration;

use super::{RunState, Signals};
use crate::{
    Action, Event, EventKind, Halt, Input, Journal, Phase, RunTime, StopReason, WorkResult,
    machine::InputEffect, with_causes,
};

/// How long a sync may still take after a cancellation or a passed deadline. A disk that never answers must not block a
/// run forever, and a slow disk must not lose the run's end.
const SYNC_TIME: Duration = Duration::from_secs(30);

/// A run's journal, and whether it can still be written.
pub(crate) struct JournalWriter<O> {
    journal: Box<dyn Journal<O>>,
    state: WriterState,
}

enum WriterState {
    Writable,
    /// The journal cannot be written, for this reason. The machine does not know it yet.
    Failed(String),
    /// The journal cannot be written, for this reason. The machine knows it.
    Reported(String),
}

impl<O> JournalWriter<O> {
    pub(crate) fn new(journal: Box<dyn Journal<O>>) -> Self {
        Self { journal, state: WriterState::Writable }
    }

    /// Appends events. `output` is the output of the unsettled step. After a failure this does nothing, because the
    /// journal must not get a gap.
    // `#[cold]`, so that it costs nothing in a run without a journal.
    #[cold]
    pub(super) fn append(&mut self, events: &[Event], output: Option<&O>) {
        if !matches!(self.state, WriterState::Writable) {
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
        if !matches!(self.state, WriterState::Writable) {
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
            self.state = WriterState::Failed(with_causes(&*error));
        }
    }

    /// Returns why the journal cannot be written, on the first call only.
    fn take_failure(&mut self) -> Option<String> {
        let WriterState::Failed(why) = &self.state else { return None };
        let why = why.clone();
        self.state = WriterState::Reported(why.clone());
        Some(why)
    }

    /// Returns why the journal cannot be written.
    pub(super) fn failure(self) -> Option<String> {
        match self.state {
            WriterState::Writable => None,
            WriterState::Failed(why) | WriterState::Reported(why) => Some(why),
        }
    }
}

impl Signals {
    /// Resolves when a sync takes too long although the run has to end.
    async fn sync_time_over(&self, deadline: Option<RunTime>) {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => {}
            () = self.clock.reach(deadline) => {}
        }
        tokio::time::sleep(SYNC_TIME).await;
    }
}

impl<O> RunState<O> {
    /// Syncs the journal before this action. If that fails, no work starts, and the run ends as soon as possible.
    pub(super) async fn sync_journal(&mut self, action: &mut Action) {
        let deadline = self.machine.deadline();
        if let Some(journal) = &mut self.event_sink.journal {
            journal.sync(&self.signals, deadline).await;
        }
        if let Some(InputEffect::Due) = self.tell_failure() {
            *action = self.decide(self.machine.progress().now());
        }
    }

    /// Tells the machine once if the journal cannot be written.
    pub(super) fn tell_failure(&mut self) -> Option<InputEffect> {
        let why = self.event_sink.journal.as_mut()?.take_failure()?;
        if self.machine.progress().phase() == Phase::Ended {
            return None;
        }
        // If the run was cancelled too, the cancellation is its ending.
        self.tell_cancel();
        let message = format!("the run cannot be recorded: {why}");
        let halt = Halt::new(StopReason::Failed, message);
        Some(self.machine.tell(self.signals.clock.now(), Input::Halted { halt }))
    }
}
