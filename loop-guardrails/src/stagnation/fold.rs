//! The traces of the steps of a run, as a fold of its events.

use std::collections::VecDeque;

use loop_core::{Event, EventKind, Notes, WorkResult};
use serde::{Deserialize, Serialize};

use super::{CHECK_MARK, JUDGED_MARK, PUT_BACK_MARK, ScoreGain, Stagnation};

/// The number of different states of the files that are remembered.
const STATES: usize = 16;

/// The marks of one step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Step {
    files: Option<u64>,
    check: Option<u64>,
    put_back: Option<u64>,
    #[serde(default)]
    judged: Option<u64>,
    /// The bits of the score.
    score: Option<u64>,
}

/// Counts over the judged steps.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Fold {
    /// The step that is not settled, if an iteration has begun.
    current: Option<Step>,
    last: Step,
    /// The number of steps in a row with the files and the check output of the last one.
    pub(super) same: u64,
    /// The number of steps in a row after which the same was put back, and which left the same files.
    pub(super) put_back: u64,
    /// The number of steps in a row that brought earlier files back. Steps that changed nothing do not count.
    pub(super) returns: u64,
    /// The latest states of the files, each once, the last one at the end.
    states: VecDeque<u64>,
    /// The bits of the score that the next one has to improve.
    best: Option<u64>,
    /// The number of scores since then.
    pub(super) unimproved: u64,
}

impl Fold {
    pub(super) fn observe(&mut self, event: &Event, names: &Stagnation) {
        match &event.kind {
            EventKind::IterationStarted { .. } => self.current = Some(Step::default()),
            EventKind::IterationFinished { result: WorkResult::Done(()), notes } => {
                self.note(notes.as_deref(), names);
            }
            EventKind::EvaluationFinished { result: WorkResult::Done(_), notes } => {
                self.note(notes.as_deref(), names);
            }
            EventKind::StepSettled { .. } => {
                if let Some(step) = self.current.take().filter(|step| step.check.is_some()) {
                    self.settle(step, names.rules.score);
                }
            }
            _ => {}
        }
    }

    /// Forgets all counts, but not the step that is not judged yet.
    pub(super) fn start_anew(&mut self) {
        *self = Self { current: self.current, ..Self::default() };
    }

    pub(super) fn knows_files(&self) -> bool {
        self.current.is_some_and(|step| step.files.is_some())
    }

    /// Returns whether the last judged step had a fingerprint of its files.
    pub(super) fn had_files(&self) -> bool {
        self.last.files.is_some()
    }

    /// Returns the count of the same steps if the present one ends with this check.
    pub(super) fn repetitions(&self, check: u64) -> u64 {
        let Some(step) = self.current else { return 0 };
        self.same_with(&Step { check: Some(check), ..step })
    }

    fn note(&mut self, notes: Option<&Notes>, names: &Stagnation) {
        let (Some(step), Some(notes)) = (&mut self.current, notes) else { return };
        for mark in &notes.marks {
            let place = match &*mark.name {
                name if name == names.files_mark => &mut step.files,
                name if name == names.score_mark => &mut step.score,
                CHECK_MARK => &mut step.check,
                PUT_BACK_MARK => &mut step.put_back,
                JUDGED_MARK => &mut step.judged,
                _ => continue,
            };
            *place = Some(mark.hash);
        }
    }

    fn same_with(&self, step: &Step) -> u64 {
        let has_same_files =
            step.files == self.last.files || step.judged.is_some() && step.judged == self.last.judged;
        let is_same = step.check == self.last.check && has_same_files;
        if is_same { self.same + 1 } else { 1 }
    }

    fn settle(&mut self, step: Step, rule: Option<ScoreGain>) {
        self.same = self.same_with(&step);
        let is_put_back_again =
            (step.files, step.put_back) == (self.last.files, self.last.put_back) && self.put_back > 0;
        self.put_back = match step.put_back {
            Some(_) if is_put_back_again => self.put_back + 1,
            Some(_) => 1,
            None => 0,
        };
        if let Some(files) = step.files {
            self.enter(files);
        }
        if let (Some(rule), Some(score)) = (rule, step.score.map(f64::from_bits)) {
            self.measure(score, rule);
        }
        self.last = step;
    }

    /// Counts a return to earlier files.
    fn enter(&mut self, files: u64) {
        if self.states.back() == Some(&files) {
            return;
        }
        let earlier = self.states.iter().position(|state| *state == files);
        self.returns = if earlier.is_some() { self.returns + 1 } else { 0 };
        if let Some(place) = earlier {
            self.states.remove(place);
        }
        if self.states.len() == STATES {
            self.states.pop_front();
        }
        self.states.push_back(files);
    }

    /// Counts a score that is not much better than the best one before.
    fn measure(&mut self, score: f64, rule: ScoreGain) {
        let gain = |best: f64| if rule.is_lower_better { best - score } else { score - best };
        let is_better = self.best.is_none_or(|best| gain(f64::from_bits(best)) >= rule.gain);
        if is_better {
            (self.best, self.unimproved) = (Some(score.to_bits()), 0);
        } else {
            self.unimproved += 1;
        }
    }
}
