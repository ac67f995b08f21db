//! What a command prints, read as it comes.

use std::{
    convert::Infallible,
    future::{self, Future},
    io,
    os::fd::OwnedFd,
    pin::pin,
};

use rustix::buffer::spare_capacity;
use tokio::{io::AsyncReadExt, net::unix::pipe, task::yield_now};

use super::input::Feeder;
use crate::output::Capture;

/// Which of a command's outputs some bytes came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// The standard output.
    Stdout,
    /// The standard error.
    Stderr,
    /// Both, on one pipe, in the order in which they were written.
    Merged,
}

/// As much as a pipe holds, so that one read empties it. The memory is touched only as far as
/// something is read into it.
const READ_SIZE: usize = 64 * 1024;

/// As much as a pipe holds when somebody made it as large as an ordinary user can.
const MOST_IN_A_PIPE: usize = 1024 * 1024;

/// One output, and what is kept of it.
#[derive(Debug)]
pub(super) struct Tap {
    stream: Stream,
    /// Our end; none when the output is closed, or was never open.
    pipe: Option<pipe::Receiver>,
    buffer: Vec<u8>,
    capture: Capture,
}

impl Tap {
    pub(super) fn new(stream: Stream, pipe: Option<OwnedFd>, limit: usize) -> io::Result<Self> {
        let size = if pipe.is_some() { READ_SIZE } else { 0 };
        let pipe = pipe.map(pipe::Receiver::from_owned_fd).transpose()?;
        Ok(Self { stream, pipe, buffer: Vec::with_capacity(size), capture: Capture::with_limit(limit) })
    }

    /// Reads the next piece into the buffer, which stays empty at the end of the stream. Never
    /// resolves after that. Cancel safe.
    async fn fill(&mut self) {
        let Some(pipe) = &mut self.pipe else { return future::pending().await };
        self.buffer.clear();
        // A pipe that cannot be read has nothing more to say.
        if !matches!(pipe.read_buf(&mut self.buffer).await, Ok(count) if count > 0) {
            self.pipe = None;
        }
    }

    /// Reads what is there, without waiting for more. Gives false if there was nothing.
    fn fill_now(&mut self) -> bool {
        self.buffer.clear();
        let Some(pipe) = &self.pipe else { return false };
        // Past the runtime, which may not have heard yet that there is something.
        rustix::io::read(pipe, spare_capacity(&mut self.buffer)).is_ok_and(|count| count > 0)
    }

    /// Keeps what was read, and tells of it.
    fn hand_over(&mut self, listener: &mut impl FnMut(Stream, &[u8])) {
        self.capture.push(&self.buffer);
        listener(self.stream, &self.buffer);
    }

    pub(super) fn into_capture(self) -> Capture {
        self.capture
    }
}

/// Everything that moves between us and a command.
pub(super) struct Pump<L> {
    pub(super) stdout: Tap,
    pub(super) stderr: Tap,
    pub(super) input: Feeder,
    pub(super) listener: L,
}

impl<L: FnMut(Stream, &[u8])> Pump<L> {
    /// Moves bytes until all outputs are closed. Cancel safe.
    pub(super) async fn until_closed(&mut self) {
        while self.stdout.pipe.is_some() || self.stderr.pipe.is_some() {
            let tap = tokio::select! {
                () = self.stdout.fill() => &mut self.stdout,
                () = self.stderr.fill() => &mut self.stderr,
                () = self.input.feed() => continue,
            };
            if !tap.buffer.is_empty() {
                tap.hand_over(&mut self.listener);
                // Who listens may be slow, and a command may print without end: others wait for their turn.
                yield_now().await;
            }
        }
    }

    /// Reads what was printed and not read yet. Whoever still holds an output and goes on printing is
    /// not listened to any more.
    pub(super) fn drain(&mut self) {
        for tap in [&mut self.stdout, &mut self.stderr] {
            let mut left = MOST_IN_A_PIPE;
            while left > 0 && tap.fill_now() {
                left = left.saturating_sub(tap.buffer.len());
                tap.hand_over(&mut self.listener);
            }
        }
    }

    /// Moves bytes until `event` has happened, which is looked at first: a command that prints
    /// without end does not keep us from ending it.
    pub(super) async fn while_waiting<T>(&mut self, event: impl Future<Output = T>) -> T {
        let mut event = pin!(event);
        tokio::select! {
            biased;
            result = &mut event => result,
            never = self.forever() => match never {},
        }
    }

    /// A command may close its outputs and still read its input.
    async fn forever(&mut self) -> Infallible {
        self.until_closed().await;
        loop {
            self.input.feed().await;
        }
    }
}
