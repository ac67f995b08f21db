//! What a condition is shown.

use std::sync::{Arc, Mutex};

use loop_core::{
    Event, EventKind, IterationContext, Loop, Meter, Progress, Step, StepRecord, StopCondition, iteration_fn,
};

use crate::parts::cents;

/// Met at once, if the step, the progress and the events that it was shown all say the same.
#[derive(Default)]
struct Consistent(Vec<Event>);

impl StopCondition<Step<u64>> for Consistent {
    fn is_met(&self, step: &Step<u64>, progress: &Progress) -> bool {
        assert_eq!(&self.0.iter().collect::<Progress>(), progress);
        assert_eq!(Some(step.usage()), progress.current_step().map(StepRecord::usage));
        true
    }
    fn observe(&mut self, event: &Event) {
        self.0.push(event.clone());
    }
}

#[tokio::test(start_paused = true)]
async fn usage_that_comes_just_before_a_step_is_settled_is_part_of_all_that_the_condition_sees() {
    let meter: Arc<Mutex<Option<Meter>>> = Arc::default();
    let shared = Arc::clone(&meter);
    let agent = iteration_fn(move |cx: IterationContext<u64>| {
        *shared.lock().unwrap() = Some(cx.meter());
        async { Ok(1) }
    });
    let late = move |event: &Event, _: &Progress| {
        if let (EventKind::IterationFinished { .. }, Some(meter)) = (&event.kind, &*meter.lock().unwrap()) {
            meter.add(cents(2));
        }
    };
    let report = Loop::new(agent).until(Consistent::default()).at_most(1).observe(late).run().await.unwrap();
    assert!(report.is_success());
    assert_eq!(report.usage(), &cents(2));
    assert_eq!(report.last_step().map(|step| *step.usage()), Some(cents(2)));
}
