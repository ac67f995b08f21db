//! A mark that every process of a run carries, wherever it went.
//!
//! A child can drop the marks that it inherits, but hardly all of them. The first mark is an environment variable. Its
//! name explains itself, and it survives everything but `env -i` and a login. The second mark is the limit on file
//! locks (`RLIMIT_LOCKS`). Linux has not enforced it since 2.4.25, so any value is harmless, but every child inherits
//! it, and `/proc/PID/limits` shows it. A login through PAM may set it.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    mem,
    os::unix::fs::MetadataExt as _,
    slice,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use rustix::process::{Pid, getpid};

use super::{
    kill::end_all,
    proc::{self, ProcessHandle, Stat},
    system,
};

/// The environment variable that names the run of a process.
pub const RUN_VARIABLE: &str = "LOOP_RUN_ID";

/// Returns whether this process, or one above it, carries the mark of any run, or whether this very program is above it:
/// an agent can remove the marks, also from the program that started it. Call it before this process gets a mark of its
/// own. On systems other than Linux, only [`RUN_VARIABLE`] of this process shows that.
pub fn is_below_a_run() -> bool {
    let own = getpid();
    let program =
        |pid: Pid| fs::metadata(format!("/proc/{pid}/exe")).ok().map(|file| (file.dev(), file.ino()));
    let own_program = program(own);
    let is_again = |pid: Pid| pid != own && own_program.is_some() && program(pid) == own_program;
    let mut pid = Some(own);
    while let Some(process) = pid {
        let is_marked = runs_in(&read(process, "environ")).next().is_some()
            || limit_in(&read(process, "limits")).is_some_and(|limit| limit > LARGEST_OTHER_LIMIT);
        if is_marked || is_again(process) {
            return true;
        }
        pid = Stat::of(process).and_then(|stat| stat.parent);
    }
    std::env::var_os(RUN_VARIABLE).is_some()
}

/// The largest limit on file locks that somebody else may have set.
const LARGEST_OTHER_LIMIT: u64 = u32::MAX as u64;

/// Takes the marks of the run from a child that shall outlive it. It also has to be in the session of this process, with
/// an environment that does not name the run.
#[cfg(feature = "servers")]
pub(in crate::process) fn release_from_run(child: Pid) -> std::io::Result<()> {
    system::unlimit_locks(child)?;
    super::cgroup::move_out(child)
}

/// The mark that the processes of one run share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcessMark {
    /// The run's name, the value of the variable.
    run: String,
    /// The run's name as a number.
    limit: u64,
}

impl ProcessMark {
    pub(super) fn new(run: String) -> Self {
        // Another version of Rust may hash differently. The watchdog is usually the same program.
        let mut hasher = DefaultHasher::new();
        run.hash(&mut hasher);
        // The largest numbers mean "no limit".
        let limit = hasher.finish() >> 1;
        Self { run, limit }
    }

    /// The run's name.
    pub(super) fn run(&self) -> &str {
        &self.run
    }

    /// Puts the second mark on this process, and so on every child that it starts from now on.
    pub(super) fn put_on_self(&self) {
        // Somebody may have lowered the hard limit below our number. Then only the first mark applies.
        let _ = system::limit_locks(self.limit);
    }

    /// Returns all living processes that carry the mark, except this one.
    pub(super) fn carriers(&self) -> Vec<ProcessHandle> {
        carriers_of(slice::from_ref(self))
    }

    /// Returns the living processes that carry the variable, except this one. A process that a system service starts
    /// for another process, such as an `at` job, keeps the variable but does not inherit the limit.
    pub(super) fn carriers_of_variable(&self) -> Vec<ProcessHandle> {
        held(|pid| self.is_in_environment(&read(pid, "environ")))
    }

    /// Returns the processes with the second mark only: the process that has put it on itself, and any that dropped the
    /// variable.
    pub(super) fn owners(&self) -> Vec<ProcessHandle> {
        held(|pid| self.is_in_limits(&read(pid, "limits")) && !self.is_in_environment(&read(pid, "environ")))
    }

    /// Returns true if a process carries the mark and has not ended.
    pub(super) fn is_on(&self, pid: Pid) -> bool {
        is_on(slice::from_ref(self), pid)
    }

    fn is_in_environment(&self, environment: &[u8]) -> bool {
        runs_in(environment).any(|run| run == self.run.as_bytes())
    }

    fn is_in_limits(&self, limits: &[u8]) -> bool {
        limit_in(limits) == Some(self.limit)
    }
}

/// Ends all living processes that carry this mark, except this one. Blocks until they are gone. Returns those that it
/// could not end.
///
/// Each search reads files of all processes of the system, so concurrent calls share one search: the caller that holds
/// the turn also searches for all callers that wait.
pub(super) fn end_carriers(mark: &ProcessMark) -> Vec<Pid> {
    static WAITING: Mutex<Vec<Arc<Search>>> = Mutex::new(Vec::new());
    static TURN: Mutex<()> = Mutex::new(());

    let search = Arc::new(Search { mark: mark.clone(), survivors: OnceLock::new() });
    lock(&WAITING).push(Arc::clone(&search));
    let turn = lock(&TURN);
    if search.survivors.get().is_none() {
        let all = mem::take(&mut *lock(&WAITING));
        let marks: Vec<_> = all.iter().map(|search| search.mark.clone()).collect();
        let survivors = end_all(|| carriers_of(&marks));
        for Search { mark, survivors: of_mark } in all.iter().map(Arc::as_ref) {
            of_mark.get_or_init(|| survivors.iter().copied().filter(|pid| mark.is_on(*pid)).collect());
        }
    }
    drop(turn);
    search.survivors.get().cloned().unwrap_or_default()
}

/// A search for the processes that carry a mark, to end them.
#[derive(Debug)]
struct Search {
    mark: ProcessMark,
    /// Set when the search is over.
    survivors: OnceLock<Vec<Pid>>,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns all living processes that carry one of these marks, except this one.
pub(super) fn carriers_of(marks: &[ProcessMark]) -> Vec<ProcessHandle> {
    match marks {
        [] => Vec::new(),
        marks => held(|pid| is_on(marks, pid)),
    }
}

/// Takes hold of all other processes that match `is_so`.
fn held(is_so: impl Fn(Pid) -> bool) -> Vec<ProcessHandle> {
    let own = getpid();
    let others = proc::all().into_iter().filter(|pid| *pid != own);
    // Take hold first and check afterwards, so that both refer to the same process.
    let held = others.filter(|pid| is_so(*pid)).filter_map(ProcessHandle::held);
    held.filter(|found| is_so(found.pid)).collect()
}

fn is_on(marks: &[ProcessMark], pid: Pid) -> bool {
    let (environment, limits) = (read(pid, "environ"), read(pid, "limits"));
    // Read these once for all marks, because there may be many.
    let (runs, limit) = (runs_in(&environment).collect::<Vec<_>>(), limit_in(&limits));
    let is_marked = |mark: &ProcessMark| runs.contains(&mark.run.as_bytes()) || limit == Some(mark.limit);
    marks.iter().any(is_marked) && Stat::of(pid).is_some_and(|stat| !stat.ended)
}

/// Returns the runs that this environment names, usually one.
fn runs_in(environment: &[u8]) -> impl Iterator<Item = &[u8]> {
    let entries = environment.split(|byte| *byte == 0);
    entries.filter_map(|entry| entry.strip_prefix(RUN_VARIABLE.as_bytes())?.strip_prefix(b"="))
}

/// Returns the limit on file locks, which may be the second mark.
fn limit_in(limits: &[u8]) -> Option<u64> {
    let limits = str::from_utf8(limits).ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max file locks"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

fn read(pid: Pid, file: &str) -> Vec<u8> {
    fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_known_by_all_of_it() {
        let mark = ProcessMark::new("run-1".to_owned());
        assert!(mark.is_in_environment(b"A=B\0LOOP_RUN_ID=run-1\0"));
        for other in [&b"LOOP_RUN_ID=run-12\0"[..], b"XLOOP_RUN_ID=run-1\0", b"A=LOOP_RUN_ID=run-1\0", b""] {
            assert!(!mark.is_in_environment(other));
        }
        let limits =
            |soft: u64| format!("Max cpu time  1 1 s\nMax file locks   {soft}   unlimited   locks\n");
        assert!(mark.is_in_limits(limits(mark.limit).as_bytes()));
        assert!(!mark.is_in_limits(limits(mark.limit + 1).as_bytes()));
        assert!(!mark.is_in_limits(b""));
    }

    #[test]
    fn two_runs_have_two_marks_and_one_run_has_one() {
        assert_ne!(ProcessMark::new("run-1".to_owned()).limit, ProcessMark::new("run-2".to_owned()).limit);
        assert_eq!(ProcessMark::new("run-1".to_owned()), ProcessMark::new("run-1".to_owned()));
    }
}
