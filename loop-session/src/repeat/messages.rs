//! Texts about a repetition: its plan, its progress and its end.

use std::{fmt, num::NonZeroU64, time::Duration};

use loop_core::{Ending, Event, EventKind, Observer, Progress, StopReason};
use loop_telemetry::words::{
    self, plain, plain_line,
    style::{BAD, BOLD, DIM, paint},
};

use super::{Repetition, RepetitionCondition, failure};
use crate::ActivityView;

/// Describes the plan before the work begins.
pub fn plan(repetition: &Repetition) -> String {
    let Repetition { interval, work, ends, .. } = repetition;
    let count = ends.count.map(|count| format!("up to {}", words::count(count.get(), "time")));
    let time = ends.time.map(|time| format!("for {}", words::span(time)));
    let bounds: Vec<_> = count.into_iter().chain(time).collect();
    let plan = format!("every {}, {}: ", words::span(*interval), bounds.join(", "));
    format!("{}{}", paint(DIM, plan), plain_line(work.text()))
}

/// Describes a repetition of `word`, an exit word that only ends the repetition.
pub fn exit_summary(repetition: &Repetition, word: &str) -> String {
    let count = repetition.ends.count.map(|count| format!("/{count}")).unwrap_or_default();
    let begun = paint(DIM, format_args!("[iteration 1{count}]"));
    let over = paint(BOLD, format_args!("loop stopped after 0{count} iterations"));
    format!("{}\n{begun}\n{over}: `{word}` ends a loop", plan(repetition))
}

/// Describes how a repetition ended, after how many iterations, and how many of them failed.
pub fn summary(
    repetition: &Repetition,
    until: &RepetitionCondition,
    ending: &Ending,
    progress: &Progress,
) -> String {
    let early = until.ended_by(progress).and_then(|why| why.early());
    let message = || Some(ending.message().to_owned()).filter(|message| !message.is_empty());
    let (how, why) = match ending.reason() {
        None if early.is_none() => ("finished", None),
        None => ("stopped", early),
        Some(StopReason::Cancelled) => ("cancelled", None),
        // The failure has a line of its own, and a count.
        Some(StopReason::MaxIterations | StopReason::TimeExceeded)
            if early.is_none() && until.ended_in_failure() =>
        {
            ("finished", None)
        }
        _ => ("stopped", message().or_else(|| Some(ending.name().to_owned()))),
    };
    let done = until.finished();
    let of = repetition.ends.count.map(|count| format!("{done}/{count} iterations"));
    let of = of.unwrap_or_else(|| words::count(done, "iteration"));
    let failed = match until.failures() {
        0 => String::new(),
        failures => paint(BAD, format_args!(", {failures} failed")),
    };
    let why = why.map(|why| format!(": {}", plain_line(&why))).unwrap_or_default();
    format!("{}{failed}{why}", paint(BOLD, format_args!("loop {how} after {of}")))
}

/// Begins to show a wait of this length.
type ShowWait = Box<dyn Fn(Duration) -> Box<dyn ActivityView> + Send>;

/// Reports the progress of a repetition, and its failures.
pub struct RepetitionReporter {
    count: Option<NonZeroU64>,
    /// Prints a line after everything printed before.
    say: Box<dyn Fn(String) + Send>,
    wait: Option<ShowWait>,
    /// The wait that is shown now.
    waiting: Option<Box<dyn ActivityView>>,
}

impl RepetitionReporter {
    /// Reports each line with `say`, after everything printed before.
    pub fn new(repetition: &Repetition, say: impl Fn(String) + Send + 'static) -> Self {
        Self { count: repetition.ends.count, say: Box::new(say), wait: None, waiting: None }
    }

    /// Shows each wait with `wait`, which gets its length, until the wait ends.
    #[must_use]
    pub fn show_waits(self, wait: impl Fn(Duration) -> Box<dyn ActivityView> + Send + 'static) -> Self {
        Self { wait: Some(Box::new(wait)), ..self }
    }

    fn line(&self, event: &Event) -> Option<String> {
        Some(match &event.kind {
            EventKind::IterationStarted { iteration, .. } => {
                let of = self.count.map(|count| format!("/{count}")).unwrap_or_default();
                paint(DIM, format_args!("[iteration {iteration}{of}]"))
            }
            EventKind::IterationFinished { result, notes } => {
                let why = failure(result, notes.as_deref())?;
                format!("{} {}", paint(BAD, "loop error:"), plain(why))
            }
            EventKind::WaitStarted { duration, .. } => {
                paint(DIM, format_args!("next in {}", words::span(*duration)))
            }
            _ => return None,
        })
    }
}

impl Observer for RepetitionReporter {
    fn on_event(&mut self, event: &Event, _: &Progress) {
        self.waiting = None;
        if let Some(line) = self.line(event) {
            (self.say)(line);
        }
        if let EventKind::WaitStarted { duration, .. } = event.kind {
            self.waiting = self.wait.as_ref().map(|wait| wait(duration));
        }
    }
}

impl fmt::Debug for RepetitionReporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RepetitionReporter").field("count", &self.count).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::test_cases;

    #[test]
    fn a_span_is_shown_as_it_was_written() {
        for (seconds, expected) in test_cases::of("durationDisplay") {
            assert_eq!(words::span(Duration::from_secs(seconds.as_u64().unwrap())), expected);
        }
    }
}
