//! The questions about the model at the start, if nobody named one.

use std::io::{self, BufRead as _};

use loop_session::{SessionHost, SessionStart, StartDialogue};
use tokio::task::spawn_blocking;

use crate::{
    command::{Failure, OrFail},
    signals::{Signal, Signals},
};

/// Asks until the model is chosen. Returns the signal that ends the session instead.
///
/// # Errors
/// The model is not usable, or the terminal is lost.
pub(super) async fn choose(
    mut dialogue: StartDialogue,
    host: &SessionHost,
    signals: &mut Signals,
) -> Result<Result<SessionStart, Signal>, Failure> {
    while let Some(question) = dialogue.question(host) {
        host.say(&question);
        let answered = async {
            let line = typed_line().await.or_internal("cannot read the terminal")?;
            Ok::<_, Failure>(dialogue.answer(line.as_deref(), host).await?)
        };
        tokio::select! {
            answered = answered => answered?,
            signal = signals.next() => return Ok(Err(signal)),
        }
    }
    Ok(Ok(dialogue.finish()))
}

/// Reads a line on another thread, so that Ctrl+C ends the wait; `None` for Ctrl+D.
async fn typed_line() -> io::Result<Option<String>> {
    let read = || {
        let mut line = String::new();
        Ok((io::stdin().lock().read_line(&mut line)? > 0).then_some(line))
    };
    spawn_blocking(read).await.unwrap_or_else(|_| Err(io::Error::other("the thread that reads panicked")))
}
