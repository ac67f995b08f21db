//! The three pipes between us and a command, with both of their ends.

use std::{
    io,
    os::fd::{AsRawFd, OwnedFd},
};

use rustix::io::fcntl_dupfd_cloexec;

use super::{
    input::{self, Feeder, Rest},
    output::{Pump, Stream, Tap},
    pipe::pipe,
};

/// The child's 0, 1 and 2, to be closed here once the child has them: an output ends for us
/// when nobody holds the other end.
pub(super) type Theirs = [OwnedFd; 3];

/// Our ends, before the runtime knows of them.
#[derive(Debug)]
pub(super) struct Ours {
    rest: Option<Rest>,
    stdout: OwnedFd,
    /// None if it goes where the standard output goes.
    stderr: Option<OwnedFd>,
}

/// Makes the pipes, and writes as much of the input as fits.
pub(super) fn prepare(input: &[u8], merged: bool) -> io::Result<(Theirs, Ours)> {
    let (stdin, rest) = input::prepare(input)?;
    let (stdout, their_stdout) = pipe()?;
    let (stderr, their_stderr) = if merged {
        (None, fcntl_dupfd_cloexec(&their_stdout, LOWEST)?)
    } else {
        let (ours, theirs) = pipe()?;
        (Some(ours), theirs)
    };
    let theirs = [above_stdio(stdin)?, above_stdio(their_stdout)?, above_stdio(their_stderr)?];
    Ok((theirs, Ours { rest, stdout, stderr }))
}

/// The lowest number that is not one of the three that the child's ends are put on.
const LOWEST: i32 = 3;

/// A host may have closed its own 0, 1 or 2; then a pipe gets such a number, and would be
/// overwritten while the child's are put in place.
fn above_stdio(fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() >= LOWEST { Ok(fd) } else { Ok(fcntl_dupfd_cloexec(fd, LOWEST)?) }
}

impl Ours {
    /// Hands our ends to the runtime.
    pub(super) fn pump<L>(self, capture_limit: usize, listener: L) -> io::Result<Pump<L>> {
        let stream = if self.stderr.is_some() { Stream::Stdout } else { Stream::Merged };
        Ok(Pump {
            stdout: Tap::new(stream, Some(self.stdout), capture_limit)?,
            stderr: Tap::new(Stream::Stderr, self.stderr, capture_limit)?,
            input: Feeder::new(self.rest)?,
            listener,
        })
    }
}
