//! Each run has exactly one `RunFinished`, as its last event.

use loop_core::{Action, Event, EventKind, Input, RunTime};

use crate::scenario::{
    DrivenRun, Simulator, also_holds, holds, places,
    random_inputs::{RandomRun, random_inputs},
    scenarios, settings,
    tell::tell,
};

fn endings(events: &[Event]) -> Vec<usize> {
    places(events, |kind| matches!(kind, EventKind::RunFinished { .. }))
}

#[test]
fn one_ending() {
    holds(settings(random_inputs()), |(scenario, random_inputs)| {
        let mut run = Simulator::run(&scenario);
        assert_eq!(endings(&run.events), [run.events.len() - 1]);
        let ending = run.progress.ending().expect("the run is over").clone();
        let last = run.exchanges.last().expect("it was told something");
        assert_eq!(last.action, Some(Action::Finish(Box::new(ending))));
        // The run stays ended whatever a driver reports afterwards, unless it is resumed.
        for (at, input) in random_inputs.into_iter().filter(|(_, input)| *input != Input::Resumed) {
            assert_eq!(tell(&mut run.machine, RunTime::from_micros(at), input), None);
        }
        assert_eq!(run.machine.take_events().count(), 0);
        assert_eq!(run.machine.progress(), &run.progress);
    });
}

#[test]
fn one_ending_under_random_inputs() {
    also_holds(settings(random_inputs()), |(scenario, random_inputs)| {
        let RandomRun { events, .. } = RandomRun::of(&scenario, &random_inputs);
        for end in endings(&events) {
            let after = events.get(end + 1).map(|event| &event.kind);
            assert!(matches!(after, None | Some(EventKind::RunResumed {})), "{after:?} after the end");
        }
    });
}

#[test]
fn one_ending_when_driven() {
    also_holds(scenarios(), |scenario| {
        let live = DrivenRun::run(&scenario);
        assert_eq!(endings(&live.events), [live.events.len() - 1]);
        let report = live.report.expect("a run that is read to its end has a report");
        let EventKind::RunFinished { ending } = &live.events.last().expect("an event").kind else {
            unreachable!("it was counted above")
        };
        assert_eq!(report.ending(), &**ending);
        assert_eq!(report.progress(), &loop_core::Progress::from_events(&live.events).expect("a history"));
    });
}
