//! A reply on its way to standard output, piece by piece.
//!
//! It is the result, so nothing of it is ever left out, as [`Results`](super::Results) does where nobody reads.
//! Whoever reads slowly is waited for by a thread of its own; so the model goes on, and Ctrl+C is heard.

use std::{
    io::{self, IsTerminal},
    sync::mpsc,
    thread,
};

use tokio::sync::oneshot;

use super::{concealed::CleanStream, hand_over, say, warning};

/// Prints a reply as it comes, without secrets.
#[derive(Debug)]
pub(crate) struct Replying {
    pieces: mpsc::Sender<Piece>,
    /// Resolves when all is printed.
    printed: oneshot::Receiver<()>,
}

#[derive(Debug)]
enum Piece {
    /// Of the reply.
    Text(String),
    /// About it, for standard error.
    Note(String),
}

/// What happens in a turn is told to it. Clones tell the same reply.
#[derive(Debug, Clone)]
pub(crate) struct Teller(mpsc::Sender<Piece>);

impl Teller {
    /// Prints the next piece of the reply.
    pub(crate) fn text(&self, text: &str) {
        // It fails only if the thread is gone, and with it whoever could be told.
        let _ = self.0.send(Piece::Text(text.to_owned()));
    }

    /// Ends the line, and says something about the reply on standard error.
    pub(crate) fn note(&self, note: String) {
        let _ = self.0.send(Piece::Note(note));
    }
}

impl Replying {
    /// Begins one.
    pub(crate) fn new() -> Self {
        let (pieces, heard) = mpsc::channel();
        let (done, printed) = oneshot::channel();
        thread::spawn(move || {
            print(heard);
            // Whoever has been signalled meanwhile does not wait.
            let _ = done.send(());
        });
        Self { pieces, printed }
    }

    /// Who tells it what to print.
    pub(crate) fn teller(&self) -> Teller {
        Teller(self.pieces.clone())
    }

    /// Waits until all is printed. All tellers have to be gone.
    pub(crate) async fn end(self) {
        drop(self.pieces);
        let _ = self.printed.await;
    }
}

fn print(pieces: mpsc::Receiver<Piece>) {
    let is_seen = io::stdout().is_terminal();
    let mut clean = if is_seen { CleanStream::for_eyes() } else { CleanStream::new() };
    let mut line = Line::default();
    for piece in pieces {
        match piece {
            Piece::Text(text) => line.print(clean.push(text.as_bytes())),
            Piece::Note(note) => {
                line.end(&clean.rest());
                say(&note);
            }
        }
    }
    line.end(&clean.rest());
}

/// Where in its line the output is.
#[derive(Debug, Default)]
struct Line {
    has_begun: bool,
}

impl Line {
    fn print(&mut self, bytes: &[u8]) {
        if let Some(last) = bytes.last() {
            self.has_begun = *last != b'\n';
            if let Err(error) = hand_over(bytes) {
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
