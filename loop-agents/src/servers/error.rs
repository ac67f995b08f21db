//! The reasons why a server did not start.

use std::{io, time::Duration};

use crate::process::ProcessError;

/// The error when a server cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// No port of this machine is available.
    #[error("no port of 127.0.0.1 is available")]
    Port(#[source] io::Error),
    /// The program could not be started.
    #[error("the server could not be started")]
    Start(#[from] ProcessError),
    /// The program that should stay could not be started.
    #[error("the server could not be started")]
    Detached(#[source] io::Error),
    /// The server does not end.
    #[error("the server (process {process}) does not end")]
    Undying {
        /// The number of its process.
        process: u32,
    },
    /// The program ended instead of serving.
    #[error("the server ended before it answered; its last lines:\n{output}")]
    Ended {
        /// The last lines that it printed.
        output: String,
    },
    /// The server did not answer in time, so it was ended.
    #[error("the server did not answer within {} s, so it was ended; its last lines:\n{output}", patience.as_secs())]
    Silent {
        /// The time that it had.
        patience: Duration,
        /// The last lines that it printed.
        output: String,
    },
    /// The file about the server cannot be written, so another program could not find it.
    #[error("the file about the server cannot be written: check the state directory")]
    File(#[source] io::Error),
    /// The task that waits for the program was lost.
    #[error("the server's task panicked or was aborted")]
    Lost(#[source] tokio::task::JoinError),
}
