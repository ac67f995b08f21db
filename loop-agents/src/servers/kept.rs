//! A server that stays when this program ends.

use std::{ffi::OsString, time::Duration};

use tokio::time::{Instant, sleep};

use super::{
    NotedServer, ServerCommand, ServerError,
    command::variables_at,
    local_server::{PAUSE, Ports, last_lines_of},
    note::ServerFile,
};
use crate::process::DetachedProcess;

/// Starts the server, and waits until it is ready. It has no supervisor, and its output goes to its file.
///
/// # Errors
/// [`ServerError`]; then nothing of the server runs any more.
///
/// # Cancel safety
/// Dropping the future ends the server.
pub(super) async fn start<F: Future<Output = bool>>(
    command: &ServerCommand,
    variables: &[(OsString, OsString)],
    file: &ServerFile,
    is_ready: impl Fn(u16) -> F,
) -> Result<NotedServer, ServerError> {
    let mut ports = Ports::new();
    loop {
        let port = ports.next()?;
        let log = file.new_log().map_err(ServerError::File)?;
        let process = DetachedProcess::spawn(&command.line(port), variables_at(port, variables), log);
        let mut process = process.map_err(ServerError::Detached)?;
        match until_ready(&mut process, command.startup(), file, || is_ready(port)).await {
            Err(error) if ports.has_next(&error) => {}
            ready => {
                ready?;
                let noted = NotedServer { port, process: process.id(), is_kept: true };
                file.write(noted).map_err(ServerError::File)?;
                process.release();
                return Ok(noted);
            }
        }
    }
}

async fn until_ready<F: Future<Output = bool>>(
    process: &mut DetachedProcess,
    patience: Duration,
    file: &ServerFile,
    is_ready: impl Fn() -> F,
) -> Result<(), ServerError> {
    let output = || {
        let output = file.end_of_log().map_err(ServerError::File)?;
        Ok::<_, ServerError>(last_lines_of(&output.unwrap_or_default()))
    };
    let deadline = Instant::now() + patience;
    while !is_ready().await {
        if process.has_ended().map_err(ServerError::Detached)? {
            return Err(ServerError::Ended { output: output()? });
        }
        if Instant::now() >= deadline {
            return Err(ServerError::Silent { patience, output: output()? });
        }
        sleep(PAUSE).await;
    }
    Ok(())
}
