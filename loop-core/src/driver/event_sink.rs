//! Distributes a run's events to its journal, the stop condition, the observers, and the reader of the stream.

use std::sync::Arc;

use super::{journal_writer::JournalWriter, reader_queue::ReaderQueue};
use crate::{Event, Machine, Observer, Progress, Step};

/// A stop condition whose step type was erased.
pub(crate) trait Goal<O>: Send {
    /// Returns the name of the condition that decided, if the goal is met.
    fn decided_by(&self, step: &Arc<Step<O>>, progress: &Progress) -> Option<Box<str>>;
    fn observe(&mut self, event: &Event);
}

pub(crate) struct EventSink<O> {
    pub(crate) goal: Box<dyn Goal<O>>,
    observers: Vec<Box<dyn Observer>>,
    pub(super) journal: Option<JournalWriter<O>>,
    pub(super) reader: ReaderQueue,
}

impl<O> EventSink<O> {
    pub(crate) fn new(
        goal: Box<dyn Goal<O>>,
        observers: Vec<Box<dyn Observer>>,
        journal: Option<JournalWriter<O>>,
        reader: ReaderQueue,
    ) -> Self {
        Self { goal, observers, journal, reader }
    }

    /// Takes the machine's new events. The journal gets them first, then the condition and the observers. The reader
    /// gets those that it has room for. `output` is the output of the unsettled step.
    pub(crate) fn take(&mut self, machine: &mut Machine, output: Option<&O>) {
        if machine.events().is_empty() {
            return;
        }
        if let Some(journal) = &mut self.journal {
            journal.append(machine.events(), output);
        }
        for event in machine.events() {
            self.goal.observe(event);
            for observer in &mut self.observers {
                observer.on_event(event, machine.progress());
            }
        }
        match self.reader.is_open() {
            true => self.reader.send(machine.take_events()),
            false => machine.forget_events(),
        }
    }

    /// Returns whether there are observers. They run on the run's own task, and may be slow.
    pub(crate) const fn is_observed(&self) -> bool {
        !self.observers.is_empty()
    }

    /// Returns whether [`advance`](Self::advance) has something to wait for.
    pub(super) fn has_pending(&self) -> bool {
        !self.reader.is_clear() || self.journal.as_ref().is_some_and(JournalWriter::is_syncing)
    }

    /// Waits until the reader took all queued events, or until the sync under way ended.
    ///
    /// # Cancel safety
    /// Cancel safe: nothing is lost, and the next call continues.
    pub(super) async fn advance(&mut self) {
        let synced = async {
            match &mut self.journal {
                Some(journal) => journal.synced().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.reader.flush(), if !self.reader.is_clear() => {}
            () = synced => {}
        }
    }
}
