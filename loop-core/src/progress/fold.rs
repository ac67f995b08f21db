//! How events change the progress. Nothing else changes it.

use std::sync::Arc;

use super::{HistoryError, Phase, Progress};
use crate::{
    Answer, Ending, Halt, RunTime, StepRecord, StopReason, Usage,
    event::{Event, EventKind, Notes, Stage, WorkResult},
};

impl Progress {
    /// Returns the progress of a run with these events.
    ///
    /// # Errors
    /// Returns a [`HistoryError`] if the events are not the history of a run.
    pub fn from_events(events: &[Event]) -> Result<Self, HistoryError> {
        let mut progress = Self::default();
        events.iter().try_for_each(|event| progress.apply(event))?;
        Ok(progress)
    }

    /// Folds one event into the progress.
    ///
    /// # Errors
    /// Returns a [`HistoryError`] if the event cannot follow those before it. The progress is then unchanged.
    pub fn apply(&mut self, event: &Event) -> Result<(), HistoryError> {
        self.check(event)?;
        let sequence = if event.sequence == 0 { self.sequence + 1 } else { event.sequence };
        self.fold(sequence, event.at, &event.kind);
        Ok(())
    }

    /// Folds an event that can follow those before.
    // Inlined: see `Machine::emit`.
    #[inline(always)]
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of event")]
    pub(crate) fn fold(&mut self, sequence: u64, at: RunTime, kind: &EventKind) {
        self.sequence = sequence;
        if let Phase::Working(_) = self.phase {
            let worked = at.minus(self.now);
            self.working = self.working.plus(worked);
            if let Some(step) = &mut self.current {
                step.worked = step.worked.plus(worked);
            }
        }
        self.pass_time(at);
        match kind {
            EventKind::RunStarted { evaluated, evaluates_first } => {
                self.started(*evaluated, *evaluates_first);
            }
            EventKind::QuestionAsked { index, guardrail, question } => {
                self.next.asked = Some((*index, guardrail.clone(), question.clone()));
                (self.phase, self.action) = (Phase::Asking, sequence);
            }
            EventKind::QuestionAnswered { answer } => self.answered(answer.as_ref()),
            EventKind::WaitStarted { before, duration } => {
                (self.retry_after, self.wait_ends) = (None, self.now.after(*duration));
                (self.phase, self.action) = (Phase::Waiting(*before), sequence);
            }
            EventKind::WaitFinished {} => self.waited(),
            EventKind::IterationStarted { iteration, .. } => self.began(*iteration),
            EventKind::IterationFinished { result, notes } => self.iterated(result, notes.as_deref()),
            EventKind::EvaluationStarted {} => {
                self.next.evaluations += 1;
                (self.phase, self.action) = (Phase::Working(Stage::Evaluation), sequence);
            }
            EventKind::EvaluationFinished { result, notes } => {
                let verdict = match result {
                    WorkResult::Done(verdict) => Some(verdict.clone()),
                    _ => None,
                };
                if let Some(step) = &mut self.current {
                    step.verdict = verdict;
                }
                self.finish_work(result, notes.as_deref(), Stage::Evaluation);
            }
            EventKind::StepSettled { met, by } => self.settled(*met, by.as_deref()),
            EventKind::UsageReported { usage } => self.used(usage),
            EventKind::DeadlinePassed {} => {}
            // A run that was about to end, because its goal is met or for another reason, ends that way.
            EventKind::CancelRequested {} => {
                self.due.get_or_insert_with(Ending::cancelled);
            }
            EventKind::HaltRequested { halt } => {
                self.due.get_or_insert_with(|| Ending::halted(Halt::clone(halt)));
            }
            EventKind::InterruptRequested { cause } => {
                self.interrupted = true;
                self.due = Some(Ending::clone(cause));
            }
            EventKind::WorkCut { notes } => self.cut(notes.as_deref()),
            EventKind::RunResumed {} => self.resumed(),
            EventKind::Granted { grant } => {
                self.granted.get_or_insert_default().add_limits(grant);
                if let Some(note) = &grant.note {
                    self.next.guide(note);
                }
            }
            EventKind::RunFinished { ending } => {
                self.ending = Some(Ending::clone(ending));
                (self.phase, self.action) = (Phase::Ended, sequence);
            }
        }
    }

    /// Advances the run time without any other change.
    pub(crate) fn pass_time(&mut self, at: RunTime) {
        self.now = self.now.max(at);
    }

    fn started(&mut self, evaluated: bool, evaluates_first: bool) {
        self.evaluated = evaluated;
        self.phase = match evaluated && evaluates_first {
            true => {
                self.current =
                    Some(StepRecord { started: self.now, produced: true, ..StepRecord::default() });
                Phase::Before(Stage::Evaluation)
            }
            false => Phase::Before(Stage::Iteration),
        };
    }

    fn answered(&mut self, answer: Option<&Answer>) {
        self.phase = Phase::Before(Stage::Iteration);
        let Some((index, guardrail, question)) = &self.next.asked else { return };
        let halt = match answer {
            Some(Answer::Continue { guidance }) => {
                self.next.acknowledged.push((*index, guardrail.clone()));
                self.next.asked = None;
                if let Some(note) = guidance {
                    self.next.guide(note);
                }
                return;
            }
            Some(Answer::Stop) => Halt::new(StopReason::Declined, "a person said no"),
            None => question.unanswered.clone(),
        };
        let ending = Ending::halted_by(guardrail.clone(), halt);
        self.due.get_or_insert(ending);
    }

    fn waited(&mut self) {
        if let Phase::Waiting(stage) = self.phase {
            self.next.paced |= stage == Stage::Iteration;
            self.phase = Phase::Before(stage);
        }
    }

    fn began(&mut self, iteration: u64) {
        // An earlier attempt that was deferred, or died with the run.
        if let Some(StepRecord { usage, .. }) = &self.current {
            self.next.unpriced |= !usage.is_unknown() && !usage.is_priced();
            self.next.uncounted |= usage.are_tokens_partial;
        }
        self.cut_work = None;
        self.quality_before = self.usage.cost.map(|cost| cost.quality);
        self.current = Some(StepRecord { iteration, started: self.now, ..StepRecord::default() });
        (self.phase, self.action) = (Phase::Working(Stage::Iteration), self.sequence);
    }

    fn iterated(&mut self, result: &WorkResult<()>, notes: Option<&Notes>) {
        self.finish_work(result, notes, Stage::Iteration);
        self.revise(notes);
        if let Some(step) = &mut self.current {
            step.produced = matches!(result, WorkResult::Done(()));
        }
        if !matches!(result, WorkResult::Later { .. }) {
            self.used_up();
        }
        if matches!(result, WorkResult::Halted(_)) {
            // If the run is resumed, there is no output to judge.
            self.current = None;
        }
    }

    /// Marks the iteration as used up and resets its state for the next one.
    fn used_up(&mut self) {
        self.iterations += 1;
        if let Some(StepRecord { usage, .. }) = &self.current {
            self.unpriced += u64::from(self.next.unpriced || !usage.is_priced());
            self.uncounted += u64::from(self.next.uncounted || !usage.is_counted());
        }
        // The guidance stays until the step is settled: an evaluator's death must not lose it.
        self.next.reset();
    }

    /// Handles what iterations and evaluations have in common when they end by themselves.
    fn finish_work<T>(&mut self, result: &WorkResult<T>, notes: Option<&Notes>, stage: Stage) {
        self.action = self.sequence;
        match result {
            WorkResult::Later { .. } => self.bill(notes),
            // If the run is resumed, the evaluator judges the step again.
            WorkResult::Halted(_) if stage == Stage::Evaluation => self.bill(notes),
            _ => self.note(notes),
        }
        self.phase = match result {
            WorkResult::Done(_) if stage == Stage::Iteration && self.evaluated => {
                Phase::Before(Stage::Evaluation)
            }
            WorkResult::Done(_) => Phase::Settling,
            WorkResult::Failed(message) => {
                if let Some(step) = &mut self.current {
                    step.failure = Some(Arc::clone(message));
                }
                Phase::Settling
            }
            WorkResult::Later { after } => {
                self.next.deferrals += 1;
                self.retry_after = Some(*after);
                Phase::Before(stage)
            }
            WorkResult::Halted(halt) => {
                self.due = Some(Ending::halted(halt.clone()));
                Phase::Before(stage)
            }
        };
    }

    /// Applies an iteration's final word on the quality of its reported cost.
    fn revise(&mut self, notes: Option<&Notes>) {
        let Some(quality) = notes.and_then(|notes| notes.cost_quality) else { return };
        if let Some(cost) = self.current.as_mut().and_then(|step| step.usage.cost.as_mut()) {
            cost.quality = quality;
        }
        if let Some(cost) = &mut self.usage.cost {
            cost.quality = self.quality_before.map_or(quality, |before| before.max(quality));
        }
    }

    /// Records only the usage of work that will be repeated from its beginning.
    fn bill(&mut self, notes: Option<&Notes>) {
        if let Some(notes) = notes {
            self.used(&notes.usage);
        }
    }

    #[inline]
    fn note(&mut self, notes: Option<&Notes>) {
        if let Some(notes) = notes {
            self.add(notes);
        }
    }

    fn add(&mut self, notes: &Notes) {
        self.used(&notes.usage);
        let Some(step) = &mut self.current else { return };
        step.take_texts(notes);
        step.marks.extend_from_slice(&notes.marks);
        let iteration = step.iteration;
        for mark in &notes.marks {
            self.marks.record(mark, iteration);
        }
    }

    fn used(&mut self, usage: &Usage) {
        self.usage += *usage;
        // Usage that comes late, between two steps, belongs to the run and to no step.
        if let Some(step) = &mut self.current {
            step.usage += *usage;
        }
    }

    fn settled(&mut self, met: bool, by: Option<&str>) {
        if met {
            self.due = Some(Ending::goal_met(by.unwrap_or_default()));
        }
        if let Some(step) = &self.current {
            self.failures = if step.is_failed() { self.failures + 1 } else { 0 };
            if step.score().is_some() && step.score() >= self.best.as_ref().and_then(StepRecord::score) {
                self.best = Some(step.clone());
            }
            // Without an iteration, nobody has read the guidance yet.
            if step.iteration > 0 {
                self.next.guidance = None;
            }
            self.last = self.current.take();
        }
        self.next.reset();
        self.phase = Phase::Before(Stage::Iteration);
    }

    fn cut(&mut self, notes: Option<&Notes>) {
        let Phase::Working(stage) = self.phase else { return };
        (self.interrupted, self.phase) = (false, Phase::Before(stage));
        match stage {
            Stage::Iteration => {
                self.note(notes);
                self.revise(notes);
                self.used_up();
                self.current = None;
                self.cut_work = notes.and_then(|notes| notes.cut_work.clone());
            }
            // If the run is resumed, the evaluator judges the step again.
            Stage::Evaluation => self.bill(notes),
        }
    }

    /// Continues the run after it died in the middle of something, or after it ended.
    fn resumed(&mut self) {
        match self.phase {
            // It was about to end when it died: it ends.
            Phase::Working(_) if self.due.is_some() => self.cut(None),
            Phase::Working(stage) => {
                self.next.deaths += 1;
                self.phase = Phase::Before(stage);
            }
            Phase::Waiting(stage) => self.phase = Phase::Before(stage),
            // Nobody has answered.
            Phase::Asking => {
                self.next.asked = None;
                self.phase = Phase::Before(Stage::Iteration);
            }
            Phase::Ended => self.reopened(),
            Phase::New | Phase::Before(_) | Phase::Settling => {}
        }
    }

    /// Reopens an ended run. The person who resumes it has seen why it ended.
    fn reopened(&mut self) {
        self.due = None;
        // Retry deferred work at once: people resume when they expect it to work.
        self.retry_after = None;
        self.next.deferrals = 0;
        if let Some(ending) = self.ending.take() {
            self.acknowledged(&ending);
        }
        // If a step is done but not judged, judge it now instead of repeating it.
        let stage = if self.awaits_judgement() { Stage::Evaluation } else { Stage::Iteration };
        self.phase = Phase::Before(stage);
    }

    /// Resuming counts as a human review if the ending required one: the run must not end again for the same reason.
    /// Iterations that were used up stay used up.
    fn acknowledged(&mut self, ending: &Ending) {
        if ending.is_blockable() {
            self.failures = 0;
            self.marks.reset();
        }
        // They have seen how often it died only if that is why it ended.
        if ending.reason() == Some(&StopReason::AttemptsExhausted) {
            self.next.deaths = 0;
        }
        // They have seen the question only if that is why it ended.
        if let Some((index, guardrail, _)) = self.next.asked.take()
            && ending.guardrail() == Some(&*guardrail)
        {
            self.next.acknowledged.push((index, guardrail));
        }
    }
}
