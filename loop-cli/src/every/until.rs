//! When a repetition ends.

use std::{
    num::NonZeroU64,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use loop_agents::output::{OUTPUT_MARK, Pattern, PatternError, PatternMatcher};
use loop_core::{Event, EventKind, Notes, Progress, StopCondition, WorkResult};
use serde::{Deserialize, Serialize};

use crate::view::text;

/// What ends a repetition: whatever comes first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ends {
    /// So many iterations.
    pub(crate) count: Option<NonZeroU64>,
    /// No time for another one.
    pub(crate) time: Option<Duration>,
    /// A text in the output, or `/a regular expression/`.
    pub(crate) said: Option<String>,
    /// Output that so many further iterations have left as it was.
    pub(crate) unchanged: Option<NonZeroU64>,
}

/// What ended it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Why {
    Counted,
    TimeIsUp,
    Said(String),
    Unchanged(u64),
}

impl Why {
    /// The reason.
    fn reason(&self) -> String {
        match self {
            Self::Counted => "the number of iterations".to_owned(),
            Self::TimeIsUp => "the time".to_owned(),
            Self::Said(_) | Self::Unchanged(_) => self.early().unwrap_or_default(),
        }
    }

    /// The reason, if it ended before its time.
    pub(crate) fn early(&self) -> Option<String> {
        match self {
            Self::Counted | Self::TimeIsUp => None,
            Self::Said(what) => Some(format!("the output has {what}")),
            Self::Unchanged(times) => {
                Some(format!("the output has not changed {}", text::count(*times, "time")))
            }
        }
    }
}

/// Met when a repetition has come to its end. Clones share what was heard and counted.
#[derive(Debug, Clone)]
pub(crate) struct Until {
    ends: Ends,
    interval: Duration,
    pattern: Option<Pattern>,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Debug, Default)]
struct Seen {
    /// The search in what the iteration under way prints.
    search: Option<PatternMatcher>,
    /// Whether the last iteration said what is waited for.
    was_said: bool,
    /// Iterations that came to their end; one that was cut did not.
    finished: u64,
    failures: u64,
}

impl Until {
    /// The end of a repetition with this pause.
    ///
    /// # Errors
    /// A regular expression that is none.
    pub(crate) fn new(ends: Ends, interval: Duration) -> Result<Self, PatternError> {
        let pattern = ends.said.as_deref().map(pattern).transpose()?;
        Ok(Self { ends, interval, pattern, seen: Arc::default() })
    }

    /// Takes what is printed in the iteration under way.
    pub(crate) fn hear(&self, bytes: &[u8]) {
        if let Some(search) = &mut self.seen().search {
            search.feed(bytes);
        }
    }

    /// How many iterations came to their end.
    pub(crate) fn finished(&self) -> u64 {
        self.seen().finished
    }

    /// How many iterations have failed.
    pub(crate) fn failures(&self) -> u64 {
        self.seen().failures
    }

    /// What has ended the repetition, if anything has.
    pub(crate) fn why(&self, progress: &Progress) -> Option<Why> {
        let Ends { count, time, said, unchanged } = &self.ends;
        if let Some(what) = said.as_ref().filter(|_| self.seen().was_said) {
            return Some(Why::Said(what.clone()));
        }
        let stayed = progress.unchanged(OUTPUT_MARK).unwrap_or(0);
        if let Some(times) = unchanged.filter(|times| stayed >= times.get()) {
            return Some(Why::Unchanged(times.get()));
        }
        if count.is_some_and(|count| progress.iterations() >= count.get()) {
            return Some(Why::Counted);
        }
        // A pause at whose end there is no time left for work is not worth waiting for.
        let next = progress.elapsed().saturating_add(self.interval);
        time.filter(|time| next >= *time).map(|_| Why::TimeIsUp)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> StopCondition<S> for Until {
    fn is_met(&self, _: &S, progress: &Progress) -> bool {
        self.why(progress).is_some()
    }

    fn decided_by(&self, _: &S, progress: &Progress) -> String {
        self.why(progress).map_or_else(String::new, |why| why.reason())
    }

    fn observe(&mut self, event: &Event) {
        let mut seen = self.seen();
        match &event.kind {
            EventKind::IterationStarted { .. } => {
                seen.search = self.pattern.as_ref().map(Pattern::matcher);
                seen.was_said = false;
            }
            EventKind::IterationFinished { result, notes } => {
                seen.was_said = seen.search.take().is_some_and(PatternMatcher::finish);
                seen.finished += 1;
                seen.failures += u64::from(failure(result, notes.as_deref()).is_some());
            }
            _ => {}
        }
    }
}

/// What went wrong in an iteration, if anything did.
pub(crate) fn failure<'a, T>(result: &'a WorkResult<T>, notes: Option<&'a Notes>) -> Option<&'a str> {
    match result {
        WorkResult::Failed(message) => Some(message),
        WorkResult::Done(_) => notes.and_then(|notes| notes.fault.as_deref()),
        _ => None,
    }
}

/// `TEXT` or `/a regular expression/`.
fn pattern(written: &str) -> Result<Pattern, PatternError> {
    let expression =
        written.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|rest| !rest.is_empty());
    match expression {
        // In output a line is what one thinks of.
        Some(expression) => Pattern::new(&format!("(?m){expression}")),
        None => Pattern::literal(written),
    }
}
