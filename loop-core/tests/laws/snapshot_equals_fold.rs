//! A snapshot equals the fold of the events before it: a run that is restored from it goes on as the run itself does.

use loop_core::{
    Action, Guardrail, Input, Machine, MaxIterations, RunTime, Snapshot, Versioned, guardrail_fn,
};
use proptest::{prelude::any, sample::Index};

use crate::scenario::{Exchange, Simulator, also_holds, holds, settings, simulator_machine};

/// Returns a snapshot after it was stored and read.
fn stored(machine: &Machine) -> Snapshot {
    let snapshot = Versioned::new(machine.snapshot().expect("every part has a snapshot"));
    let json = serde_json::to_string(&snapshot).expect("JSON");
    let read: Versioned<Snapshot> = serde_json::from_str(&json).expect("what was written");
    assert_eq!(read, snapshot);
    read.message
}

#[test]
fn snapshot_equals_fold() {
    holds(settings(any::<Index>()), |(scenario, at)| {
        let run = Simulator::run(&scenario);
        let at = at.index(run.exchanges.len());
        let (mut live, _) = simulator_machine(&scenario);
        for Exchange { at, input, .. } in &run.exchanges[..=at] {
            live.handle(*at, input.clone()).expect("the same inputs");
        }
        let (mut folded, _) = simulator_machine(&scenario);
        folded.restore(&run.events[..run.exchanges[at].events]).expect("a history");
        let snapshot = stored(&live);
        assert_eq!(snapshot, stored(&folded));

        let (mut restored, _) = simulator_machine(&scenario);
        restored.restore_snapshot(snapshot).expect("the same parts");
        assert_eq!(restored.outstanding(), live.outstanding());
        for Exchange { at, input, action, .. } in &run.exchanges[at + 1..] {
            assert_eq!(restored.handle(*at, input.clone()), Ok(action.clone()));
        }
        assert_eq!(restored.progress(), &run.progress);
        let events: Vec<_> = restored.take_events().collect();
        assert_eq!(events, run.events[run.exchanges[at].events..]);
    });
}

/// A snapshot with another phase is refused, or a run continues from it.
#[test]
fn snapshot_of_another_phase() {
    const PHASES: [&str; 9] = [
        r#""new""#,
        r#""asking""#,
        r#""settling""#,
        r#""ended""#,
        r#"{"before":"iteration"}"#,
        r#"{"before":"evaluation"}"#,
        r#"{"waiting":"evaluation"}"#,
        r#"{"working":"iteration"}"#,
        r#"{"working":"evaluation"}"#,
    ];
    also_holds(settings((any::<Index>(), any::<Index>())), |(scenario, (at, phase))| {
        let run = Simulator::run(&scenario);
        let (mut folded, _) = simulator_machine(&scenario);
        let events = run.exchanges[at.index(run.exchanges.len())].events;
        folded.restore(&run.events[..events]).expect("a history");
        let mut json = serde_json::to_value(stored(&folded)).expect("JSON");
        json["progress"]["phase"] = serde_json::from_str(PHASES[phase.index(PHASES.len())]).expect("JSON");
        let (mut restored, _) = simulator_machine(&scenario);
        if restored.restore_snapshot(serde_json::from_value(json).expect("a snapshot")).is_err() {
            return;
        }
        match restored.handle(RunTime::ZERO, Input::Resumed).expect("no answer") {
            Some(Action::Settle) => assert!(restored.progress().current_step().is_some()),
            Some(Action::Evaluate) => {
                assert!(scenario.evaluated && restored.progress().current_step().is_some());
            }
            action => assert!(action.is_some(), "nothing is due"),
        }
    });
}

/// Counts events and has no snapshot.
struct Counting;

impl Guardrail for Counting {
    fn name(&self) -> &str {
        "counting"
    }
    fn check(&self, _: &loop_core::Progress) -> loop_core::Decision {
        loop_core::Decision::Continue
    }
    fn observe(&mut self, _: &loop_core::Event) {}
}

fn machine(guardrails: Vec<Box<dyn Guardrail>>) -> Machine {
    Machine::new(guardrails, Box::new(std::time::Duration::ZERO), false)
}

#[test]
fn a_part_that_has_no_snapshot_is_refused_by_its_name() {
    let refused = machine(vec![Box::new(MaxIterations::new(3)), Box::new(Counting)]).snapshot();
    let message = refused.expect_err("it has no snapshot").to_string();
    assert!(
        message.starts_with("`counting` has no snapshot: implement `snapshot` and `restore`"),
        "{message}"
    );
}

#[test]
fn a_snapshot_of_other_parts_is_refused() {
    let snapshot = machine(vec![Box::new(MaxIterations::new(3))]).snapshot().expect("it has no state");
    let other = guardrail_fn("other", |_| loop_core::Decision::Continue);
    let refused = machine(vec![Box::new(other)]).restore_snapshot(snapshot.clone());
    assert_eq!(
        refused.expect_err("other parts").to_string(),
        "the snapshot is of a run with the parts `max_iterations`, but this run has `other`: compose it as it was"
    );
    let json = serde_json::to_string(&snapshot).expect("JSON");
    let damaged = json.replace(r#""max_iterations""#, r#""max_iterations","state":"7""#);
    let damaged: Snapshot = serde_json::from_str(&damaged).expect("a snapshot");
    let refused = machine(vec![Box::new(MaxIterations::new(3))]).restore_snapshot(damaged);
    assert_eq!(
        refused.expect_err("a state").to_string(),
        "the state of `max_iterations` in the snapshot cannot be read: the part stores a state, but does not \
         implement `restore`"
    );
}
