//! A server and the process behind it.

use std::{net::TcpListener, time::Duration};

use loop_core::CancellationToken;
use tokio::{
    task::{JoinError, JoinHandle},
    time::sleep,
};

use super::ServerError;
use crate::process::{Job, Process, ProcessError, ProcessOutput};

/// The pause between two questions whether the server is ready.
pub(super) const PAUSE: Duration = Duration::from_millis(250);

/// The number of ports to try: another program may take a port that was free a moment ago.
const PORTS: usize = 3;

/// The number of lines of the server's output that an error shows.
const SHOWN_LINES: usize = 20;

/// The part of a server's output that is kept for an error, in bytes.
const KEPT_OUTPUT: usize = 32 * 1024;

/// The words of a server whose port another program uses, in lower case.
const PORT_IS_TAKEN: [&str; 2] = ["address already in use", "couldn't bind"];

/// A server at a port of 127.0.0.1 that runs until this value is dropped.
#[derive(Debug)]
pub struct LocalServer {
    port: u16,
    stop: CancellationToken,
    gone: CancellationToken,
    job: Job,
    task: JoinHandle<Result<ProcessOutput, ProcessError>>,
}

impl LocalServer {
    /// Starts the server that `command` returns for a free port, and waits until `is_ready` returns true for the port.
    /// If another program takes the port in the meantime, it tries two other ports. A
    /// [supervisor](Process::supervisor) of the command also ends the server if this program is killed.
    ///
    /// # Errors
    /// [`ServerError`]; then nothing of the server runs any more.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future ends the server.
    ///
    /// ```
    /// use std::time::Duration;
    /// use loop_agents::{process::Process, servers::LocalServer};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let command = |port: u16| Process::program("sleep", ["1000"]).also_env([("PORT", port.to_string())]);
    /// let server = LocalServer::start(command, async |_| true, Duration::from_secs(120)).await?;
    /// assert!(server.port() > 0);
    /// server.stop().await;
    /// # Ok(()) }
    /// ```
    pub async fn start<F: Future<Output = bool>>(
        command: impl Fn(u16) -> Process,
        is_ready: impl Fn(u16) -> F,
        patience: Duration,
    ) -> Result<Self, ServerError> {
        Self::start_listening(command, is_ready, patience, || Ok(|_: &[u8]| {})).await
    }

    /// Starts the server as [`start`](Self::start) does. Each try makes a listener for its output.
    pub(super) async fn start_listening<F: Future<Output = bool>, L: FnMut(&[u8]) + Send + 'static>(
        command: impl Fn(u16) -> Process,
        is_ready: impl Fn(u16) -> F,
        patience: Duration,
        listener: impl Fn() -> Result<L, ServerError>,
    ) -> Result<Self, ServerError> {
        let mut ports = Ports::new();
        loop {
            let port = ports.next()?;
            let mut server = Self::spawn(port, command(port), listener()?);
            match server.until_ready(&is_ready, patience).await {
                Ok(()) => return Ok(server),
                Err(error) if ports.has_next(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the port at which the server listens.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Returns a token that is cancelled as soon as the server's process has ended.
    pub fn gone(&self) -> CancellationToken {
        self.gone.clone()
    }

    /// Returns the number of the server's process; `None` once it has ended.
    pub fn process(&self) -> Option<u32> {
        self.job.leader()
    }

    /// Asks the server to end, waits for its end, and kills it after its grace time.
    pub async fn stop(mut self) {
        self.stop.cancel();
        // However it ended, it runs no more.
        let _ = (&mut self.task).await;
    }

    fn spawn(port: u16, command: Process, mut listener: impl FnMut(&[u8]) + Send + 'static) -> Self {
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let (job, gone) = (Job::new(), CancellationToken::new());
        let command = command.merged().capture_limit(KEPT_OUTPUT).job(job.clone());
        let ends = gone.clone().drop_guard();
        let task = tokio::spawn(async move {
            let _ends = ends;
            command.run(stopped.cancelled(), |_, bytes| listener(bytes)).await
        });
        Self { port, stop, gone, job, task }
    }

    async fn until_ready<F: Future<Output = bool>>(
        &mut self,
        is_ready: &impl Fn(u16) -> F,
        patience: Duration,
    ) -> Result<(), ServerError> {
        let port = self.port;
        let ready = async {
            while !is_ready(port).await {
                sleep(PAUSE).await;
            }
        };
        tokio::select! {
            biased;
            ended = &mut self.task => return Err(ServerError::Ended { output: last_lines(ended)? }),
            () = ready => return Ok(()),
            () = sleep(patience) => self.stop.cancel(),
        }
        let output = last_lines((&mut self.task).await)?;
        Err(ServerError::Silent { patience, output })
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        // This drops the future that runs the process, which kills it.
        self.task.abort();
    }
}

/// The ports for the tries of one start.
pub(super) struct Ports {
    left: usize,
}

impl Ports {
    pub(super) const fn new() -> Self {
        Self { left: PORTS }
    }

    /// Returns the port of the next try.
    pub(super) fn next(&mut self) -> Result<u16, ServerError> {
        self.left -= 1;
        free_port()
    }

    /// Returns whether another port may help.
    pub(super) fn has_next(&self, error: &ServerError) -> bool {
        self.left > 0 && matches!(error, ServerError::Ended { output } if is_taken(output))
    }
}

/// Returns whether this is the output of a server whose port another program uses.
fn is_taken(output: &str) -> bool {
    let output = output.to_lowercase();
    PORT_IS_TAKEN.into_iter().any(|words| output.contains(words))
}

/// Returns a port at which nothing listens now.
fn free_port() -> Result<u16, ServerError> {
    let address = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    address.map(|address| address.port()).map_err(ServerError::Port)
}

fn last_lines(ended: Result<Result<ProcessOutput, ProcessError>, JoinError>) -> Result<String, ServerError> {
    let output = ended.map_err(ServerError::Lost)??;
    Ok(last_lines_of(&output.stdout.to_bytes()))
}

/// Returns the last lines of a server's output.
pub(super) fn last_lines_of(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, fs};

    use rustix::process::{Pid, test_kill_process};

    use super::*;

    const LONG: Duration = Duration::from_secs(120);

    /// Waits until the process whose number is in this file is gone.
    async fn until_gone(file: &std::path::Path) {
        let number: i32 = fs::read_to_string(file).expect("a number").trim().parse().expect("a number");
        let process = Pid::from_raw(number).expect("a process");
        while test_kill_process(process).is_ok() {
            sleep(Duration::from_millis(5)).await;
        }
    }

    #[tokio::test]
    async fn a_server_is_ready_before_it_is_returned_and_ends_with_its_value() {
        for stops in [true, false] {
            let folder = tempfile::tempdir().expect("a folder");
            let file = folder.path().join("pid");
            let line = format!("echo $$ > {}; exec sleep 1000", file.display());
            let ready = async |_| fs::read_to_string(&file).is_ok_and(|text| text.ends_with('\n'));
            let server = LocalServer::start(|_| Process::shell(line.clone()), ready, LONG).await;
            let server = server.expect("a server");
            assert!(server.port() > 0 && file.exists());
            if stops {
                server.stop().await;
            } else {
                drop(server);
            }
            until_gone(&file).await;
        }
    }

    #[tokio::test]
    async fn a_server_that_ends_shows_its_last_lines() {
        let command = |_| Process::shell("seq 100; echo broken >&2; exit 3");
        let error =
            LocalServer::start(command, async |_| false, LONG).await.expect_err("it ended").to_string();
        assert!(error.ends_with("99\n100\nbroken") && !error.contains("\n80\n"), "{error}");
        assert!(error.contains("\n82\n"), "{error}");
    }

    #[tokio::test]
    async fn a_server_that_stays_silent_is_ended() {
        let command = |_| Process::shell("echo loading; exec sleep 1000");
        let error = LocalServer::start(command, async |_| false, Duration::ZERO).await.expect_err("too late");
        assert!(matches!(error, ServerError::Silent { .. }), "{error}");
    }

    #[tokio::test]
    async fn a_port_that_was_taken_is_replaced_twice() {
        for (taken, starts) in [(2, true), (3, false)] {
            let tries = Cell::new(0);
            let command = |port: u16| {
                tries.set(tries.get() + 1);
                let line = format!("echo 'listen 127.0.0.1:{port}: bind: Address already in use'");
                Process::shell(if tries.get() > taken { "exec sleep 1000".to_owned() } else { line })
            };
            let ready = async |_| tries.get() > taken;
            let started = LocalServer::start(command, ready, LONG).await;
            assert_eq!((started.is_ok(), tries.get()), (starts, 3));
        }
    }
}
