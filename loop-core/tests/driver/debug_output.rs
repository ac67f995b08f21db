//! The debug output of parts and of their results.

use std::sync::Arc;

use futures::StreamExt;
use loop_core::{
    Ceiling, Chain, EvaluationContext, IterationContext, JudgedStep, Loop, Machine, MaxElapsed, Progress,
    SharedBudget, Step, StepRecord, Usage, Verdict, best_of, condition_fn, evaluator_fn, evaluator_passed,
    iteration_fn, iteration_with,
};

use crate::test_parts::{Budget, ms, never, sleeper};

#[test]
fn functions_show_what_they_are() {
    let iteration = iteration_fn(async |_: IterationContext<u64>| Ok(1));
    let evaluator = evaluator_fn(async |_: EvaluationContext<u64>| Ok(Verdict::pass()));
    let condition = condition_fn(|_: &JudgedStep<u64>, _: &Progress| true).and(evaluator_passed());
    let shown = format!("{iteration:?} {evaluator:?} {condition:?}");
    assert_eq!(shown, "IterationFn EvaluatorFn And(ConditionFn, EvaluatorPassed)");
    let stateful = iteration_with(7, async |state: &mut u64, _: IterationContext<u64>| Ok(*state));
    assert_eq!(format!("{stateful:?}"), "IterationWith { state: 7, .. }");
    let run = Loop::new(iteration).evaluate(evaluator).at_most(3).at_most_for(ms(9)).guard(Budget::cents(5));
    assert_eq!(format!("{run:?}"), "Loop { evaluated: true, has_goal: false, guardrails: 3, .. }");
}

#[test]
fn a_composition_shows_its_size_and_its_loops() {
    assert_eq!(format!("{:?}", Chain::new().then(sleeper(ms(1)))), "Chain { parts: 1, .. }");
    let lane = || Loop::new(sleeper(ms(1))).until(never()).at_most(1);
    let shown = format!("Lanes {{ loops: [{:?}], pick: Best }}", lane());
    assert_eq!(format!("{:?}", best_of([lane()])), shown);
}

#[test]
fn a_machine_shows_its_guardrails_and_how_far_it_is() {
    let guardrails: Vec<Box<dyn loop_core::Guardrail>> =
        vec![Box::new(MaxElapsed::seconds(1)), Box::new(Budget::cents(5))];
    let shown = format!("{:?}", Machine::new(guardrails, Box::new(ms(0)), true));
    assert!(shown.starts_with(r#"Machine { guardrails: ["max_elapsed", "budget"], progress: "#), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn runs_show_whether_they_are_over() {
    let run = || Loop::new(sleeper(ms(1))).until(never()).at_most(1);
    let mut spawned = run().spawn().unwrap();
    assert_eq!(format!("{spawned:?}"), "RunHandle { over: false, .. }");
    while spawned.next().await.is_some() {}
    assert_eq!(format!("{spawned:?}"), "RunHandle { over: true, .. }");
    let mut stream = run().stream().unwrap();
    assert_eq!(format!("{stream:?}"), "RunStream { over: false, .. }");
    while stream.next().await.is_some() {}
    assert_eq!(format!("{stream:?}"), "RunStream { over: true, .. }");
}

#[tokio::test(start_paused = true)]
async fn results_show_what_they_hold() {
    let step = Step::new(StepRecord::new(3), Some(Arc::new("a draft")));
    assert_eq!(step.shared_output().as_deref(), Some(&"a draft"));
    let shown = format!("{step:?}");
    assert!(shown.starts_with("Step { record: StepRecord { iteration: 3, "), "{shown}");
    assert!(shown.ends_with(r#"output: Some("a draft") }"#), "{shown}");
    assert_eq!(format!("{:?}", JudgedStep::new(step)), format!("JudgedStep({shown})"));

    let agent = iteration_fn(async |_: IterationContext<&str>| Ok("a draft"));
    let goal = condition_fn(|_: &Step<&str>, _: &Progress| true);
    let shown = format!("{:?}", Loop::new(agent).until(goal).at_most(1).run().await.unwrap());
    assert!(shown.starts_with("Report { ending: GoalMet { "), "{shown}");
    assert!(shown.contains("GoalMet") && shown.contains(r#"Some("a draft")"#), "{shown}");
}

#[test]
fn what_runs_share_and_consist_of_shows_its_amounts() {
    let budget = SharedBudget::new(Ceiling::tokens(9));
    let shown = format!("{budget:?}");
    assert!(
        shown.starts_with("SharedBudget { limit: Ceiling { ") && shown.contains("tokens: Some(9)"),
        "{shown}"
    );
    let held = budget.reserve(Usage::unknown().with_tokens(3, 1)).expect("enough is left");
    let shown = format!("{held:?}");
    assert!(shown.starts_with("Reservation { held: ") && shown.contains('4'), "{shown}");
    let parts = Loop::new(sleeper(ms(1))).until(never()).at_most(1).into_parts().expect("a loop");
    let shown = format!("{:?}", parts.run);
    assert!(shown.starts_with("Run { machine: Machine { guardrails: "), "{shown}");
    assert_eq!(format!("{parts:?}"), format!("Parts {{ run: {shown}, .. }}"));
}
