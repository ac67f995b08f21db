//! The inputs of a stop condition.

use std::sync::{Arc, Mutex};

use loop_core::{
    Cost, CostQuality, Event, EventKind, IterationContext, Loop, Meter, Progress, Step, StepRecord,
    StopCondition, Usage, Usd, condition_fn, iteration_fn,
};

use crate::test_parts::cents;

/// Met at once if the step, the progress and the observed events agree.
#[derive(Default)]
struct Consistent(Vec<Event>);

impl StopCondition<Step<u64>> for Consistent {
    fn is_met(&self, step: &Step<u64>, progress: &Progress) -> bool {
        assert_eq!(&Progress::from_events(&self.0).expect("a history"), progress);
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

#[tokio::test(start_paused = true)]
async fn what_an_iteration_says_of_its_work_beside_the_output_is_part_of_the_step() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        cx.mark("exit_code", 1);
        cx.fault("exited with 1");
        Ok(1)
    });
    let goal = condition_fn(|step: &Step<u64>, _: &Progress| {
        step.fault() == Some("exited with 1") && step.marks().iter().any(|mark| mark.hash == 1)
    });
    assert!(Loop::new(agent).until(goal).at_most(1).run().await.unwrap().is_success());
}

#[tokio::test(start_paused = true)]
async fn how_far_a_cost_can_be_believed_is_known_at_the_end_of_its_iteration() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| {
        cx.meter().add(Usage::unknown().with_cost(Cost::estimated(Usd::micros(7))));
        cx.meter().revise(CostQuality::Known);
        Ok(1)
    });
    let goal = condition_fn(|_: &Step<u64>, _: &Progress| true);
    let report = Loop::new(agent).until(goal).at_most(1).run().await.unwrap();
    assert_eq!(report.usage().cost, Some(Cost::known(Usd::micros(7))));
}

#[tokio::test(start_paused = true)]
async fn usage_that_comes_while_the_condition_is_asked_is_part_of_the_step_that_remains() {
    let meter: Arc<Mutex<Option<Meter>>> = Arc::default();
    let shared = Arc::clone(&meter);
    let agent = iteration_fn(move |cx: IterationContext<u64>| {
        *shared.lock().unwrap() = Some(cx.meter());
        let before = cx.previous().map(|step| *step.usage());
        assert_eq!(before, (cx.iteration() > 1).then(|| cents(1)));
        async { Ok(1) }
    });
    // This simulates another thread.
    let goal = condition_fn(move |_: &Step<u64>, _: &Progress| {
        meter.lock().unwrap().as_ref().expect("a meter").add(cents(1));
        false
    });
    let report = Loop::new(agent).until(goal).at_most(3).run().await.unwrap();
    assert_eq!(report.usage(), &cents(3));
    let recorded = report.progress().last_step().map(|step| *step.usage());
    assert_eq!(report.last_step().map(|step| *step.usage()), recorded);
}
