//! However a run is read, and if nobody reads it, it writes the same events, on a clock that stands still while a reader
//! is awaited. A reader
//! that lags finds reports of usage summed up, or, if events may be dropped, gaps in their numbers, and nothing else.

use loop_core::{Event, EventKind, OnLag, Usage};
use proptest::{collection::vec, prelude::*};

use crate::world::{Pauses, Reading, World, holds, settings};

fn readings() -> impl Strategy<Value = Reading> {
    let turns = vec(0..40_usize, 0..8);
    let pauses = || turns.clone().prop_map(|turns| Pauses { turns, sleeps: Vec::new() });
    let on_lag = prop_oneof![Just(OnLag::Hold), Just(OnLag::Drop)];
    prop_oneof![
        1 => pauses().prop_map(Reading::Stream),
        4 => (pauses(), 0..9_usize, on_lag)
            .prop_map(|(pauses, channel, on_lag)| Reading::Spawned { pauses, channel, on_lag }),
        1 => Just(Reading::Detached),
    ]
}

/// Inputs from outside at the same instant arrive in no particular order.
fn alone(mut world: World) -> World {
    world.strays.clear();
    world.cancel = None;
    world
}

fn is_usage(event: &Event) -> bool {
    matches!(event.kind, EventKind::UsageReported { .. })
}

fn usage(events: &[Event]) -> Usage {
    events.iter().filter_map(|event| event.kind.usage()).fold(Usage::unknown(), |sum, usage| sum + *usage)
}

#[test]
fn readers_change_nothing() {
    holds(settings(readings()), |(world, reading)| {
        let world = alone(world);
        let (unread, _) = Reading::Nobody.run(&world);
        let (events, read) = reading.run(&world);
        assert_eq!(events, unread);
        assert!(events.iter().map(|event| event.sequence).eq(1..=events.len() as u64));
        assert!(read.is_sorted_by(|a, b| a.sequence < b.sequence));
        let others =
            |events: &[Event]| events.iter().filter(|event| !is_usage(event)).cloned().collect::<Vec<_>>();
        match reading {
            Reading::Nobody | Reading::Detached => {}
            Reading::Spawned { on_lag: OnLag::Drop, .. } => {
                assert!(read.iter().all(|event| events[event.sequence as usize - 1] == *event));
            }
            _ => {
                assert_eq!(others(&read), others(&events));
                assert_eq!(usage(&read), usage(&events));
            }
        }
    });
}
