//! Exactly one `RunFinished`, and nothing after it.

use loop_core::{Action, Event, EventKind, Input, RunTime};

use crate::world::{
    Live, Sim, also_holds,
    chaos::{Ruin, nonsense},
    holds, places, settings, worlds,
};

fn endings(events: &[Event]) -> Vec<usize> {
    places(events, |kind| matches!(kind, EventKind::RunFinished { .. }))
}

#[test]
fn one_ending() {
    holds(settings(nonsense()), |(world, nonsense)| {
        let mut run = Sim::run(&world);
        assert_eq!(endings(&run.events), [run.events.len() - 1]);
        let ending = run.progress.ending().expect("the run is over").clone();
        let last = run.told.last().expect("it was told something");
        assert_eq!(last.action, Some(Action::Finish(Box::new(ending))));
        // Whatever a driver still says, it stays over, unless somebody resumes it.
        for (at, input) in nonsense.into_iter().filter(|(_, input)| *input != Input::Resumed) {
            assert_eq!(run.machine.handle(RunTime::from_micros(at), input), None);
        }
        assert_eq!(run.machine.take_events().count(), 0);
        assert_eq!(run.machine.progress(), &run.progress);
    });
}

#[test]
fn one_ending_under_nonsense() {
    also_holds(settings(nonsense()), |(world, nonsense)| {
        let Ruin { events, .. } = Ruin::of(&world, &nonsense);
        for end in endings(&events) {
            let after = events.get(end + 1).map(|event| &event.kind);
            assert!(matches!(after, None | Some(EventKind::RunResumed {})), "{after:?} after the end");
        }
    });
}

#[test]
fn one_ending_when_driven() {
    also_holds(worlds(), |world| {
        let live = Live::run(&world);
        assert_eq!(endings(&live.events), [live.events.len() - 1]);
        let report = live.report.expect("a run that is read to its end has a report");
        let EventKind::RunFinished { ending } = &live.events.last().expect("an event").kind else {
            unreachable!("it was counted above")
        };
        assert_eq!(report.ending(), &**ending);
        assert_eq!(report.progress(), &loop_core::Progress::from_events(&live.events).expect("a history"));
    });
}
