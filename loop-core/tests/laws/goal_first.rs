//! If the condition holds after a settled step, the run ends `goal_met`, whatever else is used up.

use loop_core::{Action, EventKind, Input, Stage};

use crate::world::{End, Live, Sim, also_holds, holds, worlds};

#[test]
fn goal_first() {
    holds(worlds(), |world| {
        let run = Sim::run(&world);
        let mut met = false;
        for told in &run.told {
            if let Input::Settled { met: true, by } = &told.input {
                met = true;
                let Some(Action::Finish(ending)) = &told.action else { panic!("it goes on: {told:?}") };
                assert!(ending.is_success());
                assert_eq!(ending.guardrail(), None);
                assert_eq!(Some(ending.message()), by.as_deref());
            }
        }
        // And no other run is a success.
        let ending = run.progress.ending().expect("the run is over");
        assert_eq!(ending.is_success(), met);
    });
}

#[test]
fn goal_first_when_driven() {
    also_holds(worlds(), |world| {
        let live = Live::run(&world);
        let met =
            live.events.iter().any(|event| matches!(event.kind, EventKind::StepSettled { met: true, .. }));
        let report = live.report.expect("a report");
        assert_eq!(report.is_success(), met);
        if met {
            let step = report.last_step().expect("the step that met the goal");
            let made = matches!(world.job(Stage::Iteration, step.iteration()).end, End::Done(_));
            assert_eq!(report.output().copied(), made.then_some(step.iteration() * 10));
        }
    });
}
