//! Writes a run's journal, so that nothing that others can see runs ahead of the stored events.

use std::{future::pending, time::Duration};

use super::{RunState, clock::Clock};
use crate::{
    Action, Event, EventKind, Halt, Input, InputEffect, Journal, JournalSync, Phase, RunTime, StopReason,
    WorkResult, end_signals::EndSignals, with_causes,
};

/// How long a sync may still take after a cancellation or a passed deadline. A disk that never answers must not block a
/// run forever, and a slow disk must not lose the run's end.
const SYNC_TIME: Duration = Duration::from_secs(30);

/// A run's journal, and how much of it would survive a power cut. The numbers count the events that this process
/// appended.
pub(crate) struct JournalWriter<O> {
    journal: Box<dyn Journal<O>>,
    state: WriterState,
    appended: u64,
    /// Up to here, events have to be synced soon.
    wanted: u64,
    synced: u64,
    /// The sync under way, and the number of events that are synced when it resolves.
    syncing: Option<(u64, JournalSync)>,
    /// The number of events up to the last settled step. No agent may start before these are synced.
    settled: u64,
    /// The number of events up to the last attempt, and up to the attempt before it. Only the last one may be unsynced.
    attempts: [u64; 2],
}

enum WriterState {
    Writable,
    /// The journal cannot be written, for this reason. The machine does not know it yet.
    Failed(String),
    /// The journal cannot be written, for this reason. The machine knows it.
    Reported(String),
}

impl<O> JournalWriter<O> {
    /// Creates a writer. A resumed run syncs its journal before its first work starts, because the earlier process may
    /// have died before it synced.
    pub(crate) fn new(journal: Box<dyn Journal<O>>, is_resumed: bool) -> Self {
        let settled = u64::from(is_resumed);
        let state = WriterState::Writable;
        Self { journal, state, appended: 0, wanted: 0, synced: 0, syncing: None, settled, attempts: [0; 2] }
    }

    /// Appends events. `output` is the output of the unsettled step. After a failure this does nothing, because the
    /// journal must not get a gap.
    // `#[cold]`, so that it costs nothing in a run without a journal.
    #[cold]
    pub(super) fn append(&mut self, events: &[Event], output: Option<&O>) {
        if !self.is_writable() {
            return;
        }
        let mut is_made = false;
        for event in events {
            self.appended += 1;
            match event.kind {
                EventKind::IterationStarted { .. } => self.attempts = [self.appended, self.attempts[0]],
                EventKind::IterationFinished { result: WorkResult::Done(()), .. } => is_made = true,
                EventKind::StepSettled { .. } => self.settled = self.appended,
                _ => {}
            }
        }
        let kept = self.journal.append(events, output.filter(|_| is_made));
        self.note(kept);
    }

    const fn is_writable(&self) -> bool {
        matches!(self.state, WriterState::Writable)
    }

    /// Returns how many events must be synced before this action. Other actions may overlap with their sync.
    fn needed_for(&self, action: &Action) -> u64 {
        match action {
            Action::Ask(_) | Action::Finish(_) => self.appended,
            _ if self.journal.is_buffering() => self.appended,
            Action::Iterate { .. } => self.settled.max(self.attempts[1]),
            _ => 0,
        }
    }

    /// Starts a sync, unless one is under way or nothing has to be synced.
    fn start_sync(&mut self) {
        if self.is_writable() && !self.is_syncing() && self.synced < self.wanted {
            self.syncing = Some((self.appended, self.journal.sync()));
        }
    }

    /// Returns whether a sync is under way.
    pub(super) const fn is_syncing(&self) -> bool {
        self.syncing.is_some()
    }

    /// Waits for the end of the sync under way, and never returns if there is none. Then it starts another if events
    /// that have to be synced came meanwhile.
    ///
    /// # Cancel safety
    /// Cancel safe: the next call continues to wait.
    pub(super) async fn synced(&mut self) {
        let Some((events, sync)) = &mut self.syncing else { return pending().await };
        let (events, result) = (*events, sync.await);
        (self.synced, self.syncing) = (events, None);
        self.note(result);
        self.start_sync();
    }

    /// Starts to sync all events, and waits until this many are synced or the journal failed.
    async fn sync(&mut self, needed: u64, end: &mut EndSignals, clock: &Clock, deadline: Option<RunTime>) {
        self.wanted = self.appended;
        self.start_sync();
        while self.is_writable() && self.synced < needed {
            tokio::select! {
                biased;
                () = self.synced() => {}
                () = sync_time_over(end, clock, deadline) => {
                    self.syncing = None;
                    let why = format!("its journal was not synced within {SYNC_TIME:?} after the run had to end");
                    self.note(Err(why.into()));
                }
            }
        }
    }

    fn note(&mut self, result: Result<(), crate::BoxError>) {
        if let (Err(error), true) = (result, self.is_writable()) {
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

/// Resolves when a sync takes too long although the run has to end.
async fn sync_time_over(end: &mut EndSignals, clock: &Clock, deadline: Option<RunTime>) {
    tokio::select! {
        biased;
        () = end.requested() => {}
        () = clock.reach(deadline) => {}
    }
    tokio::time::sleep(SYNC_TIME).await;
}

impl<O> RunState<O> {
    /// Starts to sync the journal before this action, and waits for the part that the action needs. If that fails, no
    /// work starts, and the run ends as soon as possible.
    pub(super) async fn sync_journal(&mut self, action: &mut Action) {
        let deadline = self.run.machine.deadline();
        if let Some(journal) = &mut self.event_sink.journal {
            journal.sync(journal.needed_for(action), &mut self.run.end, &self.clock, deadline).await;
        }
        if let Some(InputEffect::Due) = self.tell_failure() {
            *action = self.decide(self.progress().now());
        }
    }

    /// Tells the machine once if the journal cannot be written.
    pub(super) fn tell_failure(&mut self) -> Option<InputEffect> {
        let why = self.event_sink.journal.as_mut()?.take_failure()?;
        if self.progress().phase() == Phase::Ended {
            return None;
        }
        // If the run was cancelled too, the cancellation is its ending.
        let now = self.clock.now();
        self.run.tell_end(now);
        let message = format!("the run cannot be recorded: {why}");
        let halt = Halt::new(StopReason::Failed, message);
        Some(self.run.machine.fact_from_outside(now, Input::Halted { halt }))
    }
}
