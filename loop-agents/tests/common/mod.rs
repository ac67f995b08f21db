//! What the tests with real processes share.
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

use loop_agents::process::{Environment, Finished, Process};
#[cfg(feature = "shell")]
use loop_agents::shell::Shell;
use tempfile::TempDir;

/// The least that a command line needs.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A path and nothing else.
pub fn env() -> Environment {
    Environment::new().with("PATH", PATH)
}

/// A process with that environment.
pub fn process(line: &str) -> Process {
    Process::shell(line).env(env())
}

/// The same for agents and evaluators.
#[cfg(feature = "shell")]
pub fn shell() -> Shell {
    Shell::new().env("PATH", PATH)
}

/// A named pipe, to hear of the death of whoever holds it open for writing, without looking
/// again and again.
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

    /// Resolves when all who opened it for writing are gone.
    pub fn held_until_end(&self) -> impl Future<Output = ()> + use<> {
        let path = self.path();
        let reading = tokio::task::spawn_blocking(move || {
            let mut rest = Vec::new();
            File::open(path).and_then(|mut fifo| fifo.read_to_end(&mut rest)).expect("the fifo can be read");
        });
        async move { reading.await.expect("the reader does not panic") }
    }
}

/// Only to tell the end from no end.
const SOON: Duration = Duration::from_secs(20);

/// Runs to the end without being asked to stop.
pub async fn run(process: Process) -> Finished {
    process.run(pending(), |_, _| {}).await.expect("the command runs")
}

/// What `event` gives, unless it never comes.
pub async fn soon<T>(event: impl Future<Output = T>, what: &str) -> T {
    tokio::time::timeout(SOON, event).await.unwrap_or_else(|_| panic!("waited in vain: {what}"))
}

/// Shell code that holds the pipe, and lets it be known.
pub fn hold(fifo: &Fifo) -> String {
    format!("exec >{0} 2>&1; mkdir {0}.held; sleep 1000", fifo.path())
}

/// Shell code that waits until somebody holds the pipe.
pub fn held(fifo: &Fifo) -> String {
    format!("until [ -d {}.held ]; do sleep 0.01; done", fifo.path())
}

/// A command that leaves the pipe's holder behind, in a session of its own, without a parent.
pub fn left_behind(fifo: &Fifo) -> Process {
    process(&format!("setsid sh -c '({}) &'; {}", hold(fifo), held(fifo)))
}
