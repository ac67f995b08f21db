//! Where a run's events go: to its journal, to the stop condition, to observers, and to who reads the run as
//! a stream.

use std::{collections::VecDeque, sync::Arc};

use tokio::sync::mpsc;

use super::keep::Keeper;
use crate::{Event, Machine, Observer, Progress, Step};

/// A stop condition whose step type was erased.
pub(crate) trait Goal<O>: Send {
    /// The name of the condition that decided, if the goal is met.
    fn decided_by(&self, step: &Arc<Step<O>>, progress: &Progress) -> Option<Box<str>>;
    fn observe(&mut self, event: &Event);
}

pub(crate) struct Outlet<O> {
    pub(crate) goal: Box<dyn Goal<O>>,
    observers: Vec<Box<dyn Observer>>,
    pub(super) keeper: Option<Keeper<O>>,
    reader: Option<mpsc::Sender<Event>>,
    backlog: VecDeque<Event>,
}

impl<O> Outlet<O> {
    pub(crate) fn new(
        goal: Box<dyn Goal<O>>,
        observers: Vec<Box<dyn Observer>>,
        keeper: Option<Keeper<O>>,
        reader: Option<mpsc::Sender<Event>>,
    ) -> Self {
        Self { goal, observers, keeper, reader, backlog: VecDeque::new() }
    }

    /// Takes the machine's new events. The journal gets them first; the condition and the observers see
    /// them at once. `output` is that of the step which is not settled.
    pub(crate) fn take(&mut self, machine: &mut Machine, output: Option<&O>) {
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
            Some(_) => self.backlog.extend(machine.take_events()),
            None => machine.forget_events(),
        }
    }

    /// Whether the reader has kept up.
    pub(crate) fn is_clear(&self) -> bool {
        self.backlog.is_empty()
    }

    /// Passes on what the reader has room for.
    pub(crate) fn try_flush(&mut self) {
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

    /// Nobody reads any more: nothing is kept for them, or a run would for ever try to pass it on.
    fn close(&mut self) {
        self.reader = None;
        self.backlog.clear();
    }
}
