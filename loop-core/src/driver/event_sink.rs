//! Distributes a run's events to its journal, the stop condition, the observers, and the reader of the stream.

use super::{journal_writer::JournalWriter, reader_queue::ReaderQueue};
use crate::Run;

pub(crate) struct EventSink<O> {
    pub(super) journal: Option<JournalWriter<O>>,
    pub(super) reader: ReaderQueue,
}

impl<O> EventSink<O> {
    /// Takes the run's new events. The journal gets them first, then the condition and the observers. The reader gets
    /// those that it has room for.
    #[inline]
    pub(crate) fn take(&mut self, run: &mut Run<O>) {
        if run.events().is_empty() {
            return;
        }
        if let Some(journal) = &mut self.journal {
            journal.append(run.events(), run.output());
        }
        match self.reader.is_open() {
            true => self.reader.send(run.take_events()),
            false => run.forget_events(),
        }
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
