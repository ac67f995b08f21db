//! A reply that is printed to standard output piece by piece.
//!
//! The reply is the result, so nothing is ever dropped, unlike in [`CommandOutput`](super::CommandOutput). A separate
//! thread waits for slow readers, so that the model continues and Ctrl+C works.

use std::{
    io::{self, IsTerminal},
    sync::mpsc,
    thread,
};

use tokio::sync::oneshot;

use crate::view::{OutputFilter, print_raw, say, secrets, warning};

/// Prints a reply as it arrives, without secrets.
#[derive(Debug)]
pub(crate) struct ReplyWriter {
    pieces: mpsc::Sender<ReplyPiece>,
    /// Resolves when everything is printed.
    printed: oneshot::Receiver<()>,
}

#[derive(Debug)]
enum ReplyPiece {
    /// Text of the reply.
    Text(String),
    /// The end of a complete reply.
    Whole,
    /// A note about the reply, for standard error.
    Note(String),
}

/// The sender of a turn's text. Clones write to the same reply.
#[derive(Debug, Clone)]
pub(crate) struct ReplySender(mpsc::Sender<ReplyPiece>);

impl ReplySender {
    /// Prints the next piece of the reply.
    pub(crate) fn text(&self, text: &str) {
        // This fails only if the thread is gone; then nobody is left to inform.
        let _ = self.0.send(ReplyPiece::Text(text.to_owned()));
    }

    /// Prints the held-back end of a complete reply. Without it, the reply broke off.
    pub(crate) fn whole(&self) {
        let _ = self.0.send(ReplyPiece::Whole);
    }

    /// Ends the line, and prints a note about the reply on standard error.
    pub(crate) fn note(&self, note: String) {
        let _ = self.0.send(ReplyPiece::Note(note));
    }
}

impl ReplyWriter {
    /// Starts a reply.
    pub(crate) fn new() -> Self {
        let (pieces, heard) = mpsc::channel();
        let (done, printed) = oneshot::channel();
        thread::spawn(move || {
            print(heard);
            // The receiver may have stopped waiting after a signal.
            let _ = done.send(());
        });
        Self { pieces, printed }
    }

    /// Returns the sender of its text.
    pub(crate) fn sender(&self) -> ReplySender {
        ReplySender(self.pieces.clone())
    }

    /// Waits until everything is printed. Drop all senders first.
    pub(crate) async fn end(self) {
        drop(self.pieces);
        let _ = self.printed.await;
    }
}

fn print(pieces: mpsc::Receiver<ReplyPiece>) {
    let is_seen = io::stdout().is_terminal();
    let mut redacted =
        if is_seen { OutputFilter::for_display(&secrets()) } else { OutputFilter::new(&secrets()) };
    let mut line = ReplyLine::default();
    for piece in pieces {
        match piece {
            ReplyPiece::Text(text) => line.print(redacted.push(text.as_bytes())),
            ReplyPiece::Whole => line.print(&redacted.rest()),
            ReplyPiece::Note(note) => {
                line.end(&redacted.cut());
                say(&note);
            }
        }
    }
    line.end(&redacted.cut());
}

/// The position of the output within its line.
#[derive(Debug, Default)]
struct ReplyLine {
    has_begun: bool,
}

impl ReplyLine {
    fn print(&mut self, bytes: &[u8]) {
        if let Some(last) = bytes.last() {
            self.has_begun = *last != b'\n';
            if let Err(error) = print_raw(bytes) {
                warning(&format!("{error:#}"));
            }
        }
    }

    fn end(&mut self, rest: &[u8]) {
        self.print(rest);
        if self.has_begun {
            self.print(b"\n");
        }
    }
}
