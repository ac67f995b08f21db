//! A run writes the same events, however it is read and without a reader, on a clock that stops while the run waits for
//! a reader. A slow reader finds consecutive usage reports merged, or, if events may be dropped, gaps in their numbers.
//! Nothing else differs.

use loop_core::{Event, EventKind, OnLag, Usage};
use proptest::{collection::vec, prelude::*};

use crate::scenario::{ReadMode, ReaderPauses, Scenario, holds, settings};

fn readings() -> impl Strategy<Value = ReadMode> {
    let turns = vec(0..40_usize, 0..8);
    let pauses = || turns.clone().prop_map(|turns| ReaderPauses { turns, sleeps: Vec::new() });
    let on_lag = prop_oneof![Just(OnLag::Hold), Just(OnLag::Drop)];
    prop_oneof![
        1 => pauses().prop_map(ReadMode::Stream),
        4 => (pauses(), 0..9_usize, on_lag)
            .prop_map(|(pauses, channel, on_lag)| ReadMode::Spawned { pauses, channel, on_lag }),
        1 => Just(ReadMode::Detached),
    ]
}

/// Removes simultaneous inputs from outside, because their order is arbitrary.
fn alone(mut scenario: Scenario) -> Scenario {
    scenario.strays.clear();
    scenario.cancel = None;
    scenario
}

fn is_usage(event: &Event) -> bool {
    matches!(event.kind, EventKind::UsageReported { .. })
}

fn usage(events: &[Event]) -> Usage {
    events.iter().filter_map(|event| event.kind.usage()).fold(Usage::unknown(), |sum, usage| sum + *usage)
}

#[test]
fn readers_change_nothing() {
    holds(settings(readings()), |(scenario, reading)| {
        let scenario = alone(scenario);
        let (unread, _) = ReadMode::Nobody.run(&scenario);
        let (events, read) = reading.run(&scenario);
        assert_eq!(events, unread);
        assert!(events.iter().map(|event| event.sequence).eq(1..=events.len() as u64));
        assert!(read.is_sorted_by(|a, b| a.sequence < b.sequence));
        let others =
            |events: &[Event]| events.iter().filter(|event| !is_usage(event)).cloned().collect::<Vec<_>>();
        match reading {
            ReadMode::Nobody | ReadMode::Detached => {}
            ReadMode::Spawned { on_lag: OnLag::Drop, .. } => {
                assert!(read.iter().all(|event| events[event.sequence as usize - 1] == *event));
            }
            _ => {
                assert_eq!(others(&read), others(&events));
                assert_eq!(usage(&read), usage(&events));
            }
        }
    });
}
