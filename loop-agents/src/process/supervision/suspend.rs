//! Stops of this process on purpose.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Instant,
};

use super::{Inner, watchdog_message::StopPolicy};

/// The supervisors of this process that have a watchdog. A stop concerns a process as a whole, so this is global.
static WATCHED: Mutex<Vec<Weak<Inner>>> = Mutex::new(Vec::new());

/// Calls `stop`, which stops this process on purpose and returns when it continues.
///
/// Every [watchdog](super::Supervisor::with_watchdog) of this process continues it if anybody else stops it. So stop
/// it only in here. Meanwhile the watchdogs stop the processes of their runs too, and the deadlines pause.
///
/// ```
/// assert_eq!(loop_agents::process::suspend(|| "continued"), "continued");
/// ```
pub fn suspend<T>(stop: impl FnOnce() -> T) -> T {
    let watched: Vec<_> = registered().iter().filter_map(Weak::upgrade).collect();
    for supervisor in &watched {
        // A missing watchdog would not hear of this stop. Without a new one, nobody would continue us. After the end of
        // a run, its watchdog was dismissed, and nothing needs one.
        if !supervisor.is_over() {
            let _ = supervisor.ensure_watchdog();
        }
        supervisor.announce(|state| state.stops = StopPolicy::Freeze);
    }
    let begun = Instant::now();
    let done = stop();
    for supervisor in &watched {
        supervisor.announce(|state| {
            state.stops = StopPolicy::Continue;
            state.deadline = state.deadline.and_then(|end| end.checked_add(begun.elapsed()));
        });
    }
    done
}

/// Remembers a supervisor that has a watchdog.
pub(super) fn register(supervisor: &Arc<Inner>) {
    let mut watched = registered();
    watched.retain(|known| known.strong_count() > 0);
    watched.push(Arc::downgrade(supervisor));
}

fn registered() -> MutexGuard<'static, Vec<Weak<Inner>>> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{super::Supervisor, *};

    #[test]
    fn a_stop_starts_no_watchdog_for_a_supervisor_that_has_ended() {
        // The name of the run is the argument of the program.
        let supervisor = Supervisor::new("1000").with_watchdog("/bin/sleep").unwrap();
        supervisor.0.ensure_watchdog().unwrap();
        let is_started = || supervisor.0.watchdog.get().unwrap().is_started();
        suspend(|| assert!(is_started()));
        supervisor.end();
        suspend(|| assert!(!is_started()));
    }
}
