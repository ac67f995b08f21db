//! The state of conditions and guardrails in snapshots of a run.

use loop_core::{
    Action, Bounded, BoxError, Condition, Decision, Ending, EvaluationContext, Event, EventKind, Guardrail,
    Halt, Iteration, IterationContext, JudgedStep, Loop, Machine, MaxElapsed, MaxIterations, Notes, Progress,
    Run, RunTime, Snapshot, SnapshotError, Step, StopCondition, StopReason, Verdict, WorkResult, all, any,
    at_least, condition_fn, evaluator_fn, evaluator_passed, guardrail_fn, iteration_fn, never,
};

use crate::test_parts::ms;

const NOW: RunTime = RunTime::ZERO;

/// Counts events, as a condition and as a guardrail.
#[derive(Default)]
struct Counter(u64);

impl Counter {
    fn read(&mut self, state: &str) -> Result<(), BoxError> {
        self.0 = state.parse()?;
        Ok(())
    }
}

impl<S> StopCondition<S> for Counter {
    fn is_met(&self, _: &S, _: &Progress) -> bool {
        false
    }
    fn observe(&mut self, _: &Event) {
        self.0 += 1;
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(self.0.to_string())
    }
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        self.read(state)
    }
}

impl Guardrail for Counter {
    fn name(&self) -> &str {
        "counter"
    }
    fn check(&self, _: &Progress) -> Decision {
        Decision::Continue
    }
    fn observe(&mut self, _: &Event) {
        self.0 += 1;
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(self.0.to_string())
    }
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        self.read(state)
    }
}

/// Has no snapshot.
struct WithoutSnapshot;

impl<S> StopCondition<S> for WithoutSnapshot {
    fn is_met(&self, _: &S, _: &Progress) -> bool {
        true
    }
}

impl Guardrail for WithoutSnapshot {
    fn name(&self) -> &str {
        "without"
    }
    fn check(&self, _: &Progress) -> Decision {
        Decision::Continue
    }
}

type Boxed = Box<dyn StopCondition<JudgedStep<u64>>>;

fn counter() -> Condition<Counter> {
    Condition::new(Counter::default())
}

/// Combinations of counters, with the text that stores that each has seen three events.
fn combinations() -> Vec<(Boxed, &'static str)> {
    vec![
        (Box::new(Counter::default()), "3"),
        (Box::new(counter()), "3"),
        (Box::new(Box::new(Counter::default()) as Boxed), "3"),
        (Box::new(counter().not()), "3"),
        (Box::new(counter().named("enough")), "3"),
        (Box::new(counter().and(Counter::default())), "1:31:3"),
        (Box::new(counter().or(Counter::default())), "1:31:3"),
        (Box::new(all([Counter::default(), Counter::default()])), "1:31:3"),
        (Box::new(any([Counter::default(), Counter::default()])), "1:31:3"),
        (Box::new(at_least(1, [counter(), counter()])), "1:31:3"),
        (Box::new(never().and(counter())), "0:1:3"),
        (Box::new(condition_fn(|_: &JudgedStep<u64>, _| false).or(evaluator_passed())), ""),
        (Box::new(never()), ""),
        (Box::new(evaluator_passed()), ""),
    ]
}

#[test]
fn each_combination_of_conditions_stores_and_restores_the_states_of_its_parts() {
    let event = Event::new(NOW, EventKind::RunResumed {});
    for ((mut seen, state), (mut restored, _)) in combinations().into_iter().zip(combinations()) {
        (0..3).for_each(|_| seen.observe(&event));
        let name = seen.name().into_owned();
        assert_eq!(seen.snapshot().as_deref(), Ok(state), "{name}");
        restored.restore(state).expect("its own state");
        assert_eq!(restored.snapshot().as_deref(), Ok(state), "{name}");
        restored.restore("a state").expect_err("not a state of it");
    }
}

#[test]
fn a_boxed_guardrail_stores_and_restores_its_state() {
    let mut boxed: Box<Box<dyn Guardrail>> = Box::new(Box::new(Counter(5)));
    assert_eq!(Guardrail::snapshot(&boxed).as_deref(), Ok("5"));
    Guardrail::restore(&mut boxed, "7").expect("a number");
    assert_eq!(Guardrail::snapshot(&boxed).as_deref(), Ok("7"));
    Guardrail::restore(&mut boxed, "seven").expect_err("not a number");
}

#[test]
fn the_parts_of_the_kernel_have_names_and_no_state() {
    let goal: Boxed = Box::new(never());
    assert_eq!(goal.name(), "never");
    let allowed = guardrail_fn("allowed", |_: &Progress| Decision::Continue);
    let guardrails: [Box<dyn Guardrail>; 3] =
        [Box::new(MaxIterations::new(3)), Box::new(MaxElapsed::seconds(3)), Box::new(allowed)];
    assert_eq!(guardrails.each_ref().map(Guardrail::name), ["max_iterations", "max_elapsed", "allowed"]);
    assert_eq!(guardrails.map(|part| part.snapshot()), [const { Ok(String::new()) }; 3]);
}

#[test]
fn a_part_without_snapshot_is_named_and_restores_no_state() {
    let part: &mut dyn StopCondition<Step<u64>> = &mut WithoutSnapshot;
    assert_eq!(part.snapshot(), Err(SnapshotError::missing(part.name())));
    part.restore("").expect("no state");
    part.restore("7").expect_err("a state");
    assert_eq!(Guardrail::snapshot(&WithoutSnapshot), Err(SnapshotError::missing("without")));
    Guardrail::restore(&mut WithoutSnapshot, "").expect("no state");
    Guardrail::restore(&mut WithoutSnapshot, "7").expect_err("a state");
}

fn counted() -> Loop<impl Iteration<Output = u64>, Step<u64>, Bounded> {
    Loop::new(iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()))).until(counter()).at_most(3)
}

/// Settles the first iteration.
fn one_iteration(run: &mut Run<u64>) -> Snapshot {
    run.begin(NOW);
    let (id, _) = run.outstanding().expect("an iteration");
    run.iterated(NOW, id, WorkResult::Done(1), Notes::default()).expect("its answer");
    run.settle(NOW);
    run.snapshot().expect("each part has one")
}

#[test]
fn a_run_goes_on_with_the_state_of_its_condition() {
    let snapshot = one_iteration(&mut counted().into_parts().expect("a loop").run);
    let json = serde_json::to_string(&snapshot).expect("JSON");
    assert!(json.contains(r#""condition":{"name":""#) && json.contains(r#"Counter","state":"5"}"#), "{json}");
    let read: Snapshot = serde_json::from_str(&json).expect("what was written");
    let mut restored = counted().resume_snapshot(read, None).into_parts().expect("the same loop").run;
    assert_eq!(restored.snapshot().as_ref(), Ok(&snapshot));

    let unreadable = json.replace(r#""state":"5""#, r#""state":"five""#);
    let unreadable: Snapshot = serde_json::from_str(&unreadable).expect("a snapshot");
    let refused = counted().resume_snapshot(unreadable, None).into_parts().expect_err("a damaged state");
    assert!(refused.to_string().contains("in the snapshot cannot be read"), "{refused}");
}

#[test]
fn a_snapshot_of_a_state_that_no_run_has_is_refused() {
    let snapshot = one_iteration(&mut counted().into_parts().expect("a loop").run);
    let json = serde_json::to_value(&snapshot).expect("JSON");
    let highest = serde_json::json!(u64::MAX);
    for (field, value, why) in [
        ("/progress/phase", "new".into(), "a new run has no past"),
        ("/progress/phase", "settling".into(), "its step does not belong to what comes next"),
        ("/progress/phase", "asking".into(), "no question is open"),
        ("/progress/phase", "ended".into(), "only a run that is over has an ending"),
        ("/progress/phase", serde_json::json!({"working": "evaluation"}), "its step does not belong"),
        ("/progress/phase", serde_json::json!({"before": "evaluation"}), "its step does not belong"),
        ("/progress/current", serde_json::Value::Null, "its step does not belong"),
        ("/progress/interrupted", true.into(), "only work with a cause is interrupted"),
        ("/progress/sequence", highest.clone(), "a number is too high"),
        ("/progress/iterations", highest.clone(), "a number is too high"),
        ("/progress/unpriced", highest.clone(), "it counts more iterations than there were"),
        ("/progress/uncounted", highest.clone(), "it counts more iterations than there were"),
        ("/progress/failures", highest, "it counts more failures than there were steps"),
        ("/progress/next/deaths", u32::MAX.into(), "it counts too many attempts"),
        ("/progress/next/deferrals", u32::MAX.into(), "it counts too many attempts"),
        ("/progress/next/evaluations", u32::MAX.into(), "it counts too many attempts"),
    ] {
        let mut damaged = json.clone();
        *damaged.pointer_mut(field).expect("a field") = value;
        let damaged: Snapshot = serde_json::from_value(damaged).expect("a snapshot");
        let refused = counted().resume_snapshot(damaged, None).into_parts().expect_err(field).to_string();
        let expected = format!("the run cannot be resumed: the snapshot is damaged: {why}");
        assert!(refused.starts_with(&expected), "{field}: {refused}");
    }
}

#[test]
fn a_snapshot_with_the_step_of_another_iteration_is_refused() {
    let snapshot = one_iteration(&mut counted().into_parts().expect("a loop").run);
    let ending = serde_json::to_value(Ending::halted(Halt::new(StopReason::Cancelled, ""))).expect("JSON");
    for (phase, ending) in [
        (serde_json::json!({"before": "iteration"}), None),
        (serde_json::json!({"working": "iteration"}), None),
        ("ended".into(), Some(ending)),
    ] {
        let mut json = serde_json::to_value(&snapshot).expect("JSON");
        json["progress"]["phase"] = phase.clone();
        json["progress"]["current"]["iteration"] = 7.into();
        if let Some(ending) = ending {
            json["progress"]["ending"] = ending;
        }
        let damaged: Snapshot = serde_json::from_value(json).expect("a snapshot");
        let refused =
            counted().resume_snapshot(damaged, None).into_parts().expect_err("a refusal").to_string();
        assert!(refused.contains("its step does not belong to what comes next"), "{phase}: {refused}");
    }
}

#[test]
fn a_snapshot_of_a_machine_suits_only_a_condition_without_state() {
    let snapshot = || {
        let bound: Box<dyn Guardrail> = Box::new(MaxIterations::new(3));
        Machine::new(vec![bound], Box::new(ms(0)), false).snapshot().expect("a bound has no state")
    };
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let stateless = Loop::new(agent).until(never()).at_most(3).resume_snapshot(snapshot(), None);
    assert_eq!(stateless.into_parts().expect("nothing to restore").run.progress(), &Progress::default());
    let refused = counted().resume_snapshot(snapshot(), None).into_parts().expect_err("no state to restore");
    assert!(refused.to_string().contains("has no snapshot"), "{refused}");
}

#[test]
fn a_snapshot_takes_the_initial_output_only_before_the_first_iteration() {
    let judged = || {
        let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
        let check = evaluator_fn(async |_: EvaluationContext<u64>| Ok(Verdict::fail()));
        Loop::new(agent).evaluate(check).evaluate_first(5).until(evaluator_passed()).at_most(3)
    };
    let mut run = judged().into_parts().expect("a loop").run;
    assert_eq!(run.begin(NOW), Some(Action::Evaluate));
    let first = run.snapshot().expect("a snapshot");
    let restored = judged().resume_snapshot(first, None).into_parts().expect("the same loop").run;
    assert_eq!(restored.output(), Some(&5));

    let (id, _) = run.outstanding().expect("an evaluation");
    let verdict = WorkResult::Done(Verdict::fail());
    assert_eq!(run.evaluated(NOW, id, verdict, Notes::default()), Ok(Some(Action::Settle)));
    assert_eq!(run.settle(NOW), Some(Action::Iterate { iteration: 1, attempt: 1 }));
    let (id, _) = run.outstanding().expect("an iteration");
    run.iterated(NOW, id, WorkResult::Done(1), Notes::default()).expect("its answer");
    let later = run.snapshot().expect("a snapshot");
    let restored = judged().resume_snapshot(later.clone(), Some(1)).into_parts().expect("the same loop").run;
    assert_eq!(restored.output(), Some(&1));
    judged().resume_snapshot(later, None).into_parts().expect_err("the output is missing");
}
