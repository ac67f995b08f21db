//! The clock on the wall, whatever it says.
//!
//! A machine without a battery begins in 1970 or before, and one whose clock is wrong may be past the year 9999, which
//! no timestamp can tell. A run of six hours is not to end over that.

use std::time::SystemTime;

use jiff::Timestamp;
use loop_telemetry::clamped;
use uuid::{NoContext, Uuid};

/// The wall-clock time, from the beginning of 1970 to the last instant that can be told.
pub(crate) fn now() -> Timestamp {
    let now = clamped(SystemTime::now());
    #[cfg(debug_assertions)]
    return crate::faults::wrong(now).max(Timestamp::UNIX_EPOCH);
    #[cfg(not(debug_assertions))]
    now
}

/// A name that nothing else has. Names sort by the time at which they were made.
pub(crate) fn new_id() -> Uuid {
    let now = now();
    let seconds = u64::try_from(now.as_second()).unwrap_or_default();
    let nanos = u32::try_from(now.subsec_nanosecond()).unwrap_or_default();
    Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, seconds, nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_sort_by_time() {
        let names: Vec<_> = (0..100).map(|_| new_id()).collect();
        let times = names.iter().map(|name| name.get_timestamp().expect("a time").to_unix());
        assert!(times.is_sorted());
        assert_eq!(names.iter().collect::<std::collections::BTreeSet<_>>().len(), 100);
    }
}
