//! Runs a command from its start to its end.

use std::{
    convert::Infallible,
    future::{self, Future},
    io,
    pin::{Pin, pin},
    time::Duration,
};

use rustix::process::Pid;
use tokio::time::timeout;

use super::{
    CutReason, Exit, Leftovers, Process, ProcessError, Supervisor, leftovers,
    limit::CommandClock,
    output::{OutputStream, ProcessIo},
    session::{ProcessSession, SessionEnd},
    supervision::KILL_TIME,
    system::Watch,
};
use crate::output::Capture;

/// How long we read the output of other processes that still hold it after the command's end: 250 ms.
pub const STRAGGLER_TIME: Duration = Duration::from_millis(250);

/// The result of a command.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ProcessOutput {
    /// How the shell, or the program that was run without one, ended.
    pub exit: Exit,
    /// Why we made it end, if we did. The command may still have ended by itself in the same moment.
    pub cut: Option<CutReason>,
    /// The captured standard output, or both outputs if they were merged. If we made the command end, an ellipsis (`…`)
    /// follows any output, because its rest may be missing. At this mark, redaction finds the beginning of a secret.
    pub stdout: Capture,
    /// The captured standard error, with the same mark.
    pub stderr: Capture,
    /// The PIDs of processes that the command left behind and that we could not end. They belong to another user, or
    /// hang in the kernel. Usually empty, and always empty without a [supervisor](super::Supervisor).
    pub survivors: Vec<u32>,
    /// The processes that the command left behind. Only the commands of a [`ShellAgent`](crate::shell::ShellAgent) look
    /// for them. If we made the command end, there are none.
    pub leftovers: Leftovers,
}

impl Process {
    /// Runs the command to its end. `listener` gets every piece of output as it comes. When `stop` resolves, this
    /// method ends the command early. The command's own failure is in [`ProcessOutput::exit`].
    ///
    /// # Errors
    /// Fails if the system cannot start the command, or if its end could not be awaited.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future kills the command and its group at once.
    pub async fn run<S, L>(&self, stop: S, mut listener: L) -> Result<ProcessOutput, ProcessError>
    where
        S: Future<Output = ()>,
        L: FnMut(OutputStream, &[u8]),
    {
        let (mut stop, watch_over) = (pin!(stop), self.supervisor.as_ref().map(Supervisor::watch));
        let mut watch_over = pin!(until_never(watch_over));
        if let Some(supervisor) = &self.supervisor {
            supervisor.prepare().await.map_err(ProcessError::WatchdogLost)?;
        }
        let (mut session, ours) = self.start()?;
        let leader = session.leader();
        let in_job = self.job.as_ref().map(|job| job.enter(leader));
        let watch = Watch::new(leader).map_err(ProcessError::unwatched)?;
        let clock = CommandClock::start(self.job.as_ref());
        let listener = |stream, bytes: &[u8]| {
            clock.record_output();
            listener(stream, bytes);
        };
        let mut process_io =
            ours.into_process_io(self.capture_limit, listener).map_err(ProcessError::Pipe)?;
        session.share(watch.descriptor());
        process_io.descriptors().for_each(|descriptor| session.share(descriptor));

        let event = async {
            tokio::select! {
                biased;
                ended = watch.ended() => ended.map(|()| None),
                () = &mut stop => Ok(Some(CutReason::Requested)),
                cut = clock.crossed(self.limits) => Ok(Some(cut)),
                never = &mut watch_over => match never {},
            }
        };
        let cut = process_io.while_waiting(event).await.map_err(ProcessError::Lost)?;
        let ended = match cut {
            Some(_) => {
                self.end(&session, &watch, &mut process_io, &clock).await.map_err(ProcessError::Lost)?
            }
            // Running out of time is the normal end of reading a straggler's output.
            None => {
                let _ = timeout(STRAGGLER_TIME, process_io.until_closed()).await;
                true
            }
        };
        let leftovers = self.let_linger(cut, leader, (stop, watch_over), &mut process_io, &clock).await;
        drop(in_job);
        if !ended {
            let process = leader.as_raw_nonzero().get().unsigned_abs();
            session.give_up();
            return Err(ProcessError::Undying { process });
        }
        let SessionEnd { exit, survivors } = session.close().await.map_err(ProcessError::Lost)?;
        process_io.drain();
        let (mut stdout, mut stderr) = (process_io.stdout.into_capture(), process_io.stderr.into_capture());
        if cut.is_some() {
            stdout.mark_cut();
            stderr.mark_cut();
        }
        Ok(ProcessOutput { exit, cut, stdout, stderr, survivors, leftovers })
    }

    /// Looks for the processes that the command left behind, unless we made it end. Lets them go on for as long as they
    /// may, until `stop` resolves.
    async fn let_linger<L>(
        &self,
        cut: Option<CutReason>,
        leader: Pid,
        (stop, watch_over): (Pin<&mut impl Future<Output = ()>>, Pin<&mut impl Future<Output = Infallible>>),
        process_io: &mut ProcessIo<L>,
        clock: &CommandClock<'_>,
    ) -> Leftovers
    where
        L: FnMut(OutputStream, &[u8]),
    {
        let Some(linger) = self.linger.as_ref().filter(|_| cut.is_none()) else {
            return Leftovers::default();
        };
        let first = leftovers::left_by(leader).await;
        if !first.is_empty() {
            let over = async {
                tokio::select! {
                    () = stop => {}
                    _ = clock.crossed(self.limits) => {}
                    () = leftovers::until_gone(leader, linger, clock) => {}
                    never = watch_over => match never {},
                }
            };
            process_io.while_waiting(over).await;
        }
        Leftovers::after(&first, leader).await
    }

    /// Sends TERM, waits for the grace time, and sends KILL. The grace time covers everything that the command started:
    /// the shell ends at once, while the agent that it started is still saving its work. So the wait is over when the
    /// leader has ended and nobody holds the outputs. Returns whether the leader ended.
    async fn end<L>(
        &self,
        session: &ProcessSession,
        watch: &Watch,
        process_io: &mut ProcessIo<L>,
        clock: &CommandClock<'_>,
    ) -> io::Result<bool>
    where
        L: FnMut(OutputStream, &[u8]),
    {
        let asked = session.terminate();
        let gone = async { tokio::join!(watch.ended(), process_io.until_closed(), asked).0 };
        tokio::select! {
            biased;
            ended = gone => return ended.map(|()| true),
            () = clock.passed(self.grace) => session.kill(),
        }
        match timeout(KILL_TIME, process_io.while_waiting(watch.ended())).await {
            Ok(ended) => ended.map(|()| true),
            Err(_) => Ok(false),
        }
    }
}

/// Runs `watch` beside a command, if there is one.
async fn until_never(watch: Option<impl Future<Output = Infallible>>) -> Infallible {
    match watch {
        Some(watch) => watch.await,
        None => future::pending().await,
    }
}
