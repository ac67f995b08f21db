//! The next action, and the events that record its beginning.

use std::time::Duration;

use super::{Action, Machine};
use crate::{Decision, Ending, EventKind, Phase, Question, RunTime, event::Stage, run_time::whole_micros};

impl Machine {
    /// Decides the next action after [`tell`](Self::tell), and records its beginning now. Returns `None` while work is
    /// in progress, and before the run has started.
    pub fn decide(&mut self, at: RunTime) -> Option<Action> {
        match self.progress.phase {
            Phase::New | Phase::Working(_) => return None,
            Phase::Settling => return Some(Action::Settle),
            Phase::Ended => {
                return self.progress.ending().cloned().map(|ending| Action::Finish(Box::new(ending)));
            }
            Phase::Before(_) | Phase::Asking | Phase::Waiting(_) => {}
        }
        // The decision's event has this time.
        self.progress.pass_time(at);
        if let Some(ending) = &self.progress.due {
            let ending = self.attributed(ending.clone());
            return Some(self.finish(ending));
        }
        if let Some(ending) = self.exhausted() {
            return Some(self.finish(ending));
        }
        let Phase::Before(stage) = self.progress.phase else { return None };
        let after = self.progress.retry_after.filter(|after| !after.is_zero());
        // The first evaluation of a step always happens, so that the goal has the last word. If it has begun before, it
        // does not wait or begin again beyond a limit.
        if (after.is_some() || self.progress.next.evaluations > 0)
            && let Some(ending) = self.crossed()
        {
            return Some(self.finish(ending));
        }
        if let Some(after) = after {
            return Some(match self.too_late(after) {
                Some(ending) => self.finish(ending),
                None => self.wait(after, stage),
            });
        }
        Some(match stage {
            Stage::Iteration => self.before_iteration(),
            Stage::Evaluation => {
                self.emit(self.progress.now(), EventKind::EvaluationStarted {});
                Action::Evaluate
            }
        })
    }

    fn before_iteration(&mut self) -> Action {
        let mut question = None;
        for (index, guardrail) in self.guardrails.iter().enumerate() {
            let decision = guardrail.check(&self.progress);
            let left = guardrail.ceiling(&self.progress);
            match decision {
                Decision::Halt(halt) => {
                    let ending = Ending::halted_by(guardrail.name(), halt);
                    return self.finish(ending);
                }
                // Work that is ready at once is never interrupted, so a guardrail that only has a ceiling applies here.
                _ if left.is_exhausted() => {
                    let ending = Ending::halted_by(guardrail.name(), left.halt());
                    return self.finish(ending);
                }
                Decision::Continue => {}
                Decision::Ask(asked) => {
                    let name = guardrail.name();
                    if question.is_none() && !self.progress.next.is_acknowledged(index, name) {
                        question = Some((index, name.to_owned(), asked));
                    }
                }
            }
        }
        if let Some((index, guardrail, question)) = question {
            return self.ask(index, guardrail, question);
        }
        if self.progress.iterations() > 0 && !self.progress.next.paced {
            let delay = self.pace.delay(&self.progress);
            if !delay.is_zero() {
                return self.wait(delay, Stage::Iteration);
            }
        }
        let iteration = self.progress.iterations() + 1;
        let attempt = self.progress.next.deaths + 1;
        self.emit(self.progress.now(), EventKind::IterationStarted { iteration, attempt });
        Action::Iterate { iteration, attempt }
    }

    fn ask(&mut self, index: usize, guardrail: String, question: Question) -> Action {
        let question = Box::new(question);
        let asked = EventKind::QuestionAsked { index, guardrail, question: question.clone() };
        self.emit(self.progress.now(), asked);
        Action::Ask(question)
    }

    fn wait(&mut self, duration: Duration, before: Stage) -> Action {
        let duration = whole_micros(duration);
        self.emit(self.progress.now(), EventKind::WaitStarted { duration, before });
        Action::Wait(duration)
    }

    pub(super) fn finish(&mut self, ending: Ending) -> Action {
        let ending = Box::new(ending);
        self.emit(self.progress.now(), EventKind::RunFinished { ending: ending.clone() });
        Action::Finish(ending)
    }
}
