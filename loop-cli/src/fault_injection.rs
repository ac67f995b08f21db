//! Deliberate faults: the process dies at a place that a test chooses.
//!
//! A test that kills a run from outside hits a random place, and never the same one twice. So each place that could
//! leave a journal half-written has a name. A variable selects the name, and the pass, at which this process dies.
//! Builds without debug assertions, which include all releases, neither read the variables nor contain the places.
//! Tests are built with debug assertions. A cargo feature instead would need a second build, and would be forgotten in
//! one of the two.

use loop_telemetry::FileJournal;
use serde::{Serialize, de::DeserializeOwned};

/// Dies here if the test requests it.
#[cfg(debug_assertions)]
pub(crate) use self::chosen::point;

/// Does nothing: this build has no faults.
#[cfg(not(debug_assertions))]
pub(crate) const fn point(_name: &str) {}

/// The wall-clock time, shifted by the requested error.
#[cfg(debug_assertions)]
pub(crate) use self::chosen::skewed;

/// Wraps the journal with a fault place before and after each write.
#[cfg(debug_assertions)]
pub(crate) fn journal<O>(journal: FileJournal<O>) -> impl loop_core::Journal<O> + 'static
where
    O: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    chosen::FaultyJournal(journal)
}

/// Returns the journal unchanged.
#[cfg(not(debug_assertions))]
pub(crate) fn journal<O>(journal: FileJournal<O>) -> impl loop_core::Journal<O> + 'static
where
    O: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    journal
}

#[cfg(debug_assertions)]
mod chosen {
    use std::{
        env,
        sync::{
            LazyLock,
            atomic::{AtomicU64, Ordering},
        },
    };

    use jiff::{SignedDuration, Timestamp};
    use loop_core::{BoxError, Event, Journal, JournalSync};
    use rustix::process::{Pid, Signal, kill_process};

    /// `name:n`: die at the n-th pass of the place with this name.
    const KILL: &str = "LOOP_TEST_KILL_AT";
    /// The clock error in seconds.
    const CLOCK: &str = "LOOP_TEST_CLOCK_ERROR";

    static PLACE: LazyLock<Option<(String, u64)>> = LazyLock::new(|| {
        let place = env::var(KILL).ok()?;
        let (name, passing) = place.split_once(':')?;
        Some((name.to_owned(), passing.parse().ok()?))
    });

    static PASSED: AtomicU64 = AtomicU64::new(0);

    pub(crate) fn point(name: &str) {
        let Some((chosen, passing)) = PLACE.as_ref() else { return };
        if chosen == name
            && PASSED.fetch_add(1, Ordering::Relaxed) + 1 == *passing
            && let Some(own) = i32::try_from(std::process::id()).ok().and_then(Pid::from_raw)
        {
            // Dies like a process that the system kills for lack of memory: nothing is closed, reported or cleaned up.
            let _ = kill_process(own, Signal::KILL);
        }
    }

    pub(crate) fn skewed(now: Timestamp) -> Timestamp {
        static ERROR: LazyLock<i64> =
            LazyLock::new(|| env::var(CLOCK).ok().and_then(|error| error.parse().ok()).unwrap_or(0));
        let end = if *ERROR < 0 { Timestamp::MIN } else { Timestamp::MAX };
        now.checked_add(SignedDuration::from_secs(*ERROR)).unwrap_or(end)
    }

    pub(super) struct FaultyJournal<J>(pub(super) J);

    impl<O, J: Journal<O>> Journal<O> for FaultyJournal<J> {
        fn append(&mut self, events: &[Event], output: Option<&O>) -> Result<(), BoxError> {
            point("before_append");
            self.0.append(events, output)?;
            point("after_append");
            Ok(())
        }
        fn sync(&mut self) -> JournalSync {
            point("before_sync");
            let sync = self.0.sync();
            Box::pin(async move {
                sync.await?;
                point("after_sync");
                Ok(())
            })
        }
        fn is_buffering(&self) -> bool {
            self.0.is_buffering()
        }
        fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<O>, BoxError> {
            self.0.load(each)
        }
    }
}
