//! The result of a task.

use std::process::ExitCode;

use loop_manifest::{
    describe_actions,
    task::{TaskOutcome, TaskSpec, TaskStatus},
};
use loop_telemetry::{CostState, Record, TokenTotals, words::ending_reason};
use serde::Serialize;

use crate::{
    drive::FinishedRun,
    exit,
    signals::Signal,
    view::{BAD, BOLD, GOOD, WARN, paint, text},
};

/// The end of a task's run, and the remaining work.
pub(crate) struct FinishedTask {
    pub(crate) outcome: TaskOutcome,
    pub(crate) ended: FinishedRun,
}

/// The one-line output of `--json`.
#[derive(Debug, Serialize)]
struct OutcomeJson<'a> {
    status: TaskStatus,
    reason: &'a str,
    message: &'a str,
    task: &'a str,
    run_id: Option<&'a str>,
    loops: u64,
    pending: &'a [String],
    blocker: Option<&'a str>,
    summary: &'a str,
    files: FilesJson<'a>,
    usage: &'a TokenTotals,
    estimated_cost_usd: Option<f64>,
    cost_state: CostState,
    /// As in the record; omitted if false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cost_is_lower_bound: bool,
    elapsed_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    journal_head: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct FilesJson<'a> {
    written: &'a [String],
    edited: &'a [String],
    removed: &'a [String],
}

impl FinishedTask {
    /// Returns the exit code: 0 if the task is done, 1 if it is not, 3 after an error.
    pub(crate) fn code(&self) -> ExitCode {
        match self.outcome.status {
            TaskStatus::Error => ExitCode::from(exit::FAILED),
            _ => exit::of_run(self.ended.ending.reason(), self.ended.signal.map(Signal::number)).into(),
        }
    }

    /// Returns why the last loop failed, if no other reason for the used-up loops is known.
    fn trouble(&self) -> Option<&str> {
        let last = self.ended.progress.last_step().filter(|_| self.outcome.status == TaskStatus::Exhausted);
        last.and_then(|step| step.failure())
    }

    /// Returns the lines of a halt's message: what happened, and what to do.
    fn advice(&self) -> impl Iterator<Item = &str> {
        self.ended.ending.message().lines()
    }

    /// Returns the error, if there was one. Errors are reported even in quiet mode.
    pub(crate) fn error(&self) -> Option<String> {
        (self.outcome.status == TaskStatus::Error).then(|| self.ended.ending.to_string())
    }

    /// Formats the result for people.
    pub(crate) fn page(&self, spec: &TaskSpec) -> String {
        let loops = text::count(self.ended.progress.iterations(), "iteration");
        let (style, sign, how) = match self.outcome.status {
            TaskStatus::Complete => (GOOD, '✓', format!("complete after {loops}: the working agent says so")),
            TaskStatus::NothingPending => {
                (GOOD, '✓', format!("nothing pending after {loops}: the review found nothing left"))
            }
            TaskStatus::Exhausted => (BAD, '✗', format!("not done: all iterations are used up ({loops})")),
            TaskStatus::Blocked => {
                (BAD, '✗', format!("blocked after {loops}: {}", self.outcome.findings.blocker))
            }
            TaskStatus::NoVerdict => {
                (BAD, '✗', format!("halted after {loops}: {}", self.advice().next().unwrap_or_default()))
            }
            TaskStatus::Cancelled => (WARN, '■', format!("cancelled after {loops}")),
            _ => (BAD, '✗', format!("error after {loops}: {}", self.ended.ending)),
        };
        let (sign, name) = (paint(style, sign), paint(BOLD, text::printable(spec.name())));
        let mut lines = vec![format!("{sign} {name} {}", paint(style, text::printable(&how)))];
        let mut row = |label: &str, value: &str| lines.push(text::row(label, value));
        if !self.outcome.findings.summary.is_empty() {
            row("summary", &self.outcome.findings.summary);
        }
        for (index, item) in self.outcome.findings.pending.iter().enumerate() {
            row(if index == 0 { "pending" } else { "" }, item);
        }
        if !self.outcome.findings.blocker.is_empty() && self.outcome.status != TaskStatus::Blocked {
            row("blocker", &self.outcome.findings.blocker);
        }
        if self.outcome.status == TaskStatus::NoVerdict {
            for (index, line) in self.advice().skip(1).enumerate() {
                row(if index == 0 { "reviewer" } else { "" }, line);
            }
        }
        if let Some(why) = self.trouble() {
            row("last iteration", &text::one_line(why));
        }
        row("did", &describe_actions(&self.outcome.did));
        row("cost", &text::cost(&self.ended.progress));
        if let Some(tokens) = text::tokens(&self.ended.progress) {
            row("tokens", &tokens);
        }
        lines.join("\n")
    }

    /// Formats the result for programs. `record` is the run's record.
    pub(crate) fn json(&self, spec: &TaskSpec, record: &Record) -> impl Serialize {
        let json = OutcomeJson {
            status: self.outcome.status,
            reason: self.ended.ending.name(),
            message: self
                .trouble()
                .or_else(|| Some(ending_reason(&self.ended.ending)?.1))
                .unwrap_or_default(),
            task: &spec.file,
            run_id: record.run_id.as_deref(),
            loops: self.ended.progress.iterations(),
            pending: &self.outcome.findings.pending,
            blocker: Some(self.outcome.findings.blocker.as_str()).filter(|blocker| !blocker.is_empty()),
            summary: &self.outcome.findings.summary,
            files: FilesJson {
                written: self.outcome.did.written.items(),
                edited: self.outcome.did.edited.items(),
                removed: self.outcome.did.removed.items(),
            },
            usage: &record.usage,
            estimated_cost_usd: record.estimated_cost_usd.map(loop_core::Usd::as_f64),
            cost_state: record.cost_state,
            cost_is_lower_bound: record.cost_is_lower_bound,
            elapsed_seconds: record.elapsed.as_secs_f64(),
            journal_head: record.journal_head.as_deref(),
        };
        serde_json::to_value(json).unwrap_or_else(|error| unreachable!("texts and numbers: {error}"))
    }
}
