//! The report's usage is the sum of the reported usage, including late reports. It never decreases, and unknown stays
//! unknown.

use loop_core::{Cost, CostQuality, Event, EventKind, Progress, Usage, Usd, WorkResult};

use crate::scenario::{
    DrivenRun, Simulator, also_holds, holds,
    random_inputs::{RandomRun, random_inputs},
    scenarios, settings, usage_of, usages,
};
use proptest::collection::vec;

/// Adds independently of the kernel.
pub(crate) fn sum(all: &[Usage]) -> Usage {
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

pub(crate) fn adds_up_and_never_falls(events: &[Event]) {
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
            // `None` is less than any number: a known field does not become unknown.
            assert!(before <= after, "usage falls from {last:?} to {now:?}");
        }
        last = now;
    }
}

/// Counts the iterations with an attempt without a price.
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
    holds(scenarios(), |scenario| {
        let run = Simulator::run(&scenario);
        let reported: Vec<Usage> = run.exchanges.iter().map(|exchange| usage_of(&exchange.input)).collect();
        assert_eq!(*run.progress.usage(), sum(&reported));
        adds_up_and_never_falls(&run.events);
        // The progress counts an iteration without a price as such.
        let unpriced = run.progress.unpriced_iterations();
        assert_eq!(unpriced, without_a_price(&run.events));
        assert!(unpriced <= run.progress.iterations());
        if run.progress.usage().cost.is_none() {
            assert_eq!(unpriced, run.progress.iterations());
        }
    });
}

#[test]
fn accounting_under_random_inputs() {
    also_holds(settings(random_inputs()), |(scenario, random_inputs)| {
        let run = RandomRun::of(&scenario, &random_inputs);
        // The machine ignores senseless inputs and writes no event for them. All others count.
        let heard = run.exchanges.iter().filter(|exchange| exchange.events > exchange.from);
        let heard: Vec<Usage> = heard.map(|exchange| usage_of(&exchange.input)).collect();
        assert_eq!(*run.progress.usage(), sum(&heard));
        adds_up_and_never_falls(&run.events);
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
    also_holds(scenarios(), |scenario| {
        let live = DrivenRun::run(&scenario);
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
