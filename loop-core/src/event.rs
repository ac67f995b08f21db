//! The events of a run, in order. Everything else is computed from them.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    Answer, CostQuality, Ending, Mark, Question, RunTime, Usage, Verdict,
    run_time::{micros, whole_micros},
};

/// An event and its run time.
///
/// [`Progress`](crate::Progress) is the fold of a run's events, so a run can be restored from them.
/// In JSON an event is an object. Its `kind` is an object with a single key, the name of the kind:
/// `{"sequence":7,"at":1500000,"kind":{"iteration_started":{"iteration":2,"attempt":1}}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// The number of this event in its run, from 1, counting through all resumes. A reader that finds a gap has missed
    /// events. 0 if the event has no number, like those of older versions and of [`Event::new`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sequence: u64,
    /// Run time, in microseconds.
    pub at: RunTime,
    /// The kind of the event, with its data.
    #[serde(deserialize_with = "known_kind")]
    pub kind: EventKind,
}

impl Event {
    /// Creates an event without a number, for histories that you write by hand.
    ///
    /// ```
    /// use loop_core::{Event, EventKind, RunTime};
    /// let event = Event::new(RunTime::ZERO, EventKind::RunResumed {});
    /// assert_eq!(event.sequence, 0);
    /// ```
    pub const fn new(at: RunTime, kind: EventKind) -> Self {
        Self { sequence: 0, at, kind }
    }
}

/// Reads a kind. The error for an unknown one says what to do.
fn known_kind<'de, D: serde::Deserializer<'de>>(from: D) -> Result<EventKind, D::Error> {
    EventKind::deserialize(from).map_err(|error| {
        let text = error.to_string();
        // Errors inside of a known kind list other names.
        let unknown = text.strip_prefix("unknown variant `").filter(|text| text.contains("of `run_started`"));
        match unknown.and_then(|text| text.split_once('`')) {
            Some((name, _)) => serde::de::Error::custom(format_args!(
                "unknown kind of event `{name}`: a newer version of loop-core wrote it, so read it with that version"
            )),
            None => error,
        }
    })
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub(crate) const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The kinds of events: the inputs and the actions of the machine.
///
/// Later versions may add kinds, but no fields to a kind that has some: a new fact becomes a kind of its own, or a
/// field of [`Notes`]. You can therefore write events by hand, in tests for example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// The run began.
    RunStarted {
        /// Whether outputs are evaluated.
        evaluated: bool,
        /// Whether an evaluation comes before the first iteration: see
        /// [`Loop::evaluate_first`](crate::Loop::evaluate_first).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        evaluates_first: bool,
    },
    /// A guardrail wants a person to decide.
    QuestionAsked {
        /// Its place among the guardrails, from 0.
        index: usize,
        /// Its name.
        guardrail: String,
        /// The question.
        question: Box<Question>,
    },
    /// A person answered, or nobody was there.
    QuestionAnswered {
        /// The answer; `None` if nobody was there.
        answer: Option<Answer>,
    },
    /// A wait began.
    WaitStarted {
        /// The planned duration, in microseconds.
        #[serde(with = "micros")]
        duration: Duration,
        /// The work that follows the wait.
        before: Stage,
    },
    /// A wait is over.
    WaitFinished {},
    /// An iteration began.
    IterationStarted {
        /// Its index, from 1.
        iteration: u64,
        /// 1, plus one for each time that the run died in it.
        attempt: u32,
    },
    /// An iteration ended by itself.
    IterationFinished {
        /// How it ended.
        result: WorkResult<()>,
        /// Further facts about the work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notes: Option<Box<Notes>>,
    },
    /// An evaluation began.
    EvaluationStarted {},
    /// An evaluation ended by itself.
    EvaluationFinished {
        /// The verdict, or why there is none.
        result: WorkResult<Verdict>,
        /// Further facts about the work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notes: Option<Box<Notes>>,
    },
    /// The stop condition was asked about the step.
    StepSettled {
        /// Whether the goal is met.
        met: bool,
        /// The name of the condition that decided, if the goal is met. Journals of earlier versions lack it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Box<str>>,
    },
    /// Running work reported usage.
    UsageReported {
        /// The usage since the last report.
        usage: Usage,
    },
    /// The time limit of a guardrail passed.
    DeadlinePassed {},
    /// Somebody asked the run to end.
    CancelRequested {},
    /// The driver has to end the run, because it cannot write the journal.
    HaltRequested {
        /// How the run will end.
        halt: Box<crate::Halt>,
    },
    /// The iteration or evaluation in progress has to end now.
    InterruptRequested {
        /// How the run will end.
        cause: Box<Ending>,
    },
    /// The interrupted work is over. A step that was cut in its iteration is never settled. A step that was cut in its
    /// evaluation is judged again if the run is resumed.
    WorkCut {
        /// Its last notes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notes: Option<Box<Notes>>,
    },
    /// The run resumed after it stopped or died.
    RunResumed {},
    /// The person who resumed the run raised its limits or added a note.
    Granted {
        /// The additions.
        grant: Box<crate::Grant>,
    },
    /// The run ended.
    RunFinished {
        /// How it ended.
        ending: Box<Ending>,
    },
}

impl EventKind {
    /// Returns the name of this kind as in JSON: `iteration_started`, for example.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "run_started",
            Self::QuestionAsked { .. } => "question_asked",
            Self::QuestionAnswered { .. } => "question_answered",
            Self::WaitStarted { .. } => "wait_started",
            Self::WaitFinished {} => "wait_finished",
            Self::IterationStarted { .. } => "iteration_started",
            Self::IterationFinished { .. } => "iteration_finished",
            Self::EvaluationStarted {} => "evaluation_started",
            Self::EvaluationFinished { .. } => "evaluation_finished",
            Self::StepSettled { .. } => "step_settled",
            Self::UsageReported { .. } => "usage_reported",
            Self::DeadlinePassed {} => "deadline_passed",
            Self::CancelRequested {} => "cancel_requested",
            Self::HaltRequested { .. } => "halt_requested",
            Self::InterruptRequested { .. } => "interrupt_requested",
            Self::WorkCut { .. } => "work_cut",
            Self::RunResumed {} => "run_resumed",
            Self::Granted { .. } => "granted",
            Self::RunFinished { .. } => "run_finished",
        }
    }

    /// Returns whether no later step needs the output that was evaluated first: the run has none, or an iteration has
    /// made a newer one.
    pub(crate) const fn replaces_initial_output(&self) -> bool {
        matches!(
            self,
            Self::RunStarted { evaluates_first: false, .. }
                | Self::IterationFinished { result: WorkResult::Done(()), .. }
        )
    }

    /// Returns the usage that this event adds to its run, if any. The sum over all events is the run's usage.
    pub fn usage(&self) -> Option<&Usage> {
        match self {
            Self::UsageReported { usage } => Some(usage),
            Self::IterationFinished { notes, .. }
            | Self::EvaluationFinished { notes, .. }
            | Self::WorkCut { notes } => notes.as_deref().map(|notes| &notes.usage),
            _ => None,
        }
    }
}

/// The result of an iteration or an evaluation.
///
/// Later versions may add results. Show a result that you do not know as work that gave no value.
///
/// ```
/// use loop_core::WorkResult;
/// fn value<T>(result: WorkResult<T>) -> Option<T> {
///     match result {
///         WorkResult::Done(value) => Some(value),
///         _ => None,
///     }
/// }
/// assert_eq!(value(WorkResult::Done(7)), Some(7));
/// assert_eq!(value(WorkResult::<u64>::Failed("exit status 1".into())), None);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkResult<T> {
    /// The work succeeded.
    Done(T),
    /// The work failed. The step counts as failed, and the loop continues.
    Failed(Arc<str>),
    /// The work was deferred. The run retries it after this wait, and no iteration is used up.
    Later {
        /// How long to wait, in microseconds.
        #[serde(with = "micros")]
        after: Duration,
    },
    /// The run has to end.
    Halted(crate::Halt),
}

impl<T> WorkResult<T> {
    /// Rounds it as the record does, so that an event is the same before and after serialization.
    pub(crate) fn recorded(self) -> Self {
        match self {
            Self::Later { after } => Self::Later { after: whole_micros(after) },
            other => other,
        }
    }
}

/// The facts that a piece of work reports beside its result.
///
/// # Default
/// Nothing: the usage is unknown, and there are no marks, no fault and no cut work.
///
/// ```
/// use loop_core::{Notes, Usage};
/// let notes = Notes::default().with_usage(Usage::unknown().with_tokens(900, 100)).with_mark("output", 7);
/// assert_eq!(notes.usage.tokens(), Some(1_000));
/// assert_eq!(notes.fault, None);
/// assert_eq!(Notes::default().boxed(), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Notes {
    /// The usage beyond the amounts that the work reported while it ran.
    #[serde(skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    /// Fingerprints of its results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// A problem with work that can still be judged, such as an agent's exit code, or the reason why the work was
    /// deferred.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Arc<str>>,
    /// The work that the iteration had begun and that was ended before it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_work: Option<Arc<str>>,
    /// The revised quality of the cost that the iteration reported, if it has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_quality: Option<CostQuality>,
}

impl Notes {
    /// Sets the usage: everything that the work used beyond the amounts that it reported while it ran.
    #[must_use]
    pub const fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Adds a fingerprint. See [`Mark::new`].
    #[must_use]
    pub fn with_mark(mut self, name: impl Into<Arc<str>>, hash: u64) -> Self {
        self.marks.push(Mark::new(name, hash));
        self
    }

    /// Sets the fault. An iteration with a fault counts as a failed step, although its output is judged.
    #[must_use]
    pub fn with_fault(mut self, fault: impl Into<Arc<str>>) -> Self {
        self.fault = Some(fault.into());
        self
    }

    /// Corrects the quality of the cost that the iteration reported.
    #[must_use]
    pub const fn with_cost_quality(mut self, quality: CostQuality) -> Self {
        self.cost_quality = Some(quality);
        self
    }

    /// Boxes the notes for an event, or returns `None` if they are empty, which keeps most events small.
    pub fn boxed(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }
}

/// The two kinds of work in a step. Every step is made of these two, so you can match on them exhaustively.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The agent's.
    Iteration,
    /// The evaluator's.
    Evaluation,
}
