//! Distributes a run's events to its journal, the stop condition, the observers, and the reader of the stream.

use std::{collections::VecDeque, sync::Arc};

use tokio::sync::mpsc;

use super::keep::Keeper;
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
pub(crate) struct Reader {
    pub(crate) sender: mpsc::Sender<Event>,
    pub(crate) on_lag: OnLag,
}

pub(crate) struct Outlet<O> {
    pub(crate) goal: Box<dyn Goal<O>>,
    observers: Vec<Box<dyn Observer>>,
    pub(super) keeper: Option<Keeper<O>>,
    reader: Option<mpsc::Sender<Event>>,
    on_lag: OnLag,
    backlog: VecDeque<Event>,
}

impl<O> Outlet<O> {
    pub(crate) fn new(
        goal: Box<dyn Goal<O>>,
        observers: Vec<Box<dyn Observer>>,
        keeper: Option<Keeper<O>>,
        reader: Option<Reader>,
    ) -> Self {
        let on_lag = reader.as_ref().map_or(OnLag::Hold, |reader| reader.on_lag);
        let reader = reader.map(|reader| reader.sender);
        Self { goal, observers, keeper, reader, on_lag, backlog: VecDeque::new() }
    }

    /// Takes the machine's new events. The journal gets them first; the condition and the observers see
    /// them at once, and the reader those that it has room for. `output` is that of the step which is not settled.
    pub(crate) fn take(&mut self, machine: &mut Machine, output: Option<&O>) {
        if machine.events().is_empty() {
            return;
        }
        if let Some(keeper) = &mut self.keeper {
            keeper.append(machine.events(), output);
        }
        for event in machine.events() {
            self.goal.observe(event);
            for observer in &mut self.observers {
                observer.on_event(event, machine.progress());
            }
        }
        match self.reader {
            Some(_) => {
                machine.take_events().for_each(|event| self.hold(event));
                self.try_flush();
                if self.on_lag == OnLag::Drop {
                    self.backlog.clear();
                }
            }
            None => machine.forget_events(),
        }
    }

    /// Holds an event for the reader. Reports of usage that follow each other become one, their sum at the last
    /// one's time: a reader that lags during work must not fill the memory.
    fn hold(&mut self, event: Event) {
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

    /// Whether there are observers. They run on the run's own task, and may take their time.
    pub(crate) const fn is_observed(&self) -> bool {
        !self.observers.is_empty()
    }

    /// Whether nothing is held for the reader.
    pub(crate) fn is_clear(&self) -> bool {
        self.backlog.is_empty()
    }

    /// Whether the reader can be given so many more events at once.
    pub(crate) fn has_room(&self, events: usize) -> bool {
        let fits = |reader: &mpsc::Sender<Event>| self.backlog.is_empty() && reader.capacity() >= events;
        self.on_lag == OnLag::Drop || self.reader.as_ref().is_none_or(fits)
    }

    /// Passes everything on, and waits until the reader has room for one more event.
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

    /// Passes on what the reader has room for.
    fn try_flush(&mut self) {
        while let Some((reader, event)) = self.reader.as_ref().zip(self.backlog.pop_front()) {
            match reader.try_send(event) {
                Ok(()) => {}
                Err(mpsc::error::TrySendError::Full(event)) => return self.backlog.push_front(event),
                Err(mpsc::error::TrySendError::Closed(_)) => self.close(),
            }
        }
    }

    /// Passes everything on, waiting for the reader to make room.
    ///
    /// # Cancel safety
    /// Cancel safe: what was not passed on stays in the backlog.
    pub(crate) async fn flush(&mut self) {
        while let Some(reader) = self.reader.as_ref().filter(|_| !self.backlog.is_empty()) {
            let Ok(room) = reader.reserve().await else { return self.close() };
            if let Some(event) = self.backlog.pop_front() {
                room.send(event);
            }
        }
    }

    /// Nobody reads any more: nothing is kept for them, or a run would forever try to pass it on.
    fn close(&mut self) {
        self.reader = None;
        self.backlog.clear();
    }
}
