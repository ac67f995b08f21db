//! Waits for a server on a thread of its own, since the caller may be on an executor, on which nothing may block.

use std::{io, thread, time::Duration};

/// A server that knows the answer gives it at once.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// Returns the result of this work, however long it takes.
pub(super) fn wait<T: Send>(work: impl Future<Output = T> + Send) -> io::Result<T> {
    let wait = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(runtime.block_on(work))
    };
    thread::scope(|scope| scope.spawn(wait).join())
        .unwrap_or_else(|_| Err(io::Error::other("the thread that waits panicked")))
}

/// Returns the answer, or `None` if it does not come within two seconds.
pub(super) fn ask<T: Send>(question: impl Future<Output = T> + Send) -> io::Result<Option<T>> {
    wait(async { tokio::time::timeout(PATIENCE, question).await.ok() })
}
