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

/// What a run that is read as a stream yields: its events in order, then, last, its report.
#[derive(Debug)]
pub enum Update<O> {
    /// Something happened.
    Event(Event),
    /// The run is over.
    Report(Box<Report<O>>),
}

/// A run that goes on while it is polled. Made by [`Loop::stream`](crate::Loop::stream).
///
/// It is lazy, as streams are: while nobody polls it nothing moves, **and no limit binds**. Dropping
/// it drops the work under way. For a run that goes on by itself, use [`Loop::spawn`](crate::Loop::spawn).
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
        // Events that were passed on go first; the run moves only when they have been read.
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
