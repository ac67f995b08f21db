//! The known state of a run, computed by folding its events.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

mod consistency;
mod fold;
mod history;

pub use history::HistoryError;

use crate::{
    CostQuality, Ending, Grant, Question, RunCost, RunTime, StepRecord, Usage, event::Stage, mark::Marks,
    run_time::optional_micros,
};

/// The current phase of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Phase {
    /// Nothing has happened yet.
    #[default]
    New,
    /// Between two actions. This work comes next.
    Before(Stage),
    /// A person is being asked.
    Asking,
    /// The run waits before this work.
    Waiting(Stage),
    /// This work is in progress.
    Working(Stage),
    /// The step is finished, and the stop condition decides next.
    Settling,
    /// The run is over.
    Ended,
}

/// Everything that the machine knows about a run, computed from the run's events alone.
///
/// Guardrails, conditions and paces base their decisions on it. Folding the events again yields the same progress, and
/// this is how a run is restored:
///
/// ```
/// use loop_core::{Event, EventKind, Progress, RunTime};
/// let events = [
///     Event::new(RunTime::ZERO, EventKind::RunStarted { evaluated: false, evaluates_first: false }),
///     Event::new(RunTime::from_micros(5), EventKind::IterationStarted { iteration: 1, attempt: 1 }),
/// ];
/// let progress = Progress::from_events(&events)?;
/// assert_eq!(progress.iterations(), 0);
/// assert_eq!(progress.current_step().map(|step| step.iteration()), Some(1));
/// # Ok::<(), loop_core::HistoryError>(())
/// ```
///
/// It is serialized as a part of a [`Snapshot`](crate::Snapshot). Read it through its methods.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    pub(crate) phase: Phase,
    /// The number of the last event.
    pub(crate) sequence: u64,
    /// The number of the event after which the outstanding action is due.
    pub(crate) action: u64,
    /// The end of the current wait.
    wait_ends: RunTime,
    now: RunTime,
    working: RunTime,
    evaluated: bool,
    iterations: u64,
    unpriced: u64,
    uncounted: u64,
    usage: Usage,
    /// The quality of the cost when the iteration began.
    quality_before: Option<CostQuality>,
    failures: u64,
    marks: Marks,
    current: Option<StepRecord>,
    last: Option<StepRecord>,
    best: Option<StepRecord>,
    /// The background work of an iteration that a limit cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cut_work: Option<Arc<str>>,
    pub(crate) next: NextIteration,
    #[serde(with = "optional_micros")]
    pub(crate) retry_after: Option<Duration>,
    interrupted: bool,
    pub(crate) due: Option<Ending>,
    ending: Option<Ending>,
    granted: Option<Box<Grant>>,
}

/// The state of the next iteration, or of the one in progress.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct NextIteration {
    /// The number of times that the run died in it.
    pub(crate) deaths: u32,
    /// The number of times that its work was deferred.
    pub(crate) deferrals: u32,
    /// The number of times that its evaluation began.
    pub(crate) evaluations: u32,
    /// Whether an unfinished attempt used something without a price.
    unpriced: bool,
    /// Whether an unfinished attempt reported only a part of its tokens.
    uncounted: bool,
    /// Whether the pace's wait for this iteration has ended.
    pub(crate) paced: bool,
    /// The guardrails whose question about it a person has answered, by index and name.
    acknowledged: Vec<(usize, String)>,
    /// The guardrail whose question is open, or was answered with anything but yes: its index, its name, and the
    /// question.
    asked: Option<(usize, String, Box<Question>)>,
    /// A person's notes for it.
    guidance: Option<Arc<str>>,
}

impl NextIteration {
    /// Returns whether a person has answered this guardrail's question. Compares index and name, because a run may be
    /// resumed with other guardrails, and an answer to one guardrail is not an answer to another.
    pub(crate) fn is_acknowledged(&self, index: usize, name: &str) -> bool {
        self.acknowledged.iter().any(|(place, known)| *place == index && known == name)
    }

    /// Resets everything about the last iteration except the guidance.
    fn reset(&mut self) {
        let Self {
            deaths,
            deferrals,
            evaluations,
            unpriced,
            uncounted,
            paced,
            acknowledged,
            asked,
            guidance: _,
        } = self;
        (*deaths, *deferrals, *evaluations) = (0, 0, 0);
        (*unpriced, *uncounted, *paced, *asked) = (false, false, false, None);
        acknowledged.clear();
    }

    /// Appends a person's note to the earlier ones.
    fn guide(&mut self, note: &str) {
        let earlier = self.guidance.take();
        self.guidance = Some(earlier.map_or(note.into(), |text| format!("{text}\n{note}").into()));
    }
}

/// The queries of guardrails, conditions, paces and views.
impl Progress {
    /// Returns the number of iterations that were used up: finished, failed or cut. Deferred iterations, and those that
    /// died with their run, do not count.
    pub const fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Returns the number of iterations that ended without a reported cost, or with only a part of it. An iteration
    /// also counts if only an attempt that was deferred or died had no price. If there are any, the cost in
    /// [`usage`](Self::usage) is incomplete as well.
    pub const fn unpriced_iterations(&self) -> u64 {
        self.unpriced
    }

    /// Returns the number of iterations that ended without reported tokens, or with only a part of them. If there are
    /// any, the tokens in [`usage`](Self::usage) are incomplete.
    pub const fn uncounted_iterations(&self) -> u64 {
        self.uncounted
    }

    /// Returns the usage that was reported so far.
    pub const fn usage(&self) -> &Usage {
        &self.usage
    }

    /// Returns the cost of the run so far, and how completely it is known.
    pub const fn cost(&self) -> RunCost {
        RunCost::of(self.usage.cost, self.unpriced)
    }

    /// Returns the run time at the last event. It excludes the time in which a person was asked, the machine slept or
    /// the run was down.
    pub fn elapsed(&self) -> Duration {
        self.now.into()
    }

    /// Returns the part of [`elapsed`](Self::elapsed) in which iterations and evaluations ran, counted from the record
    /// of their start: see [`StepRecord::elapsed`](crate::StepRecord::elapsed).
    pub const fn working(&self) -> Duration {
        self.working.since(RunTime::ZERO)
    }

    /// Returns the run time at the last event.
    pub const fn now(&self) -> RunTime {
        self.now
    }

    /// Returns the current phase.
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns the step that has begun and is not settled.
    pub const fn current_step(&self) -> Option<&StepRecord> {
        self.current.as_ref()
    }

    /// Returns the last settled step.
    pub const fn last_step(&self) -> Option<&StepRecord> {
        self.last.as_ref()
    }

    /// Returns the background work that was ended before it was done: that of the last iteration, also if a limit cut it.
    pub fn cut_work(&self) -> Option<&str> {
        self.cut_work.as_deref().or_else(|| self.last.as_ref()?.cut_work())
    }

    /// Returns the settled step whose verdict has the highest score, or the last of several with an equal score.
    /// Returns `None` if no verdict has a score.
    pub const fn best_step(&self) -> Option<&StepRecord> {
        self.best.as_ref()
    }

    /// Returns the number of most recent consecutive settled steps in which something went wrong: the iteration or the
    /// evaluator failed, or noted a fault. A failing verdict does not count. Resuming a run that ended
    /// [blockably](crate::Halt::blockable) resets the count, because a person has seen the failures.
    pub const fn consecutive_failures(&self) -> u64 {
        self.failures
    }

    /// Returns the number of consecutive later steps that made a mark with this name and left it unchanged, or `None`
    /// if no step made one. If a step makes several marks with one name, only the last one counts. At most 16 names are
    /// followed: beyond that, the least recently marked names are dropped. The count is reset when
    /// [`consecutive_failures`](Self::consecutive_failures) is.
    pub fn unchanged(&self, name: &str) -> Option<u64> {
        self.marks.unchanged(name)
    }

    /// Returns a person's notes for the next iteration, or for the one in progress.
    pub fn guidance(&self) -> Option<&str> {
        self.next.guidance.as_deref()
    }

    pub(crate) fn shared_guidance(&self) -> Option<Arc<str>> {
        self.next.guidance.clone()
    }

    /// Returns whether the current step's iteration is over while the step is not settled.
    pub(crate) fn awaits_judgement(&self) -> bool {
        self.current.as_ref().is_some_and(|step| step.iteration == self.iterations)
    }

    /// Returns whether the evaluator or the stop condition still needs the output of the current step's iteration.
    pub(crate) fn needs_output(&self) -> bool {
        let produced = self.current.as_ref().is_some_and(|step| step.produced);
        let judging = matches!(
            self.phase,
            Phase::Before(Stage::Evaluation)
                | Phase::Waiting(Stage::Evaluation)
                | Phase::Working(Stage::Evaluation)
        );
        judging || (produced && self.awaits_judgement())
    }

    /// Returns whether the run ended in this way because nobody answered a question.
    pub(crate) fn was_unanswered(&self, ending: &Ending) -> bool {
        self.next.asked.as_ref().is_some_and(|(_, guardrail, question)| {
            ending.guardrail() == Some(guardrail) && ending.halt() == Some(&question.unanswered)
        })
    }

    /// Returns the question that a person is being asked.
    pub(crate) fn open_question(&self) -> Option<Box<Question>> {
        self.next.asked.as_ref().map(|(_, _, question)| question.clone())
    }

    /// Returns the end of the current wait.
    pub(crate) const fn wait_ends(&self) -> RunTime {
        self.wait_ends
    }

    /// Returns what is left of the current wait.
    pub(crate) const fn wait_left(&self) -> Duration {
        self.wait_ends.since(self.now)
    }

    /// Returns whether the run would do the same again from its beginning: it has settled and spent nothing.
    pub(crate) fn can_begin_again(&self) -> bool {
        self.iterations == 0 && self.last.is_none() && self.usage.is_unknown()
    }

    /// Returns whether the run waits because work was deferred, and not for its pace.
    pub(crate) const fn waits_for_deferred(&self) -> bool {
        matches!(self.phase, Phase::Waiting(_)) && self.next.deferrals > 0
    }

    /// Returns whether the work in progress was interrupted.
    pub const fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// Returns the sum of what people added to the run's limits when they resumed it, or `None` if they added nothing.
    /// Each limit allows its own amount plus this sum. It contains no notes: see [`guidance`](Self::guidance).
    pub fn granted(&self) -> Option<&Grant> {
        self.granted.as_deref()
    }

    /// Returns how the run ended, if it did.
    pub const fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// Returns whether the run evaluates outputs.
    pub const fn is_evaluated(&self) -> bool {
        self.evaluated
    }
}
