//! The live display of a reply.
//!
//! Complete lines are printed permanently. The current line changes with every word, so it appears in the panel above
//! the status line. The panel can be removed at any time, and leaves nothing behind.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use console::Term;
use loop_agents::chat::{Delta, TurnEvent};
use loop_session::{ActivityView, overflow_warning};

use super::{TurnStatus, reply_colours::ReplyColours};
use crate::view::{
    DIM, PanelContent, RedactedStream, StatusBoard, WARN, paint, text, tool_call_line, tool_error_line,
};

/// The maximum number of rows for the current line.
const TAIL_ROWS: usize = 8;

/// The display of a turn. Dropping it prints the remaining text and removes the status line.
pub(crate) struct TurnView {
    page: Arc<Mutex<TurnPanel>>,
    board: StatusBoard,
    clean: RedactedStream,
    model: String,
}

/// The content at the bottom of the terminal.
#[derive(Debug)]
struct TurnPanel {
    status: TurnStatus,
    colours: ReplyColours,
    /// The current, incomplete line.
    tail: Vec<u8>,
}

impl TurnView {
    /// Begins to show a turn of this model.
    pub(crate) fn begin(model: &str, status: TurnStatus) -> Self {
        let page =
            Arc::new(Mutex::new(TurnPanel { status, colours: ReplyColours::default(), tail: Vec::new() }));
        let board =
            if StatusBoard::is_possible() { StatusBoard::new(page.clone()) } else { StatusBoard::plain() };
        Self { page, board, clean: RedactedStream::for_display(), model: model.to_owned() }
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

    /// Permanently prints the incomplete line. If no [`TurnEvent::Replied`] came before, the reply broke off.
    fn end_line(&mut self) {
        let rest = self.clean.cut();
        self.say(&rest);
        if !self.page().tail.is_empty() {
            self.say(b"\n");
        }
    }

    fn page(&self) -> MutexGuard<'_, TurnPanel> {
        // No code that panics runs under this lock.
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActivityView for TurnView {
    fn on_event(&mut self, event: TurnEvent<'_>) {
        match event {
            TurnEvent::Delta(Delta::Text(text)) => {
                let clean = self.clean.push(text.as_bytes()).to_vec();
                self.say(&clean);
                self.doing(&format!("{} replies", self.model));
            }
            TurnEvent::Delta(Delta::Thought(_)) => self.doing(&format!("{} thinks", self.model)),
            TurnEvent::Replied => {
                let rest = self.clean.rest();
                self.say(&rest);
            }
            TurnEvent::Delta(Delta::Restarted) => {
                self.end_line();
                self.note(&paint(WARN, "the reply broke off and starts again"));
            }
            TurnEvent::Delta(Delta::SmallerWindow(smaller)) => self.note(&paint(WARN, smaller)),
            TurnEvent::Calling(call) => {
                self.end_line();
                self.note(&paint(DIM, tool_call_line(call)));
                self.doing(&format!("calling {}", text::one_line(&call.name)));
            }
            TurnEvent::Called(report) => {
                if let Some(note) = tool_error_line(report) {
                    self.note(&note);
                }
                self.doing(&format!("waiting for {}", self.model));
            }
            TurnEvent::Full(measure) => self.note(&paint(WARN, overflow_warning(measure))),
            _ => {}
        }
    }
}

impl Drop for TurnView {
    fn drop(&mut self) {
        self.end_line();
        self.board.hide();
    }
}

fn readable(bytes: &[u8]) -> String {
    text::printable(&String::from_utf8_lossy(bytes)).replace('\t', "    ")
}

impl PanelContent for TurnPanel {
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

/// Wraps a line into rows of this many columns; returns none for an empty line.
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
