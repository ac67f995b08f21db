//! The end of a repetition.

use std::{
    num::NonZeroU64,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use loop_agents::output::{OUTPUT_MARK, Pattern, PatternError, PatternMatcher};
use loop_core::{
    Decision, Event, EventKind, Guardrail, Halt, Notes, Progress, StopCondition, StopReason, WorkResult,
};
use loop_telemetry::words;
use serde::{Deserialize, Serialize};

/// The end conditions of a repetition: the first that applies ends it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndConditions {
    /// The number of iterations.
    pub count: Option<NonZeroU64>,
    /// The time limit: no iteration begins after it.
    pub time: Option<Duration>,
    /// A text that the output must contain, or `/a regular expression/`.
    pub said: Option<String>,
    /// The number of consecutive iterations that left the output unchanged.
    pub unchanged: Option<NonZeroU64>,
}

/// The reason why a repetition ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RepetitionEndReason {
    /// The count was reached.
    Counted,
    /// No time remained for another iteration.
    TimeIsUp,
    /// The output contained this text.
    Said(String),
    /// The output stayed the same this many times.
    Unchanged(u64),
}

impl RepetitionEndReason {
    /// Returns the reason in words.
    fn reason(&self) -> String {
        match self {
            Self::Counted => "the number of iterations".to_owned(),
            Self::TimeIsUp => "the time limit".to_owned(),
            Self::Said(_) | Self::Unchanged(_) => self.early().unwrap_or_default(),
        }
    }

    /// Returns the reason, if the repetition ended before its count and its time.
    pub fn early(&self) -> Option<String> {
        match self {
            Self::Counted | Self::TimeIsUp => None,
            Self::Said(what) => Some(format!("the output contains {what}")),
            Self::Unchanged(times) => {
                Some(format!("the output stayed unchanged {}", words::count(*times, "time")))
            }
        }
    }
}

/// The stop condition of a repetition. Clones share the output search and the counters.
#[derive(Debug, Clone)]
pub struct RepetitionCondition {
    ends: EndConditions,
    interval: Duration,
    pattern: Option<Pattern>,
    counts: Arc<Mutex<IterationCounts>>,
}

#[derive(Debug, Default)]
struct IterationCounts {
    /// The search in the output of the current iteration.
    search: Option<PatternMatcher>,
    /// True if the last iteration printed the expected text.
    was_said: bool,
    /// The number of finished iterations; interrupted ones do not count.
    finished: u64,
    failures: u64,
    /// Whether the last finished iteration failed.
    is_last_failed: bool,
}

impl RepetitionCondition {
    /// Creates the condition of a repetition with this pause.
    ///
    /// # Errors
    /// A regular expression is invalid.
    pub fn new(ends: EndConditions, interval: Duration) -> Result<Self, PatternError> {
        let pattern = ends.said.as_deref().map(pattern).transpose()?;
        Ok(Self { ends, interval, pattern, counts: Arc::default() })
    }

    /// Searches output of the current iteration.
    pub fn feed(&self, bytes: &[u8]) {
        if let Some(search) = &mut self.counts().search {
            search.feed(bytes);
        }
    }

    /// Returns how many iterations finished.
    pub fn finished(&self) -> u64 {
        self.counts().finished
    }

    /// Returns how many iterations failed.
    pub fn failures(&self) -> u64 {
        self.counts().failures
    }

    /// Returns whether the last iteration failed, which is never the goal.
    pub fn ended_in_failure(&self) -> bool {
        self.counts().is_last_failed
    }

    /// Returns what ended the repetition, if anything did.
    pub fn ended_by(&self, progress: &Progress) -> Option<RepetitionEndReason> {
        let EndConditions { count, time, said, unchanged } = &self.ends;
        if let Some(what) = said.as_ref().filter(|_| self.counts().was_said) {
            return Some(RepetitionEndReason::Said(what.clone()));
        }
        let stayed = progress.unchanged(OUTPUT_MARK).unwrap_or(0);
        if let Some(times) = unchanged.filter(|times| stayed >= times.get()) {
            return Some(RepetitionEndReason::Unchanged(times.get()));
        }
        if count.is_some_and(|count| progress.iterations() >= count.get()) {
            return Some(RepetitionEndReason::Counted);
        }
        // If no time for work remains after the pause, do not wait for it.
        let next = progress.elapsed().saturating_add(self.interval);
        time.filter(|time| next >= *time).map(|_| RepetitionEndReason::TimeIsUp)
    }

    fn counts(&self) -> MutexGuard<'_, IterationCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> StopCondition<S> for RepetitionCondition {
    fn is_met(&self, _: &S, progress: &Progress) -> bool {
        self.ended_by(progress).is_some() && !self.ended_in_failure()
    }

    fn decided_by(&self, _: &S, progress: &Progress) -> String {
        self.ended_by(progress).map_or_else(String::new, |why| why.reason())
    }

    fn observe(&mut self, event: &Event) {
        let mut counts = self.counts();
        match &event.kind {
            EventKind::IterationStarted { .. } => {
                counts.search = self.pattern.as_ref().map(Pattern::matcher);
                counts.was_said = false;
            }
            EventKind::IterationFinished { result, notes } => {
                counts.was_said = counts.search.take().is_some_and(PatternMatcher::finish);
                counts.finished += 1;
                counts.is_last_failed = failure(result, notes.as_deref()).is_some();
                counts.failures += u64::from(counts.is_last_failed);
            }
            _ => {}
        }
    }
}

/// The goal of a repetition includes that its last iteration did not fail. If it failed, the run halts at its count
/// or its time, or with the awaited output.
impl Guardrail for RepetitionCondition {
    fn name(&self) -> &str {
        "repetition"
    }

    fn check(&self, progress: &Progress) -> Decision {
        let Some(end) = self.ended_by(progress).filter(|_| self.ended_in_failure()) else {
            return Decision::Continue;
        };
        let reason = match end {
            RepetitionEndReason::Counted => StopReason::MaxIterations,
            RepetitionEndReason::TimeIsUp => StopReason::TimeExceeded,
            RepetitionEndReason::Said(_) | RepetitionEndReason::Unchanged(_) => {
                StopReason::custom("failed_iteration")
            }
        };
        let end = end.early().map(|end| format!("{end}, but ")).unwrap_or_default();
        let last = progress.last_step().and_then(|step| step.failure().or(step.fault()));
        let why = last.map(|last| format!(": {last}")).unwrap_or_default();
        Decision::Halt(Halt::new(reason, format!("{end}the last iteration failed{why}")))
    }
}

/// Returns what failed in an iteration, if anything did.
pub fn failure<'a, T>(result: &'a WorkResult<T>, notes: Option<&'a Notes>) -> Option<&'a str> {
    match result {
        WorkResult::Failed(message) => Some(message),
        WorkResult::Done(_) => notes.and_then(|notes| notes.fault.as_deref()),
        _ => None,
    }
}

/// Parses `TEXT` or `/a regular expression/`.
fn pattern(written: &str) -> Result<Pattern, PatternError> {
    let expression =
        written.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|rest| !rest.is_empty());
    match expression {
        // People think of output in lines, so `^` and `$` match at line breaks.
        Some(expression) => Pattern::new(&format!("(?m){expression}")),
        None => Pattern::literal(written),
    }
}
