//! What is known of a run: the fold of its events.

use std::{sync::Arc, time::Duration};

mod fold;
mod history;

pub use history::HistoryError;

use crate::{
    CostQuality, Ending, Grant, Halt, RunCost, RunTime, StepRecord, Usage, event::Stage, mark::Marks,
};

/// What is outstanding in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Nothing has happened yet.
    #[default]
    New,
    /// Between two actions: this work is to be done next.
    Before(Stage),
    /// A person is being asked.
    Asking,
    /// A wait before this work.
    Waiting(Stage),
    /// Work is being done.
    Working(Stage),
    /// The stop condition is to be asked about the finished step.
    Settling,
    /// The run is over.
    Ended,
}

/// Everything that the machine knows of a run, computed from the run's events alone.
///
/// Guardrails, conditions and paces decide by it. Folding the events again gives the same progress,
/// which is how a run is restored:
///
/// ```
/// use loop_core::{Event, EventKind, Progress, RunTime};
/// let events = [
///     Event::new(RunTime::ZERO, EventKind::RunStarted { evaluated: false }),
///     Event::new(RunTime::from_micros(5), EventKind::IterationStarted { iteration: 1, attempt: 1 }),
/// ];
/// let progress = Progress::from_events(&events)?;
/// assert_eq!(progress.iterations(), 0);
/// assert_eq!(progress.current_step().map(|step| step.iteration()), Some(1));
/// # Ok::<(), loop_core::HistoryError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    pub(crate) phase: Phase,
    /// The number of the last event.
    pub(crate) sequence: u64,
    now: RunTime,
    working: RunTime,
    evaluated: bool,
    iterations: u64,
    unpriced: u64,
    uncounted: u64,
    usage: Usage,
    /// How far the cost could be believed when the iteration began.
    quality_before: Option<CostQuality>,
    failures: u64,
    marks: Marks,
    current: Option<StepRecord>,
    last: Option<StepRecord>,
    best: Option<StepRecord>,
    pub(crate) next: NextIteration,
    pub(crate) retry_after: Option<Duration>,
    interrupted: bool,
    pub(crate) due: Option<Ending>,
    ending: Option<Ending>,
    granted: Option<Box<Grant>>,
}

/// What is known of the iteration that is to begin, or is under way.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct NextIteration {
    /// How often the run died in it.
    pub(crate) deaths: u32,
    /// How often its work was put off.
    pub(crate) deferrals: u32,
    /// How often its evaluation was begun.
    pub(crate) evaluations: u32,
    /// Whether an attempt that did not come to its end used something without a price.
    unpriced: bool,
    /// Whether the pace's wait before it is behind us.
    pub(crate) paced: bool,
    /// The guardrails, by their places and names, whose question about it a person has answered.
    acknowledged: Vec<(usize, String)>,
    /// The guardrail whose question is open, or was answered with anything but yes: its place, its name, and what
    /// its silence means.
    asked: Option<(usize, String, Halt)>,
    /// What a person noted for it.
    guidance: Option<Arc<str>>,
}

impl NextIteration {
    /// Whether a person has answered this guardrail's question. By place and name: a run may be taken
    /// up with other guardrails, and an answer to one is none to another.
    pub(crate) fn is_acknowledged(&self, index: usize, name: &str) -> bool {
        self.acknowledged.iter().any(|(place, known)| *place == index && known == name)
    }

    /// Forgets what was known of the last iteration, but for the guidance.
    fn begin_anew(&mut self) {
        let Self { deaths, deferrals, evaluations, unpriced, paced, acknowledged, asked, guidance: _ } = self;
        (*deaths, *deferrals, *evaluations) = (0, 0, 0);
        (*unpriced, *paced, *asked) = (false, false, None);
        acknowledged.clear();
    }

    /// Adds a person's note, after those before.
    fn guide(&mut self, note: &str) {
        let earlier = self.guidance.take();
        self.guidance = Some(earlier.map_or(note.into(), |text| format!("{text}\n{note}").into()));
    }
}

/// What a guardrail, a condition, a pace or a view asks it.
impl Progress {
    /// Iterations that are used up: finished, failed or cut. One that was put off, or that died with
    /// its run, is not.
    pub const fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Iterations that ended without a word about their cost, or with a cost that is only a part of it, also if only
    /// an attempt that was deferred or died had no price. If there are any, the cost in [`usage`](Self::usage) is
    /// only a part too.
    pub const fn unpriced_iterations(&self) -> u64 {
        self.unpriced
    }

    /// Iterations that ended without a word about their tokens. If there are any, the tokens in
    /// [`usage`](Self::usage) are only a part of them.
    pub const fn uncounted_iterations(&self) -> u64 {
        self.uncounted
    }

    /// What was used so far, as far as it was reported.
    pub const fn usage(&self) -> &Usage {
        &self.usage
    }

    /// What the run cost so far, and how far that is known.
    pub const fn cost(&self) -> RunCost {
        RunCost::of(self.usage.cost, self.unpriced)
    }

    /// Run time at the last event: without the time in which a person was asked, the machine slept
    /// or the run was down.
    pub fn elapsed(&self) -> Duration {
        self.now.into()
    }

    /// The part of [`elapsed`](Self::elapsed) in which iterations and evaluations ran, from when they were recorded as
    /// begun: see [`StepRecord::elapsed`](crate::StepRecord::elapsed).
    pub const fn working(&self) -> Duration {
        self.working.since(RunTime::ZERO)
    }

    /// Run time at the last event.
    pub const fn now(&self) -> RunTime {
        self.now
    }

    /// What is outstanding.
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The step that has begun and is not settled.
    pub const fn current_step(&self) -> Option<&StepRecord> {
        self.current.as_ref()
    }

    /// The last settled step.
    pub const fn last_step(&self) -> Option<&StepRecord> {
        self.last.as_ref()
    }

    /// The settled step whose verdict has the highest score; of equal ones the last. `None` if no verdict has a score.
    pub const fn best_step(&self) -> Option<&StepRecord> {
        self.best.as_ref()
    }

    /// Settled steps in a row, up to the last, in which something went wrong: the iteration or the
    /// evaluator failed, or noted a fault. A failing verdict is not meant. Whoever resumes a run that ended
    /// [blockably](crate::Halt::blockable) has seen them: then it begins anew.
    pub const fn consecutive_failures(&self) -> u64 {
        self.failures
    }

    /// How many later steps in a row that made a mark of this name left it as it was; `None` if nobody
    /// made one. Of the marks of one step by one name the last one counts. At most 16 names are followed; of more,
    /// those marked least recently are forgotten. It begins anew as
    /// [`consecutive_failures`](Self::consecutive_failures) does.
    pub fn unchanged(&self, name: &str) -> Option<u64> {
        self.marks.unchanged(name)
    }

    /// What a person noted for the iteration that is to begin, or is under way.
    pub fn guidance(&self) -> Option<&str> {
        self.next.guidance.as_deref()
    }

    pub(crate) fn shared_guidance(&self) -> Option<Arc<str>> {
        self.next.guidance.clone()
    }

    /// Whether the current step's iteration is over, and the step is not settled.
    pub(crate) fn awaits_judgement(&self) -> bool {
        self.current.as_ref().is_some_and(|step| step.iteration == self.iterations)
    }

    /// Whether the output of the current step's iteration is still needed, to be judged or settled.
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

    /// Whether the work under way was told to end.
    pub const fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// What people added to the run's limits when they took it up again, all told; `None` if they never did. A
    /// limit of so much allows so much and this. Notes are not kept here: see [`guidance`](Self::guidance).
    pub fn granted(&self) -> Option<&Grant> {
        self.granted.as_deref()
    }

    /// How the run ended, if it did.
    pub const fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// Whether the run evaluates outputs.
    pub const fn is_evaluated(&self) -> bool {
        self.evaluated
    }
}
