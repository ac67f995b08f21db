//! The work beside a running command.

use std::{convert::Infallible, future, io, time::Duration};

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::sleep,
};

use super::{Supervisor, process_tree};

/// The minimum time between two watchdogs, and between two attempts to start one.
const WATCHDOG_PAUSE: Duration = Duration::from_millis(20);

impl Supervisor {
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
