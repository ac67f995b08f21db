//! A run as plain lines, one for each thing that happened.

use loop_core::{Event, EventKind, Observer, Outcome, Progress, RunTime, Stage, Verdict, WorkResult};

use super::{BAD, BOLD, DIM, GOOD, WARN, paint, say, text};

/// How much of an evaluator's last line is shown.
const LINE: usize = 100;

/// Prints a run's events as they come.
#[derive(Debug)]
pub(crate) struct Lines {
    max_iterations: u64,
    /// When the work under way began.
    began: RunTime,
}

impl Lines {
    pub(crate) const fn new(max_iterations: u64) -> Self {
        Self { max_iterations, began: RunTime::ZERO }
    }

    fn line(&self, event: &Event, progress: &Progress) -> Option<String> {
        let took = || text::duration(event.at.since(self.began));
        Some(match &event.kind {
            EventKind::IterationStarted { iteration, attempt } => {
                let again = if *attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
                paint(BOLD, format_args!("iteration {iteration} of {}{again}", self.max_iterations))
            }
            EventKind::IterationFinished { result, notes } => {
                let cost = notes.usage.cost.or(progress.current_step().and_then(|step| step.usage().cost));
                let cost = cost.map(|cost| format!(", {}", cost.usd)).unwrap_or_default();
                let fault = notes.fault.as_deref().map(|fault| format!(" · {fault}")).unwrap_or_default();
                format!("  agent  {}{cost}{}", work(result, "done", took), paint(WARN, fault))
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
                paint(WARN, format_args!("  stopping: {}", text::printable(&cause.halt.to_string())))
            }
            EventKind::WorkCut { .. } => paint(DIM, format_args!("  stopped after {}", took())),
            _ => return None,
        })
    }
}

impl Observer for Lines {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        if let Some(line) = self.line(event, progress) {
            say(&line);
        }
        if let EventKind::IterationStarted { .. } | EventKind::EvaluationStarted {} = event.kind {
            self.began = event.at;
        }
    }
}

/// How work ended, but for a verdict.
fn work<T>(result: &WorkResult<T>, done: &str, took: impl Fn() -> String) -> String {
    match result {
        WorkResult::Done(_) => format!("{done} in {}", took()),
        WorkResult::Failed(message) => {
            format!("{} after {}: {}", paint(BAD, "failed"), took(), text::printable(message))
        }
        WorkResult::Later { after } => {
            paint(WARN, format_args!("put off: to be tried again in {}", text::duration(*after)))
        }
        WorkResult::Halted(halt) => paint(BAD, text::printable(&halt.to_string())),
    }
}

fn judged(verdict: &Verdict, took: &str) -> String {
    let outcome = match verdict.outcome() {
        Outcome::Pass => paint(GOOD, "pass"),
        Outcome::Fail => paint(BAD, "fail"),
        Outcome::Inconclusive => paint(WARN, "inconclusive"),
    };
    let last = text::last_line(verdict.text(), LINE).map(|line| format!(" · {line}")).unwrap_or_default();
    format!("{outcome} in {took}{}", paint(DIM, last))
}
