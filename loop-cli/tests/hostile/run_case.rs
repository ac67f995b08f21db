//! Runs a case.

use std::{
    env,
    sync::{PoisonError, RwLock},
    thread,
    time::{Duration, Instant},
};

use crate::{
    case::{CaseRun, ExpectedEnd, ExpectedResult, HostileCase},
    hostile_scenario::{HostileScenario, Role},
};

/// The grace time of an agent that is asked to end: the command's default.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// The extra time of a run beyond its limit and the grace time. Nearly all of it is for a busy machine.
pub(crate) const SLACK: Duration = Duration::from_secs(2);

/// The time limit of runs that end by themselves: a run that is not interrupted has not used it up. It is less than a
/// test waits, and enough for a gigabyte through a debug build on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_mins(4);

/// Locked for writing by cases that use the whole machine, and for reading by all others.
static MACHINE: RwLock<()> = RwLock::new(());

impl HostileCase {
    /// Runs the case with this name, in both roles at once.
    pub(crate) fn is_survived(&self, name: &str) {
        if let Some(program) = self.needs.filter(|program| !is_installed(program)) {
            eprintln!("skipped: `{name}` needs `{program}`, which is not installed");
            return;
        }
        // A poisoned lock is another test's failure.
        let _shared = (!self.alone).then(|| MACHINE.read().unwrap_or_else(PoisonError::into_inner));
        let _alone = self.alone.then(|| MACHINE.write().unwrap_or_else(PoisonError::into_inner));
        match &self.run {
            CaseRun::Custom { by, .. } => by(),
            CaseRun::Roles { agent, check } => thread::scope(|scope| {
                for (role, expected) in [(Role::Agent, agent), (Role::Check, check)] {
                    if let ExpectedResult::Ends(ends) = expected {
                        scope.spawn(move || ends.come_true(self.script.unwrap_or(name), role));
                    }
                }
            }),
        }
    }
}

/// Returns whether this program is installed.
pub(crate) fn is_installed(program: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

impl ExpectedEnd {
    /// Runs the script with this name in this role, and checks how the run ends.
    fn come_true(&self, script: &str, role: Role) {
        let hostile_scenario = HostileScenario::new();
        let manifest = hostile_scenario.manifest(role, &hostile_scenario.command(script));
        let manifest = manifest.set("guardrails.max_seconds", self.limit.as_secs());
        let manifest = (self.manifest)(manifest);

        let begun = Instant::now();
        let ran = hostile_scenario.scenario.run_manifest(&manifest);
        let took = begun.elapsed();
        // The agent's leftover processes end with the loop.
        hostile_scenario.nobody_is_left();

        assert_eq!(ran.code, self.code, "{script} as {role:?}:\n{}", ran.stderr);
        let record = hostile_scenario.records(self.stop_reason);
        assert_eq!(record["iterations"], self.iterations, "{script} as {role:?}: {record}");
        let bound = self.limit + GRACE + SLACK;
        let elapsed = Duration::from_secs_f64(record["elapsed_seconds"].as_f64().expect("a number"));
        assert!(elapsed < bound && took < bound, "{script} as {role:?} took {elapsed:?}, in all {took:?}");
        assert!(
            hostile_scenario.lingering() >= self.leaves,
            "{script} as {role:?} left {}",
            hostile_scenario.lingering()
        );
        assert_eq!(hostile_scenario.scenario.leftovers(), 0, "{script} as {role:?} left temporary files");
        (self.proof)(&hostile_scenario, &ran);
    }
}
