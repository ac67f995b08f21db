//! The places where a process can die with something half done.
//!
//! What comes after a crash depends on the order in which files are made, written and named. The tests end a
//! change at each of these places, as a crash would: nothing after it happens, and the kernel gives the locks
//! back. Elsewhere a place is nothing.

/// A place between two changes of the disk.
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
        /// How many places are still to be passed on this thread, if its work is to be cut.
        static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
    }

    struct Cut;

    pub(crate) fn point() {
        match LEFT.get() {
            // What unwinds gives back its locks and does nothing else, and no panic is told of.
            Some(0) => resume_unwind(Box::new(Cut)),
            left => LEFT.set(left.map(|left| left - 1)),
        }
    }

    /// Does this until it has passed so many places; `None` if it did not come to its end.
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
