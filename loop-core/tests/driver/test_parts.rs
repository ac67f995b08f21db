//! Parts that several tests share.

use std::{
    future::Future,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use loop_core::{
    BoxError, Ceiling, Condition, Cost, Decision, Event, Guardrail, Halt, Iteration, IterationContext,
    Journal, JournalSync, Progress, StopReason, Update, Usage, Usd, WorkError, condition_fn,
};
use tokio::time::Instant;

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) const fn cents(cents: u64) -> Usage {
    Usage::unknown().with_cost(Cost::known(Usd::micros(cents * 10_000)))
}

/// A limit on cost.
pub(crate) struct Budget(pub(crate) Usd);

impl Budget {
    pub(crate) const fn cents(cents: u64) -> Self {
        Self(Usd::micros(cents * 10_000))
    }
}

impl Guardrail for Budget {
    fn name(&self) -> &str {
        "budget"
    }
    fn check(&self, progress: &Progress) -> Decision {
        match self.ceiling(progress).is_exhausted() {
            true => Decision::Halt(Halt::new(StopReason::BudgetExceeded, "it is spent")),
            false => Decision::Continue,
        }
    }
    fn ceiling(&self, progress: &Progress) -> Ceiling {
        let spent = progress.usage().cost.map_or(Usd::ZERO, |cost| cost.usd);
        Ceiling::cost(self.0.saturating_sub(spent))
    }
}

/// A goal for loops that must not meet it.
pub(crate) fn never<S>() -> Condition<impl loop_core::StopCondition<S>> {
    condition_fn(|_: &S, _| false)
}

/// An iteration that works for this time, and does nothing else.
pub(crate) struct Sleeper(Duration);

pub(crate) const fn sleeper(duration: Duration) -> Sleeper {
    Sleeper(duration)
}

#[async_trait::async_trait]
impl Iteration for Sleeper {
    type Output = u64;
    async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, WorkError> {
        tokio::time::sleep(self.0).await;
        Ok(cx.iteration())
    }
}

/// Work that never ends, and records when it is dropped.
pub(crate) struct Endless {
    pub(crate) dropped: Arc<AtomicBool>,
}

impl Endless {
    pub(crate) fn new() -> (Self, Arc<AtomicBool>) {
        let dropped = Arc::new(AtomicBool::new(false));
        (Self { dropped: Arc::clone(&dropped) }, dropped)
    }
}

struct SaysSo(Arc<AtomicBool>);

impl Drop for SaysSo {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[async_trait::async_trait]
impl Iteration for Endless {
    type Output = u64;
    async fn run(&mut self, _: IterationContext<u64>) -> Result<u64, WorkError> {
        let _guard = SaysSo(Arc::clone(&self.dropped));
        std::future::pending().await
    }
}

pub(crate) fn is_set(flag: &AtomicBool) -> bool {
    flag.load(Ordering::SeqCst)
}

/// Returns how long a future takes on the paused clock.
pub(crate) async fn timed<T>(future: impl Future<Output = T>) -> (Duration, T) {
    let begun = Instant::now();
    let value = future.await;
    (begun.elapsed(), value)
}

pub(crate) fn event<O>(update: Option<Update<O>>) -> Event {
    match update {
        Some(Update::Event(event)) => event,
        Some(Update::Report(_)) => panic!("the report, where an event was due"),
        None => panic!("the end, where an event was due"),
    }
}

/// A journal in memory. Clones share it, so it survives the run.
pub(crate) struct SharedJournal<O>(Arc<Mutex<(Vec<Event>, Option<O>)>>);

impl<O> Clone for SharedJournal<O> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<O> SharedJournal<O> {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new((Vec::new(), None))))
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        self.lock().0.clone()
    }

    /// Loses the first event of this kind and all later ones.
    pub(crate) fn truncate_at(&self, is: impl Fn(&loop_core::EventKind) -> bool) {
        let mut stored = self.lock();
        let place = stored.0.iter().position(|event| is(&event.kind)).expect("such an event");
        stored.0.truncate(place);
    }

    fn lock(&self) -> MutexGuard<'_, (Vec<Event>, Option<O>)> {
        self.0.lock().expect("nobody panicked with it")
    }
}

impl<O: Clone + Send> Journal<O> for SharedJournal<O> {
    fn append(&mut self, events: &[Event], output: Option<&O>) -> Result<(), BoxError> {
        let mut stored = self.lock();
        stored.0.extend_from_slice(events);
        stored.1 = output.cloned().or(stored.1.take());
        Ok(())
    }

    fn sync(&mut self) -> JournalSync {
        Box::pin(async { Ok(()) })
    }

    fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<O>, BoxError> {
        let stored = self.lock();
        stored.0.iter().for_each(each);
        Ok(stored.1.clone())
    }
}
