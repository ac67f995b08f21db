//! What a guardian does: it waits for the end of the process that it guards, and keeps it going until then.
//!
//! The guarded process is the guardian's parent, and the system tells nobody but a process's own parent that it
//! was stopped. So the guardian looks, four times a second, and only while it was asked to.

use std::{
    ffi::OsString,
    io::{self, stdin},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, read},
    process::{Pid, Signal, getppid, setsid},
};

use super::{
    cgroup::{Cgroup, Hierarchy},
    guardian::NAME,
    kill::end_all,
    mark::Mark,
    proc::{self, Found, Stop},
    standing::{FRAME, Standing, Stops},
    system,
};

/// The time between two looks at the guarded process.
const LOOK: Duration = Duration::from_millis(250);

/// The time between two looks while it is stopped on purpose: each one searches all processes.
const LOOK_AT_REST: Duration = Duration::from_secs(1);

/// The number of looks at which the process may be found stopped again, less those at which it was not, before the
/// run's processes are ended: one of them must be the one that stops it.
const MOST_STOPS: u32 = 8;

/// Serves as a guardian if these arguments say so, and gives true when that is done.
///
/// A program that [is guarded](super::Custody::guarded_by) calls this first in its `main`, with its own
/// arguments ([`std::env::args_os`]), and returns at once if it gives true.
pub fn serve_as_guardian(args: impl IntoIterator<Item = OsString>) -> bool {
    let mut args = args.into_iter();
    if args.next().is_none_or(|name| name != NAME) {
        return false;
    }
    let Some(run) = args.next().and_then(|run| run.into_string().ok()) else { return true };
    // Out of reach of a terminal's Ctrl+C and hang-up, which are for the one that is guarded.
    let _ = setsid();
    system::rename(c"guardian");
    let group = Hierarchy::of_system().and_then(|hierarchy| Cgroup::guarded(&hierarchy, &run).ok());
    let mark = Mark::new(run);
    Vigil::begin(&mark).keep();
    end_run(&mark, group.as_ref());
    true
}

/// Ends everything of a run whose process is gone.
fn end_run(mark: &Mark, group: Option<&Cgroup>) {
    let Some(group) = group else { return drop(end_all(|| mark.carriers())) };
    group.kill();
    end_all(|| mark.carriers().into_iter().chain(group.members()).collect());
    group.remove();
}

/// A guardian at work.
struct Vigil<'a> {
    mark: &'a Mark,
    /// The process that is guarded, if it can be held.
    guarded: Option<Found>,
    /// What it said last.
    stops: Stops,
    /// When nothing of the run may be at work any more.
    deadline: Option<Instant>,
    /// What has arrived of its next message.
    arrived: Vec<u8>,
    /// The looks at which it was found stopped, less those at which it was not.
    stopped: u32,
    /// What was stopped because the process was.
    frozen: Vec<Found>,
}

impl<'a> Vigil<'a> {
    fn begin(mark: &'a Mark) -> Self {
        Self {
            mark,
            guarded: getppid().and_then(Found::held),
            stops: Stops::default(),
            deadline: None,
            arrived: Vec::new(),
            stopped: 0,
            frozen: Vec::new(),
        }
    }

    /// Returns when the process is gone, or nothing can be heard of it any more.
    fn keep(mut self) {
        while self.wait().and_then(|heard| if heard { self.hear() } else { Ok(true) }).unwrap_or(false) {
            self.look();
        }
    }

    /// Waits for a message, or until it is time to look; gives whether there is something to read.
    fn wait(&self) -> io::Result<bool> {
        let pause = match self.stops {
            Stops::Unwatched => None,
            Stops::Refused => Some(LOOK),
            Stops::Announced => Some(LOOK_AT_REST),
        };
        readable(pause)
    }

    /// Reads what has arrived; gives false if that was the end.
    fn hear(&mut self) -> io::Result<bool> {
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
        let mut standings =
            self.arrived.chunks_exact(FRAME).filter_map(|frame| Standing::of_frame(frame.try_into().ok()?));
        if let Some(Standing { stops, left }) = standings.next_back() {
            self.stops = stops;
            self.deadline = left.and_then(|left| Instant::now().checked_add(left));
        }
        self.arrived = rest;
        Ok(true)
    }

    /// Looks at the process, and does what has to be done.
    fn look(&mut self) {
        if self.stops == Stops::Unwatched && self.frozen.is_empty() {
            return;
        }
        // Our parent is the guarded process, and its number nobody else's, as long as it lives.
        let Some(pid) =
            self.guarded.as_ref().map(|guarded| guarded.pid).filter(|pid| getppid() == Some(*pid))
        else {
            return;
        };
        let stop = Stop::of(pid);
        // It announces a stop before it stops. So the announcement of the stop that we saw is there by now.
        if stop.is_some()
            && readable(Some(Duration::ZERO)).is_ok_and(|there| there)
            && !self.hear().unwrap_or(false)
        {
            return;
        }
        match (stop, self.stops) {
            (Some(_), Stops::Announced) => return self.freeze(pid),
            (Some(stop), Stops::Refused) if stop.is_for_terminal() => self.freeze(pid),
            (Some(_), Stops::Refused) => self.go_on(),
            (Some(_), Stops::Unwatched) => {}
            (None, _) => {
                self.stopped = self.stopped.saturating_sub(1);
                self.thaw();
            }
        }
        let is_late = self.stops == Stops::Refused && self.deadline.is_some_and(|end| end <= Instant::now());
        if is_late || self.stopped >= MOST_STOPS {
            self.stopped = 0;
            end_all(|| self.carriers(pid));
        }
    }

    /// Continues the process, which somebody has stopped.
    fn go_on(&mut self) {
        self.stopped += 1;
        if let Some(guarded) = &self.guarded {
            guarded.signal(Signal::CONT);
        }
    }

    /// Stops everything of the run while the process is stopped. The process has stopped what it found, but a helper
    /// outside of the run can continue that.
    fn freeze(&mut self, guarded: Pid) {
        let mut found = self.carriers(guarded);
        let roots: Vec<_> = found.iter().map(|found| found.pid).collect();
        found.extend(proc::descendants(&roots));
        for found in found.into_iter().filter(|found| Stop::of(found.pid).is_none()) {
            found.signal(Signal::STOP);
            if self.frozen.iter().all(|frozen| frozen.pid != found.pid) {
                self.frozen.push(found);
            }
        }
    }

    /// Continues what was stopped for the process's sake.
    fn thaw(&mut self) {
        for found in self.frozen.drain(..) {
            found.signal(Signal::CONT);
        }
    }

    /// The run's processes without the guarded one, which carries a mark too.
    fn carriers(&self, guarded: Pid) -> Vec<Found> {
        let mut carriers = self.mark.carriers();
        carriers.retain(|found| found.pid != guarded);
        carriers
    }
}

/// Whether something can be read from the guarded process within this time.
fn readable(within: Option<Duration>) -> io::Result<bool> {
    let within = within.map(Timespec::try_from).transpose().map_err(io::Error::other)?;
    let stream = stdin();
    match poll(&mut [PollFd::new(&stream, PollFlags::IN)], within.as_ref()) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
