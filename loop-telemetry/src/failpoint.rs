//! Failpoints: places where a process can die in the middle of a change.
//!
//! The state after a crash depends on the order in which we create, write and rename files. The tests end a change at
//! each of these places, as a crash would: nothing after it happens, and the kernel releases the locks. Outside tests,
//! a failpoint does nothing.

/// A failpoint between two changes of the disk.
#[cfg(not(test))]
pub(crate) const fn point() {}

#[cfg(test)]
pub(crate) use self::chosen::{after, point};

#[cfg(test)]
mod chosen {
    use std::{
        cell::Cell,
        panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    };

    thread_local! {
        /// The number of failpoints left to pass on this thread, if the work is to be cut.
        static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
    }

    struct Cut;

    pub(crate) fn point() {
        match LEFT.get() {
            // Unwinding releases the locks and does nothing else. It prints no panic message.
            Some(0) => resume_unwind(Box::new(Cut)),
            left => LEFT.set(left.map(|left| left - 1)),
        }
    }

    /// Runs the work until it has passed this number of failpoints. Returns `None` if the work did not finish.
    pub(crate) fn after<T>(places: u32, work: impl FnOnce() -> T) -> Option<T> {
        LEFT.set(Some(places));
        let done = catch_unwind(AssertUnwindSafe(work));
        LEFT.set(None);
        match done {
            Ok(done) => Some(done),
            Err(panic) if panic.is::<Cut>() => None,
            Err(panic) => resume_unwind(panic),
        }
    }
}
