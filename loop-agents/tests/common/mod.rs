//! What the tests with real processes share.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::allow_attributes,
    reason = "each test file uses a part of its own, so that none could expect the same to be unused"
)]

use std::{fs::File, future::Future, io::Read, process::Command};

use loop_agents::{
    process::{Environment, Process},
    shell::Shell,
};
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
