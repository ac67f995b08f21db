//! Conditions of different types in one goal, and a report that names the one that decided.

use loop_core::{
    Condition, EvaluationContext, Event, EventKind, IterationContext, JudgedStep, Loop, Progress, Report,
    StopCondition, Verdict, all, any, at_least, condition_fn, evaluator_fn, evaluator_passed, iteration_fn,
};

/// Met from this iteration on.
struct Since(u64);

impl StopCondition<JudgedStep<u64>> for Since {
    fn is_met(&self, step: &JudgedStep<u64>, _: &Progress) -> bool {
        step.iteration() >= self.0
    }
}

/// A run whose check passes from the second iteration on.
async fn run(goal: impl StopCondition<JudgedStep<u64>> + 'static) -> Report<u64> {
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let check = evaluator_fn(async |cx: EvaluationContext<u64>| {
        Ok(if *cx.output() > 1 { Verdict::pass() } else { Verdict::fail() })
    });
    Loop::new(agent).evaluate(check).until(goal).at_most(5).run().await.expect("a run")
}

fn ended<O>(report: &Report<O>) -> (u64, String) {
    (report.iterations(), report.ending().to_string())
}

#[tokio::test]
async fn a_condition_of_ones_own_combines_with_the_kernels() {
    let met = |by: &str| format!("goal_met: {by}");
    assert_eq!(ended(&run(evaluator_passed().and(Since(4))).await), (4, met("evaluator_passed and Since")));
    assert_eq!(
        ended(&run(Condition::new(Since(4)).or(evaluator_passed())).await),
        (2, met("evaluator_passed"))
    );
    assert_eq!(ended(&run(evaluator_passed()).await), (2, met("evaluator_passed")));
    assert_eq!(ended(&run(Since(1)).await), (1, met("Since")));
}

#[tokio::test]
async fn conditions_of_different_types_fit_into_one_list() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let check = evaluator_fn(async |_: EvaluationContext<u64>| Ok(Verdict::pass()));
    // The compiler infers the step type from the loop.
    let goal = all([evaluator_passed().boxed(), Condition::new(Since(3)).boxed()]);
    let report = Loop::new(agent).evaluate(check).until(goal).at_most(5).run().await.unwrap();
    assert_eq!(ended(&report), (3, "goal_met: evaluator_passed and Since".to_owned()));
}

#[tokio::test]
async fn lists_nest() {
    let even = || condition_fn(|step: &JudgedStep<u64>, _| step.iteration().is_multiple_of(2)).named("even");
    let goal = any([
        at_least(2, [even().boxed(), Condition::new(Since(3)).boxed(), evaluator_passed().not().boxed()])
            .boxed(),
        Condition::new(Since(5)).boxed(),
    ]);
    assert_eq!(ended(&run(goal).await), (4, "goal_met: even, Since".to_owned()));
}

#[tokio::test]
async fn a_run_that_does_not_meet_its_goal_names_no_condition() {
    let report = run(evaluator_passed().and(Since(9))).await;
    assert_eq!(report.ending().name(), "max_iterations");
    assert!(!report.ending().message().contains("Since"));
}

#[test]
fn a_settled_step_of_an_earlier_version_is_read() {
    let event: Event = serde_json::from_str(r#"{"at":5,"kind":{"step_settled":{"met":true}}}"#).unwrap();
    assert_eq!(event.kind, EventKind::StepSettled { met: true, by: None });
    assert_eq!(serde_json::to_string(&event).unwrap(), r#"{"at":5,"kind":{"step_settled":{"met":true}}}"#);
    let named = EventKind::StepSettled { met: true, by: Some("even".into()) };
    assert_eq!(serde_json::to_string(&named).unwrap(), r#"{"step_settled":{"met":true,"by":"even"}}"#);
}
