//! The processes of one command: signalled as one, and never left behind.

use std::{io, thread};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::task::spawn_blocking;

use super::{Custody, Exit, custody::family};

/// A session whose leader is our child. As long as the leader is not reaped its number cannot
/// be given to another process, and so the group can be signalled safely.
///
/// Dropping it kills the group at once.
#[derive(Debug)]
pub(super) struct Session {
    leader: Pid,
    custody: Option<Custody>,
    reaped: bool,
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
        Self { leader, custody, reaped: false }
    }

    /// The leader's number, which is the group's as well.
    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    /// Asks the group to end. A stopped process would not hear TERM before it goes on.
    pub(super) fn terminate(&self) {
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
    }

    /// Kills the group.
    pub(super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// After the leader's end: kills what is left of the group, and only then reaps the leader; then ends
    /// what had left the group, if there is somebody who can know.
    pub(super) async fn close(mut self) -> io::Result<Closed> {
        self.kill();
        // Whatever comes back, there is nothing left to wait for.
        self.reaped = true;
        let exit = reap(self.leader);
        let (leader, custody) = (self.leader, self.custody.take());
        let survivors = match custody.filter(|custody| custody.is_unsettled(leader)) {
            Some(custody) => {
                spawn_blocking(move || custody.settle(leader)).await.map_err(io::Error::other)?
            }
            None => Vec::new(),
        };
        Ok(Closed { exit: exit?, survivors })
    }

    /// Failing means that nobody is left, or that we may not: nothing to be done in either case.
    fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.leader, signal);
    }
}

/// Takes a leader that has ended off the system's list.
fn reap(leader: Pid) -> io::Result<Exit> {
    family::reap(leader, || waitid(WaitId::Pid(leader), WaitIdOptions::EXITED))?
        .and_then(|status| Exit::of(&status))
        .ok_or_else(|| io::Error::other("the system did not say how the process ended"))
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        self.kill();
        // The death takes its moment, which a thread may wait for and an executor may not. If no
        // thread can be had, a zombie stays until we end ourselves.
        let (leader, custody) = (self.leader, self.custody.take());
        let bury = move || {
            let _ = waitid(WaitId::Pid(leader), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            let _ = reap(leader);
            if let Some(custody) = custody {
                custody.settle(leader);
            }
        };
        let _ = thread::Builder::new().name("loop-reaper".to_owned()).stack_size(64 * 1024).spawn(bury);
    }
}
