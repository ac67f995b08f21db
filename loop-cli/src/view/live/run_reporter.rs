//! A run as lines, one per event.

use loop_core::{
    Event, EventKind, Observer, Outcome, Progress, RunCost, RunTime, Stage, StepRecord, StopReason, Usd,
    Verdict, WorkResult,
};

use loop_telemetry::rows::changed_files;

use super::RunScreen;
use crate::view::{BAD, BOLD, DIM, GOOD, WARN, paint, text};

/// The maximum length of the summary of a check.
const LINE: usize = 100;

/// Describes a run's events.
#[derive(Debug)]
pub(crate) struct EventWording {
    /// The limit of the plan, if known.
    max_iterations: Option<u64>,
    /// The start of the current work.
    began: RunTime,
}

impl EventWording {
    pub(crate) const fn new(max_iterations: Option<u64>) -> Self {
        Self { max_iterations, began: RunTime::ZERO }
    }

    /// Returns the line for the next event, if there is one.
    pub(crate) fn line(&mut self, event: &Event, progress: &Progress) -> Option<String> {
        let line = self.words(event, progress);
        if matches!(
            event.kind,
            EventKind::IterationStarted { .. }
                | EventKind::EvaluationStarted {}
                | EventKind::WaitStarted { .. }
        ) {
            self.began = event.at;
        }
        line
    }

    fn words(&self, event: &Event, progress: &Progress) -> Option<String> {
        let took = || text::duration(event.at.since(self.began));
        Some(match &event.kind {
            EventKind::RunStarted { evaluates_first: true, .. } => paint(BOLD, text::BEFORE_FIRST),
            EventKind::IterationStarted { iteration, attempt } => {
                let again = if *attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
                let added = progress.granted().map_or(0, |grant| grant.iterations);
                let most = self.max_iterations.map(|most| most.saturating_add(added));
                let of = most.map(|most| format!(" of {most}")).unwrap_or_default();
                paint(BOLD, format_args!("iteration {iteration}{of}{again}"))
            }
            EventKind::IterationFinished { result, notes } => {
                let cost = progress.current_step().and_then(|step| step.usage().cost);
                let cost = match RunCost::reported(cost) {
                    RunCost::Unknown | RunCost::Exactly(Usd::ZERO) => String::new(),
                    cost => format!(", {cost}"),
                };
                let fault = notes.as_ref().and_then(|notes| notes.fault.as_deref());
                let fault = fault.map(|fault| format!(" · {}", text::printable(fault))).unwrap_or_default();
                let cut = notes.as_ref().and_then(|notes| notes.cut_work.as_deref());
                let cut =
                    cut.map(|work| format!(" · cut off: {}", text::printable(work))).unwrap_or_default();
                format!("  agent  {}{cost}{}", work(result, "done", took), paint(WARN, fault + &cut))
            }
            EventKind::EvaluationFinished { result, .. } => match result {
                WorkResult::Done(verdict) => format!("  check  {}", judged(verdict, &took())),
                other => format!("  check  {}", work(other, "done", took)),
            },
            EventKind::WaitStarted { duration, before } => {
                let next = match before {
                    Stage::Iteration => "the next iteration",
                    Stage::Evaluation => "the check",
                };
                paint(DIM, format_args!("  waiting {} before {next}", text::duration(*duration)))
            }
            EventKind::InterruptRequested { cause } => {
                let more = match cause.reason() {
                    Some(StopReason::Cancelled) => " (Ctrl+C again kills at once)",
                    _ => "",
                };
                paint(WARN, format_args!("  stopping: {}{more}", text::printable(&cause.to_string())))
            }
            EventKind::WorkCut { .. } => paint(DIM, format_args!("  stopped after {}", took())),
            _ => return None,
        })
    }
}

/// Prints a run's events as they arrive.
#[derive(Debug)]
pub(crate) struct RunReporter {
    screen: RunScreen,
    wording: EventWording,
}

impl RunReporter {
    /// Without `max_iterations`, it says of no iteration how many there may be.
    pub(crate) const fn new(screen: RunScreen, max_iterations: Option<u64>) -> Self {
        Self { screen, wording: EventWording::new(max_iterations) }
    }
}

impl Observer for RunReporter {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        let line = self.wording.line(event, progress);
        // Update the panel first: it is redrawn below the line.
        match &event.kind {
            EventKind::IterationStarted { .. } => self.screen.begin("agent", progress),
            EventKind::EvaluationStarted {} => self.screen.begin("check", progress),
            EventKind::WaitStarted { .. } => self.screen.begin("waiting", progress),
            EventKind::InterruptRequested { .. } => self.screen.begin("stopping", progress),
            EventKind::EvaluationFinished { result: WorkResult::Done(verdict), .. } => {
                let summary = text::check_line(verdict, LINE).unwrap_or_default();
                self.screen.verdict(&format!("{} {}", outcome(verdict), paint(DIM, summary)));
            }
            EventKind::IterationFinished { notes, .. } => {
                self.screen.update(progress);
                self.screen
                    .changed(notes.as_deref().and_then(|notes| changed_files(&notes.marks)).unwrap_or(0));
            }
            // A question has the terminal to itself.
            EventKind::QuestionAsked { .. } | EventKind::RunFinished { .. } => self.screen.hide(),
            EventKind::QuestionAnswered { .. } => self.screen.show(),
            _ => self.screen.update(progress),
        }
        if let Some(line) = line {
            self.screen.line(&line);
        }
    }
}

/// Reports on one of several loops that run at once, with a line for each event that somebody waits for.
pub(crate) struct LaneReporter {
    screen: RunScreen,
    number: usize,
    wording: EventWording,
}

impl LaneReporter {
    pub(crate) const fn new(screen: RunScreen, number: usize, max_iterations: u64) -> Self {
        Self { screen, number, wording: EventWording::new(Some(max_iterations)) }
    }

    pub(crate) fn listener(mut self) -> impl FnMut(&Event, &Progress) + Send + 'static {
        move |event, progress| {
            let line = self.wording.line(event, progress);
            let is_told = match &event.kind {
                EventKind::IterationFinished { result, .. } => !matches!(result, WorkResult::Done(())),
                EventKind::EvaluationFinished { .. } | EventKind::WaitStarted { .. } => true,
                _ => false,
            };
            if let Some(line) = line.filter(|_| is_told) {
                let iteration =
                    progress.current_step().or(progress.last_step()).map_or(0, StepRecord::iteration);
                let at = paint(BOLD, format_args!("loop {}, iteration {iteration}", self.number));
                self.screen.line(&format!("{at}: {}", line.trim_start()));
            }
        }
    }
}

/// Describes how work ended, except for a verdict.
fn work<T>(result: &WorkResult<T>, done: &str, took: impl Fn() -> String) -> String {
    match result {
        WorkResult::Done(_) => format!("{done} in {}", took()),
        WorkResult::Failed(message) => {
            format!("{} after {}: {}", paint(BAD, "failed"), took(), text::printable(message))
        }
        WorkResult::Later { after } => {
            paint(WARN, format_args!("deferred: it is tried again in {}", text::duration(*after)))
        }
        WorkResult::Halted(halt) => paint(BAD, text::printable(&halt.to_string())),
        _ => format!("over after {}", took()),
    }
}

fn judged(verdict: &Verdict, took: &str) -> String {
    let summary = text::check_line(verdict, LINE).map(|line| format!(" · {line}")).unwrap_or_default();
    format!("{} in {took}{}", outcome(verdict), paint(DIM, summary))
}

fn outcome(verdict: &Verdict) -> String {
    match verdict.outcome() {
        Outcome::Pass => paint(GOOD, "pass"),
        Outcome::Fail => paint(BAD, "fail"),
        Outcome::Inconclusive => paint(WARN, "inconclusive"),
    }
}
