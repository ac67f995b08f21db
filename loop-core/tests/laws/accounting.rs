//! The report's usage is the sum of what was reported, late reports included, and never falls;
//! unknown stays unknown.

use loop_core::{CostQuality, Event, EventKind, Progress, Usage};

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
    Usage {
        input_tokens: field(|usage| usage.input_tokens),
        cached_input_tokens: field(|usage| usage.cached_input_tokens),
        output_tokens: field(|usage| usage.output_tokens),
        cost: usd.map(|usd| loop_core::Cost { usd: loop_core::Usd::nanos(usd), quality }),
    }
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

#[test]
fn accounting() {
    holds(worlds(), |world| {
        let run = Sim::run(&world);
        let told: Vec<Usage> = run.told.iter().map(|told| usage_of(&told.input)).collect();
        assert_eq!(*run.progress.usage(), sum(&told));
        adds_up_and_never_falls(&run.events);
        // An iteration without a price is counted as such.
        let unpriced = run.progress.unpriced_iterations();
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
