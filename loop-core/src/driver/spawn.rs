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

/// A run that proceeds in its own task. Created by [`Loop::spawn`](crate::Loop::spawn).
///
/// It is a stream of the run's [`Update`]s behind a bounded channel. A slow reader delays the run between two pieces of
/// work, unless you choose [`OnLag::Drop`](crate::OnLag). Work in progress continues, and its limits still apply. Run
/// time continues as well, so a time limit includes the delay. If you do not need the events, call
/// [`join`](Self::join). **Dropping it cancels the run.**
///
/// If the runtime shuts down, the run ends without a report, and so does the stream.
#[must_use = "dropping it cancels the run"]
pub struct RunHandle<O> {
    events: mpsc::Receiver<Event>,
    task: Option<JoinHandle<Report<O>>>,
    /// The stream has yielded the report.
    reported: bool,
    cancel: CancelOnDrop,
}

impl<O: Send + Sync + 'static> RunHandle<O> {
    pub(crate) fn new(
        drive: impl Future<Output = Report<O>> + Send + 'static,
        events: mpsc::Receiver<Event>,
        cancel: CancellationToken,
    ) -> Self {
        Self { events, task: Some(tokio::spawn(drive)), reported: false, cancel: cancel.drop_guard() }
    }
}

impl<O> RunHandle<O> {
    /// Asks the run to end. The driver interrupts work in progress and drops it after its grace time.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Lets the run continue without this handle. Only its own conditions and limits and its
    /// [token](crate::Loop::cancel_on) can end it, and its report is lost.
    pub fn detach(self) {
        self.cancel.disarm();
    }

    /// Waits for the run to end and discards its events.
    ///
    /// # Panics
    /// Resumes the panic of a part of the run. Panics if the stream has already yielded the report, or if the runtime
    /// shut down before the run ended.
    ///
    /// # Cancel safety
    /// Dropping the future drops this handle, which cancels the run.
    pub async fn join(mut self) -> Report<O> {
        loop {
            match poll_fn(|cx| Pin::new(&mut self).poll_next(cx)).await {
                Some(Update::Event(_)) => {}
                Some(Update::Report(report)) => return *report,
                None if self.reported => panic!("the report of this run was already taken from its stream"),
                None => panic!("the run has no report: its runtime was shut down before it had ended"),
            }
        }
    }
}

impl<O> Stream for RunHandle<O> {
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

impl<O> fmt::Debug for RunHandle<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunHandle").field("over", &self.task.is_none()).finish_non_exhaustive()
    }
}
