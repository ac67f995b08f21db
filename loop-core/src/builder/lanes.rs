//! Loops that run at once for one result.

use std::{
    fmt,
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll},
};

use tokio::task::coop::has_budget_remaining;

use super::{BuildError, IsBounded, Loop, LoopStep, nested::unbuilt};
use crate::{
    CancellationToken, Iteration, IterationContext, Report, Step, Usage, WorkError, driver::ReaderQueue,
    work::Outer,
};

/// Runs these loops at once, until the first one meets its goal.
///
/// The others are then cancelled. The race awaits their ends, so nothing of them is left, and their usage counts.
///
/// ```
/// use std::time::Duration;
/// use loop_core::{IterationContext, Loop, Step, StopReason, condition_fn, iteration_fn, race};
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), loop_core::BuildError> {
/// let lane = |seconds: u64| {
///     let agent = iteration_fn(move |_: IterationContext<u64>| async move {
///         tokio::time::sleep(Duration::from_secs(seconds)).await;
///         Ok(seconds)
///     });
///     Loop::new(agent).until(condition_fn(|step: &Step<u64>, _| step.output().is_some())).at_most(3)
/// };
/// let ended = race([lane(30), lane(2)].map(|lane| lane.grace(Duration::ZERO))).run().await?;
/// assert_eq!(ended.winner().and_then(|report| report.output()), Some(&2));
/// assert_eq!(ended.reports()[0].reason(), Some(&StopReason::Cancelled));
/// # Ok(())
/// # }
/// ```
pub fn race<I: Iteration, S, B>(loops: impl IntoIterator<Item = Loop<I, S, B>>) -> Lanes<I, S, B> {
    Lanes { loops: loops.into_iter().collect(), pick: Pick::First }
}

/// Runs these loops at once, and picks the one whose [best step](Report::best) has the highest score.
///
/// Of several with an equal score, a loop that met its goal wins, and then the first. If a loop meets its goal with the
/// highest possible score, which is 1, the others are cancelled, unless you call [`wait_for_all`](Lanes::wait_for_all). The call awaits the ends of all loops, and their usage
/// counts.
///
/// ```
/// use loop_core::{
///     EvaluationContext, IterationContext, Loop, Verdict, best_of, evaluator_fn, evaluator_passed, iteration_fn,
/// };
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), loop_core::BuildError> {
/// let lane = |score: f64| {
///     let agent = iteration_fn(move |_: IterationContext<f64>| async move { Ok(score) });
///     let judge = evaluator_fn(async |cx: EvaluationContext<f64>| Ok(Verdict::pass().with_score(*cx.output())));
///     Loop::new(agent).evaluate(judge).until(evaluator_passed()).at_most(1)
/// };
/// let ended = best_of([lane(0.5), lane(0.9), lane(0.7)]).run().await?;
/// assert_eq!(ended.winner_index(), Some(1));
/// # Ok(())
/// # }
/// ```
pub fn best_of<I: Iteration, S, B>(loops: impl IntoIterator<Item = Loop<I, S, B>>) -> Lanes<I, S, B> {
    Lanes { loops: loops.into_iter().collect(), pick: Pick::Best }
}

/// Loops that run at once. Created by [`race`] and [`best_of`].
#[must_use = "the loops do nothing until they are run"]
pub struct Lanes<I: Iteration, S, B> {
    loops: Vec<Loop<I, S, B>>,
    pick: Pick,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pick {
    First,
    Best,
    BestOfAll,
}

impl<I, S, B> Lanes<I, S, B>
where
    I: Iteration,
    S: LoopStep<Output = I::Output>,
    B: IsBounded,
{
    /// Lets [`best_of`] await all loops, also after one of them has met its goal with a score of 1: for scores that are not
    /// what you compare in the end. A [`race`] stays a race.
    pub fn wait_for_all(mut self) -> Self {
        if self.pick == Pick::Best {
            self.pick = Pick::BestOfAll;
        }
        self
    }

    /// Runs the loops to their ends, in one task.
    ///
    /// # Errors
    /// A [`BuildError`] if one of the loops cannot be built. None of them has begun then.
    ///
    /// # Panics
    /// Like [`Loop::run`].
    ///
    /// # Cancel safety
    /// Dropping the future drops the work of all loops without grace time.
    pub async fn run(self) -> Result<LaneReports<I::Output>, BuildError> {
        self.drive(None).await
    }

    /// Runs the loops as a part of the iteration with this context: see [`Loop::run_within`].
    ///
    /// # Errors
    /// If no loop wins, the first error with which one of them would have ended its outer run. Deferrals are no such
    /// error: the loop waits, and the others continue. Loops that cannot be built halt the outer run as
    /// [`Failed`](crate::StopReason::Failed).
    ///
    /// # Panics
    /// Like [`Loop::run`].
    ///
    /// # Cancel safety
    /// Like [`run`](Self::run).
    pub async fn run_within<P>(self, cx: &IterationContext<P>) -> Result<LaneReports<I::Output>, WorkError> {
        let ended = self.drive(Some(cx.outer())).await.map_err(|error| unbuilt(&error))?;
        if ended.winner.is_none() {
            let halt = |report: &Report<_>| Outer::propagated(report.ending(), report.progress());
            if let Some(halt) = ended.reports.iter().find_map(halt) {
                return Err(halt.into());
            }
        }
        Ok(ended)
    }

    async fn drive(self, outer: Option<Outer>) -> Result<LaneReports<I::Output>, BuildError> {
        let mut lanes = Vec::with_capacity(self.loops.len());
        for mut lane in self.loops {
            // The race cancels only this loop, not everything that uses the user's token.
            let cancel = lane.cancel.child_token();
            lane.cancel = cancel.clone();
            let driver = lane.driver(ReaderQueue::default(), outer.as_ref())?;
            lanes.push(Lane { cancel, state: LaneState::Running(Box::pin(driver.drive())) });
        }
        let (mut next, mut first) = (0, None);
        poll_fn(|cx| poll_lanes(&mut lanes, &mut next, &mut first, self.pick, cx)).await;
        let ended = lanes.into_iter().filter_map(|lane| match lane.state {
            LaneState::Ended(report) => Some(*report),
            LaneState::Running(_) => None,
        });
        let reports: Vec<_> = ended.collect();
        let winner = match self.pick {
            Pick::First => first,
            Pick::Best | Pick::BestOfAll => best(&reports),
        };
        Ok(LaneReports { reports, winner })
    }
}

/// One of the loops.
struct Lane<'l, O> {
    cancel: CancellationToken,
    state: LaneState<'l, O>,
}

enum LaneState<'l, O> {
    Running(Pin<Box<dyn Future<Output = Report<O>> + Send + 'l>>),
    Ended(Box<Report<O>>),
}

/// Polls the running loops, beginning with `next`. Cancels the others once one of them decides, and notes which one it
/// is.
fn poll_lanes<O>(
    lanes: &mut [Lane<'_, O>],
    next: &mut usize,
    first: &mut Option<usize>,
    pick: Pick,
    cx: &mut Context<'_>,
) -> Poll<()> {
    let mut is_over = true;
    let count = lanes.len();
    for index in (0..count).map(|place| (*next + place) % count) {
        let LaneState::Running(drive) = &mut lanes[index].state else { continue };
        let Poll::Ready(report) = drive.as_mut().poll(cx) else {
            is_over = false;
            // Work that is always ready uses up the budget of the task, with which tokio makes it yield. The other loops
            // could not even look at their clocks then, so the next poll begins with them.
            if !has_budget_remaining() {
                *next = (index + 1) % count;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            continue;
        };
        let decides = report.is_success()
            && match pick {
                Pick::First => true,
                Pick::Best => score(&report) == Some(1.0),
                Pick::BestOfAll => false,
            };
        lanes[index].state = LaneState::Ended(Box::new(report));
        if decides && first.is_none() {
            *first = Some(index);
            lanes.iter().for_each(|lane| lane.cancel.cancel());
        }
    }
    if is_over { Poll::Ready(()) } else { Poll::Pending }
}

fn score<O>(report: &Report<O>) -> Option<f64> {
    report.best().and_then(|step: &Step<O>| step.score())
}

/// Returns the index of the best report, if any has a score or met its goal.
fn best<O>(reports: &[Report<O>]) -> Option<usize> {
    // Scores are not negative, and any score is better than none.
    let rank = |report: &Report<O>| (score(report).unwrap_or(-1.0), report.is_success());
    let mut best: Option<(usize, (f64, bool))> = None;
    for (index, report) in reports.iter().enumerate() {
        let rank = rank(report);
        if best.is_none_or(|(_, best)| rank > best) {
            best = Some((index, rank));
        }
    }
    best.filter(|(_, rank)| *rank > (-1.0, false)).map(|(index, _)| index)
}

/// The reports of loops that ran at once, in the order of the loops.
#[derive(Debug)]
pub struct LaneReports<O> {
    reports: Vec<Report<O>>,
    winner: Option<usize>,
}

impl<O> LaneReports<O> {
    /// Returns the report of the loop that won. Returns `None` if no loop met its goal, and in [`best_of`] if none of
    /// them has a score either.
    pub fn winner(&self) -> Option<&Report<O>> {
        self.winner.map(|index| &self.reports[index])
    }

    /// Returns the place of the loop that won, from 0.
    pub const fn winner_index(&self) -> Option<usize> {
        self.winner
    }

    /// Returns the reports of all loops, in their order. Each loop that was cancelled has one too.
    pub fn reports(&self) -> &[Report<O>] {
        &self.reports
    }

    /// Returns the usage of all loops together.
    pub fn usage(&self) -> Usage {
        self.reports.iter().fold(Usage::unknown(), |sum, report| sum + *report.usage())
    }
}

impl<I: Iteration, S, B> fmt::Debug for Lanes<I, S, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lanes").field("loops", &self.loops).field("pick", &self.pick).finish()
    }
}
