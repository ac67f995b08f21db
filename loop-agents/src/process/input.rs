//! A command's input: nothing, or a prompt of any size.
//!
//! A pipe holds 64 KiB. Writing more blocks until somebody reads. The reader may be waiting for us to read first, or
//! may never read at all. So we write as much as fits before the command starts, which is enough for most prompts. We
//! write the rest piece by piece beside everything else. A command that does not read its input is not an error.

use std::{fs::File, future, io, os::fd::OwnedFd};

use rustix::{
    fs::{OFlags, fcntl_setfl},
    io::Errno,
};
use tokio::{io::AsyncWriteExt, net::unix::pipe as unix};

use super::pipe::pipe;

/// Prepares an input: returns the child's end, and the bytes that did not fit the pipe.
pub(super) fn prepare(text: &[u8]) -> io::Result<(OwnedFd, Option<PendingInput>)> {
    if text.is_empty() {
        return Ok((File::open("/dev/null")?.into(), None));
    }
    let (read, write) = pipe()?;
    // Only our end is non-blocking. Each end has its own mode, and a command expects an input that blocks.
    fcntl_setfl(&write, OFlags::NONBLOCK)?;
    let written = fill(&write, text)?;
    let rest = (written < text.len()).then(|| PendingInput { write, text: text[written..].to_vec() });
    Ok((read, rest))
}

/// Writes as many bytes as fit, and returns their number.
fn fill(pipe: &OwnedFd, text: &[u8]) -> io::Result<usize> {
    let mut written = 0;
    while written < text.len() {
        match rustix::io::write(pipe, &text[written..]) {
            Ok(count) => written += count,
            Err(Errno::AGAIN) => break,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(written)
}

/// The part of an input that did not fit the pipe.
#[derive(Debug)]
pub(super) struct PendingInput {
    write: OwnedFd,
    text: Vec<u8>,
}

/// Writes the rest of an input as the command reads it.
#[derive(Debug, Default)]
pub(super) struct InputWriter {
    open: Option<(unix::Sender, Vec<u8>)>,
    written: usize,
}

impl InputWriter {
    pub(super) fn new(rest: Option<PendingInput>) -> io::Result<Self> {
        let open = rest.map(|rest| Ok::<_, io::Error>((unix::Sender::from_owned_fd(rest.write)?, rest.text)));
        Ok(Self { open: open.transpose()?, written: 0 })
    }

    /// Writes a piece, and closes the pipe after the last one, or when nobody reads any more. After that, it never
    /// resolves. Cancel safe.
    pub(super) async fn feed(&mut self) {
        let Some((pipe, text)) = &mut self.open else { return future::pending().await };
        // An error means that the reader is gone. The agent's exit shows what half a prompt did to it.
        self.written += pipe.write(&text[self.written..]).await.unwrap_or(text.len() - self.written);
        if self.written == text.len() {
            self.open = None;
        }
    }
}
