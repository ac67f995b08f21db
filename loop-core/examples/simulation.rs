//! 100,000 loops on virtual time, with agents that fail, hang, overspend and defer their work. Each run follows from
//! its seed alone.
//!
//! The driver is the one from `own_driver.rs`, on a clock that jumps to the next thing to happen.
//!
//! Run it with `cargo run --release -p loop-core --example simulation`, or with another number of loops after `--`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use std::{
    collections::BTreeMap,
    error::Error,
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    task::{Poll, Wake},
    time::Duration,
};

use loop_core::{
    CancellationToken, Ceiling, Cost, Decision, Guardrail, IterationContext, Loop, Progress, Step, Usage,
    Usd, WorkError, condition_fn, iteration_fn,
};

#[path = "own_driver.rs"]
#[expect(dead_code, reason = "its clock and its loops are another example")]
pub(crate) mod own_driver;
use own_driver::{Clock, Driven, drive};

const ITERATIONS: u64 = 8;
const TIME: Duration = Duration::from_secs(4 * 60 * 60);
const GRACE: Duration = Duration::from_secs(10);
const BUDGET: Usd = Usd::dollars(3);
const REPORT: Usd = Usd::micros(600_000);

/// A clock that stands still while there is work, and then jumps.
pub(crate) struct VirtualClock {
    micros: AtomicU64,
    /// The earliest end of a sleep.
    alarm: AtomicU64,
    is_woken: AtomicBool,
}

impl VirtualClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            micros: AtomicU64::new(0),
            alarm: AtomicU64::new(u64::MAX),
            is_woken: AtomicBool::new(false),
        })
    }

    async fn sleep(&self, time: Duration) {
        let end = (Clock::now(self) + time).as_micros() as u64;
        poll_fn(|_| match self.micros.load(Relaxed) >= end {
            true => Poll::Ready(()),
            false => {
                self.alarm.fetch_min(end, Relaxed);
                Poll::Pending
            }
        })
        .await;
    }
}

impl Wake for VirtualClock {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Relaxed);
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Duration {
        Duration::from_micros(self.micros.load(Relaxed))
    }
    fn wait(&self, until: Option<Duration>) {
        if self.is_woken.swap(false, Relaxed) {
            return;
        }
        let until = until.map_or(u64::MAX, |until| until.as_micros() as u64);
        let next = self.alarm.swap(u64::MAX, Relaxed).min(until);
        assert!(next < u64::MAX, "nothing will ever happen");
        self.micros.fetch_max(next, Relaxed);
    }
}

/// Random numbers from a seed.
#[derive(Clone)]
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// A limit on money.
struct Budget;

impl Guardrail for Budget {
    fn name(&self) -> &str {
        "budget"
    }
    fn check(&self, _: &Progress) -> Decision {
        Decision::Continue
    }
    fn ceiling(&self, progress: &Progress) -> Ceiling {
        Ceiling::cost(BUDGET.saturating_sub(progress.usage().cost.map_or(Usd::ZERO, |cost| cost.usd)))
    }
}

/// Runs the loop with this seed.
fn simulate(seed: u64) -> Driven<u64> {
    let clock = VirtualClock::new();
    let (token, shared) = (CancellationToken::new(), Arc::clone(&clock));
    let (mut dice, cancel) = (Dice(seed), token.clone());
    let agent = iteration_fn(move |cx: IterationContext<u64>| {
        let (clock, fault, cancel) = (Arc::clone(&shared), dice.below(100), cancel.clone());
        let (work, pause, cost) = (dice.below(900), dice.below(3_600), Usd::micros(dice.below(600_000)));
        async move {
            clock.sleep(Duration::from_secs(work)).await;
            cx.meter().add(Usage::unknown().with_cost(Cost::known(cost)));
            match fault {
                0..10 => return Err(WorkError::failed("it broke")),
                10..15 => return Err(WorkError::Later { after: Duration::from_secs(pause) }),
                // It hangs until the driver interrupts it, and then it may hang on.
                15..17 => cx.cancelled().await,
                17 => clock.sleep(TIME * 9).await,
                18 => cancel.cancel(),
                _ => {}
            }
            Ok(cx.iteration())
        }
    });
    let done = condition_fn(move |step: &Step<u64>, _| {
        step.output().is_some_and(|index| Dice(!seed ^ *index).below(12) == 0)
    });
    let run = Loop::new(agent).until(done).at_most(ITERATIONS).at_most_for(TIME).guard(Budget);
    let run = run.pace(Duration::from_secs(30)).grace(GRACE).cancel_on(token);
    drive(run.into_parts()?, &clock)
}

/// Runs this many loops, and returns how often each ending came.
pub(crate) fn run(loops: u64) -> Result<BTreeMap<String, u64>, Box<dyn Error + Send + Sync>> {
    let mut endings = BTreeMap::new();
    for seed in 0..loops {
        let report = simulate(seed)?;
        assert!(report.iterations() <= ITERATIONS, "seed {seed}");
        assert!(report.elapsed() <= TIME + GRACE, "seed {seed}: {:?}", report.elapsed());
        let cost = report.usage().cost.map_or(Usd::ZERO, |cost| cost.usd);
        assert!(cost <= BUDGET + REPORT, "seed {seed}: {cost}");
        if seed % 1_000 == 0 {
            assert_eq!(simulate(seed)?.progress(), report.progress(), "seed {seed} is not deterministic");
        }
        *endings.entry(report.ending().name().to_owned()).or_default() += 1;
    }
    Ok(endings)
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let loops = std::env::args().nth(1).map_or(Ok(100_000), |loops| loops.parse())?;
    for (ending, count) in run(loops)? {
        println!("{count:>7} {ending}");
    }
    Ok(())
}
