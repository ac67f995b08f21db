//! Helpers of the tests with real processes.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::allow_attributes,
    reason = "each test file uses a part of its own, so that none could expect the same to be unused"
)]

use std::{
    fs::File,
    future::{Future, pending},
    io::Read,
    process::Command,
    time::Duration,
};

use loop_agents::process::{Environment, Process, ProcessOutput};
#[cfg(feature = "shell")]
use loop_agents::shell::Shell;
use tempfile::TempDir;

/// The minimal search path of a command line.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Returns an environment with only a search path.
pub fn env() -> Environment {
    Environment::new().with("PATH", PATH)
}

/// Creates a process with that environment.
pub fn process(line: &str) -> Process {
    Process::shell(line).env(env())
}

/// Creates a shell with that environment, for agents and evaluators.
#[cfg(feature = "shell")]
pub fn shell() -> Shell {
    Shell::new().env("PATH", PATH)
}

/// A named pipe that signals the death of all processes that hold it open for writing, without polling.
pub struct Fifo(TempDir);

impl Fifo {
    pub fn new() -> Self {
        let fifo = Self(tempfile::tempdir().expect("a folder"));
        let made = Command::new("mkfifo").arg(fifo.path()).status();
        assert!(made.expect("mkfifo runs").success());
        fifo
    }

    pub fn path(&self) -> String {
        self.0.path().join("fifo").to_str().expect("a path in UTF-8").to_owned()
    }

    /// Resolves when all processes that opened it for writing are gone.
    pub fn held_until_end(&self) -> impl Future<Output = ()> + use<> {
        let path = self.path();
        let reading = tokio::task::spawn_blocking(move || {
            let mut rest = Vec::new();
            File::open(path).and_then(|mut fifo| fifo.read_to_end(&mut rest)).expect("the fifo can be read");
        });
        async move { reading.await.expect("the reader does not panic") }
    }
}

/// A generous limit that only turns a hang into a failure.
const SOON: Duration = Duration::from_secs(20);

/// Runs a process to its end, without stopping it.
pub async fn run(process: Process) -> ProcessOutput {
    process.run(pending(), |_, _| {}).await.expect("the command runs")
}

/// Waits for `event`, and fails if it never comes.
pub async fn soon<T>(event: impl Future<Output = T>, what: &str) -> T {
    tokio::time::timeout(SOON, event).await.unwrap_or_else(|_| panic!("waited in vain: {what}"))
}

/// Returns shell code that holds the pipe, and signals that it does.
pub fn hold(fifo: &Fifo) -> String {
    format!("exec >{0} 2>&1; mkdir {0}.held; sleep 1000", fifo.path())
}

/// Returns shell code that waits until a process holds the pipe.
pub fn held(fifo: &Fifo) -> String {
    format!("until [ -d {}.held ]; do sleep 0.01; done", fifo.path())
}

/// Creates a command that leaves a holder of the pipe behind, in its own session and without a parent.
pub fn left_behind(fifo: &Fifo) -> Process {
    process(&format!("setsid sh -c '({}) &'; {}", hold(fifo), held(fifo)))
}
