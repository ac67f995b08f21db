//! A limit on how fast money is spent.
//!
//! A budget for a night is large, and a loop that goes astray can spend it within fifteen minutes: an agent starts
//! other agents, or somebody mistypes the name of a model and gets one that costs ten times as much. The total stays
//! below its limit, and yet the night's budget is gone. A limit on the rate notices while most of the budget is left.

use std::collections::VecDeque;

use loop_core::{
    BoxError, Ceiling, Decision, Ending, Event, Guardrail, Halt, Progress, RunTime, SnapshotError,
    StopReason, Usd,
};

use crate::snapshot;

/// Limits the cost of any one hour.
///
/// It is a fuse and not a brake: it cuts an iteration that crosses the limit, and the run ends, because a person should
/// find out why it was so fast. To spend more slowly, give the loop a [pace](loop_core::Pace). The report shows any
/// cost over the limit before the cut. A limit of zero halts before the first iteration.
///
/// # Which hour
/// The window slides: it is always the last hour. It is an hour of run time, which is never longer than an hour on the
/// clock. To bound memory, the guardrail stores one sum per minute. It drops a cost once that whole minute is an hour
/// old, which is after 60 to 61 minutes. So no hour exceeds the limit, except for the overrun before the cut.
///
/// # Resuming
/// The time while a run was down is not run time. So after this guardrail halted a run, each resume would find the same
/// full hour. But resuming counts as a human review: if this guardrail ended the run, the window starts empty. If the
/// run crashed or ended for another reason, it continues with its window as it was.
///
/// Like [`MaxCost`](super::MaxCost) it counts reported cost, and **unreported cost does not count**. If an agent
/// reports only at its end, the whole amount counts at that time.
///
/// ```
/// use loop_core::{Cost, IterationContext, Loop, StopReason, Usage, Usd, iteration_fn};
/// use loop_guardrails::{SpendingRate, after};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = iteration_fn(async |cx: IterationContext<()>| {
///     cx.meter().add(Usage::unknown().with_cost(Cost::known(Usd::micros(400_000))));
///     Ok(())
/// });
/// let fuse = SpendingRate::per_hour(Usd::dollars(1));
/// let report = Loop::new(agent).until(after(100)).at_most(100).guard(fuse).run().await?;
/// assert_eq!(report.reason(), Some(&StopReason::BudgetExceeded));
/// assert_eq!(report.iterations(), 3);
/// assert_eq!(report.ending().message(), "$1.20 spent within an hour; the limit is $1.00 an hour");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpendingRate {
    limit: Usd,
    /// The cost of each minute of the run, oldest first; at most 61 entries.
    spent: VecDeque<(u64, Usd)>,
}

/// The number of minutes before the present one that can contain a cost less than an hour old.
const MINUTES: u64 = 60;

impl SpendingRate {
    /// The name of this guardrail, which distinguishes it from other limits on money in a run's outcome.
    pub const NAME: &'static str = "spending_rate";

    /// Limits the cost of any hour to `limit`.
    pub const fn per_hour(limit: Usd) -> Self {
        Self { limit, spent: VecDeque::new() }
    }

    /// Returns the cost of the hour before `now`.
    fn spent(&self, now: RunTime) -> Usd {
        let first = minute(now).saturating_sub(MINUTES);
        let recent = self.spent.iter().filter(|(minute, _)| *minute >= first);
        recent.fold(Usd::ZERO, |sum, (_, spent)| sum + *spent)
    }
}

impl Guardrail for SpendingRate {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn check(&self, progress: &Progress) -> Decision {
        let spent = self.spent(progress.now());
        if spent < self.limit {
            return Decision::Continue;
        }
        let message = format!("{spent} spent within an hour; the limit is {} an hour", self.limit);
        Decision::Halt(Halt::new(StopReason::BudgetExceeded, message))
    }

    fn ceiling(&self, progress: &Progress) -> Ceiling {
        Ceiling::cost(self.limit.saturating_sub(self.spent(progress.now())))
    }

    fn observe(&mut self, event: &Event) {
        let Some(cost) = event.kind.usage().and_then(|usage| usage.cost) else { return };
        let now = minute(event.at);
        match self.spent.back_mut() {
            Some((minute, spent)) if *minute == now => *spent = *spent + cost.usd,
            _ => self.spent.push_back((now, cost.usd)),
        }
        while self.spent.front().is_some_and(|(minute, _)| minute + MINUTES < now) {
            self.spent.pop_front();
        }
    }

    fn reopened(&mut self, ending: &Ending) {
        if ending.guardrail() == Some(Self::NAME) {
            self.spent.clear();
        }
    }

    fn snapshot(&self) -> Result<String, SnapshotError> {
        let minutes: Vec<_> = self.spent.iter().map(|(minute, spent)| (minute, spent.as_nanos())).collect();
        snapshot::write(Self::NAME, &minutes)
    }

    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        let minutes: Vec<(u64, u64)> = snapshot::read(state)?;
        self.spent = minutes.into_iter().map(|(minute, spent)| (minute, Usd::nanos(spent))).collect();
        Ok(())
    }
}

fn minute(at: RunTime) -> u64 {
    at.as_micros() / 60_000_000
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use loop_core::{Cost, EventKind, Notes, Usage, WorkResult};
    use proptest::{collection::vec, prelude::*};

    use super::*;

    /// Generates a pause, the cost after it, and one of the ways to report that cost.
    fn spending() -> impl Strategy<Value = (Duration, u64, u8)> {
        let pauses = prop_oneof![0..90_u64, 0..1_200_u64, 3_400..3_800_u64];
        (pauses.prop_map(Duration::from_secs), 0..4_000_000_u64, 0..4_u8)
    }

    fn told(micros: u64, way: u8) -> EventKind {
        let usage = Usage::unknown().with_cost(Cost::known(Usd::micros(micros)));
        let notes = Notes::default().with_usage(usage).boxed();
        match way {
            0 => EventKind::UsageReported { usage },
            1 => EventKind::IterationFinished { result: WorkResult::Done(()), notes },
            2 => EventKind::EvaluationFinished {
                result: WorkResult::Failed("it broke".to_owned().into()),
                notes,
            },
            _ => EventKind::WorkCut { notes },
        }
    }

    /// A run with its cost: the guardrail and the progress after each event, and all costs.
    struct Run {
        rate: SpendingRate,
        progress: Progress,
        spent: Vec<(RunTime, u64)>,
    }

    impl Run {
        fn new(limit: u64) -> Self {
            let mut run = Self {
                rate: SpendingRate::per_hour(Usd::micros(limit)),
                progress: Progress::default(),
                spent: Vec::new(),
            };
            run.happen(RunTime::ZERO, EventKind::RunStarted { evaluated: true, evaluates_first: false });
            run
        }

        fn happen(&mut self, at: RunTime, kind: EventKind) {
            let event = Event::new(at, kind);
            self.progress.apply(&event).expect("it follows");
            self.rate.observe(&event);
        }

        /// Runs a step with this cost.
        fn spend(&mut self, (pause, micros, way): (Duration, u64, u8)) {
            let at = self.progress.now().after(pause);
            let iteration = self.progress.iterations() + 1;
            let cause = Box::new(Ending::halted(Halt::new(StopReason::Cancelled, "")));
            let failed =
                EventKind::IterationFinished { result: WorkResult::Failed("no".into()), notes: None };
            let done = EventKind::IterationFinished { result: WorkResult::Done(()), notes: None };
            let judged =
                EventKind::EvaluationFinished { result: WorkResult::Failed("no".into()), notes: None };
            let settled = EventKind::StepSettled { met: false, by: None };
            let (before, after) = match way {
                0 => (vec![], vec![failed, settled]),
                1 => (vec![], vec![EventKind::EvaluationStarted {}, judged, settled]),
                2 => (vec![done, EventKind::EvaluationStarted {}], vec![settled]),
                _ => {
                    let ending = EventKind::RunFinished { ending: cause.clone() };
                    let resumed = EventKind::RunResumed {};
                    (vec![EventKind::InterruptRequested { cause }], vec![ending, resumed])
                }
            };
            self.happen(at, EventKind::IterationStarted { iteration, attempt: 1 });
            for kind in before.into_iter().chain([told(micros, way)]).chain(after) {
                self.happen(at, kind);
            }
            self.spent.push((at, micros));
        }

        /// Returns the cost of the last `minutes` minutes.
        fn recent(&self, minutes: u64) -> u64 {
            let age = |at: RunTime| self.progress.now().since(at);
            let is_recent = |at: RunTime| age(at) < Duration::from_secs(minutes * 60);
            self.spent.iter().filter(|(at, _)| is_recent(*at)).map(|(_, micros)| micros).sum()
        }
    }

    proptest! {
        /// Cost less than an hour old counts, and cost older than 61 minutes does not.
        #[test]
        fn the_hour_that_is_just_over_counts(spendings in vec(spending(), 0..40), limit in 1..40_000_000_u64) {
            let mut run = Run::new(limit);
            for spending in spendings {
                run.spend(spending);
                let left = run.rate.ceiling(&run.progress).cost.unwrap_or_default().as_micros();
                prop_assert!(left <= limit.saturating_sub(run.recent(60)));
                prop_assert!(left >= limit.saturating_sub(run.recent(61)));
                let halts = matches!(run.rate.check(&run.progress), Decision::Halt(_));
                prop_assert_eq!(halts, left == 0);
                prop_assert!(run.rate.spent.len() <= 61);
            }
        }

        /// The guardrail counts all usage exactly once, whichever way the agent reports it.
        #[test]
        fn what_the_guardrail_adds_up_is_what_the_run_used(spendings in vec(spending(), 0..20)) {
            let mut run = Run::new(1);
            for (_, micros, way) in spendings {
                run.spend((Duration::ZERO, micros, way));
            }
            let used = run.progress.usage().cost.map_or(Usd::ZERO, |cost| cost.usd);
            prop_assert_eq!(run.rate.spent(run.progress.now()), used);
        }
    }

    #[test]
    fn money_that_was_spent_an_hour_ago_may_be_spent_again() {
        let mut run = Run::new(1_000_000);
        run.spend((Duration::from_secs(30), 900_000, 0));
        let left = |run: &Run| run.rate.ceiling(&run.progress).cost;
        assert_eq!(left(&run), Some(Usd::micros(100_000)));
        run.spend((Duration::from_secs(3_599), 0, 0));
        assert_eq!(left(&run), Some(Usd::micros(100_000)));
        run.spend((Duration::from_secs(61), 0, 0));
        assert_eq!(left(&run), Some(Usd::dollars(1)));
    }

    #[test]
    fn resuming_a_run_that_it_ended_begins_another_hour() {
        for (guardrail, left) in [(SpendingRate::NAME, 1_000_000), ("max_cost", 0)] {
            let mut run = Run::new(1_000_000);
            run.spend((Duration::ZERO, 3_000_000, 0));
            run.rate.reopened(&Ending::halted_by(guardrail, Halt::new(StopReason::BudgetExceeded, "")));
            assert_eq!(run.rate.ceiling(&run.progress).cost, Some(Usd::micros(left)), "{guardrail:?}");
        }
    }

    #[test]
    fn a_rate_of_zero_halts_before_the_first_iteration() {
        let rate = SpendingRate::per_hour(Usd::ZERO);
        assert!(matches!(rate.check(&Progress::default()), Decision::Halt(_)));
    }
}
