//! The behaviour of a hostile agent, and the result of the run: the data of a test and of a table row.

use std::time::Duration;

use crate::{
    stage::Stage,
    support::{Manifest, Ran},
    trial::AMPLE,
};

/// One hostile agent, or one misfortune.
pub(crate) struct Case {
    /// Its behaviour, for the table.
    pub(crate) does: &'static str,
    /// True if it uses so much of the machine that nothing else may run beside it.
    pub(crate) alone: bool,
    /// The script in `agents/`, if it is not called like the case.
    pub(crate) script: Option<&'static str>,
    /// A program that has to be installed; without it the case is not tried.
    pub(crate) needs: Option<&'static str>,
    pub(crate) trial: Trial,
}

/// The way to try a case.
pub(crate) enum Trial {
    /// The script of the case's name is run as the agent, and as the check.
    Roles { agent: Fate, check: Fate },
    /// A case that needs more than a script: a function tries it, and fails if the description is wrong.
    Staged { agent: &'static str, check: &'static str, by: fn() },
}

/// The expected result in one of the two roles.
pub(crate) enum Fate {
    Ends(Ends),
    /// The case is not tried, for this reason.
    Untried(&'static str),
}

/// The expected end of a run.
#[derive(Clone, Copy)]
pub(crate) struct Ends {
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
    pub(crate) proof: fn(&Stage, &Ran),
}

impl Case {
    pub(crate) const fn new(does: &'static str, agent: Fate, check: Fate) -> Self {
        Self { does, alone: false, script: None, needs: None, trial: Trial::Roles { agent, check } }
    }

    pub(crate) const fn staged(
        does: &'static str,
        agent: &'static str,
        check: &'static str,
        by: fn(),
    ) -> Self {
        Self { does, alone: false, script: None, needs: None, trial: Trial::Staged { agent, check, by } }
    }

    /// Runs this script, and not the one of its own name.
    pub(crate) const fn script(self, script: &'static str) -> Self {
        Self { script: Some(script), ..self }
    }

    /// Is tried only where this program is installed.
    pub(crate) const fn needs(self, program: &'static str) -> Self {
        Self { needs: Some(program), ..self }
    }

    pub(crate) const fn alone(self) -> Self {
        Self { alone: true, ..self }
    }
}

impl Ends {
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

    /// It changes nothing: the check passes after the first iteration.
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

    pub(crate) const fn proof(self, proof: fn(&Stage, &Ran)) -> Self {
        Self { proof, ..self }
    }

    pub(crate) const fn fate(self) -> Fate {
        Fate::Ends(self)
    }
}
