//! The processes of one command. They receive signals as a group, and none of them is left behind.

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

/// A session whose leader is our child. Until we reap the leader, its PID cannot be reused, and so it is safe to signal
/// the group.
///
/// Dropping it kills the group at once.
#[derive(Debug)]
pub(super) struct Session {
    leader: Pid,
    custody: Option<Custody>,
    closed: bool,
}

/// A session that has ended.
#[derive(Debug)]
pub(super) struct Closed {
    /// How its leader ended.
    pub(super) exit: Exit,
    /// The PIDs of the processes that we could not end.
    pub(super) survivors: Vec<u32>,
}

impl Session {
    /// Takes charge of a child that leads its own session, or at least its own group.
    pub(super) fn led_by(leader: Pid, custody: Option<Custody>) -> Self {
        Self { leader, custody, closed: false }
    }

    /// Returns the leader's PID, which is also the group's number.
    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    /// Sends TERM to all processes that can be found, starting with the call. Resolves when all of them have received
    /// it. It also continues stopped processes, which would not handle TERM otherwise.
    pub(super) fn terminate(&self) -> impl Future<Output = ()> + use<> {
        let leader = self.leader;
        off_executor(move || {
            family::signal(leader, Signal::TERM);
            family::signal(leader, Signal::CONT);
        })
    }

    /// Kills the group.
    pub(super) fn kill(&self) {
        // An error means that nobody is left, or that we lack permission. We can do nothing in either case.
        let _ = kill_process_group(self.leader, Signal::KILL);
    }

    /// Cleans up after the leader's end: kills the rest of the group, ends the processes that had left it, if there is
    /// a custody that can find them, and only then reaps the leader.
    ///
    /// The order matters, because the kernel reports the leader's end to its tracer before us, and the tracer may not
    /// be listening.
    pub(super) async fn close(mut self) -> io::Result<Closed> {
        self.kill();
        self.closed = true;
        let (leader, custody) = (self.leader, self.custody.take().filter(Custody::adopts));
        // Usually there is nothing to wait for.
        if custody.is_none()
            && let Some(status) = family::reap(leader)?
        {
            return Ok(Closed { exit: exit_of(&status)?, survivors: Vec::new() });
        }
        off_executor(move || bury(leader, custody.as_ref())).await
    }

    /// Abandons a leader that does not end: it belongs to another user, or hangs in the kernel.
    pub(super) fn give_up(mut self) {
        self.closed = true;
        family::give_up(self.leader);
    }
}

/// Ends the processes that a command left behind after its leader ended, and reaps the leader. Blocks until then.
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
        // The system does not report when a tracer detaches.
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
        // Nobody is left to receive the exit.
        drop(off_executor(move || {
            family::await_leader(leader);
            bury(leader, custody.as_ref())
        }));
    }
}
