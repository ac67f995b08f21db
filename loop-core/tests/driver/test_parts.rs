//! Parts that several tests share.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use loop_core::{
    Ceiling, Condition, Cost, Decision, Event, Guardrail, Halt, Iteration, IterationContext, Progress,
    StopReason, Update, Usage, Usd, WorkError, condition_fn,
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
