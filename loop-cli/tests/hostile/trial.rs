//! Trying a case.

use std::{
    env,
    sync::{PoisonError, RwLock},
    thread,
    time::{Duration, Instant},
};

use crate::{
    case::{Case, Ends, Fate, Trial},
    stage::{Role, Stage},
};

/// The grace time of an agent that is asked to end: the command's default.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// The extra time of a run beyond its limit and the grace time. Nearly all of it is for a busy machine.
pub(crate) const SLACK: Duration = Duration::from_secs(2);

/// The time limit of runs that end by themselves: a run that is not interrupted has not used it up. It is less than a
/// test waits, and enough for a gigabyte through a debug build on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_mins(4);

/// Locked for writing by cases that take all of the machine, and for reading by all others.
static MACHINE: RwLock<()> = RwLock::new(());

impl Case {
    /// Tries the case of this name, in both roles at once.
    pub(crate) fn is_survived(&self, name: &str) {
        if let Some(program) = self.needs.filter(|program| !is_installed(program)) {
            eprintln!("skipped: `{name}` needs `{program}`, which is not installed");
            return;
        }
        // A poisoned lock is another test's failure.
        let _shared = (!self.alone).then(|| MACHINE.read().unwrap_or_else(PoisonError::into_inner));
        let _alone = self.alone.then(|| MACHINE.write().unwrap_or_else(PoisonError::into_inner));
        match &self.trial {
            Trial::Staged { by, .. } => by(),
            Trial::Roles { agent, check } => thread::scope(|scope| {
                for (role, fate) in [(Role::Agent, agent), (Role::Check, check)] {
                    if let Fate::Ends(ends) = fate {
                        scope.spawn(move || ends.come_true(self.script.unwrap_or(name), role));
                    }
                }
            }),
        }
    }
}

/// Returns whether a program of this name is found.
fn is_installed(program: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

impl Ends {
    /// Runs the script of this name in this role, and checks how the run ends.
    fn come_true(&self, script: &str, role: Role) {
        let stage = Stage::new();
        let manifest = stage.manifest(role, &stage.command(script));
        let manifest = manifest.set("guardrails.max_seconds", self.limit.as_secs());
        let manifest = (self.manifest)(manifest);

        let begun = Instant::now();
        let ran = stage.world.run_manifest(&manifest);
        let took = begun.elapsed();
        // The agent's leftover processes end with the loop.
        stage.nobody_is_left();

        assert_eq!(ran.code, self.code, "{script} as {role:?}:\n{}", ran.stderr);
        let record = stage.records(self.stop_reason);
        assert_eq!(record["iterations"], self.iterations, "{script} as {role:?}: {record}");
        let bound = self.limit + GRACE + SLACK;
        let elapsed = Duration::from_secs_f64(record["elapsed_seconds"].as_f64().expect("a number"));
        assert!(elapsed < bound && took < bound, "{script} as {role:?} took {elapsed:?}, in all {took:?}");
        assert!(stage.lingering() >= self.leaves, "{script} as {role:?} left {}", stage.lingering());
        assert_eq!(stage.world.leftovers(), 0, "{script} as {role:?} left temporary files");
        (self.proof)(&stage, &ran);
    }
}
