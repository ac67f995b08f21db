//! The work beside a running command, and between two commands.

use std::{convert::Infallible, future, io, sync::Arc, time::Duration};

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::sleep,
};

use super::{Inner, Supervisor, process_tree, watchdog::Watchdog};
use crate::process::blocking::off_executor;

/// The minimum time between two watchdogs, and between two attempts to start one.
const WATCHDOG_PAUSE: Duration = Duration::from_millis(20);

impl Supervisor {
    /// Ends the watchdog until the next command starts, if no process of the run is left. Call it before this process
    /// waits for long: the watchdog looks four times a second, and there is nothing to watch.
    ///
    /// Does nothing if this process had other children before, or is no [subreaper](Self::subreaper): then a process
    /// that a command left behind cannot be found for certain.
    ///
    /// # Cancel safety
    /// Once polled, it takes place even if you drop the future.
    pub async fn rest(&self) {
        if self.0.watchdog.get().is_some_and(Watchdog::is_started) {
            let inner = Arc::clone(&self.0);
            off_executor(move || inner.rest()).await;
        }
    }

    /// Does the work beside a running command: replaces a watchdog that was killed, and reaps orphans. The work starts
    /// with the call. Cancel safe.
    pub(in crate::process) fn watch(&self) -> impl Future<Output = Infallible> + Send {
        // Listen before the future is polled. Otherwise we would miss processes that end earlier.
        let ended = self.0.subreaper.is_some().then(|| signal(SignalKind::child()));
        async move { tokio::join!(self.watch_watchdog(), self.watch_orphans(ended)).0 }
    }

    async fn watch_watchdog(&self) -> Infallible {
        if let Some(watchdog) = self.0.watchdog.get() {
            while watchdog.gone().await.is_ok() {
                // `ensure_watchdog` checks again whether the watchdog is gone. Another watchdog may run already, and a
                // watchdog that is just about to end is gone after the pause. The pauses also limit our work if
                // somebody kills each watchdog, or if the machine cannot start processes any more.
                while self.ensure_watchdog().await.is_err() {
                    sleep(WATCHDOG_PAUSE).await;
                }
                sleep(WATCHDOG_PAUSE).await;
            }
        }
        future::pending().await
    }

    async fn watch_orphans(&self, ended: Option<io::Result<Signal>>) -> Infallible {
        if let Some(Ok(mut ended)) = ended {
            while ended.recv().await.is_some() {
                process_tree::reap_orphans().await;
                // The watchdog may have been stopped. If this fails, the next command's start reports the error.
                let _ = self.ensure_watchdog().await;
            }
        }
        future::pending().await
    }
}

impl Inner {
    fn rest(&self) {
        let (Some(watchdog), Some(subreaper)) = (self.watchdog.get(), &self.subreaper) else { return };
        // An orphan ends together with its command. A process that a service of the system started for us is no orphan.
        if subreaper.is_idle() && self.mark.carriers_of_variable().is_empty() {
            watchdog.rest(subreaper);
        }
    }
}
