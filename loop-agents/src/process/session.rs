//! The processes of one command. They receive signals as a group, and none of them is left behind.

use std::{
    fmt,
    future::Future,
    io, mem,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, WaitIdStatus, kill_process_group};

use super::{
    Exit, Supervisor,
    blocking::off_executor,
    supervision::{KILL_TIME, process_tree},
};

/// How long to wait before looking again for the end of a leader that another process traces.
const TRACED_WAIT: Duration = Duration::from_millis(10);

/// A session whose leader is our child. Until we reap the leader, its PID cannot be reused, and so it is safe to signal
/// the group.
///
/// Dropping it kills the group at once. The rest of the cleaning up takes place off the executor.
pub(super) struct ProcessSession {
    leader: Pid,
    supervisor: Option<Supervisor>,
    descriptors: Vec<Arc<dyn Send + Sync>>,
    closed: bool,
}

/// A session that has ended.
#[derive(Debug)]
pub(super) struct SessionEnd {
    /// How its leader ended.
    pub(super) exit: Exit,
    /// The PIDs of the processes that we could not end.
    pub(super) survivors: Vec<u32>,
}

impl ProcessSession {
    /// Takes charge of a child that leads its own session, or at least its own group.
    pub(super) fn led_by(leader: Pid, supervisor: Option<Supervisor>) -> Self {
        Self { leader, supervisor, descriptors: Vec::new(), closed: false }
    }

    /// Returns the leader's PID, which is also the group's number.
    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    /// Shares a descriptor with this session. If the session is dropped, the descriptor is closed off the executor,
    /// provided that its other owners were dropped before.
    pub(super) fn share(&mut self, descriptor: Arc<dyn Send + Sync>) {
        self.descriptors.push(descriptor);
    }

    /// Sends TERM to all processes that can be found, starting with the call. Resolves when all of them have received
    /// it. It also continues stopped processes, which would not handle TERM otherwise.
    pub(super) fn terminate(&self) -> impl Future<Output = ()> + use<> {
        let leader = self.leader;
        off_executor(move || {
            process_tree::signal(leader, Signal::TERM);
            process_tree::signal(leader, Signal::CONT);
        })
    }

    /// Kills the group.
    pub(super) fn kill(&self) {
        // An error means that nobody is left, or that we lack permission. We can do nothing in either case.
        let _ = kill_process_group(self.leader, Signal::KILL);
    }

    /// Cleans up after the leader's end: kills the rest of the group, ends the processes that had left it, if there is
    /// a supervisor that can find them, and only then reaps the leader.
    ///
    /// The order matters, because the kernel reports the leader's end to its tracer before us, and the tracer may not
    /// be listening.
    pub(super) async fn close(mut self) -> io::Result<SessionEnd> {
        self.kill();
        self.closed = true;
        let (leader, supervisor) = (self.leader, self.supervisor.take().filter(Supervisor::is_subreaper));
        // Usually there is nothing to wait for.
        if supervisor.is_none()
            && let Some(status) = process_tree::reap(leader)?
        {
            return Ok(SessionEnd { exit: exit_of(&status)?, survivors: Vec::new() });
        }
        off_executor(move || end_and_reap(leader, supervisor.as_ref())).await
    }

    /// Abandons a leader that does not end: it belongs to another user, or hangs in the kernel.
    pub(super) fn give_up(mut self) {
        self.closed = true;
        process_tree::give_up(self.leader);
    }
}

/// Ends the processes that a command left behind after its leader ended, and reaps the leader. Blocks until then.
fn end_and_reap(leader: Pid, supervisor: Option<&Supervisor>) -> io::Result<SessionEnd> {
    let survivors = supervisor.map(|supervisor| supervisor.settle(leader)).unwrap_or_default();
    let deadline = Instant::now() + KILL_TIME;
    loop {
        if let Some(status) = process_tree::reap(leader)? {
            return Ok(SessionEnd { exit: exit_of(&status)?, survivors });
        }
        if Instant::now() >= deadline {
            process_tree::give_up(leader);
            return Err(io::Error::other("another process traces it and hides its end"));
        }
        // The system does not report when a tracer detaches.
        thread::sleep(TRACED_WAIT);
    }
}

fn exit_of(status: &WaitIdStatus) -> io::Result<Exit> {
    Exit::of(status).ok_or_else(|| io::Error::other("the system did not say how the process ended"))
}

impl Drop for ProcessSession {
    fn drop(&mut self) {
        if self.closed {
            return;
        }
        self.kill();
        let (leader, supervisor) = (self.leader, self.supervisor.take());
        let descriptors = mem::take(&mut self.descriptors);
        // Nobody is left to receive the exit.
        drop(off_executor(move || {
            drop(descriptors);
            process_tree::await_leader(leader);
            end_and_reap(leader, supervisor.as_ref())
        }));
    }
}

impl fmt::Debug for ProcessSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessSession").field("leader", &self.leader).finish_non_exhaustive()
    }
}
