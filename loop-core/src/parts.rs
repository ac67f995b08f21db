//! The parts of a loop, for a driver.

use std::{fmt, time::Duration};

use crate::{Ask, Evaluator, Iteration, Journal, Run, SuspendedTime};

/// Everything that a driver needs to run a loop. Created by [`Loop::into_parts`](crate::Loop::into_parts).
///
/// The driver in this crate, which is tokio's, uses the same parts.
#[non_exhaustive]
pub struct Parts<I: Iteration> {
    /// The run.
    pub run: Run<I::Output>,
    /// The work.
    pub iteration: I,
    /// The check, if the loop has one.
    pub evaluator: Option<Box<dyn Evaluator<I::Output>>>,
    /// The handler of questions. Without one, each question has the answer `None`.
    pub ask: Option<Box<dyn Ask>>,
    /// The journal, if the loop has one. It has been read already. The driver has to append the run's
    /// [events](Run::events) before it begins an action: see [`Journal`].
    pub journal: Option<Box<dyn Journal<I::Output>>>,
    /// How long interrupted work may take to end: see [`Loop::grace`](crate::Loop::grace).
    pub grace: Duration,
    /// How long a report that crosses a limit may wait: see [`Loop::overrun`](crate::Loop::overrun).
    pub overrun: Duration,
    /// The time that does not count as run time.
    pub suspended_time: SuspendedTime,
}

impl<I: Iteration> fmt::Debug for Parts<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("run", &self.run).finish_non_exhaustive()
    }
}
