//! Distributes a run's events to its journal, the stop condition, the observers, and the reader of the stream.

use std::{collections::VecDeque, sync::Arc};

use tokio::sync::mpsc;

use super::journal_writer::JournalWriter;
use crate::{Event, EventKind, Machine, Observer, Progress, Step};

/// A stop condition whose step type was erased.
pub(crate) trait Goal<O>: Send {
    /// Returns the name of the condition that decided, if the goal is met.
    fn decided_by(&self, step: &Arc<Step<O>>, progress: &Progress) -> Option<Box<str>>;
    fn observe(&mut self, event: &Event);
}

/// Controls a run whose event reader lags, so that the channel between them is full.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnLag {
    /// The run waits for the reader between two pieces of work. Consecutive usage reports are merged into one. No other
    /// event is lost, and run time continues.
    #[default]
    Hold,
    /// The run continues and the reader misses events: their [sequence numbers](Event::sequence) have gaps. The report
    /// is never lost.
    Drop,
}

/// The reader of a run's events.
pub(crate) struct EventReader {
    pub(crate) sender: mpsc::Sender<Event>,
    pub(crate) on_lag: OnLag,
}

pub(crate) struct EventSink<O> {
    pub(crate) goal: Box<dyn Goal<O>>,
    observers: Vec<Box<dyn Observer>>,
    pub(super) journal: Option<JournalWriter<O>>,
    reader: Option<mpsc::Sender<Event>>,
    on_lag: OnLag,
    backlog: VecDeque<Event>,
}

impl<O> EventSink<O> {
    pub(crate) fn new(
        goal: Box<dyn Goal<O>>,
        observers: Vec<Box<dyn Observer>>,
        journal: Option<JournalWriter<O>>,
        reader: Option<EventReader>,
    ) -> Self {
        let on_lag = reader.as_ref().map_or(OnLag::Hold, |reader| reader.on_lag);
        let reader = reader.map(|reader| reader.sender);
        Self { goal, observers, journal, reader, on_lag, backlog: VecDeque::new() }
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
        match self.reader {
            Some(_) => {
                machine.take_events().for_each(|event| self.enqueue(event));
                self.try_flush();
                if self.on_lag == OnLag::Drop {
                    self.backlog.clear();
                }
            }
            None => machine.forget_events(),
        }
    }

    /// Queues an event for the reader. Merges consecutive usage reports into one, with their sum and the time of the
    /// last one, because a reader that lags during work must not fill the memory.
    fn enqueue(&mut self, event: Event) {
        if let EventKind::UsageReported { usage } = &event.kind
            && let Some(last) = self.backlog.back_mut()
            && let EventKind::UsageReported { usage: sum } = &mut last.kind
        {
            *sum += *usage;
            (last.sequence, last.at) = (event.sequence, event.at);
        } else {
            self.backlog.push_back(event);
        }
    }

    /// Returns whether there are observers. They run on the run's own task, and may be slow.
    pub(crate) const fn is_observed(&self) -> bool {
        !self.observers.is_empty()
    }

    /// Returns whether the reader's queue is empty.
    pub(crate) fn is_clear(&self) -> bool {
        self.backlog.is_empty()
    }

    /// Returns whether the reader has room for this number of events.
    pub(crate) fn has_room(&self, events: usize) -> bool {
        let fits = |reader: &mpsc::Sender<Event>| self.backlog.is_empty() && reader.capacity() >= events;
        self.on_lag == OnLag::Drop || self.reader.as_ref().is_none_or(fits)
    }

    /// Sends all queued events, and waits until the reader has room for one more.
    ///
    /// # Cancel safety
    /// Cancel safe, as [`flush`](Self::flush).
    pub(crate) async fn make_room(&mut self) {
        self.flush().await;
        if let Some(reader) = &self.reader
            && reader.reserve().await.is_err()
        {
            self.close();
        }
    }

    /// Sends the queued events that the reader has room for.
    fn try_flush(&mut self) {
        while let Some((reader, event)) = self.reader.as_ref().zip(self.backlog.pop_front()) {
            match reader.try_send(event) {
                Ok(()) => {}
                Err(mpsc::error::TrySendError::Full(event)) => return self.backlog.push_front(event),
                Err(mpsc::error::TrySendError::Closed(_)) => self.close(),
            }
        }
    }

    /// Sends all queued events, and waits for the reader to make room.
    ///
    /// # Cancel safety
    /// Cancel safe: unsent events stay in the queue.
    pub(crate) async fn flush(&mut self) {
        while let Some(reader) = self.reader.as_ref().filter(|_| !self.backlog.is_empty()) {
            let Ok(room) = reader.reserve().await else { return self.close() };
            if let Some(event) = self.backlog.pop_front() {
                room.send(event);
            }
        }
    }

    /// Drops the queue, because nobody reads it any more. Otherwise the run would try to send it forever.
    fn close(&mut self) {
        self.reader = None;
        self.backlog.clear();
    }
}
