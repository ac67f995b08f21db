//! A run as a stream.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;
use tokio::sync::mpsc;

use crate::{Event, Report};

/// An item of a run that is read as a stream: the events in order, then the report as the last item. It stays
/// exhaustive: everything that happens is an event.
#[derive(Debug)]
pub enum Update<O> {
    /// Something happened.
    Event(Event),
    /// The run is over.
    Report(Box<Report<O>>),
}

/// A run that proceeds only while you poll it. Created by [`Loop::stream`](crate::Loop::stream).
///
/// It is lazy, as streams are: while nobody polls it, nothing happens **and no limit applies**. Dropping it drops the
/// work in progress. For a run that proceeds by itself, use [`Loop::spawn`](crate::Loop::spawn).
#[must_use = "streams do nothing unless polled"]
pub struct RunStream<O> {
    drive: Option<Pin<Box<dyn Future<Output = Report<O>> + Send>>>,
    events: mpsc::Receiver<Event>,
    report: Option<Report<O>>,
}

impl<O> RunStream<O> {
    pub(crate) fn new(
        drive: impl Future<Output = Report<O>> + Send + 'static,
        events: mpsc::Receiver<Event>,
    ) -> Self {
        Self { drive: Some(Box::pin(drive)), events, report: None }
    }
}

impl<O> Unpin for RunStream<O> {}

impl<O> Stream for RunStream<O> {
    type Item = Update<O>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Update<O>>> {
        // Events in the channel go first: the run proceeds only when the reader has read them.
        if let Poll::Ready(Some(event)) = self.events.poll_recv(cx) {
            return Poll::Ready(Some(Update::Event(event)));
        }
        if let Some(drive) = &mut self.drive
            && let Poll::Ready(report) = drive.as_mut().poll(cx)
        {
            self.report = Some(report);
            self.drive = None;
        }
        match self.events.poll_recv(cx) {
            Poll::Ready(Some(event)) => Poll::Ready(Some(Update::Event(event))),
            Poll::Ready(None) => Poll::Ready(self.report.take().map(Box::new).map(Update::Report)),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<O> fmt::Debug for RunStream<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunStream").field("over", &self.drive.is_none()).finish_non_exhaustive()
    }
}
