//! A command from its start to its end.

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

/// How long whatever still holds a command's output after its end is listened to: 250 ms.
pub const STRAGGLER_TIME: Duration = Duration::from_millis(250);

/// What a command left behind.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Finished {
    /// How the shell, or the program that was run without one, ended.
    pub exit: Exit,
    /// Why it was made to end, if it was. It may still have ended by itself in that moment.
    pub cut: Option<Cut>,
    /// What is kept of the standard output, or of both outputs if they were merged.
    pub stdout: Capture,
    /// What is kept of the standard error.
    pub stderr: Capture,
    /// The numbers of processes that the command left behind and that could not be ended: they belong to
    /// somebody else, or hang in the system. Mostly none; always none outside of a
    /// [custody](super::Custody).
    pub survivors: Vec<u32>,
}

impl Process {
    /// Runs the command to its end. `listener` gets every piece of output as it comes; `stop`
    /// resolves when the command has to end early. The command's own failure is in
    /// [`Finished::exit`].
    ///
    /// # Errors
    /// A command that the system does not take, or whose end could not be awaited.
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O and time enabled.
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
            // Running out of time is the ordinary end of a straggler's output.
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

    /// TERM, the grace time, KILL. The grace time is for all that the command started: the
    /// shell is gone in no time, while the agent that it started is still saving its work. So
    /// it is over when the leader has ended and nobody holds the outputs. Gives whether the leader ended.
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

/// Does what is to be done beside a command, if there is somebody to do it.
async fn until_never(watch: Option<impl Future<Output = Infallible>>) -> Infallible {
    match watch {
        Some(watch) => watch.await,
        None => future::pending().await,
    }
}
