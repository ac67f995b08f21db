//! Runs a command from its start to its end.

use std::{
    convert::Infallible,
    future::{self, Future},
    io,
    time::Duration,
};

use tokio::time::timeout;

use super::{
    Custody, Cut, Exit, Process, ProcessError,
    custody::KILL_TIME,
    limit::Clock,
    output::{Pump, Stream},
    session::{Closed, Session},
    system::Watch,
};
use crate::output::Capture;

/// How long we read the output of other processes that still hold it after the command's end: 250 ms.
pub const STRAGGLER_TIME: Duration = Duration::from_millis(250);

/// The result of a command.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Finished {
    /// How the shell, or the program that was run without one, ended.
    pub exit: Exit,
    /// Why we made it end, if we did. The command may still have ended by itself in the same moment.
    pub cut: Option<Cut>,
    /// The captured standard output, or both outputs if they were merged.
    pub stdout: Capture,
    /// The captured standard error.
    pub stderr: Capture,
    /// The PIDs of processes that the command left behind and that we could not end. They belong to another user, or
    /// hang in the kernel. Usually empty, and always empty without a [custody](super::Custody).
    pub survivors: Vec<u32>,
}

impl Process {
    /// Runs the command to its end. `listener` gets every piece of output as it comes. When `stop` resolves, this
    /// method ends the command early. The command's own failure is in [`Finished::exit`].
    ///
    /// # Errors
    /// Fails if the system cannot start the command, or if its end could not be awaited.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future kills the command and its group at once.
    pub async fn run<S, L>(&self, stop: S, listener: L) -> Result<Finished, ProcessError>
    where
        S: Future<Output = ()>,
        L: FnMut(Stream, &[u8]),
    {
        let watch_over = self.custody.as_ref().map(Custody::watch);
        if let Some(custody) = &self.custody {
            custody.take_charge().await.map_err(ProcessError::Unguarded)?;
        }
        let (session, ours) = self.start()?;
        let in_job = self.job.as_ref().map(|job| job.enter(session.leader()));
        let watch = Watch::new(session.leader()).map_err(ProcessError::unwatched)?;
        let clock = Clock::start(self.job.as_ref());
        let mut listener = listener;
        let listener = |stream, bytes: &[u8]| {
            clock.hear();
            listener(stream, bytes);
        };
        let mut pump = ours.pump(self.capture_limit, listener).map_err(ProcessError::Pipe)?;

        let event = async {
            tokio::select! {
                biased;
                ended = watch.ended() => ended.map(|()| None),
                () = stop => Ok(Some(Cut::Asked)),
                cut = clock.crossed(self.limits) => Ok(Some(cut)),
                never = until_never(watch_over) => match never {},
            }
        };
        let cut = pump.while_waiting(event).await.map_err(ProcessError::Lost)?;
        let ended = match cut {
            Some(_) => self.end(&session, &watch, &mut pump, &clock).await.map_err(ProcessError::Lost)?,
            // Running out of time is the normal end of reading a straggler's output.
            None => {
                let _ = timeout(STRAGGLER_TIME, pump.until_closed()).await;
                true
            }
        };
        drop(in_job);
        if !ended {
            let process = session.leader().as_raw_nonzero().get().unsigned_abs();
            session.give_up();
            return Err(ProcessError::Undying { process });
        }
        let Closed { exit, survivors } = session.close().await.map_err(ProcessError::Lost)?;
        pump.drain();
        let (stdout, stderr) = (pump.stdout.into_capture(), pump.stderr.into_capture());
        Ok(Finished { exit, cut, stdout, stderr, survivors })
    }

    /// Sends TERM, waits for the grace time, and sends KILL. The grace time covers everything that the command started:
    /// the shell ends at once, while the agent that it started is still saving its work. So the wait is over when the
    /// leader has ended and nobody holds the outputs. Returns whether the leader ended.
    async fn end<L>(
        &self,
        session: &Session,
        watch: &Watch,
        pump: &mut Pump<L>,
        clock: &Clock<'_>,
    ) -> io::Result<bool>
    where
        L: FnMut(Stream, &[u8]),
    {
        let asked = session.terminate();
        let gone = async { tokio::join!(watch.ended(), pump.until_closed(), asked).0 };
        tokio::select! {
            biased;
            ended = gone => return ended.map(|()| true),
            () = clock.passed(self.grace) => session.kill(),
        }
        match timeout(KILL_TIME, pump.while_waiting(watch.ended())).await {
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
