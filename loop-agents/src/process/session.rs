//! The processes of one command: signalled as one, and never left behind.

use std::{
    future::Future,
    io, thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, WaitIdStatus, kill_process_group};

use super::{
    Custody, Exit,
    blocking::off_executor,
    custody::{KILL_TIME, family},
};

/// How long to wait before looking again for the end of a leader that another process traces.
const TRACED_WAIT: Duration = Duration::from_millis(10);

/// A session whose leader is our child. As long as the leader is not reaped its number cannot
/// be given to another process, and so the group can be signalled safely.
///
/// Dropping it kills the group at once.
#[derive(Debug)]
pub(super) struct Session {
    leader: Pid,
    custody: Option<Custody>,
    closed: bool,
}

/// A session that is over.
#[derive(Debug)]
pub(super) struct Closed {
    /// How its leader ended.
    pub(super) exit: Exit,
    /// The numbers of the processes that could not be ended.
    pub(super) survivors: Vec<u32>,
}

impl Session {
    /// Takes charge of a child that leads a session, or at least a group, of its own.
    pub(super) fn led_by(leader: Pid, custody: Option<Custody>) -> Self {
        Self { leader, custody, closed: false }
    }

    /// The leader's number, which is the group's as well.
    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    /// Asks all that can be found to end, from the call on; resolves when all have been asked. A stopped process would
    /// not hear TERM before it goes on.
    pub(super) fn terminate(&self) -> impl Future<Output = ()> + use<> {
        let leader = self.leader;
        off_executor(move || {
            family::signal(leader, Signal::TERM);
            family::signal(leader, Signal::CONT);
        })
    }

    /// Kills the group.
    pub(super) fn kill(&self) {
        // Failing means that nobody is left, or that we may not: nothing to be done in either case.
        let _ = kill_process_group(self.leader, Signal::KILL);
    }

    /// After the leader's end: kills what is left of the group, ends what had left it, if there is somebody
    /// who can know, and only then reaps the leader.
    ///
    /// In this order, since a process that traces the leader is told of its end before us, and may not be
    /// listening.
    pub(super) async fn close(mut self) -> io::Result<Closed> {
        self.kill();
        self.closed = true;
        let (leader, custody) = (self.leader, self.custody.take().filter(Custody::adopts));
        // Mostly there is nothing to wait for.
        if custody.is_none()
            && let Some(status) = family::reap(leader)?
        {
            return Ok(Closed { exit: exit_of(&status)?, survivors: Vec::new() });
        }
        off_executor(move || bury(leader, custody.as_ref())).await
    }

    /// A leader that does not end: it belongs to somebody else, or hangs in the system.
    pub(super) fn give_up(mut self) {
        self.closed = true;
        family::give_up(self.leader);
    }
}

/// Ends what a command left whose leader has ended, and takes the leader off the system's list. Blocks meanwhile.
fn bury(leader: Pid, custody: Option<&Custody>) -> io::Result<Closed> {
    let survivors = custody.map(|custody| custody.settle(leader)).unwrap_or_default();
    let deadline = Instant::now() + KILL_TIME;
    loop {
        if let Some(status) = family::reap(leader)? {
            return Ok(Closed { exit: exit_of(&status)?, survivors });
        }
        if Instant::now() >= deadline {
            family::give_up(leader);
            return Err(io::Error::other("another process traces it, and keeps its end from us"));
        }
        // The system does not tell when a tracer lets go.
        thread::sleep(TRACED_WAIT);
    }
}

fn exit_of(status: &WaitIdStatus) -> io::Result<Exit> {
    Exit::of(status).ok_or_else(|| io::Error::other("the system did not say how the process ended"))
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.closed {
            return;
        }
        self.kill();
        let (leader, custody) = (self.leader, self.custody.take());
        // Nobody is left to hear how it ended.
        drop(off_executor(move || {
            family::await_leader(leader);
            bury(leader, custody.as_ref())
        }));
    }
}
