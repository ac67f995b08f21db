//! The queue of events between a run and the reader of its stream.

use std::collections::VecDeque;

use tokio::sync::mpsc;

use crate::{Event, EventKind, OnLag};

/// The events for the reader, if there is one, that it had no room for yet.
#[derive(Default)]
pub(crate) struct ReaderQueue {
    reader: Option<mpsc::Sender<Event>>,
    on_lag: OnLag,
    backlog: VecDeque<Event>,
}

impl ReaderQueue {
    pub(crate) fn new(reader: mpsc::Sender<Event>, on_lag: OnLag) -> Self {
        Self { reader: Some(reader), on_lag, backlog: VecDeque::new() }
    }

    pub(super) const fn is_open(&self) -> bool {
        self.reader.is_some()
    }

    /// Queues events, and sends those that the reader has room for.
    pub(super) fn send(&mut self, events: impl Iterator<Item = Event>) {
        events.for_each(|event| self.enqueue(event));
        self.try_flush();
        if self.on_lag == OnLag::Drop {
            self.backlog.clear();
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

    /// Returns whether the reader's queue is empty.
    pub(super) fn is_clear(&self) -> bool {
        self.backlog.is_empty()
    }

    /// Returns whether the reader has room for this number of events.
    pub(super) fn has_room(&self, events: usize) -> bool {
        let fits = |reader: &mpsc::Sender<Event>| self.backlog.is_empty() && reader.capacity() >= events;
        self.on_lag == OnLag::Drop || self.reader.as_ref().is_none_or(fits)
    }

    /// Sends all queued events, and waits until the reader has room for one more.
    ///
    /// # Cancel safety
    /// Cancel safe, as [`flush`](Self::flush).
    pub(super) async fn make_room(&mut self) {
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
    pub(super) async fn flush(&mut self) {
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
