//! The behaviour of a hostile agent, and the result of the run: the data of a test and of a table row.

use std::time::Duration;

use crate::{
    hostile_scenario::HostileScenario,
    run_case::AMPLE,
    support::{CommandResult, Manifest},
};

/// One hostile agent, or one misfortune.
pub(crate) struct HostileCase {
    /// Its behaviour, for the table.
    pub(crate) does: &'static str,
    /// Whether it uses so much of the machine that it must run alone.
    pub(crate) alone: bool,
    /// The script in `agents/`, if its name differs from the case's.
    pub(crate) script: Option<&'static str>,
    /// A program that must be installed. Without it the case is skipped.
    pub(crate) needs: Option<&'static str>,
    pub(crate) run: CaseRun,
}

/// The way to try a case.
pub(crate) enum CaseRun {
    /// The script with the case's name runs as the agent, and as the check.
    Roles { agent: ExpectedResult, check: ExpectedResult },
    /// A case that needs more than a script: a function runs it, and fails if the description is wrong.
    Custom { agent: &'static str, check: &'static str, by: fn() },
}

/// The expected result in one of the two roles.
pub(crate) enum ExpectedResult {
    Ends(ExpectedEnd),
    /// The case is not tried, for this reason.
    Untried(&'static str),
}

/// The expected end of a run.
#[derive(Clone, Copy)]
pub(crate) struct ExpectedEnd {
    /// The description of the result, for the table.
    pub(crate) happens: &'static str,
    pub(crate) stop_reason: &'static str,
    pub(crate) code: i32,
    pub(crate) iterations: u64,
    /// The run's time limit.
    pub(crate) limit: Duration,
    /// The minimum number of processes that it leaves behind, so that the test proves something.
    pub(crate) leaves: usize,
    /// Further settings in the manifest, besides the command and the limit.
    pub(crate) manifest: fn(Manifest) -> Manifest,
    /// Further conditions to check.
    pub(crate) proof: fn(&HostileScenario, &CommandResult),
}

impl HostileCase {
    pub(crate) const fn new(does: &'static str, agent: ExpectedResult, check: ExpectedResult) -> Self {
        Self { does, alone: false, script: None, needs: None, run: CaseRun::Roles { agent, check } }
    }

    pub(crate) const fn custom(
        does: &'static str,
        agent: &'static str,
        check: &'static str,
        by: fn(),
    ) -> Self {
        Self { does, alone: false, script: None, needs: None, run: CaseRun::Custom { agent, check, by } }
    }

    /// Uses this script instead of the one with the case's name.
    pub(crate) const fn script(self, script: &'static str) -> Self {
        Self { script: Some(script), ..self }
    }

    /// Runs the case only where this program is installed.
    pub(crate) const fn needs(self, program: &'static str) -> Self {
        Self { needs: Some(program), ..self }
    }

    pub(crate) const fn alone(self) -> Self {
        Self { alone: true, ..self }
    }
}

impl ExpectedEnd {
    const fn new(stop_reason: &'static str, code: i32, happens: &'static str) -> Self {
        Self {
            happens,
            stop_reason,
            code,
            iterations: 1,
            limit: AMPLE,
            leaves: 0,
            manifest: |manifest| manifest,
            proof: |_, _| {},
        }
    }

    /// Expects no effect: the check passes after the first iteration.
    pub(crate) const fn goal_met(happens: &'static str) -> Self {
        Self::new("goal_met", 0, happens)
    }

    /// Expects that this guardrail halts the run.
    pub(crate) const fn halted(stop_reason: &'static str, happens: &'static str) -> Self {
        Self::new(stop_reason, 1, happens)
    }

    /// Expects that the run's time limit interrupts it after a second.
    pub(crate) const fn time_exceeded(happens: &'static str) -> Self {
        Self { limit: Duration::from_secs(1), ..Self::halted("time_exceeded", happens) }
    }

    pub(crate) const fn iterations(self, iterations: u64) -> Self {
        Self { iterations, ..self }
    }

    pub(crate) const fn leaves(self, leaves: usize) -> Self {
        Self { leaves, ..self }
    }

    pub(crate) const fn manifest(self, manifest: fn(Manifest) -> Manifest) -> Self {
        Self { manifest, ..self }
    }

    pub(crate) const fn proof(self, proof: fn(&HostileScenario, &CommandResult)) -> Self {
        Self { proof, ..self }
    }

    pub(crate) const fn expected(self) -> ExpectedResult {
        ExpectedResult::Ends(self)
    }
}
