//! The watchdog's work: it waits for the end of the watched process, and keeps that process running until then.
//!
//! The watched process is the watchdog's parent, and the kernel reports a stop only to the stopped process's own
//! parent. So the watchdog checks four times a second.

use std::{
    collections::HashSet,
    ffi::OsString,
    io::{self, stdin},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, read},
    process::{Pid, Signal, getpid, getppid, setsid},
};

use super::{
    cgroup::{Cgroup, Hierarchy},
    freezer::Freezer,
    kill::end_all,
    proc::{self, ProcessHandle, Stat, StopState, is_running},
    process_mark::ProcessMark,
    system,
    watchdog::PROCESS_NAME,
    watchdog_message::{FRAME, StateMessage, StopPolicy},
    watched_groups::WatchedGroups,
};

/// The time between two checks of the watched process.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// The time between two checks while it is stopped on purpose. Each of them searches all processes.
const FROZEN_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The number of offences after which the watchdog ends the run's processes, because one of them must be the offender.
/// An offence is a check that finds the watched process stopped or frozen again, or finds processes of the run that
/// continued although the watchdog had stopped them. Each check that finds neither takes one offence off.
const MOST_STOPS: u32 = 8;

/// The maximum number of searches for processes to stop, per check.
const MOST_FREEZES: u32 = 4;

/// Serves as a watchdog if the arguments ask for it, and then returns true.
///
/// A program that [has a watchdog](super::Supervisor::with_watchdog) calls this first in its `main`, with its own
/// arguments ([`std::env::args_os`]), and exits at once if the result is true.
pub fn serve_as_watchdog(args: impl IntoIterator<Item = OsString>) -> bool {
    let mut args = args.into_iter();
    if args.next().is_none_or(|name| name != PROCESS_NAME) {
        return false;
    }
    let Some(run) = args.next().and_then(|run| run.into_string().ok()) else { return true };
    // A terminal's Ctrl+C and hang-up are for the watched process, and must not reach the watchdog.
    let _ = setsid();
    system::rename(c"guardian");
    let groups = Hierarchy::of_system().and_then(|hierarchy| WatchedGroups::of(hierarchy, &run).ok());
    let mark = ProcessMark::new(run);
    WatchdogProcess::begin(&mark, groups.as_ref()).run();
    end_run(&mark, &now(groups.as_ref()));
    true
}

/// Ends all processes of a run whose own process is gone.
fn end_run(mark: &ProcessMark, groups: &[Cgroup]) {
    groups.iter().for_each(Cgroup::kill);
    end_all(|| carriers(mark).into_iter().chain(groups.iter().flat_map(Cgroup::members)).collect());
    groups.iter().for_each(Cgroup::remove);
}

/// Returns the control groups that the run has now.
fn now(groups: Option<&WatchedGroups>) -> Vec<Cgroup> {
    groups.map(WatchedGroups::now).unwrap_or_default()
}

/// Returns the run's processes.
fn carriers(mark: &ProcessMark) -> Vec<ProcessHandle> {
    // One of them may have lowered it, for us or for the watched process before it started us.
    system::raise_open_files(u64::MAX);
    mark.carriers()
}

/// A running watchdog.
struct WatchdogProcess<'a> {
    mark: &'a ProcessMark,
    /// The run's control groups, if there may be any.
    groups: Option<&'a WatchedGroups>,
    freezer: Freezer,
    /// The watched process, if we can hold it.
    watched: Option<ProcessHandle>,
    /// The watched process's last message about stops.
    stops: StopPolicy,
    /// Whether every child of the watched process in another session belongs to the run.
    owns_children: bool,
    /// When no process of the run may be running any more.
    deadline: Option<Instant>,
    /// The bytes of the next message that have arrived.
    arrived: Vec<u8>,
    /// The number of checks that found it stopped, minus those that did not.
    stopped: u32,
    /// The processes that we stopped because the watched process was stopped.
    frozen: Vec<ProcessHandle>,
}

impl<'a> WatchdogProcess<'a> {
    fn begin(mark: &'a ProcessMark, groups: Option<&'a WatchedGroups>) -> Self {
        Self {
            mark,
            groups,
            freezer: Freezer::of_system(),
            watched: getppid().and_then(ProcessHandle::held),
            stops: StopPolicy::default(),
            owns_children: false,
            deadline: None,
            arrived: Vec::new(),
            stopped: 0,
            frozen: Vec::new(),
        }
    }

    /// Returns when the process is gone, or when its stream cannot be read any more.
    fn run(mut self) {
        let mut next_check = Instant::now() + self.pause();
        while let Ok(is_readable) = readable(next_check.saturating_duration_since(Instant::now())) {
            let known = self.stops;
            if is_readable && !self.read_messages().unwrap_or(false) {
                return;
            }
            // Each command comes with messages. A check for each of them would take as long as a short command.
            if known == self.stops && Instant::now() < next_check {
                continue;
            }
            self.check();
            next_check = Instant::now() + self.pause();
        }
    }

    /// Returns the time between two checks.
    const fn pause(&self) -> Duration {
        match self.stops {
            StopPolicy::Continue => CHECK_INTERVAL,
            StopPolicy::Freeze => FROZEN_CHECK_INTERVAL,
        }
    }

    /// Reads the bytes that have arrived. Returns false at the end of the stream.
    fn read_messages(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 16 * FRAME];
        let count = match read(stdin(), &mut buffer) {
            Ok(0) => return Ok(false),
            Ok(count) => count,
            Err(Errno::INTR) => return Ok(true),
            Err(error) => return Err(error.into()),
        };
        self.arrived.extend(&buffer[..count]);
        let whole = self.arrived.len() / FRAME * FRAME;
        let rest = self.arrived.split_off(whole);
        let mut messages = self
            .arrived
            .chunks_exact(FRAME)
            .filter_map(|frame| StateMessage::of_frame(frame.try_into().ok()?));
        if let Some(StateMessage { stops, owns_children, left }) = messages.next_back() {
            (self.stops, self.owns_children) = (stops, owns_children);
            self.deadline = left.and_then(|left| Instant::now().checked_add(left));
        }
        self.arrived = rest;
        Ok(true)
    }

    /// Checks the process, and reacts to its state.
    fn check(&mut self) {
        // The watched process is our parent. As long as it lives, its PID cannot be reused.
        let Some(pid) =
            self.watched.as_ref().map(|watched| watched.pid).filter(|pid| getppid() == Some(*pid))
        else {
            return;
        };
        let is_thawed = self.freezer.thaw(pid);
        let stop = StopState::of(pid);
        // The process announces a stop before it stops. So if we saw it stopped, the announcement has arrived by now.
        if stop.is_some()
            && readable(Duration::ZERO).is_ok_and(|there| there)
            && !self.read_messages().unwrap_or(false)
        {
            return;
        }
        match (stop, self.stops) {
            (Some(_), StopPolicy::Freeze) => self.freeze(pid),
            (Some(stop), StopPolicy::Continue) if stop.is_by_person() => self.freeze(pid),
            (Some(_), StopPolicy::Continue) => self.resume(),
            (None, _) if is_thawed => self.stopped += 1,
            (None, _) => {
                self.stopped = self.stopped.saturating_sub(1);
                self.thaw();
            }
        }
        let is_late =
            self.stops == StopPolicy::Continue && self.deadline.is_some_and(|end| end <= Instant::now());
        if is_late || self.stopped >= MOST_STOPS {
            self.stopped = 0;
            self.frozen.clear();
            end_all(|| self.processes(pid));
        }
    }

    /// Continues the process after somebody has stopped it.
    fn resume(&mut self) {
        self.stopped += 1;
        if let Some(watched) = &self.watched {
            watched.signal(Signal::CONT);
        }
    }

    /// Stops all processes of the run while the process is stopped. The process has already stopped the ones that it
    /// found, but a helper outside of the run, or a timer, can continue those. Time limits pause meanwhile, so processes
    /// that do not stay stopped would work without limits.
    fn freeze(&mut self, watched: Pid) {
        let known: HashSet<_> = self.frozen.iter().map(|frozen| frozen.pid).collect();
        let mut has_continued = false;
        // A process may start another one before it stops.
        for _ in 0..MOST_FREEZES {
            let mut found = self.processes(watched);
            found.retain(|found| is_running(found.pid));
            if found.is_empty() {
                break;
            }
            for found in found {
                found.signal(Signal::STOP);
                // At a later check, even a new one comes from a process that should have stood still.
                has_continued |= !known.is_empty();
                if self.frozen.iter().all(|frozen| frozen.pid != found.pid) {
                    self.frozen.push(found);
                }
            }
        }
        self.stopped += u32::from(has_continued);
    }

    /// Continues the processes that were stopped because of the watched process.
    fn thaw(&mut self) {
        // The watchdog of a run within this run comes after the process that it watches. It has to continue first,
        // because that process would replace a stopped watchdog.
        for found in self.frozen.drain(..).rev() {
            found.signal(Signal::CONT);
        }
    }

    /// Returns the run's processes except the watched one, which carries a mark too: those with a mark and all that they
    /// started, the members of the control groups, and the children that the watched process adopted.
    fn processes(&self, watched: Pid) -> Vec<ProcessHandle> {
        let mut found = carriers(self.mark);
        found.extend(now(self.groups).iter().flat_map(Cgroup::members));
        let mut roots: Vec<_> = found.iter().map(|found| found.pid).filter(|pid| *pid != watched).collect();
        if self.owns_children {
            // No command is ever in the session of the watched process.
            let session = |pid| Stat::of(pid).map(|stat| stat.session);
            let children = proc::children_of(watched).into_iter().filter_map(ProcessHandle::held);
            let adopted =
                children.filter(|child| session(child.pid).is_some_and(|of| Some(of) != session(watched)));
            let adopted: Vec<_> = adopted.filter(|child| child.pid != getpid()).collect();
            roots.extend(adopted.iter().map(|child| child.pid));
            found.extend(adopted);
        }
        found.extend(proc::descendants(&roots));
        let mut known = HashSet::from([watched, getpid()]);
        found.retain(|found| known.insert(found.pid));
        found
    }
}

/// Returns true if the watched process has sent something within this time.
fn readable(within: Duration) -> io::Result<bool> {
    let within = Timespec::try_from(within).map_err(io::Error::other)?;
    let stream = stdin();
    match poll(&mut [PollFd::new(&stream, PollFlags::IN)], Some(&within)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
