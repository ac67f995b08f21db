//! The processes of one command: signalled as one, and never left behind.

use std::{io, thread, time::Duration};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::time::{Instant, sleep};

use super::{
    Custody, Exit,
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

    /// Asks all that can be found to end. A stopped process would not hear TERM before it goes on.
    pub(super) fn terminate(&self) {
        family::signal(self.leader, Signal::TERM);
        family::signal(self.leader, Signal::CONT);
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
        let survivors = match &self.custody {
            Some(custody) => custody.settle(self.leader).await,
            None => Vec::new(),
        };
        self.closed = true;
        let exit = reap(self.leader).await?;
        Ok(Closed { exit, survivors })
    }

    /// A leader that does not end: it belongs to somebody else, or hangs in the system.
    pub(super) fn give_up(mut self) {
        self.closed = true;
        family::give_up(self.leader);
    }
}

/// Takes a leader that has ended off the system's list.
async fn reap(leader: Pid) -> io::Result<Exit> {
    let deadline = Instant::now() + KILL_TIME;
    loop {
        if let Some(status) = family::reap(leader)? {
            let unsaid = || io::Error::other("the system did not say how the process ended");
            return Exit::of(&status).ok_or_else(unsaid);
        }
        if Instant::now() >= deadline {
            family::give_up(leader);
            return Err(io::Error::other("another process traces it, and keeps its end from us"));
        }
        // The system does not tell when a tracer lets go.
        sleep(TRACED_WAIT).await;
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.closed {
            return;
        }
        self.kill();
        // The death takes its moment, which a thread may wait for and an executor may not.
        let (leader, custody) = (self.leader, self.custody.take());
        let bury = move || {
            let _ = waitid(WaitId::Pid(leader), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            if let Some(custody) = custody {
                custody.settle_here(leader);
            }
            if !matches!(family::reap(leader), Ok(Some(_))) {
                family::give_up(leader);
            }
        };
        let buried = thread::Builder::new().name("loop-reaper".to_owned()).stack_size(64 * 1024).spawn(bury);
        if buried.is_err() {
            // No thread can be had. What is left is ended with the custody, if there is one.
            family::give_up(leader);
        }
    }
}
