//! What a hostile agent does, and what becomes of the run: the data of a test and of a row.

use std::time::Duration;

use crate::{
    stage::Stage,
    support::{Manifest, Ran},
    trial::AMPLE,
};

/// One hostile agent, or one misfortune.
pub(crate) struct Case {
    /// What it does, for the table.
    pub(crate) does: &'static str,
    /// Whether it takes so much of the machine that nothing else runs beside it.
    pub(crate) alone: bool,
    /// The script in `agents/`, if it is not called like the case.
    pub(crate) script: Option<&'static str>,
    /// A program that has to be installed; without it the case is not tried.
    pub(crate) needs: Option<&'static str>,
    pub(crate) trial: Trial,
}

/// How a case is tried.
pub(crate) enum Trial {
    /// The script of the case's name is run as the agent, and as the check.
    Roles { agent: Fate, check: Fate },
    /// It takes more than a script: a function tries it, and fails if what is told of it is not so.
    Staged { agent: &'static str, check: &'static str, by: fn() },
}

/// What is expected in one of the two roles.
pub(crate) enum Fate {
    Ends(Ends),
    /// It is not tried, for this reason.
    Untried(&'static str),
}

/// How a run is expected to end.
#[derive(Clone, Copy)]
pub(crate) struct Ends {
    /// What happens, for the table.
    pub(crate) happens: &'static str,
    pub(crate) stop_reason: &'static str,
    pub(crate) code: i32,
    pub(crate) iterations: u64,
    /// The run's time limit.
    pub(crate) limit: Duration,
    /// How many processes it must have left behind by the end, so that there was somebody to find.
    pub(crate) leaves: usize,
    /// What is set in the manifest beside the command and the limit.
    pub(crate) manifest: fn(Manifest) -> Manifest,
    /// What else has to be so.
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

    /// It is halted by this guardrail.
    pub(crate) const fn halted(stop_reason: &'static str, happens: &'static str) -> Self {
        Self::new(stop_reason, 1, happens)
    }

    /// It is cut after a second by the run's time limit.
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
