//! A reply on its way to the terminal.
//!
//! Lines that are whole are printed for good. The one that is being said stands in the panel above the status line,
//! since it changes with every word: so whatever happens, the panel can be taken away, and nothing of it stays behind.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use console::Term;
use loop_agents::chat::{Delta, TurnEvent};
use loop_session::{WorkView, overfull};

use super::{Status, colour::Colours};
use crate::view::{Board, CleanStream, DIM, Pinned, WARN, called, paint, refused, text};

/// How many rows the line that is being said may take.
const TAIL_ROWS: usize = 8;

/// A turn that is seen. When it is dropped, what was said is printed, and the status line is gone.
pub(crate) struct Live {
    page: Arc<Mutex<Page>>,
    board: Board,
    clean: CleanStream,
    model: String,
}

/// What is at the bottom of the terminal.
#[derive(Debug)]
struct Page {
    status: Status,
    colours: Colours,
    /// The line that is being said.
    tail: Vec<u8>,
}

impl Live {
    /// Begins to show a turn of this model.
    pub(crate) fn begin(model: &str, status: Status) -> Self {
        let page = Arc::new(Mutex::new(Page { status, colours: Colours::default(), tail: Vec::new() }));
        let board = if Board::is_possible() { Board::new(page.clone()) } else { Board::plain() };
        Self { page, board, clean: CleanStream::for_eyes(), model: model.to_owned() }
    }

    fn doing(&mut self, what: &str) {
        self.page().status.turn_to(what);
        self.board.refresh();
    }

    fn note(&self, line: &str) {
        self.board.line(line);
    }

    fn say(&self, bytes: &[u8]) {
        let mut page = self.page();
        page.tail.extend_from_slice(bytes);
        while let Some(end) = page.tail.iter().position(|byte| *byte == b'\n') {
            let rest = page.tail.split_off(end + 1);
            let line = std::mem::replace(&mut page.tail, rest);
            let line = page.colours.line(&readable(&line[..end]));
            self.board.line(&line);
        }
    }

    /// Prints for good what has no end yet.
    fn end_line(&mut self) {
        let rest = self.clean.rest();
        self.say(&rest);
        if !self.page().tail.is_empty() {
            self.say(b"\n");
        }
    }

    fn page(&self) -> MutexGuard<'_, Page> {
        // Nothing that panics runs under this lock.
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WorkView for Live {
    fn hear(&mut self, event: TurnEvent<'_>) {
        match event {
            TurnEvent::Delta(Delta::Text(text)) => {
                let clean = self.clean.push(text.as_bytes()).to_vec();
                self.say(&clean);
                self.doing(&format!("{} replies", self.model));
            }
            TurnEvent::Delta(Delta::Thought(_)) => self.doing(&format!("{} thinks", self.model)),
            TurnEvent::Delta(Delta::Restarted) => {
                self.end_line();
                self.note(&paint(WARN, "the reply broke off, and begins again"));
            }
            TurnEvent::Calling(call) => {
                self.end_line();
                self.note(&paint(DIM, called(call)));
                self.doing(&format!("calling {}", text::one_line(&call.name)));
            }
            TurnEvent::Called(report) => {
                if let Some(note) = refused(report) {
                    self.note(&note);
                }
                self.doing(&format!("waiting for {}", self.model));
            }
            TurnEvent::Full(measure) => self.note(&paint(WARN, overfull(measure))),
            _ => {}
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.end_line();
        self.board.hide();
    }
}

fn readable(bytes: &[u8]) -> String {
    text::printable(&String::from_utf8_lossy(bytes)).replace('\t', "    ")
}

impl Pinned for Page {
    fn lines(&self, now: Instant) -> Vec<String> {
        let (_, columns) = Term::stderr().size();
        let mut lines = wrapped(&readable(&self.tail), usize::from(columns).saturating_sub(1).max(1));
        lines.drain(..lines.len().saturating_sub(TAIL_ROWS));
        if let [line] = &mut lines[..] {
            *line = self.colours.peek(line);
        }
        lines.push(self.status.line(now));
        lines
    }
}

/// A line in rows of so many columns; none if there is nothing.
fn wrapped(line: &str, columns: usize) -> Vec<String> {
    let mut rows = Vec::new();
    let (mut row, mut width) = (String::new(), 0);
    for sign in line.chars() {
        let wide = console::measure_text_width(sign.encode_utf8(&mut [0; 4]));
        if width + wide > columns {
            rows.push(std::mem::take(&mut row));
            width = 0;
        }
        row.push(sign);
        width += wide;
    }
    if !row.is_empty() {
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_hold_the_line_and_fit(line in "[a-zé漢 ]{0,80}", columns in 2..20_usize) {
            let rows = wrapped(&line, columns);
            prop_assert_eq!(rows.concat(), line);
            prop_assert!(rows.iter().all(|row| console::measure_text_width(row) <= columns));
        }
    }
}
