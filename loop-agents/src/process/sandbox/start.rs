//! Commands in a sandbox.

use std::io;

use rustix::process::Pid;

use super::PreparedSandbox;
use crate::process::{
    Process,
    system::{self, Spawn},
};

impl Process {
    /// Runs the command inside this sandbox, and sets its `TMPDIR` to the sandbox's private temporary folder.
    #[must_use]
    pub fn sandbox(mut self, sandbox: PreparedSandbox) -> Self {
        self.sandbox = Some(sandbox);
        self
    }

    /// Lets the command also write this file inside its sandbox, if it has one.
    #[cfg(feature = "shell")]
    pub(crate) fn also_writable(&mut self, path: &std::path::Path) {
        self.sandbox = self.sandbox.take().map(|sandbox| sandbox.also_writable(path));
    }

    /// Starts a program, inside the sandbox if there is one.
    pub(in crate::process) fn spawn(&self, spawn: &Spawn<'_>) -> io::Result<Pid> {
        match &self.sandbox {
            Some(sandbox) => sandbox.start(|| system::spawn(spawn)),
            None => system::spawn(spawn),
        }
    }
}
