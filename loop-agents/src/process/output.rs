//! Reads a command's output as it comes.

use std::{
    convert::Infallible,
    future::{self, Future},
    io,
    os::fd::OwnedFd,
    pin::pin,
    sync::Arc,
};

use rustix::buffer::spare_capacity;
use tokio::{net::unix::pipe, task::yield_now};

use super::input::InputWriter;
use crate::output::Capture;

/// The output that some bytes came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStream {
    /// The standard output.
    Stdout,
    /// The standard error.
    Stderr,
    /// Both, on one pipe, in the order in which they were written.
    Merged,
}

/// The size of a pipe, so that one read empties it. The system provides memory only for the part that a read fills.
const READ_SIZE: usize = 64 * 1024;

/// The size of a pipe that somebody enlarged as far as an ordinary user can.
const MOST_IN_A_PIPE: usize = 1024 * 1024;

/// One output, and its kept head and tail.
#[derive(Debug)]
pub(super) struct OutputPipe {
    stream: OutputStream,
    /// Our end. `None` if the output is closed, or was never open.
    pipe: Option<Arc<pipe::Receiver>>,
    buffer: Vec<u8>,
    capture: Capture,
}

impl OutputPipe {
    pub(super) fn new(stream: OutputStream, pipe: Option<OwnedFd>, limit: usize) -> io::Result<Self> {
        let size = if pipe.is_some() { READ_SIZE } else { 0 };
        let pipe = pipe.map(pipe::Receiver::from_owned_fd).transpose()?.map(Arc::new);
        Ok(Self { stream, pipe, buffer: Vec::with_capacity(size), capture: Capture::with_limit(limit) })
    }

    /// Returns another owner of our end.
    pub(super) fn descriptor(&self) -> Option<Arc<dyn Send + Sync>> {
        self.pipe.clone().map(|pipe| pipe as _)
    }

    /// Reads the next piece into the buffer, which stays empty at the end of the stream. After that, it never resolves.
    /// Cancel safe.
    async fn fill(&mut self) {
        let Some(pipe) = &self.pipe else { return future::pending().await };
        self.buffer.clear();
        // If the pipe cannot be read, the stream has ended.
        if !matches!(read(pipe, &mut self.buffer).await, Ok(count) if count > 0) {
            self.pipe = None;
        }
    }

    /// Reads what is there, without waiting for more. Returns false if there was nothing.
    fn fill_now(&mut self) -> bool {
        self.buffer.clear();
        let Some(pipe) = &self.pipe else { return false };
        // This bypasses the runtime, which may not know yet that there is something to read.
        rustix::io::read(pipe, spare_capacity(&mut self.buffer)).is_ok_and(|count| count > 0)
    }

    /// Captures the bytes that were read, and passes them to the listener.
    fn hand_over(&mut self, listener: &mut impl FnMut(OutputStream, &[u8])) {
        self.capture.push(&self.buffer);
        listener(self.stream, &self.buffer);
    }

    pub(super) fn into_capture(self) -> Capture {
        self.capture
    }
}

/// Reads the next piece, and returns its length; 0 at the end of the stream. Cancel safe.
async fn read(pipe: &pipe::Receiver, buffer: &mut Vec<u8>) -> io::Result<usize> {
    loop {
        pipe.readable().await?;
        match pipe.try_read_buf(buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            read => return read,
        }
    }
}

/// Moves all data between us and a command.
pub(super) struct ProcessIo<L> {
    pub(super) stdout: OutputPipe,
    pub(super) stderr: OutputPipe,
    pub(super) input: InputWriter,
    pub(super) listener: L,
}

impl<L: FnMut(OutputStream, &[u8])> ProcessIo<L> {
    /// Returns another owner of each output's end.
    pub(super) fn descriptors(&self) -> impl Iterator<Item = Arc<dyn Send + Sync>> {
        [&self.stdout, &self.stderr].into_iter().filter_map(OutputPipe::descriptor)
    }

    /// Moves bytes until all outputs are closed. Cancel safe.
    pub(super) async fn until_closed(&mut self) {
        while self.stdout.pipe.is_some() || self.stderr.pipe.is_some() {
            let pipe_end = tokio::select! {
                () = self.stdout.fill() => &mut self.stdout,
                () = self.stderr.fill() => &mut self.stderr,
                () = self.input.feed() => continue,
            };
            if !pipe_end.buffer.is_empty() {
                pipe_end.hand_over(&mut self.listener);
                // The listener may be slow, and a command may print without end. Other tasks need their turn.
                yield_now().await;
            }
        }
    }

    /// Reads the bytes that are in the pipes now. If other processes still hold an output, we ignore what they print
    /// later.
    pub(super) fn drain(&mut self) {
        for pipe_end in [&mut self.stdout, &mut self.stderr] {
            let mut left = MOST_IN_A_PIPE;
            while left > 0 && pipe_end.fill_now() {
                left = left.saturating_sub(pipe_end.buffer.len());
                pipe_end.hand_over(&mut self.listener);
            }
        }
    }

    /// Moves bytes until `event` has happened. It polls `event` first, so that a command that prints without end does
    /// not keep us from ending it.
    pub(super) async fn while_waiting<T>(&mut self, event: impl Future<Output = T>) -> T {
        let mut event = pin!(event);
        tokio::select! {
            biased;
            result = &mut event => result,
            never = self.forever() => match never {},
        }
    }

    /// Moves bytes forever. A command may close its outputs and still read its input.
    async fn forever(&mut self) -> Infallible {
        self.until_closed().await;
        loop {
            self.input.feed().await;
        }
    }
}
