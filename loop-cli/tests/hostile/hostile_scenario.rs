//! A scenario in which a hostile agent can do its worst.

use std::{fs, os::unix::fs::OpenOptionsExt, path::PathBuf, process::Command};

use rustix::fs::OFlags;
use serde_json::Value;

use crate::{
    processes::{kill, marked},
    run_case::AMPLE,
    support::{Manifest, Scenario, wait_until},
};

/// The part that the hostile command plays in the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Agent,
    Check,
}

impl Role {
    pub(crate) const BOTH: [Self; 2] = [Self::Agent, Self::Check];
}

/// A scenario with everything that hostile agents need, beside their work folder. The path of the scenario's folder is
/// the mark in the command lines of all their processes.
pub(crate) struct HostileScenario {
    pub(crate) scenario: Scenario,
    root: PathBuf,
}

impl HostileScenario {
    pub(crate) fn new() -> Self {
        let scenario = Scenario::new();
        let root = scenario.state().parent().expect("a root").to_owned();
        for pipe in ["there", "never", "go"] {
            let made = Command::new("mkfifo").arg(root.join(pipe)).status().expect("mkfifo runs");
            assert!(made.success());
        }
        Self { scenario, root }
    }

    /// Returns the mark.
    pub(crate) fn mark(&self) -> &str {
        self.root.to_str().expect("a folder for temporary files that is text")
    }

    /// Returns a hostile agent's note about itself.
    pub(crate) fn note(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.root.join(name)).ok()
    }

    /// Returns how many of its leftover processes have started.
    pub(crate) fn lingering(&self) -> usize {
        self.note("lingering").unwrap_or_default().lines().count()
    }

    /// Releases an agent that waits for it.
    pub(crate) fn go(&self) {
        // Open without blocking: if nobody opens the other end, the test fails instead of hanging.
        let mut opening = fs::File::options();
        opening.write(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
        wait_until("somebody waits", || opening.open(self.root.join("go")).is_ok());
    }

    /// Returns the command line of the hostile agent with this name.
    pub(crate) fn command(&self, name: &str) -> String {
        let agents = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hostile/agents");
        format!("sh '{agents}/{name}.sh' '{}'", self.mark())
    }

    /// Returns a manifest with this command in this role, and a harmless command in the other.
    pub(crate) fn manifest(&self, role: Role, command: &str) -> Manifest {
        match role {
            Role::Agent => Manifest::new(command, "true"),
            Role::Check => Manifest::new("true", command),
        }
        .set("guardrails.max_iterations", 2)
        .set("guardrails.max_seconds", AMPLE.as_secs())
    }

    /// Checks that no process is left.
    #[track_caller]
    pub(crate) fn nobody_is_left(&self) {
        let left = marked(self.mark());
        assert!(left.is_empty(), "{} processes are left: {left:?}", left.len());
    }

    /// Returns the only record, which must have this stop reason.
    #[track_caller]
    pub(crate) fn records(&self, stop_reason: &str) -> Value {
        let record = self.scenario.record();
        assert_eq!(record["stop_reason"], stop_reason, "{record}");
        record
    }
}

impl Drop for HostileScenario {
    /// Ends all processes after a failed test.
    fn drop(&mut self) {
        marked(self.mark()).into_iter().for_each(kill);
    }
}
