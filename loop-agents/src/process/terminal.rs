//! A command at its own pseudo-terminal, which a person operates through ours.
//!
//! A person's own command may draw a screen, ask for a password or colour its output. So it needs a terminal, and
//! Ctrl+C has to reach it and nobody else. If it inherited our terminal, nobody else could read its output. So it gets
//! a pseudo-terminal, and we pass on all bytes in both directions.

use std::{
    fs::{File, OpenOptions},
    future::pending,
    io::{self, Read, Write},
    os::fd::{AsFd, OwnedFd},
};

use loop_core::CancellationToken;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize},
};

use super::{Exit, Process, ProcessError};
use crate::output::Capture;

/// How often to check whether the command has ended or the window has another size.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 30_000_000 };

/// The size of a read.
const CHUNK: usize = 8192;

/// Makes the pseudo-terminal `$1` the controlling terminal of a new session and runs the rest of the arguments there.
const ON_TERMINAL: &str = r#"exec <>"$1" >&0 2>&0; shift; exec "$@""#;

/// How a command at a terminal ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct TerminalOutput {
    /// How it ended.
    pub exit: Exit,
    /// Its output, with all escapes.
    pub output: Capture,
}

/// The reason why a command could not run at a terminal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TerminalError {
    /// There is no terminal, or none for the command.
    #[error("cannot use the terminal: {0}")]
    Terminal(#[from] io::Error),
    /// The command could not be started or awaited.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

impl From<Errno> for TerminalError {
    fn from(errno: Errno) -> Self {
        Self::Terminal(errno.into())
    }
}

impl Process {
    /// Runs these words in place of the command, at a pseudo-terminal that our controlling terminal shows and operates.
    /// Ctrl+C ends the command and does not reach this process. Keeps the first and the last output up to a limit.
    ///
    /// # Errors
    /// [`TerminalError`].
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future kills the command and restores the terminal.
    pub async fn run_on_terminal(
        self,
        words: &[&str],
        capture_limit: usize,
    ) -> Result<TerminalOutput, TerminalError> {
        let ours = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?.to_string_lossy().into_owned();
        tcsetwinsize(&master, tcgetwinsize(&ours)?)?;
        let raw = RawMode::begin(ours.try_clone()?)?;
        let ended = CancellationToken::new();
        let relay = Relay { ours, master, ended: ended.clone(), pending: Vec::new() };
        // Tells the relay that the command has ended, also if this future is dropped.
        let ends = ended.drop_guard();
        let relay = tokio::task::spawn_blocking(move || relay.run(capture_limit));
        let arguments = ["-c", ON_TERMINAL, "sh", name.as_str()].into_iter().chain(words.iter().copied());
        let done = self.words("/bin/sh", arguments).run(pending(), |_, _| {}).await;
        drop(ends);
        let output = relay.await.map_err(io::Error::other)?;
        drop(raw);
        Ok(TerminalOutput { exit: done?.exit, output })
    }
}

/// Passes all keys on as they are, until dropped.
struct RawMode {
    terminal: File,
    before: Termios,
}

impl RawMode {
    fn begin(terminal: File) -> io::Result<Self> {
        let before = tcgetattr(&terminal)?;
        let mut raw = before.clone();
        raw.make_raw();
        // Discards nothing: keys typed early are meant for the command.
        tcsetattr(&terminal, OptionalActions::Drain, &raw)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        // If the terminal is gone, nothing is left to restore.
        let _ = tcsetattr(&self.terminal, OptionalActions::Drain, &self.before);
    }
}

/// Passes bytes between two terminals.
struct Relay {
    ours: File,
    master: OwnedFd,
    ended: CancellationToken,
    /// Keys that the command has not taken yet.
    pending: Vec<u8>,
}

impl Relay {
    /// Runs until the command has ended and all of its output is shown.
    fn run(mut self, capture_limit: usize) -> Capture {
        let mut capture = Capture::with_limit(capture_limit);
        let mut is_open = true;
        loop {
            let has_ended = self.ended.is_cancelled();
            let (typed, shown, takes) = self.ready(is_open);
            if shown {
                let mut bytes = [0; CHUNK];
                match rustix::io::read(&self.master, &mut bytes) {
                    Ok(count @ 1..) => {
                        capture.push(&bytes[..count]);
                        // A terminal that is gone sends a signal, which ends the session.
                        let _ = self.ours.write_all(&bytes[..count]);
                        continue;
                    }
                    Err(Errno::INTR) => continue,
                    // Before the command opens its end, and after it closed it, reading fails.
                    Ok(_) | Err(_) => std::thread::yield_now(),
                }
            }
            if has_ended {
                return capture;
            }
            if typed {
                is_open = self.read_keys();
            }
            if takes {
                self.write_keys();
            }
            self.fit();
        }
    }

    /// Waits briefly. Returns whether somebody typed, the command wrote, and the command takes keys.
    fn ready(&self, is_open: bool) -> (bool, bool, bool) {
        let (ours, master) = (self.ours.as_fd(), self.master.as_fd());
        let keys = if is_open && self.pending.is_empty() { PollFlags::IN } else { PollFlags::empty() };
        let takes = if self.pending.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
        let mut polled =
            [PollFd::from_borrowed_fd(ours, keys), PollFd::from_borrowed_fd(master, PollFlags::IN | takes)];
        if poll(&mut polled, Some(&LOOK)).is_err() {
            return (false, false, false);
        }
        let [ours, master] = polled.map(|polled| polled.revents());
        (ours.contains(PollFlags::IN), master.contains(PollFlags::IN), master.contains(PollFlags::OUT))
    }

    /// Reads keys. Returns false at the end of the terminal.
    fn read_keys(&mut self) -> bool {
        let mut bytes = [0; CHUNK];
        match self.ours.read(&mut bytes) {
            Ok(0) => false,
            Ok(count) => {
                self.pending.extend_from_slice(&bytes[..count]);
                true
            }
            Err(error) => error.kind() == io::ErrorKind::Interrupted,
        }
    }

    fn write_keys(&mut self) {
        // Few at a time, because a write of more could wait for the command, and the command for us.
        let next = self.pending.len().min(256);
        if let Ok(count) = rustix::io::write(&self.master, &self.pending[..next]) {
            self.pending.drain(..count);
        }
    }

    /// Gives the command's terminal the size of ours.
    fn fit(&self) {
        if let (Ok(ours), Ok(theirs)) = (tcgetwinsize(&self.ours), tcgetwinsize(&self.master))
            && (ours.ws_col, ours.ws_row) != (theirs.ws_col, theirs.ws_row)
        {
            // If this fails, the command keeps its old size, and looks less tidy.
            let _ = tcsetwinsize(&self.master, ours);
        }
    }
}
