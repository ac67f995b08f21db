//! A run's past: where to record it, and where to load it from.

use super::{BuildError, Loop, LoopStep};
use crate::{Event, Grant, Iteration, Journal, Snapshot, with_causes};

/// The source of a loop's past.
pub(super) struct HistorySource<O> {
    kind: HistoryKind<O>,
    journal: Option<Box<dyn Journal<O>>>,
    /// The caller set it twice.
    is_ambiguous: bool,
    pub(super) grant: Option<Grant>,
}

enum HistoryKind<O> {
    /// A new run.
    Nowhere,
    Events(Vec<Event>, Option<O>),
    InJournal,
    Snapshot(Box<Snapshot>, Option<O>),
}

impl<O> HistorySource<O> {
    /// A new run without a record.
    pub(super) const fn none() -> Self {
        Self { kind: HistoryKind::Nowhere, journal: None, is_ambiguous: false, grant: None }
    }

    /// Sets the past. If it is set twice, neither of the two counts.
    fn set(&mut self, kind: HistoryKind<O>, journal: Option<Box<dyn Journal<O>>>) {
        self.is_ambiguous |= self.journal.is_some() || !matches!(self.kind, HistoryKind::Nowhere);
        (self.kind, self.journal) = (kind, journal);
    }

    /// Takes the snapshot to restore, if there is one.
    pub(super) fn take_snapshot(&mut self) -> Option<Snapshot> {
        if self.is_ambiguous || !matches!(self.kind, HistoryKind::Snapshot(..)) {
            return None;
        }
        match std::mem::replace(&mut self.kind, HistoryKind::Nowhere) {
            HistoryKind::Snapshot(snapshot, output) => {
                self.kind = HistoryKind::Events(Vec::new(), output);
                Some(*snapshot)
            }
            _ => None,
        }
    }

    /// Passes the past events to the machine, and returns the journal and the last output.
    #[expect(clippy::type_complexity, reason = "two things that the caller takes apart at once")]
    pub(super) fn restore(
        self,
        mut each: impl FnMut(&Event),
    ) -> Result<(Option<Box<dyn Journal<O>>>, Option<O>), BuildError> {
        if self.is_ambiguous {
            return Err(BuildError::TwoHistories);
        }
        match (self.kind, self.journal) {
            (HistoryKind::Events(events, output), _) => {
                events.iter().for_each(each);
                Ok((None, output))
            }
            (_, None) => Ok((None, None)),
            (kind, Some(mut journal)) => {
                let mut events = 0_u64;
                let output = journal.load(&mut |event| {
                    events += 1;
                    each(event);
                });
                let output = output.map_err(|error| BuildError::Journal(with_causes(&*error)))?;
                match kind {
                    HistoryKind::Nowhere if events > 0 => Err(BuildError::JournalUsed),
                    _ => Ok((Some(journal), output)),
                }
            }
        }
    }
}

impl<I, S, B> Loop<I, S, B>
where
    I: Iteration,
    S: LoopStep<Output = I::Output>,
{
    /// Continues the run that wrote these events. Create its parts as you did for the earlier run. `last_output` is the
    /// output of the last iteration that succeeded, if you stored it. Without it, a run that stopped before that output
    /// was settled cannot continue. A run that met its goal stays ended and returns its report again. The count of how
    /// often the run died in one iteration is kept, unless the run ended for that reason.
    ///
    /// To record the run, use [`resume_from`](Self::resume_from) instead.
    ///
    /// ```
    /// use futures::StreamExt;
    /// use loop_core::{Event, IterationContext, Loop, Step, Update, condition_fn, iteration_fn};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), loop_core::BuildError> {
    /// let agent = || iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    /// let goal = || condition_fn(|step: &Step<u64>, _| step.output() == Some(&5));
    /// let mut run = Loop::new(agent()).until(goal()).at_most(3).stream()?;
    /// let mut events: Vec<Event> = Vec::new();
    /// while let Some(Update::Event(event)) = run.next().await {
    ///     events.push(event);
    /// }
    /// // Three iterations were too few.
    /// let report = Loop::new(agent()).until(goal()).at_most(10).resume(events, Some(3)).run().await?;
    /// assert!(report.is_success());
    /// assert_eq!(report.iterations(), 5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn resume(mut self, events: Vec<Event>, last_output: Option<I::Output>) -> Self {
        self.history.set(HistoryKind::Events(events, last_output), None);
        self
    }

    /// Continues the run whose [snapshot](crate::Run::snapshot) this is, as [`resume`](Self::resume) does. Compose the
    /// loop with the same guardrails and the same condition.
    pub fn resume_snapshot(mut self, snapshot: Snapshot, last_output: Option<I::Output>) -> Self {
        self.history.set(HistoryKind::Snapshot(Box::new(snapshot), last_output), None);
        self
    }

    /// Adds this grant to the limits of a resumed run. A new run ignores it.
    pub fn grant(mut self, grant: Grant) -> Self {
        self.history.grant = Some(grant);
        self
    }

    /// Records the run in this journal, which must be empty. See [`Journal`] for the guarantees.
    pub fn journal(mut self, journal: impl Journal<I::Output> + 'static) -> Self {
        self.history.set(HistoryKind::Nowhere, Some(Box::new(journal)));
        self
    }

    /// Continues the run in this journal, as [`resume`](Self::resume) does, and records its further events there. It
    /// folds the events one by one while reading, so a long run takes no more memory than a short one. An empty journal
    /// starts a new run, because the earlier one may have died before its first event was stored.
    pub fn resume_from(mut self, journal: impl Journal<I::Output> + 'static) -> Self {
        self.history.set(HistoryKind::InJournal, Some(Box::new(journal)));
        self
    }
}
