//! How a task ended.

use std::process::ExitCode;

use loop_agents::review::{Account, BLOCKED, CLAIMED, Findings};
use loop_core::{Ending, Progress, StopReason};
use loop_telemetry::{CostState, Record, Tokens};
use serde::Serialize;

use super::Assignment;
use crate::{
    drive::Ended,
    exit,
    signals::Signal,
    view::{self, BAD, BOLD, GOOD, WARN, paint, text},
};

/// How a task ended, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    /// The executing agent says so, and no check says otherwise.
    Complete,
    /// The review found nothing left.
    NothingPending,
    /// All loops were used up.
    Exhausted,
    /// The reviewer says that a person is needed.
    Blocked,
    /// A signal came.
    Cancelled,
    /// Something went wrong.
    Error,
}

/// How a task ended, and what is left of it.
#[derive(Debug)]
pub(crate) struct Outcome {
    status: Status,
    ending: Ending,
    progress: Progress,
    findings: Findings,
    /// What was done in all loops.
    account: Account,
    signal: Option<Signal>,
}

/// What `--json` prints, in one line.
#[derive(Debug, Serialize)]
struct OutcomeJson<'a> {
    status: Status,
    reason: &'a str,
    message: &'a str,
    task: &'a str,
    run_id: Option<&'a str>,
    loops: u64,
    pending: &'a [String],
    blocker: Option<&'a str>,
    summary: &'a str,
    files: FilesJson<'a>,
    usage: &'a Tokens,
    estimated_cost_usd: Option<f64>,
    cost_state: CostState,
    /// As in the record, where it is left out if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cost_is_lower_bound: bool,
    elapsed_seconds: f64,
}

#[derive(Debug, Serialize)]
struct FilesJson<'a> {
    written: &'a [String],
    edited: &'a [String],
    removed: &'a [String],
}

impl Outcome {
    /// That of a run that is over. `account` is what its loops did, `found` what a review found that ended it, and
    /// `known` what the last review found that came to a verdict.
    pub(crate) fn of(ended: Ended, account: Account, found: Option<Findings>, known: Findings) -> Self {
        let Ended { ending, progress, signal, .. } = ended;
        let verdict = progress.last_step().and_then(|step| step.verdict());
        let is_claimed = verdict.is_some_and(|verdict| verdict.text() == CLAIMED);
        let mut findings = match verdict.map(|verdict| verdict.text().parse()) {
            Some(Ok(findings)) => findings,
            None => known,
        };
        let status = match ending.reason() {
            None if is_claimed => Status::Complete,
            None => Status::NothingPending,
            Some(StopReason::MaxIterations) => Status::Exhausted,
            Some(StopReason::Cancelled) => Status::Cancelled,
            Some(reason) if reason.as_str() == BLOCKED => {
                let blocked = || Findings::new([""; 0], ending.message(), "");
                findings = found.unwrap_or_else(blocked);
                Status::Blocked
            }
            _ => Status::Error,
        };
        Self { status, ending, progress, findings, account, signal }
    }

    /// The exit code: 0 if it is done, 1 if it is not, 3 if something went wrong.
    pub(crate) fn code(&self) -> ExitCode {
        match self.status {
            Status::Error => ExitCode::from(exit::FAILED),
            _ => exit::of_run(self.ending.reason(), self.signal.map(Signal::number)),
        }
    }

    /// Why the last loop came to no end, if that is all that is known of why the loops are used up.
    fn trouble(&self) -> Option<&str> {
        let last = self.progress.last_step().filter(|_| self.status == Status::Exhausted);
        last.and_then(|step| step.failure())
    }

    /// Whether something went wrong: that is said even quietly.
    pub(crate) fn error(&self) -> Option<String> {
        (self.status == Status::Error).then(|| self.ending.to_string())
    }

    /// For people.
    pub(crate) fn page(&self, assignment: &Assignment) -> String {
        let loops = text::count(self.progress.iterations(), "loop");
        let (style, sign, how) = match self.status {
            Status::Complete => (GOOD, '✓', format!("complete after {loops}: the executing agent says so")),
            Status::NothingPending => {
                (GOOD, '✓', format!("nothing pending after {loops}: the review found nothing left"))
            }
            Status::Exhausted => (BAD, '✗', format!("not done: all loops are used up ({loops})")),
            Status::Blocked => (BAD, '✗', format!("blocked after {loops}: {}", self.findings.blocker)),
            Status::Cancelled => (WARN, '■', format!("cancelled after {loops}")),
            Status::Error => (BAD, '✗', format!("error after {loops}: {}", self.ending)),
        };
        let (sign, name) = (paint(style, sign), paint(BOLD, text::printable(assignment.name())));
        let mut lines = vec![format!("{sign} {name} {}", paint(style, text::printable(&how)))];
        let mut row =
            |label: &str, value: &str| lines.push(format!("  {label:<11}{}", text::printable(value)));
        if !self.findings.summary.is_empty() {
            row("summary", &self.findings.summary);
        }
        for (index, item) in self.findings.pending.iter().enumerate() {
            row(if index == 0 { "pending" } else { "" }, item);
        }
        if !self.findings.blocker.is_empty() && self.status != Status::Blocked {
            row("blocker", &self.findings.blocker);
        }
        if let Some(why) = self.trouble() {
            row("last loop", &text::one_line(why));
        }
        row("did", &super::counted(&self.account));
        row("cost", &text::cost(&self.progress));
        if let Some(tokens) = text::tokens(&self.progress) {
            row("tokens", &tokens);
        }
        lines.join("\n")
    }

    /// For programs. `record` is the run's.
    pub(crate) fn json(&self, assignment: &Assignment, record: &Record) -> impl Serialize {
        let json = OutcomeJson {
            status: self.status,
            reason: self.ending.name(),
            message: self.trouble().or_else(|| Some(view::why(&self.ending)?.1)).unwrap_or_default(),
            task: &assignment.file,
            run_id: record.run_id.as_deref(),
            loops: self.progress.iterations(),
            pending: &self.findings.pending,
            blocker: Some(self.findings.blocker.as_str()).filter(|blocker| !blocker.is_empty()),
            summary: &self.findings.summary,
            files: FilesJson {
                written: self.account.written.items(),
                edited: self.account.edited.items(),
                removed: self.account.removed.items(),
            },
            usage: &record.usage,
            estimated_cost_usd: record.estimated_cost_usd.map(loop_core::Usd::as_f64),
            cost_state: record.cost_state,
            cost_is_lower_bound: record.cost_is_lower_bound,
            elapsed_seconds: record.elapsed.as_secs_f64(),
        };
        serde_json::to_value(json).unwrap_or_else(|error| unreachable!("texts and numbers: {error}"))
    }
}
