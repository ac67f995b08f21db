//! Progress reports of a task, for people and for a log file that they name.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use loop_agents::review::TaskOutput;
use loop_core::{Event, EventKind, Observer, Phase, Progress, Stage, Verdict, WorkResult};
use loop_manifest::describe_actions;

use crate::{
    args::ReportingArgs,
    clock,
    command::{Failure, OrFail},
    view::{self, BAD, DIM, GOOD, LiveOutput, WARN, paint, text},
};

/// The reporter. Clones write to the same destinations.
#[derive(Debug, Clone)]
pub(crate) struct TaskReporter {
    quiet: bool,
    log: Option<Arc<Mutex<File>>>,
}

impl TaskReporter {
    /// Opens the log file, if one is requested.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub(crate) fn new(reporting: &ReportingArgs) -> Result<Self, Failure> {
        let open = |path: &PathBuf| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.or_usage(|| format!("cannot write to --log {}", path.display()))
        };
        let log = reporting.log.as_ref().map(open).transpose()?;
        Ok(Self { quiet: reporting.quiet, log: log.map(|file| Arc::new(Mutex::new(file))) })
    }

    /// Shows a line, and writes it to the log.
    pub(crate) fn say(&self, line: &str) {
        if !self.quiet {
            view::say(line);
        }
        self.write(&format!("{:.0} {}", clock::now(), line));
    }

    /// Writes a text to the log that is too long to show.
    pub(crate) fn write(&self, text: &str) {
        let Some(log) = &self.log else { return };
        // People read the log on a screen.
        let text = format!("{}\n", text::printable(text).trim_end());
        // The log is only a service to people: a failure does not end the work, and a warning per line would help
        // nobody.
        let _ = log.lock().unwrap_or_else(PoisonError::into_inner).write_all(text.as_bytes());
    }

    /// Reports the work of a loop before its review.
    pub(crate) fn report_output(&self, task_output: &TaskOutput) {
        let failure = task_output.actions.failure.as_ref().map(|failure| format!("; it {failure}"));
        let failure = failure.unwrap_or_default();
        self.say(&paint(DIM, format_args!("  done: {}{failure}", describe_actions(&task_output.actions))));
        self.write(&format!("{}{}", task_output.actions, task_output.words));
        self.say(&paint(DIM, if task_output.claims_complete() { "  checking" } else { "  reviewing" }));
    }

    /// Returns an observer that reports each phase. It first shows the agent's output to its end.
    pub(crate) fn of_phases(&self, loops: u64, shown: Option<LiveOutput>) -> impl Observer + use<> {
        PhaseReporter { reporter: self.clone(), loops, shown }
    }
}

struct PhaseReporter {
    reporter: TaskReporter,
    loops: u64,
    shown: Option<LiveOutput>,
}

impl PhaseReporter {
    fn line(&self, event: &Event, progress: &Progress) -> Option<String> {
        Some(match &event.kind {
            EventKind::IterationStarted { iteration, attempt } => {
                let again = if *attempt > 1 { ", started again" } else { "" };
                let of = self.loops.max(*iteration);
                paint(DIM, format_args!("[iteration {iteration}/{of}] working{again}"))
            }
            // A run resumed during its review has not reported the start of its loop.
            EventKind::RunResumed {} if is_reviewed(progress.phase()) => {
                let of = self.loops.max(progress.iterations());
                paint(DIM, format_args!("[iteration {}/{of}] continuing", progress.iterations()))
            }
            EventKind::EvaluationFinished { result: WorkResult::Done(verdict), .. } => found(verdict),
            EventKind::IterationFinished { result, .. } => return trouble(result),
            EventKind::EvaluationFinished { result, .. } => return trouble(result),
            EventKind::InterruptRequested { cause } => {
                paint(WARN, format_args!("  stopping: {}", text::one_line(&cause.to_string())))
            }
            _ => return None,
        })
    }
}

impl Observer for PhaseReporter {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        if let Some(shown) = &self.shown {
            shown.end_at(&event.kind);
        }
        if let Some(line) = self.line(event, progress) {
            self.reporter.say(&line);
        }
    }
}

/// Returns whether a review is next, or begins at once.
const fn is_reviewed(phase: Phase) -> bool {
    matches!(phase, Phase::Before(Stage::Evaluation) | Phase::Working(Stage::Evaluation))
}

/// Describes the findings of a review.
fn found(verdict: &Verdict) -> String {
    let style = if verdict.passed() { GOOD } else { WARN };
    let lines = verdict.text().lines().map(|line| format!("  {}", text::one_line(line)));
    let lines: Vec<_> = lines.collect();
    format!("  {}\n{}", paint(style, verdict.outcome()), lines.join("\n"))
}

fn trouble<T>(result: &WorkResult<T>) -> Option<String> {
    match result {
        WorkResult::Failed(why) => Some(format!("  {} {}", paint(BAD, "failed:"), text::one_line(why))),
        WorkResult::Later { after } => {
            Some(paint(WARN, format_args!("  deferred: it is tried again in {}", text::duration(*after))))
        }
        // The end of the run is reported elsewhere.
        _ => None,
    }
}
