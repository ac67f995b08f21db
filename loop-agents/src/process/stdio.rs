//! The three pipes between us and a command.

use std::{
    io,
    os::fd::{AsRawFd, OwnedFd},
};

use rustix::io::fcntl_dupfd_cloexec;

use super::{
    input::{self, InputWriter, PendingInput},
    output::{OutputPipe, OutputStream, ProcessIo},
    pipe::pipe,
};

/// The child's 0, 1 and 2. We close them once the child has them, because an output ends for us only when nobody holds
/// the other end.
pub(super) type ChildStdio = [OwnedFd; 3];

/// Our ends of the pipes, before we register them with the runtime.
#[derive(Debug)]
pub(super) struct ParentPipes {
    rest: Option<PendingInput>,
    stdout: OwnedFd,
    /// `None` if the standard error goes to the pipe of the standard output.
    stderr: Option<OwnedFd>,
}

/// Creates the pipes, and writes as much of the input as fits.
pub(super) fn prepare(input: &[u8], merged: bool) -> io::Result<(ChildStdio, ParentPipes)> {
    let (stdin, rest) = input::prepare(input)?;
    let (stdout, their_stdout) = pipe()?;
    let (stderr, their_stderr) = if merged {
        (None, fcntl_dupfd_cloexec(&their_stdout, LOWEST)?)
    } else {
        let (ours, theirs) = pipe()?;
        (Some(ours), theirs)
    };
    let theirs = [above_stdio(stdin)?, above_stdio(their_stdout)?, above_stdio(their_stderr)?];
    Ok((theirs, ParentPipes { rest, stdout, stderr }))
}

/// The lowest number above the three that the child's ends use.
const LOWEST: i32 = 3;

/// Moves a descriptor above 2. A host may have closed its own 0, 1 or 2. Then a new pipe gets such a number, and would
/// be overwritten while the child's descriptors are put in place.
fn above_stdio(fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() >= LOWEST { Ok(fd) } else { Ok(fcntl_dupfd_cloexec(fd, LOWEST)?) }
}

impl ParentPipes {
    /// Registers our ends with the runtime.
    pub(super) fn into_process_io<L>(self, capture_limit: usize, listener: L) -> io::Result<ProcessIo<L>> {
        let stream = if self.stderr.is_some() { OutputStream::Stdout } else { OutputStream::Merged };
        Ok(ProcessIo {
            stdout: OutputPipe::new(stream, Some(self.stdout), capture_limit)?,
            stderr: OutputPipe::new(OutputStream::Stderr, self.stderr, capture_limit)?,
            input: InputWriter::new(self.rest)?,
            listener,
        })
    }
}
