//! What a command reads: nothing, or a prompt of any size.
//!
//! A pipe holds 64 KiB. Writing more blocks until somebody reads, and the somebody may be
//! waiting for us to read first, or may never read at all. So what fits is written before the
//! command starts, which is all there is to do for most prompts; the rest is written piece by
//! piece beside everything else, and an agent that does not want it is no error.

use std::{fs::File, future, io, os::fd::OwnedFd};

use rustix::{
    fs::{OFlags, fcntl_setfl},
    io::Errno,
};
use tokio::{io::AsyncWriteExt, net::unix::pipe as unix};

use super::pipe::pipe;

/// The child's end of an input that is made ready, and what is still to be written.
pub(super) fn prepare(text: &[u8]) -> io::Result<(OwnedFd, Option<Rest>)> {
    if text.is_empty() {
        return Ok((File::open("/dev/null")?.into(), None));
    }
    let (read, write) = pipe()?;
    // Our end only: the two ends' modes are apart, and a command expects an input that blocks.
    fcntl_setfl(&write, OFlags::NONBLOCK)?;
    let written = fill(&write, text)?;
    let rest = (written < text.len()).then(|| Rest { write, text: text[written..].to_vec() });
    Ok((read, rest))
}

/// Writes what fits.
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

/// What did not fit the pipe.
#[derive(Debug)]
pub(super) struct Rest {
    write: OwnedFd,
    text: Vec<u8>,
}

/// Writes the rest of an input as it is read.
#[derive(Debug, Default)]
pub(super) struct Feeder {
    open: Option<(unix::Sender, Vec<u8>)>,
    written: usize,
}

impl Feeder {
    pub(super) fn new(rest: Option<Rest>) -> io::Result<Self> {
        let open = rest.map(|rest| Ok::<_, io::Error>((unix::Sender::from_owned_fd(rest.write)?, rest.text)));
        Ok(Self { open: open.transpose()?, written: 0 })
    }

    /// Writes a piece, and closes the pipe after the last, or when nobody reads any more. Never
    /// resolves once that is done. Cancel safe.
    pub(super) async fn feed(&mut self) {
        let Some((pipe, text)) = &mut self.open else { return future::pending().await };
        // An error is a reader that went away. What the agent makes of half a prompt is its
        // own affair, and its exit says so.
        self.written += pipe.write(&text[self.written..]).await.unwrap_or(text.len() - self.written);
        if self.written == text.len() {
            self.open = None;
        }
    }
}
