//! The remaining budgets of a run, and how long they last.
//!
//! "$1.16 spent" leaves the arithmetic to a person who needs to know whether the budget lasts the night. So the
//! remainder appears in iterations, the natural unit of a loop.

use std::time::Duration;

use loop_core::{Progress, RunCost, Usd};
use loop_telemetry::{
    rows::MeanUse,
    words::{count, dollars, duration, grouped},
};

use crate::plan::Limits;

/// Describes the remainder of each budget, starting with the one that ends first. Returns an empty text without
/// budgets. The important part fits half the width of a page, because the live view shows it too. `mean_use` is the
/// mean use of an iteration.
pub fn remaining(limits: &Limits, progress: &Progress, mean_use: &MeanUse) -> Vec<String> {
    let limits = &limits.granted(progress);
    let run = Run { used_up: progress.iterations(), most: limits.max_iterations.get() };
    let budgets = [
        cost(limits, progress, mean_use),
        tokens(limits, progress, mean_use),
        time(limits, progress, mean_use),
    ];
    let mut budgets: Vec<_> = budgets.into_iter().flatten().collect();
    budgets.sort_by(|a, b| a.more().total_cmp(&b.more()));
    budgets.iter().map(|budget| budget.words(run)).chain(rate(limits, progress)).collect()
}

/// The progress of a run.
#[derive(Debug, Clone, Copy)]
struct Run {
    used_up: u64,
    most: u64,
}

/// A budget in its smallest unit.
struct Budget {
    limit: u64,
    used: u64,
    /// The mean use of an iteration, if known.
    each: Option<f64>,
    /// True if the actual use is higher than the known use.
    is_partial: bool,
    show: fn(u64) -> String,
    /// The unit to show.
    unit: &'static str,
}

fn cost(limits: &Limits, progress: &Progress, mean_use: &MeanUse) -> Option<Budget> {
    Some(Budget {
        limit: limits.max_cost?.as_nanos(),
        used: progress.usage().cost.map_or(0, |cost| cost.usd.as_nanos()),
        each: mean_use.nano_dollars(),
        is_partial: is_lower_bound(progress),
        show: |nanos| dollars(Usd::nanos(nanos)),
        unit: "",
    })
}

/// Returns whether the actual spending is higher than the known one.
fn is_lower_bound(progress: &Progress) -> bool {
    progress.unpriced_iterations() > 0 || matches!(progress.cost(), RunCost::AtLeast(_))
}

fn tokens(limits: &Limits, progress: &Progress, mean_use: &MeanUse) -> Option<Budget> {
    Some(Budget {
        limit: limits.max_tokens?.get(),
        used: progress.usage().tokens().unwrap_or(0),
        each: mean_use.tokens(),
        is_partial: progress.uncounted_iterations() > 0 || progress.usage().are_tokens_partial,
        show: grouped,
        unit: " tokens",
    })
}

/// Returns a time in whole milliseconds.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn time(limits: &Limits, progress: &Progress, mean_use: &MeanUse) -> Option<Budget> {
    /// An overrun no longer than an interruption takes is not worth reporting.
    const MOMENT: u64 = 100;
    let (limit, elapsed) = (millis(limits.max_time?), millis(progress.elapsed()));
    Some(Budget {
        limit,
        used: if elapsed.saturating_sub(limit) < MOMENT { elapsed.min(limit) } else { elapsed },
        each: mean_use.millis(),
        is_partial: false,
        show: |millis| duration(Duration::from_millis(millis)),
        unit: "",
    })
}

/// Describes the hourly spending limit. For a run younger than an hour, all spending counts. For an older run, or one
/// resumed after it overspent, this shows the average per hour.
fn rate(limits: &Limits, progress: &Progress) -> Option<String> {
    const HOUR: Duration = Duration::from_secs(3600);
    let limit = limits.max_hourly_cost?;
    let of = format!("of {} in any hour", dollars(limit));
    let Some(spent) = progress.cost().usd() else {
        return Some(format!("unknown, {of}: nothing was reported"));
    };
    if progress.elapsed() > HOUR {
        let hourly = spent.as_f64() / progress.elapsed().as_secs_f64() * HOUR.as_secs_f64();
        let hourly = Usd::try_from_f64(hourly).unwrap_or(spent);
        return Some(format!("{} in an hour so far, {of}", dollars(hourly)));
    }
    let at_most = if is_lower_bound(progress) { "at most " } else { "" };
    Some(match spent.saturating_sub(limit) {
        Usd::ZERO if spent == limit => format!("nothing {of}"),
        Usd::ZERO => format!("{at_most}{} {of}", dollars(limit.saturating_sub(spent))),
        // The run was resumed, with a full hour ahead of it.
        _ if progress.ending().is_none() => format!("{} spent so far, {of}", dollars(spent)),
        over => format!("nothing {of}: {} over", dollars(over)),
    })
}

impl Budget {
    /// Returns how many more iterations the budget covers; infinite if unknown.
    fn more(&self) -> f64 {
        let left = self.limit.saturating_sub(self.used) as f64;
        self.each.map_or(f64::INFINITY, |each| left / each)
    }

    fn words(&self, run: Run) -> String {
        let Self { limit, used, unit, show, .. } = *self;
        let of = format!("of {}{unit}", show(limit));
        if used >= limit {
            return match used - limit {
                0 => format!("nothing {of}"),
                over => format!("nothing {of}: {}{unit} over", show(over)),
            };
        }
        let at_most = if self.is_partial { "at most " } else { "" };
        let Some(each) = self.each else {
            return match (used, self.is_partial) {
                (0, true) => format!("unknown, {of}: nothing was reported"),
                // Use before the end of an iteration, or by a failed one, does not predict the next one.
                _ => format!("{at_most}{} {of}", show(limit - used)),
            };
        };
        let each = show(each as u64);
        format!("{at_most}{} {of}: {}", show(limit - used), lasts(self.more() as u64, &each, run))
    }
}

/// Describes what this many more iterations mean for the run.
fn lasts(more: u64, each: &str, run: Run) -> String {
    let open = run.most.saturating_sub(run.used_up);
    if more == 0 {
        return format!("not enough for another iteration at {each}");
    }
    if open > 0 && more >= open {
        return format!("enough for the remaining iterations at {each} each");
    }
    let about = format!("about {} at {each}", count(more, "more iteration"));
    match open {
        0 => about,
        _ => format!("{about}, to iteration {}", run.used_up + more),
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use loop_core::{Cost, Event, EventKind, Halt, Notes, RunTime, StopReason, Usage, WorkResult};
    use proptest::prelude::*;

    use super::*;

    const LIMITS: Limits = Limits {
        max_iterations: NonZeroU64::new(20).unwrap(),
        max_cost: Some(Usd::dollars(2)),
        max_hourly_cost: None,
        max_time: None,
        max_tokens: None,
        allow_unmetered: false,
        max_consecutive_failures: None,
        checkpoint: None,
    };

    /// A run with its observed use.
    #[derive(Default)]
    struct FoldedRun {
        progress: Progress,
        mean_use: MeanUse,
    }

    impl FoldedRun {
        fn happen(&mut self, at: u64, kind: EventKind) {
            self.progress.apply(&Event::new(RunTime::from_micros(at), kind)).expect("it follows");
            self.mean_use.observe(&self.progress);
        }

        fn remaining(&self, limits: &Limits) -> Vec<String> {
            remaining(limits, &self.progress, &self.mean_use)
        }
    }

    /// Builds a run whose iterations took a minute each, with this usage.
    fn after(iterations: &[Usage]) -> FoldedRun {
        let mut seen = FoldedRun::default();
        let mut happen = |minutes: usize, kind| seen.happen(minutes as u64 * 60_000_000, kind);
        happen(0, EventKind::RunStarted { evaluated: false, evaluates_first: false });
        for (before, usage) in iterations.iter().enumerate() {
            let notes = Notes::default().with_usage(*usage).boxed();
            happen(before, EventKind::IterationStarted { iteration: before as u64 + 1, attempt: 1 });
            happen(before + 1, EventKind::IterationFinished { result: WorkResult::Done(()), notes });
            happen(before + 1, EventKind::StepSettled { met: false, by: None });
        }
        seen
    }

    fn spent(cents: u64) -> Usage {
        Usage::unknown().with_cost(Cost::known(Usd::micros(cents * 10_000)))
    }

    fn remaining_after(limits: &Limits, iterations: &[Usage]) -> String {
        after(iterations).remaining(limits).join("\n")
    }

    #[test]
    fn what_is_left_is_said_in_iterations() {
        let cases = [
            remaining_after(&LIMITS, &[]),
            remaining_after(&LIMITS, &[spent(12); 3]),
            remaining_after(&LIMITS, &[spent(5); 3]),
            remaining_after(&LIMITS, &[spent(90), spent(85)]),
            remaining_after(&LIMITS, &[spent(100); 2]),
            remaining_after(&LIMITS, &[spent(200), spent(13)]),
            remaining_after(&LIMITS, &[Usage::unknown(); 2]),
            remaining_after(&LIMITS, &[spent(12), Usage::unknown(), spent(12)]),
            remaining_after(&LIMITS, &[spent(9); 20]),
        ];
        insta::assert_snapshot!(cases.join("\n"), @r"
        $2.00 of $2.00
        $1.64 of $2.00: about 13 more iterations at $0.12, to iteration 16
        $1.85 of $2.00: enough for the remaining iterations at $0.05 each
        $0.25 of $2.00: not enough for another iteration at $0.88
        nothing of $2.00
        nothing of $2.00: $0.13 over
        unknown, of $2.00: nothing was reported
        at most $1.76 of $2.00: about 14 more iterations at $0.12, to iteration 17
        $0.20 of $2.00: about 2 more iterations at $0.09
        ");
    }

    #[test]
    fn what_was_used_without_an_iteration_is_used_all_the_same() {
        // A deferred iteration has a cost but does not count.
        let mut seen = after(&[]);
        seen.happen(1, EventKind::IterationStarted { iteration: 1, attempt: 1 });
        let notes = Notes::default().with_usage(spent(60)).boxed();
        let result = WorkResult::Later { after: Duration::from_secs(30) };
        seen.happen(1, EventKind::IterationFinished { result, notes });
        assert_eq!(seen.remaining(&LIMITS), ["$1.40 of $2.00"]);
    }

    #[test]
    fn what_the_iteration_under_way_has_used_is_gone_and_says_nothing_of_the_next() {
        let mut seen = after(&[spent(10), spent(10)]);
        seen.happen(130_000_000, EventKind::IterationStarted { iteration: 3, attempt: 1 });
        seen.happen(130_000_000, EventKind::UsageReported { usage: spent(30) });
        assert_eq!(
            seen.remaining(&LIMITS),
            ["$1.50 of $2.00: about 15 more iterations at $0.10, to iteration 17"]
        );
    }

    #[test]
    fn an_iteration_that_was_cut_or_that_failed_says_nothing_of_the_next() {
        let mut seen = after(&[spent(10)]);
        let begin = |iteration| EventKind::IterationStarted { iteration, attempt: 1 };
        let notes = |cents| Notes::default().with_usage(spent(cents)).boxed();
        let result = WorkResult::Failed("it broke".to_owned().into());
        seen.happen(70_000_000, begin(2));
        seen.happen(80_000_000, EventKind::IterationFinished { result, notes: notes(1) });
        seen.happen(80_000_000, EventKind::StepSettled { met: false, by: None });
        seen.happen(90_000_000, begin(3));
        let cause = Box::new(loop_core::Ending::halted(Halt::new(StopReason::Cancelled, "")));
        seen.happen(95_000_000, EventKind::InterruptRequested { cause });
        seen.happen(95_000_000, EventKind::WorkCut { notes: notes(69) });
        assert_eq!(
            seen.remaining(&LIMITS),
            ["$1.20 of $2.00: about 12 more iterations at $0.10, to iteration 15"]
        );
    }

    #[test]
    fn tokens_that_only_some_iterations_report_are_all_that_is_known() {
        let limits = Limits { max_cost: None, max_tokens: NonZeroU64::new(50_000), ..LIMITS };
        let told = Usage::unknown().with_tokens(9_000, 1_000);
        assert_eq!(
            remaining_after(&limits, &[told, Usage::unknown(), told]),
            "at most 30,000 of 50,000 tokens: about 3 more iterations at 10,000, to iteration 6"
        );
    }

    #[test]
    fn what_is_left_of_the_hour_is_said_while_there_was_none_before_it() {
        let limits = Limits { max_cost: None, max_hourly_cost: Some(Usd::dollars(1)), ..LIMITS };
        let cases = [
            remaining_after(&limits, &[spent(12); 3]),
            remaining_after(&limits, &[Usage::unknown()]),
            remaining_after(&limits, &[Usage::unknown(), spent(12)]),
            remaining_after(&limits, &[spent(1); 120]),
            remaining_after(&limits, &[spent(400)]),
            remaining_after(&limits, &[spent(100)]),
        ];
        insta::assert_snapshot!(cases.join("\n"), @r"
        $0.64 of $1.00 in any hour
        unknown, of $1.00 in any hour: nothing was reported
        at most $0.88 of $1.00 in any hour
        $0.60 in an hour so far, of $1.00 in any hour
        $4.00 spent so far, of $1.00 in any hour
        nothing of $1.00 in any hour
        ");
    }

    #[test]
    fn the_budget_that_ends_first_stands_first() {
        let limits = Limits {
            max_time: Some(Duration::from_secs(3600)),
            max_tokens: NonZeroU64::new(50_000),
            ..LIMITS
        };
        insta::assert_snapshot!(remaining_after(&limits, &[spent(12).with_tokens(9_000, 1_500); 4]), @r"
        8,000 of 50,000 tokens: not enough for another iteration at 10,500
        $1.52 of $2.00: about 12 more iterations at $0.12, to iteration 16
        56m 00s of 1h 00m: enough for the remaining iterations at 1m 00s each
        ");
    }

    proptest! {
        /// For any usage there is a text, and it names the limit.
        #[test]
        fn no_run_is_too_odd_for_words(
            nanos in prop::collection::vec(prop::option::of(0..u64::MAX / 100), 0..30),
            limit in 1..u64::MAX,
        ) {
            let usage = |nanos: &Option<u64>| match nanos {
                Some(nanos) => Usage::unknown().with_cost(Cost::known(Usd::nanos(*nanos))),
                None => Usage::unknown(),
            };
            let used: Vec<_> = nanos.iter().map(usage).collect();
            let limits = Limits { max_cost: Some(Usd::nanos(limit)), ..LIMITS };
            let said = remaining_after(&limits, &used);
            let named = dollars(Usd::nanos(limit));
            prop_assert!(said.contains(&named), "{} {}", said, named);
        }
    }
}
