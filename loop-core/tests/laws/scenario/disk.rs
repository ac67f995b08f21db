//! A journal on a disk that a power cut can hit.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use loop_core::{BoxError, Event, EventKind, Journal, JournalSync};
use tokio::time::sleep;

use super::{last_output, locked, through_json};

/// The journal and its disk. Clones share both.
#[derive(Debug, Clone)]
pub(crate) struct Disk(Arc<Mutex<DiskState>>);

#[derive(Debug)]
struct DiskState {
    events: Vec<Event>,
    /// The number of events that are synced.
    synced: usize,
    /// The times that syncs take; repeats from the start.
    delays: Vec<Duration>,
    syncs: usize,
}

/// The death of a process.
#[derive(Debug, Clone)]
pub(crate) enum Death {
    /// Something kills it. The disk keeps what it has got.
    Killed,
    /// The power fails. Of the events that were not synced, the disk keeps at most this many.
    PowerCut(usize),
}

impl Disk {
    pub(crate) fn new(delays: Vec<Duration>) -> Self {
        Self(Arc::new(Mutex::new(DiskState { events: Vec::new(), synced: 0, delays, syncs: 0 })))
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        locked(&self.0).events.iter().map(through_json).collect()
    }

    pub(crate) fn survive(&self, death: &Death) {
        let mut disk = locked(&self.0);
        if let Death::PowerCut(kept) = death {
            let kept = disk.synced + kept;
            disk.events.truncate(kept);
            disk.synced = disk.events.len();
        }
    }

    /// Checks what a power cut could take while an iteration runs.
    pub(crate) fn check_before_iteration(&self) {
        let disk = locked(&self.0);
        let unsynced = &disk.events[disk.synced..];
        let count = |is: fn(&EventKind) -> bool| unsynced.iter().filter(|event| is(&event.kind)).count();
        assert_eq!(count(|kind| matches!(kind, EventKind::StepSettled { .. })), 0, "a step would be lost");
        let attempts = count(|kind| matches!(kind, EventKind::IterationStarted { .. }));
        assert!(attempts <= 1, "{attempts} attempts would go uncounted");
    }
}

impl Journal<u64> for Disk {
    fn append(&mut self, events: &[Event], _: Option<&u64>) -> Result<(), BoxError> {
        locked(&self.0).events.extend_from_slice(events);
        Ok(())
    }

    fn sync(&mut self) -> JournalSync {
        let (covered, takes) = {
            let mut disk = locked(&self.0);
            disk.syncs += 1;
            (disk.events.len(), disk.delays[disk.syncs % disk.delays.len()])
        };
        let disk = self.clone();
        Box::pin(async move {
            if !takes.is_zero() {
                sleep(takes).await;
            }
            locked(&disk.0).synced = covered;
            Ok(())
        })
    }

    fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<u64>, BoxError> {
        let events = self.events();
        events.iter().for_each(each);
        Ok(last_output(&events))
    }
}
