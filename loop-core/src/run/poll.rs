//! Polls the work of an action, and tells the machine what happens meanwhile.

use std::{
    future::Future,
    pin::{Pin, pin},
    task::{Context, Poll},
};

use super::Run;
use crate::{Input, Phase, RunTime};

impl<O> Run<O> {
    /// Polls work and returns its result, or `None` if the run goes on without it: the grace time of interrupted work is
    /// over, or a question or a wait has ended. Meanwhile it tells the machine what happens: requests to end the run,
    /// usage that the work reports, and the deadline. For a [wait](crate::Action::Wait), poll a future that is never ready.
    ///
    /// Poll again when the waker of `cx` is woken, and at [`wakes_at`](Self::wakes_at).
    pub fn poll<T>(
        &mut self,
        at: RunTime,
        cx: &mut Context<'_>,
        mut work: Pin<&mut (impl Future<Output = T> + ?Sized)>,
    ) -> Poll<Option<T>> {
        loop {
            if let Poll::Ready(result) = work.as_mut().poll(cx) {
                return Poll::Ready(Some(result));
            }
            let Poll::Ready(input) = self.poll_input(at, cx) else { break };
            let before = self.progress().action;
            if self.handle(at, input).is_err() || self.progress().action != before {
                return Poll::Ready(None);
            }
        }
        let is_over = match self.progress().phase() {
            Phase::Working(_) => self.dropped_at.is_some_and(|end| end <= at),
            Phase::Waiting(_) => self.progress().wait_ends() <= at,
            _ => false,
        };
        if is_over { Poll::Ready(None) } else { Poll::Pending }
    }

    /// Returns the time at which the driver has to [poll](Self::poll) again, if nothing wakes it before.
    pub fn wakes_at(&self) -> Option<RunTime> {
        match self.progress().phase() {
            Phase::Working(_) if self.progress().is_interrupted() => self.dropped_at,
            Phase::Working(_) => self.machine.deadline().into_iter().chain(self.held_until).min(),
            Phase::Waiting(_) => {
                let end = self.progress().wait_ends();
                Some(self.machine.deadline().map_or(end, |deadline| deadline.min(end)))
            }
            _ => None,
        }
    }

    /// Is ready with what happened meanwhile.
    fn poll_input(&mut self, at: RunTime, cx: &mut Context<'_>) -> Poll<Input> {
        if !self.end.is_told && self.end.poll_requested(cx).is_ready() {
            return Poll::Ready(self.end.input());
        }
        let is_running =
            matches!(self.progress().phase(), Phase::Working(_)) && !self.progress().is_interrupted();
        while pin!(self.work.reported()).poll(cx).is_ready() {
            // The first report over a limit waits for a moment: see `Loop::overrun`.
            let waits =
                is_running && self.held_until.is_none() && self.machine.would_cross(&self.work.usage());
            if !waits {
                return Poll::Ready(self.take_report());
            }
            self.held_until = Some(at.after(self.overrun));
        }
        if self.held_until.is_some_and(|until| until <= at) {
            return Poll::Ready(self.take_report());
        }
        let is_limited = is_running || matches!(self.progress().phase(), Phase::Waiting(_));
        match self.machine.deadline().filter(|_| is_limited) {
            Some(deadline) if deadline <= at => Poll::Ready(Input::DeadlinePassed),
            _ => Poll::Pending,
        }
    }

    fn take_report(&mut self) -> Input {
        self.held_until = None;
        Input::Reported { usage: self.work.take_usage() }
    }
}
