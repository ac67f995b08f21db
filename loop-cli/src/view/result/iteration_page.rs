//! The display of one iteration.

use std::path::PathBuf;

use loop_core::{Event, EventKind, Verdict};
use loop_telemetry::{
    rows::{IterationDetails, IterationOutput},
    words,
};

use crate::view::{BOLD, paint, text};
use loop_manifest::StoredAgentOutput;

/// The maximum length of the summary of a check.
const LINE: usize = 60;

/// The journal's data on one iteration.
#[derive(Debug, Default)]
pub(crate) struct IterationPage {
    pub(crate) details: IterationDetails,
    pub(crate) output: Option<StoredAgentOutput>,
}

impl IterationPage {
    /// Takes an event of the iteration.
    pub(crate) fn on_event(&mut self, event: &Event) {
        // Ignore the output of an earlier attempt.
        if matches!(event.kind, EventKind::IterationStarted { .. }) {
            self.output = None;
        }
        self.details.on_event(event);
    }

    /// Formats the iteration. `files` hold the whole output of its commands.
    pub(crate) fn page(&self, files: &[PathBuf]) -> String {
        let IterationDetails { row, verdict, troubles, .. } = &self.details;
        let again = if row.attempt > 1 { format!(", attempt {}", row.attempt) } else { String::new() };
        let heading = match row.iteration {
            0 => text::BEFORE_FIRST.to_owned(),
            iteration => format!("iteration {iteration}{again}"),
        };
        let mut lines = vec![paint(BOLD, heading)];
        let mut line = |label: &str, value: String| lines.push(text::row(label, &value));
        if let Some(agent) = row.agent {
            let ended =
                self.output.as_ref().map(|output| format!("{}, ", output.ending())).unwrap_or_default();
            line("agent", format!("{ended}after {}", text::duration(agent)));
        }
        if let Some(StoredAgentOutput::Lanes(output)) = &self.output {
            for (number, lane) in (1..).zip(&output.lanes) {
                line(&format!("loop {number}"), text::printable(&lane.to_string()));
            }
            if let Some(copies) = &output.copies {
                line("copies", copies.display().to_string());
            }
        }
        if let Some(work) = &row.cut_work {
            line("cut off", work.to_string());
        }
        if let Some(StoredAgentOutput::Shell(output)) = &self.output {
            for process in &output.left_behind {
                line("ended", process.clone());
            }
        }
        if let Some(bytes) = row.output_bytes {
            line("output", format!("{} (`--output` prints the stored part)", text::bytes(bytes)));
        }
        if let Some(check) = row.check {
            line("check", format!("took {}", text::duration(check)));
        }
        line("verdict", if row.verdict.is_empty() { "none yet".to_owned() } else { row.verdict.clone() });
        if let Some(score) = row.score {
            line("score", format!("{score:.2}"));
        }
        let feedback = verdict.as_ref().and_then(Verdict::feedback);
        let summary = verdict.as_ref().and_then(|verdict| text::check_line(verdict, LINE));
        // The feedback of a check that printed nothing says the same.
        let is_more = |summary: &String| feedback != Some(&format!("the check {summary}"));
        if let Some(summary) = summary.filter(is_more) {
            line("summary", format!("{summary} (`--evaluation` prints all of it that is stored)"));
        }
        if let Some(feedback) = feedback {
            line("feedback", feedback.to_owned());
        }
        line("cost", row.cost().to_string());
        if let Some(tokens) = row.usage.tokens() {
            line("tokens", words::token_count(tokens, &row.usage));
        }
        for trouble in troubles {
            line("trouble", trouble.clone());
        }
        for file in files {
            line("all of it", file.display().to_string());
        }
        lines.join("\n")
    }
}
