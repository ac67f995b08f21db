//! How events change the progress. Nothing else changes it.

use std::sync::Arc;

use super::{NextIteration, Phase, Progress};
use crate::{
    Answer, CostQuality, Ending, Halt, StepRecord, StopReason, Usage,
    event::{Event, EventKind, Notes, Stage, WorkResult},
};

impl Progress {
    /// Folds one event into it.
    pub fn apply(&mut self, event: &Event) {
        if let Phase::Working(_) = self.phase {
            self.working += event.at.since(self.now);
        }
        self.now = self.now.max(event.at);
        match &event.kind {
            EventKind::RunStarted { evaluated } => {
                self.evaluated = *evaluated;
                self.phase = Phase::Before(Stage::Iteration);
            }
            EventKind::QuestionAsked { index, guardrail, question } => {
                self.next.asked = Some((*index, guardrail.clone(), question.unanswered.clone()));
                self.phase = Phase::Asking;
            }
            EventKind::QuestionAnswered { answer } => self.answered(answer.as_ref()),
            EventKind::WaitStarted { before, .. } => {
                self.retry_after = None;
                self.phase = Phase::Waiting(*before);
            }
            EventKind::WaitFinished {} => self.waited(),
            EventKind::IterationStarted { iteration, .. } => self.began(*iteration),
            EventKind::IterationFinished { result, notes } => self.iterated(result, notes.as_deref()),
            EventKind::EvaluationStarted {} => self.phase = Phase::Working(Stage::Evaluation),
            EventKind::EvaluationFinished { result, notes } => {
                let verdict = match result {
                    WorkResult::Done(verdict) => Some(verdict.clone()),
                    _ => None,
                };
                self.current_mut().verdict = verdict;
                self.finish_work(result, notes.as_deref(), Stage::Evaluation);
            }
            EventKind::StepSettled { met, by } => self.settled(*met, by.as_deref()),
            EventKind::UsageReported { usage } => self.used(usage),
            EventKind::DeadlinePassed {} => {}
            EventKind::CancelRequested {} => self.due = Some(Ending::plain(StopReason::Cancelled)),
            // A run that was about to end for another reason ends for that one.
            EventKind::HaltRequested { halt } => {
                self.due.get_or_insert_with(|| Ending { halt: Halt::clone(halt), guardrail: None });
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
                self.phase = Phase::Ended;
            }
        }
    }

    fn answered(&mut self, answer: Option<&Answer>) {
        self.phase = Phase::Before(Stage::Iteration);
        let Some((index, guardrail, unanswered)) = &self.next.asked else { return };
        let halt = match answer {
            Some(Answer::Continue { guidance }) => {
                self.next.acknowledged.push((*index, guardrail.clone()));
                if let Some(note) = guidance {
                    self.next.guide(note);
                }
                return;
            }
            Some(Answer::Stop) => Halt::new(StopReason::Declined, "a person said no"),
            None => unanswered.clone(),
        };
        self.due = Some(Ending { halt, guardrail: Some(guardrail.clone()) });
    }

    fn waited(&mut self) {
        if let Phase::Waiting(stage) = self.phase {
            self.next.paced |= stage == Stage::Iteration;
            self.phase = Phase::Before(stage);
        }
    }

    fn began(&mut self, iteration: u64) {
        self.quality_before = self.usage.cost.map(|cost| cost.quality);
        self.current = Some(StepRecord { iteration, started: self.now, ..StepRecord::default() });
        self.phase = Phase::Working(Stage::Iteration);
    }

    fn iterated(&mut self, result: &WorkResult<()>, notes: Option<&Notes>) {
        self.finish_work(result, notes, Stage::Iteration);
        self.revise(notes);
        self.current_mut().produced = matches!(result, WorkResult::Done(()));
        if !matches!(result, WorkResult::Later { .. }) {
            self.used_up();
        }
        if matches!(result, WorkResult::Halted(_)) {
            // There is no output to judge, should the run be taken up again.
            self.current = None;
        }
    }

    /// The index is used up; what was known for it is not known for the next one.
    fn used_up(&mut self) {
        self.iterations += 1;
        if let Some(StepRecord { usage, .. }) = &self.current {
            let is_priced = usage.cost.is_some_and(|cost| cost.quality < CostQuality::Partial);
            self.unpriced += u64::from(!is_priced);
            self.uncounted += u64::from(usage.tokens().is_none());
        }
        // The guidance stays until the step is settled: an evaluator's death must not lose it.
        let guidance = self.next.guidance.take();
        self.next = NextIteration { guidance, ..NextIteration::default() };
    }

    /// What iterations and evaluations have in common when they come to their end by themselves.
    fn finish_work<T>(&mut self, result: &WorkResult<T>, notes: Option<&Notes>, stage: Stage) {
        match result {
            WorkResult::Later { .. } => self.bill(notes),
            // Should the run be taken up again, the step is judged again.
            WorkResult::Halted(_) if stage == Stage::Evaluation => self.bill(notes),
            _ => self.note(notes),
        }
        self.phase = match result {
            WorkResult::Done(_) if stage == Stage::Iteration && self.evaluated => {
                Phase::Before(Stage::Evaluation)
            }
            WorkResult::Done(_) => Phase::Settling,
            WorkResult::Failed(message) => {
                self.current_mut().failure = Some(Arc::clone(message));
                Phase::Settling
            }
            WorkResult::Later { after } => {
                self.next.deferrals += 1;
                self.retry_after = Some(*after);
                Phase::Before(stage)
            }
            WorkResult::Halted(halt) => {
                self.due = Some(Ending { halt: halt.clone(), guardrail: None });
                Phase::Before(stage)
            }
        };
    }

    /// What an iteration reported of its cost is better known, or worse, now that it has ended.
    fn revise(&mut self, notes: Option<&Notes>) {
        let Some(quality) = notes.and_then(|notes| notes.cost_quality) else { return };
        if let Some(cost) = &mut self.current_mut().usage.cost {
            cost.quality = quality;
        }
        if let Some(cost) = &mut self.usage.cost {
            cost.quality = self.quality_before.map_or(quality, |before| before.max(quality));
        }
    }

    /// What work leaves behind that will be done again from its beginning: nothing but its bill.
    fn bill(&mut self, notes: Option<&Notes>) {
        if let Some(notes) = notes {
            self.used(&notes.usage);
        }
    }

    fn note(&mut self, notes: Option<&Notes>) {
        let now = self.now;
        self.current_mut().finished = now;
        let Some(notes) = notes else { return };
        self.used(&notes.usage);
        let step = self.current_mut();
        if notes.fault.is_some() {
            step.fault.clone_from(&notes.fault);
        }
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
            let halt = Halt::new(StopReason::GoalMet, by.unwrap_or_default());
            self.due = Some(Ending { halt, guardrail: None });
        }
        if let Some(step) = self.current.take() {
            self.failures = if step.is_failed() { self.failures + 1 } else { 0 };
            self.last = Some(step);
        }
        self.next = NextIteration::default();
        self.phase = Phase::Before(Stage::Iteration);
    }

    fn cut(&mut self, notes: Option<&Notes>) {
        let Phase::Working(stage) = self.phase else { return };
        self.interrupted = false;
        self.phase = Phase::Before(stage);
        match stage {
            Stage::Iteration => {
                self.note(notes);
                self.revise(notes);
                self.used_up();
                self.current = None;
            }
            // Should the run be taken up again, the step is judged again.
            Stage::Evaluation => self.bill(notes),
        }
    }

    /// The run goes on after it died in the middle of something, or after it had ended.
    fn resumed(&mut self) {
        match self.phase {
            // It was about to end when it died: it ends.
            Phase::Working(_) if self.due.is_some() => self.cut(None),
            Phase::Working(stage) => {
                self.next.deaths += 1;
                self.phase = Phase::Before(stage);
            }
            Phase::Waiting(stage) => self.phase = Phase::Before(stage),
            Phase::Asking => self.phase = Phase::Before(Stage::Iteration),
            Phase::Ended => self.reopened(),
            Phase::New | Phase::Before(_) | Phase::Settling => {}
        }
    }

    /// Somebody wants a run to go on that had ended: they have seen why.
    fn reopened(&mut self) {
        self.due = None;
        if let Some(ending) = self.ending.take() {
            self.acknowledged(&ending);
        }
        self.next.deferrals = 0;
        if let Some((index, guardrail, _)) = &self.next.asked {
            self.next.acknowledged.push((*index, guardrail.clone()));
        }
        // A step that was done and not judged is judged now, and not done again.
        let stage = if self.awaits_judgement() { Stage::Evaluation } else { Stage::Iteration };
        self.phase = Phase::Before(stage);
    }

    /// A person has looked, if the run ended so that one had to; then it does not end again for what they have
    /// seen. What is used up stays so.
    fn acknowledged(&mut self, ending: &Ending) {
        if ending.is_blockable() {
            self.failures = 0;
            self.marks.begin_anew();
        }
        // They have seen how often it died only if that is why it ended.
        if ending.reason() == &StopReason::AttemptsExhausted {
            self.next.deaths = 0;
        }
    }

    /// Events that belong to a step come between its beginning and its end; one that does not, in a
    /// damaged history, gets a step of its own rather than a panic.
    fn current_mut(&mut self) -> &mut StepRecord {
        self.current.get_or_insert_default()
    }
}
