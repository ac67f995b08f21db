//! The guardian's work: it waits for the end of the guarded process, and keeps that process running until then.
//!
//! The guarded process is the guardian's parent, and the kernel reports a stop only to the stopped process's own
//! parent. So the guardian checks four times a second, but only while the guarded process asks for it.

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

/// The time between two checks of the guarded process.
const LOOK: Duration = Duration::from_millis(250);

/// The time between two checks while it is stopped on purpose. Each of them searches all processes.
const LOOK_AT_REST: Duration = Duration::from_secs(1);

/// The number of checks that may find the process stopped again, minus those that did not, before the guardian ends the
/// run's processes. One of them must be the one that stops it.
const MOST_STOPS: u32 = 8;

/// Serves as a guardian if the arguments ask for it, and then returns true.
///
/// A program that [is guarded](super::Custody::guarded_by) calls this first in its `main`, with its own arguments
/// ([`std::env::args_os`]), and exits at once if the result is true.
pub fn serve_as_guardian(args: impl IntoIterator<Item = OsString>) -> bool {
    let mut args = args.into_iter();
    if args.next().is_none_or(|name| name != NAME) {
        return false;
    }
    let Some(run) = args.next().and_then(|run| run.into_string().ok()) else { return true };
    // A terminal's Ctrl+C and hang-up are for the guarded process, and must not reach the guardian.
    let _ = setsid();
    system::rename(c"guardian");
    let group = Hierarchy::of_system().and_then(|hierarchy| Cgroup::guarded(&hierarchy, &run).ok());
    let mark = Mark::new(run);
    Vigil::begin(&mark).keep();
    end_run(&mark, group.as_ref());
    true
}

/// Ends all processes of a run whose own process is gone.
fn end_run(mark: &Mark, group: Option<&Cgroup>) {
    let Some(group) = group else { return drop(end_all(|| mark.carriers())) };
    group.kill();
    end_all(|| mark.carriers().into_iter().chain(group.members()).collect());
    group.remove();
}

/// A running guardian.
struct Vigil<'a> {
    mark: &'a Mark,
    /// The guarded process, if we can hold it.
    guarded: Option<Found>,
    /// The guarded process's last message about stops.
    stops: Stops,
    /// When no process of the run may be running any more.
    deadline: Option<Instant>,
    /// The bytes of the next message that have arrived.
    arrived: Vec<u8>,
    /// The number of checks that found it stopped, minus those that did not.
    stopped: u32,
    /// The processes that we stopped because the guarded process was stopped.
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

    /// Returns when the process is gone, or when its stream cannot be read any more.
    fn keep(mut self) {
        while self.wait().and_then(|heard| if heard { self.hear() } else { Ok(true) }).unwrap_or(false) {
            self.look();
        }
    }

    /// Waits for a message, or for the next check. Returns true if there is something to read.
    fn wait(&self) -> io::Result<bool> {
        let pause = match self.stops {
            Stops::Unwatched => None,
            Stops::Refused => Some(LOOK),
            Stops::Announced => Some(LOOK_AT_REST),
        };
        readable(pause)
    }

    /// Reads the bytes that have arrived. Returns false at the end of the stream.
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

    /// Checks the process, and reacts to its state.
    fn look(&mut self) {
        if self.stops == Stops::Unwatched && self.frozen.is_empty() {
            return;
        }
        // The guarded process is our parent. As long as it lives, its PID cannot be reused.
        let Some(pid) =
            self.guarded.as_ref().map(|guarded| guarded.pid).filter(|pid| getppid() == Some(*pid))
        else {
            return;
        };
        let stop = Stop::of(pid);
        // The process announces a stop before it stops. So if we saw it stopped, the announcement has arrived by now.
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

    /// Continues the process after somebody has stopped it.
    fn go_on(&mut self) {
        self.stopped += 1;
        if let Some(guarded) = &self.guarded {
            guarded.signal(Signal::CONT);
        }
    }

    /// Stops all processes of the run while the process is stopped. The process has already stopped the ones that it
    /// found, but a helper outside of the run can continue those.
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

    /// Continues the processes that were stopped because of the guarded process.
    fn thaw(&mut self) {
        for found in self.frozen.drain(..) {
            found.signal(Signal::CONT);
        }
    }

    /// Returns the run's processes except the guarded one, which carries a mark too.
    fn carriers(&self, guarded: Pid) -> Vec<Found> {
        let mut carriers = self.mark.carriers();
        carriers.retain(|found| found.pid != guarded);
        carriers
    }
}

/// Returns true if the guarded process has sent something within this time.
fn readable(within: Option<Duration>) -> io::Result<bool> {
    let within = within.map(Timespec::try_from).transpose().map_err(io::Error::other)?;
    let stream = stdin();
    match poll(&mut [PollFd::new(&stream, PollFlags::IN)], within.as_ref()) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
