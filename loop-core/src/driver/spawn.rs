//! A run as a task.

use std::{
    fmt,
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::Stream;
use tokio::{sync::mpsc, task::JoinHandle};

use super::stream::Update;
use crate::{CancelOnDrop, CancellationToken, Event, Report};

/// A run that goes on as a task of its own. Made by [`Loop::spawn`](crate::Loop::spawn).
///
/// It is a stream of the run's [`Update`]s behind a bounded channel: a reader that is slow holds the
/// run up, between two pieces of work, unless [`OnLag::Drop`](crate::OnLag) was chosen; work under way goes on, and its
/// limits bind. Run time goes on as well, so a limit on time counts what the reader takes. If you do not care for the events, call
/// [`join`](Self::join). **Dropping it cancels the run.**
///
/// A runtime that is shut down ends the run without a report: the stream then ends without one.
#[must_use = "dropping it cancels the run"]
pub struct Running<O> {
    events: mpsc::Receiver<Event>,
    task: Option<JoinHandle<Report<O>>>,
    /// The stream has yielded the report.
    reported: bool,
    cancel: CancelOnDrop,
}

impl<O: Send + Sync + 'static> Running<O> {
    pub(crate) fn new(
        drive: impl Future<Output = Report<O>> + Send + 'static,
        events: mpsc::Receiver<Event>,
        cancel: CancellationToken,
    ) -> Self {
        Self { events, task: Some(tokio::spawn(drive)), reported: false, cancel: cancel.drop_guard() }
    }
}

impl<O> Running<O> {
    /// Asks the run to end. Work under way is told, given its grace time, and dropped.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Lets the run go on without this handle. It ends as its limits and its own
    /// [token](crate::Loop::cancel_on) say, and nobody gets its report.
    pub fn detach(self) {
        self.cancel.disarm();
    }

    /// Waits for the run to end, passing over its events.
    ///
    /// # Panics
    /// If a part of the run panicked, with its panic; if the report was taken from the stream before; and
    /// if the runtime was shut down before the run had ended.
    ///
    /// # Cancel safety
    /// Dropping the future drops this handle, and so cancels the run.
    pub async fn join(mut self) -> Report<O> {
        loop {
            match poll_fn(|cx| Pin::new(&mut self).poll_next(cx)).await {
                Some(Update::Event(_)) => {}
                Some(Update::Report(report)) => return *report,
                None if self.reported => panic!("the report of this run was taken from its stream before"),
                None => panic!("the run has no report: its runtime was shut down before it had ended"),
            }
        }
    }
}

impl<O> Stream for Running<O> {
    type Item = Update<O>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Update<O>>> {
        if let Some(event) = ready!(self.events.poll_recv(cx)) {
            return Poll::Ready(Some(Update::Event(event)));
        }
        let Some(task) = &mut self.task else { return Poll::Ready(None) };
        let joined = ready!(Pin::new(task).poll(cx));
        self.task = None;
        match joined {
            Ok(report) => {
                self.reported = true;
                Poll::Ready(Some(Update::Report(Box::new(report))))
            }
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The runtime is shutting down.
                Err(_) => Poll::Ready(None),
            },
        }
    }
}

impl<O> fmt::Debug for Running<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("over", &self.task.is_none()).finish_non_exhaustive()
    }
}
