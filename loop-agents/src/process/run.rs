//! A command from its start to its end.

use std::{future::Future, io, time::Duration};

use tokio::time::timeout;

use super::{
    Exit, Process, ProcessError,
    output::{Pump, Stream},
    session::Session,
    system::Watch,
};
use crate::output::Capture;

/// How long whatever still holds a command's output after its end is listened to: 250 ms.
pub const STRAGGLER_TIME: Duration = Duration::from_millis(250);

/// How long the system has to carry out a KILL before we go on without it: a process that
/// hangs inside the kernel (a dead network disk) does not die, and must not hold us too.
const KILL_TIME: Duration = Duration::from_secs(2);

/// What a command left behind.
#[derive(Debug, Clone)]
pub struct Finished {
    /// How the shell ended.
    pub exit: Exit,
    /// Whether it was asked to end. It may still have ended by itself in that moment.
    pub stopped: bool,
    /// What is kept of the standard output, or of both outputs if they were merged.
    pub stdout: Capture,
    /// What is kept of the standard error.
    pub stderr: Capture,
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
        let (session, ours) = self.start()?;
        let in_job = self.job.as_ref().map(|job| job.enter(session.leader()));
        let watch = Watch::new(session.leader()).map_err(ProcessError::unwatched)?;
        let mut pump = ours.pump(self.capture_limit, listener).map_err(ProcessError::Pipe)?;

        let event = async {
            tokio::select! {
                biased;
                ended = watch.ended() => ended.map(|()| false),
                () = stop => Ok(true),
            }
        };
        let stopped = pump.while_waiting(event).await.map_err(ProcessError::Lost)?;
        if stopped {
            self.end(&session, &watch, &mut pump).await.map_err(ProcessError::Lost)?;
        }
        drop(in_job);
        let exit = session.close().map_err(ProcessError::Lost)?;
        pump.input.close();
        // Running out of time is the ordinary end of a straggler's output.
        let _ = timeout(STRAGGLER_TIME, pump.until_closed()).await;
        Ok(Finished { exit, stopped, stdout: pump.stdout.into_capture(), stderr: pump.stderr.into_capture() })
    }

    /// TERM, the grace time, KILL. The grace time is for all that the command started: the
    /// shell is gone in no time, while the agent that it started is still saving its work. So
    /// it is over when the leader has ended and nobody holds the outputs.
    async fn end<L>(&self, session: &Session, watch: &Watch, pump: &mut Pump<L>) -> io::Result<()>
    where
        L: FnMut(Stream, &[u8]),
    {
        session.terminate();
        let gone = async { tokio::join!(watch.ended(), pump.until_closed()).0 };
        if let Ok(ended) = timeout(self.grace, gone).await {
            return ended;
        }
        session.kill();
        timeout(KILL_TIME, pump.while_waiting(watch.ended())).await?
    }
}
