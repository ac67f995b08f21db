//! The wall clock, with bounds for absurd values.
//!
//! A machine without a battery starts in 1970 or earlier, and a wrong clock may be past the year 9999, which no
//! timestamp can represent. Neither may end a run of six hours.

use std::time::SystemTime;

use jiff::Timestamp;
use loop_telemetry::clamped;
use uuid::{NoContext, Uuid};

/// Returns the wall-clock time, clamped to the range from 1970 to the last representable instant.
pub(crate) fn now() -> Timestamp {
    let now = clamped(SystemTime::now());
    #[cfg(debug_assertions)]
    return crate::fault_injection::skewed(now).max(Timestamp::UNIX_EPOCH);
    #[cfg(not(debug_assertions))]
    now
}

/// Returns a new unique id. Ids sort by creation time.
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
