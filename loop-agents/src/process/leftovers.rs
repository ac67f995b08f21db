//! The processes that are still running when their command has ended.

use std::{fmt, sync::Arc, time::Duration};

use rustix::{io::Errno, process::Pid};

use super::{Process, blocking::off_executor, limit::CommandClock, supervision::process_tree, system::Watch};

type LingerFn = dyn Fn(&[String]) -> Duration + Send + Sync;

/// Decides how long processes may go on after the end of their command.
#[derive(Clone)]
pub(super) struct Linger(Arc<LingerFn>);

impl fmt::Debug for Linger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Linger")
    }
}

/// The processes that a command left behind when it ended by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leftovers {
    /// The command lines of the processes that we ended.
    pub ended: Vec<String>,
    /// Whether there were processes, and all of them ended by themselves while they were allowed to go on.
    pub outlasted: bool,
}

impl Process {
    /// Lets the processes that the command leaves behind go on for the time that `linger` returns for their command
    /// lines, within the limits of the command. Without this, they are ended at once, and
    /// [`ProcessOutput::leftovers`](super::ProcessOutput::leftovers) stays empty.
    #[must_use]
    pub(crate) fn linger(mut self, linger: impl Fn(&[String]) -> Duration + Send + Sync + 'static) -> Self {
        self.linger = Some(Linger(Arc::new(linger)));
        self
    }
}

impl Leftovers {
    /// Describes what is left after the wait for the processes that `first` found.
    pub(super) async fn after(first: &[(Pid, String)], leader: Pid) -> Self {
        let ended = if first.is_empty() { Vec::new() } else { lines(&left_by(leader).await) };
        Self { outlasted: !first.is_empty() && ended.is_empty(), ended }
    }
}

/// Returns the processes that the command led by `leader` has started and that still run.
pub(super) async fn left_by(leader: Pid) -> Vec<(Pid, String)> {
    off_executor(move || process_tree::left_by(leader)).await
}

/// Resolves when all of these processes have ended, or when their time is over. Cancel safe.
pub(super) async fn until_gone(leader: Pid, Linger(linger): &Linger, clock: &CommandClock<'_>) {
    let began = clock.now();
    loop {
        let found = left_by(leader).await;
        let Some((first, _)) = found.first() else { return };
        let Some(left) = linger(&lines(&found)).checked_sub(clock.now() - began) else { return };
        let ended = async {
            match Watch::new(*first) {
                Ok(watch) => watch.ended().await,
                // It has ended in the meantime.
                Err(error) if Errno::from_io_error(&error) == Some(Errno::SRCH) => Ok(()),
                Err(error) => Err(error),
            }
        };
        tokio::select! {
            Ok(()) = ended => {}
            () = clock.passed(left) => return,
        }
    }
}

fn lines(found: &[(Pid, String)]) -> Vec<String> {
    found.iter().map(|(_, line)| line.clone()).collect()
}
