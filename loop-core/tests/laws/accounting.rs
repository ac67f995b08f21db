//! The report's usage is the sum of what was reported, late reports included, and never falls;
//! unknown stays unknown.

use loop_core::{Cost, CostQuality, Event, EventKind, Progress, Usage, Usd, WorkResult};

use crate::world::{
    Live, Sim, also_holds,
    chaos::{Ruin, nonsense},
    holds, settings, usage_of, usages, worlds,
};
use proptest::collection::vec;

/// A sum that knows nothing of how the kernel adds.
fn sum(all: &[Usage]) -> Usage {
    let field = |of: fn(&Usage) -> Option<u64>| {
        let known: Vec<u64> = all.iter().filter_map(of).collect();
        (!known.is_empty()).then(|| known.iter().sum())
    };
    let usd = field(|usage| usage.cost.map(|cost| cost.usd.as_nanos()));
    let qualities = all.iter().filter_map(|usage| usage.cost).map(|cost| cost.quality);
    let quality = qualities.max().unwrap_or(CostQuality::Known);
    let mut sum = Usage::unknown();
    sum.input_tokens = field(|usage| usage.input_tokens);
    sum.cached_input_tokens = field(|usage| usage.cached_input_tokens);
    sum.output_tokens = field(|usage| usage.output_tokens);
    sum.cost = usd.map(|usd| Cost::new(Usd::nanos(usd), quality));
    sum
}

fn adds_up_and_never_falls(events: &[Event]) {
    let mut progress = Progress::default();
    let mut last = Usage::unknown();
    let mut added = Usage::unknown();
    for event in events {
        progress.apply(event).expect("it follows");
        let now = *progress.usage();
        added += event.kind.usage().copied().unwrap_or(Usage::unknown());
        assert_eq!(added, now, "what the events add is what the run used");
        let fields = |usage: Usage| {
            [
                usage.input_tokens,
                usage.cached_input_tokens,
                usage.output_tokens,
                usage.cost.map(|c| c.usd.as_nanos()),
            ]
        };
        for (before, after) in fields(last).into_iter().zip(fields(now)) {
            // `None` is less than any number: what is known does not become unknown.
            assert!(before <= after, "usage falls from {last:?} to {now:?}");
        }
        last = now;
    }
}

/// Iterations of which some attempt, or the last one, has no price.
fn without_a_price(events: &[Event]) -> u64 {
    let (mut count, mut is_tainted, mut attempt, mut is_under_way) = (0, false, Usage::unknown(), false);
    let has_price = |usage: &Usage| usage.cost.is_some_and(|cost| cost.quality != CostQuality::Partial);
    for event in events {
        if let EventKind::IterationStarted { .. } = event.kind {
            is_tainted |= !attempt.is_unknown() && !has_price(&attempt);
            (attempt, is_under_way) = (Usage::unknown(), true);
        }
        if is_under_way {
            attempt += event.kind.usage().copied().unwrap_or(Usage::unknown());
        }
        let is_over = match &event.kind {
            EventKind::IterationFinished { result, .. } => !matches!(result, WorkResult::Later { .. }),
            EventKind::WorkCut { .. } => is_under_way,
            _ => false,
        };
        if is_over {
            count += u64::from(is_tainted || !has_price(&attempt));
            (is_tainted, attempt, is_under_way) = (false, Usage::unknown(), false);
        }
    }
    count
}

#[test]
fn accounting() {
    holds(worlds(), |world| {
        let run = Sim::run(&world);
        let told: Vec<Usage> = run.told.iter().map(|told| usage_of(&told.input)).collect();
        assert_eq!(*run.progress.usage(), sum(&told));
        adds_up_and_never_falls(&run.events);
        // An iteration without a price is counted as such.
        let unpriced = run.progress.unpriced_iterations();
        assert_eq!(unpriced, without_a_price(&run.events));
        assert!(unpriced <= run.progress.iterations());
        if run.progress.usage().cost.is_none() {
            assert_eq!(unpriced, run.progress.iterations());
        }
    });
}

#[test]
fn accounting_under_nonsense() {
    also_holds(settings(nonsense()), |(world, nonsense)| {
        let ruin = Ruin::of(&world, &nonsense);
        // What makes no sense is ignored and writes no event; all else counts.
        let heard = ruin.told.iter().filter(|told| told.events > told.from);
        let heard: Vec<Usage> = heard.map(|told| usage_of(&told.input)).collect();
        assert_eq!(*ruin.progress.usage(), sum(&heard));
        adds_up_and_never_falls(&ruin.events);
    });
}

#[test]
fn accounting_adds_in_any_order() {
    also_holds(vec(usages(), 0..6), |mut all| {
        let forwards = all.iter().fold(Usage::unknown(), |a, b| a + *b);
        assert_eq!(forwards, sum(&all));
        all.reverse();
        let backwards = all.iter().fold(Usage::unknown(), |a, b| *b + a);
        assert_eq!(forwards, backwards);
    });
}

#[test]
fn accounting_when_driven() {
    also_holds(worlds(), |world| {
        let live = Live::run(&world);
        let report = live.report.expect("a report");
        assert_eq!(*report.usage(), sum(&live.reported));
        assert_eq!(report.progress(), &Progress::from_events(&live.events).expect("a history"));
        adds_up_and_never_falls(&live.events);
        let last = report.last_step().map(|step| *step.usage());
        assert_eq!(last, report.progress().last_step().map(|step| *step.usage()));
        assert!(live.events.iter().all(|event| match &event.kind {
            EventKind::UsageReported { usage } => !usage.is_unknown(),
            _ => true,
        }));
    });
}
