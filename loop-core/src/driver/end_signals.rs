//! The requests from outside to end a run.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll, Waker},
};

use crate::{CancellationToken, Halt, Input};

/// A future that ends a run: see [`Loop::halt_on`](crate::Loop::halt_on).
pub(crate) type HaltFuture = Pin<Box<dyn Future<Output = Halt> + Send>>;

/// The requests to end a run: its token, and the futures that halt it.
pub(crate) struct EndSignals {
    cancel: CancellationToken,
    /// Those that are not ready yet. Empty once one of them was ready.
    halts: Vec<HaltFuture>,
    halt: Option<Halt>,
}

impl EndSignals {
    pub(crate) const fn new(cancel: CancellationToken, halts: Vec<HaltFuture>) -> Self {
        Self { cancel, halts, halt: None }
    }

    /// Resolves when the run has to end.
    pub(super) async fn requested(&mut self) {
        let Self { cancel, halts, halt } = self;
        if halts.is_empty() && halt.is_none() {
            return cancel.cancelled().await;
        }
        tokio::select! {
            biased;
            () = cancel.cancelled() => {}
            () = poll_fn(|cx| poll_halts(halts, halt, cx)) => {}
        }
    }

    /// Returns whether the run has to end. Work that is always ready never awaits [`requested`](Self::requested).
    pub(super) fn is_requested(&mut self) -> bool {
        let Self { cancel, halts, halt } = self;
        if cancel.is_cancelled() || halt.is_some() {
            return true;
        }
        // Most runs have no such future, and this is asked several times per step. A later wait registers its own
        // waker.
        !halts.is_empty() && poll_halts(halts, halt, &mut Context::from_waker(Waker::noop())).is_ready()
    }

    /// Returns the request for the machine. A cancellation has precedence.
    pub(super) fn input(&self) -> Input {
        match &self.halt {
            Some(halt) if !self.cancel.is_cancelled() => Input::Halted { halt: halt.clone() },
            _ => Input::Cancelled,
        }
    }
}

/// Polls the futures until one is ready, and then drops all of them.
fn poll_halts(halts: &mut Vec<HaltFuture>, halt: &mut Option<Halt>, cx: &mut Context<'_>) -> Poll<()> {
    if halt.is_none() {
        *halt = halts.iter_mut().find_map(|future| match future.as_mut().poll(cx) {
            Poll::Ready(halt) => Some(halt),
            Poll::Pending => None,
        });
    }
    if halt.is_none() {
        return Poll::Pending;
    }
    halts.clear();
    Poll::Ready(())
}
