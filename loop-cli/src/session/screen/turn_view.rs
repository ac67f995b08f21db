//! The live display of a reply.
//!
//! Final rows are printed permanently. The rows that later words may change appear in the panel above the status line.
//! The panel can be removed at any time, and leaves nothing behind.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use loop_agents::{
    chat::{Delta, ToolCall, TurnEvent},
    tools::ToolReport,
};
use loop_session::{ActivityView, overflow_warning};

use super::{TurnStatus, TypedLines};
use crate::view::{
    CallRows, DIM, Markdown, OutputFilter, OutputTail, PanelContent, StatusBoard, Utf8Decoder, WARN,
    call_heading, fitted, paint, secrets, terminal_columns as columns, text,
};

/// The maximum number of unfinished rows of the reply in the panel.
const TAIL_ROWS: usize = 8;

/// The display of a turn. Dropping it prints the remaining text and removes the status line.
pub(crate) struct TurnView {
    page: Arc<Mutex<TurnPanel>>,
    board: StatusBoard,
    clean: OutputFilter,
    decoder: Utf8Decoder,
    model: String,
    /// The call that has no result yet.
    call: Option<ToolCall>,
    is_verbose: bool,
}

/// The content at the bottom of the terminal.
#[derive(Debug)]
struct TurnPanel {
    status: TurnStatus,
    /// The reply, of which only the unfinished rows are shown.
    reply: Markdown,
    /// The output of the command that a tool runs.
    output: OutputTail,
    /// The lines typed meanwhile, below the status line.
    typed: TypedLines,
}

impl TurnView {
    /// Begins to show a turn of this model; if `is_verbose`, with the JSON of calls and their whole results.
    pub(crate) fn begin(model: &str, status: TurnStatus, typed: TypedLines, is_verbose: bool) -> Self {
        let page = Arc::new(Mutex::new(TurnPanel {
            status,
            reply: Markdown::default(),
            output: OutputTail::default(),
            typed,
        }));
        let board =
            if StatusBoard::is_possible() { StatusBoard::new(page.clone()) } else { StatusBoard::plain() };
        let (clean, decoder) = (OutputFilter::for_display(&secrets()), Utf8Decoder::default());
        Self { page, board, clean, decoder, model: model.to_owned(), call: None, is_verbose }
    }

    fn doing(&mut self, what: &str) {
        self.page().status.turn_to(what);
        self.board.refresh();
    }

    fn note(&self, line: &str) {
        self.board.line(line);
    }

    /// Shows the next bytes of the reply, which are clean.
    fn say(&mut self, bytes: &[u8]) {
        // A carriage return would move the cursor.
        let text = self.decoder.push(bytes).replace('\r', " ");
        let rows = self.page().reply.push(&text, columns());
        self.print(&rows);
    }

    /// Permanently prints the unfinished text. If no [`TurnEvent::Replied`] came before, the reply broke off.
    fn end_text(&mut self) {
        let rest = self.clean.cut();
        self.say(&rest);
        let rows = self.page().reply.end(columns());
        self.print(&rows);
    }

    /// Shows the open call, with its result if there is one.
    fn end_call(&mut self, report: Option<&ToolReport>) {
        let Some(call) = self.call.take() else { return };
        if !self.is_verbose {
            let is_seen = self.page().typed.take_seen();
            let rows = CallRows { columns: columns(), is_seen };
            return self.print(&rows.of(&call, report));
        }
        let name = text::one_line(&call.name);
        self.note(&paint(DIM, format_args!("{name} {}", text::one_line(&call.arguments.to_string()))));
        if let Some(report) = report {
            let outcome = serde_json::json!(report.outcome);
            let said = text::printable(&report.text).replace('\t', "    ");
            self.note(&paint(DIM, format_args!("{name} → {}", outcome.as_str().unwrap_or_default())));
            self.note(&said);
        }
    }

    fn print(&self, rows: &[String]) {
        rows.iter().for_each(|row| self.board.line(row));
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
                self.end_text();
                self.note(&paint(WARN, "the reply broke off and starts again"));
            }
            TurnEvent::Delta(Delta::Retrying(why)) => {
                self.doing(&format!("{}: {why}; asked again", self.model));
            }
            TurnEvent::Delta(Delta::SmallerWindow(smaller)) => self.note(&paint(WARN, smaller)),
            TurnEvent::Calling(call) => {
                self.end_text();
                self.end_call(None);
                self.call = Some(call.clone());
                self.doing(&format!("calling {}", call_heading(call)));
            }
            TurnEvent::Printed(bytes) => {
                self.page().output.push(bytes);
                self.board.refresh();
            }
            TurnEvent::Called(report) => {
                self.page().output = OutputTail::default();
                self.end_call(Some(report));
                self.doing(&format!("waiting for {}", self.model));
            }
            TurnEvent::Full(measure) => {
                let warning = paint(WARN, overflow_warning(measure));
                fitted(&warning, columns()).lines().for_each(|row| self.note(row));
            }
            _ => {}
        }
    }
}

impl Drop for TurnView {
    fn drop(&mut self) {
        self.end_text();
        self.end_call(None);
        self.board.hide();
    }
}

impl PanelContent for TurnPanel {
    fn lines(&self, now: Instant) -> Vec<String> {
        let mut lines = self.reply.unfinished(columns());
        lines.drain(..lines.len().saturating_sub(TAIL_ROWS));
        lines.extend(self.output.rows());
        if !self.typed.is_asked() {
            lines.push(self.status.line(now));
        }
        lines.extend(self.typed.rows());
        lines
    }
}
