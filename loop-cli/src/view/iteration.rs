//! One iteration, shown alone.

use std::path::PathBuf;

use loop_core::{Event, EventKind, Notes, Verdict, WorkResult};

use super::{BOLD, Left, paint, row::Row, text};

/// How much of a check's last line is shown.
const LINE: usize = 60;

/// What a journal tells of one iteration.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) row: Row,
    pub(crate) output: Option<Left>,
    pub(crate) verdict: Option<Verdict>,
    /// What went wrong.
    pub(crate) troubles: Vec<String>,
}

impl Found {
    /// Takes an event of the iteration.
    pub(crate) fn on_event(&mut self, event: &Event) {
        match &event.kind {
            // Of an earlier attempt nothing counts.
            EventKind::IterationStarted { .. } => *self = Self::default(),
            EventKind::IterationFinished { result, notes } => self.note(result, notes.as_deref()),
            EventKind::EvaluationFinished { result, notes } => {
                self.note(result, notes.as_deref());
                if let WorkResult::Done(verdict) = result {
                    self.verdict = Some(verdict.clone());
                }
            }
            EventKind::InterruptRequested { cause } => self.troubles.push(cause.to_string()),
            _ => {}
        }
    }

    fn note<T>(&mut self, result: &WorkResult<T>, notes: Option<&Notes>) {
        match result {
            WorkResult::Failed(message) => self.troubles.push(message.to_string()),
            WorkResult::Halted(halt) => self.troubles.push(halt.to_string()),
            _ => {}
        }
        self.troubles.extend(notes.and_then(|notes| notes.fault.as_deref()).map(str::to_owned));
    }

    /// The iteration as text. `files` hold all that its commands printed.
    pub(crate) fn page(&self, files: &[PathBuf]) -> String {
        let row = &self.row;
        let again = if row.attempt > 1 { format!(", attempt {}", row.attempt) } else { String::new() };
        let mut lines = vec![paint(BOLD, format_args!("iteration {}{again}", row.iteration))];
        let mut line =
            |label: &str, value: String| lines.push(format!("  {label:<11}{}", text::printable(&value)));
        if let Some(agent) = row.agent {
            let ended =
                self.output.as_ref().map(|output| format!("{}, ", output.ending())).unwrap_or_default();
            line("agent", format!("{ended}after {}", text::duration(agent)));
        }
        if let Some(bytes) = row.bytes {
            line("output", format!("{} (`--output` prints what is kept)", text::bytes(bytes)));
        }
        if let Some(check) = row.check {
            line("check", format!("after {}", text::duration(check)));
        }
        line("verdict", if row.verdict.is_empty() { "none yet".to_owned() } else { row.verdict.clone() });
        if let Some(score) = row.score {
            line("score", format!("{score:.2}"));
        }
        if let Some(said) = self.verdict.as_ref().and_then(|verdict| text::last_line(verdict.text(), LINE)) {
            line("last line", format!("{said} (`--evaluation` prints all that is kept)"));
        }
        if let Some(feedback) = self.verdict.as_ref().and_then(Verdict::feedback) {
            line("feedback", feedback.to_owned());
        }
        line("cost", row.cost().to_string());
        if let Some(tokens) = row.usage.tokens() {
            line("tokens", text::grouped(tokens));
        }
        for trouble in &self.troubles {
            line("trouble", trouble.clone());
        }
        for file in files {
            line("all of it", file.display().to_string());
        }
        lines.join("\n")
    }
}
