//! The texts in an event that come from agents, evaluators and people.

use std::{mem, sync::Arc};

use crate::{
    Answer, Event, EventKind, Halt, Question, Verdict,
    event::{Notes, WorkResult},
};

/// Gives a text's replacement, or `None` to leave it as it is.
type Change<'a> = &'a mut dyn FnMut(&str) -> Option<String>;

impl Event {
    /// Changes the texts that come from outside: messages, faults, questions, people's notes, an evaluator's texts, and
    /// the name of the condition that decided. Use it to redact secrets. It leaves the names of guardrails, marks and
    /// reasons alone: they come from the program itself, which matches parts by name.
    ///
    /// ```
    /// use loop_core::{Event, EventKind, RunTime, WorkResult};
    /// let failed = |text: &str| EventKind::IterationFinished {
    ///     result: WorkResult::Failed(text.into()),
    ///     notes: None,
    /// };
    /// let mut event = Event::new(RunTime::ZERO, failed("no access with hunter2"));
    /// event.change_texts(&mut |text| text.contains("hunter2").then(|| text.replace("hunter2", "***")));
    /// assert_eq!(event.kind, failed("no access with ***"));
    /// ```
    pub fn change_texts(&mut self, change: &mut dyn FnMut(&str) -> Option<String>) {
        // The match lists every kind, so that adding a kind forces a decision about its texts.
        match &mut self.kind {
            EventKind::QuestionAsked { question, .. } => asked(question, change),
            EventKind::QuestionAnswered { answer } => {
                if let Some(Answer::Continue { guidance: Some(guidance) }) = answer {
                    text(guidance, change);
                }
            }
            EventKind::IterationFinished { result, notes } => {
                ended(result, change, |(), _| {});
                noted(notes, change);
            }
            EventKind::EvaluationFinished { result, notes } => {
                ended(result, change, judged);
                noted(notes, change);
            }
            EventKind::WorkCut { notes } => noted(notes, change),
            EventKind::Granted { grant } => {
                if let Some(note) = &mut grant.note {
                    text(note, change);
                }
            }
            EventKind::HaltRequested { halt } => text(&mut halt.message, change),
            // It may quote what the condition looks for, and it becomes the message of the run's end.
            EventKind::StepSettled { by: Some(by), .. } => {
                if let Some(changed) = change(by) {
                    *by = changed.into();
                }
            }
            EventKind::InterruptRequested { cause: ending } | EventKind::RunFinished { ending } => {
                text(ending.message_mut(), change);
            }
            EventKind::RunStarted { .. }
            | EventKind::WaitStarted { .. }
            | EventKind::WaitFinished {}
            | EventKind::IterationStarted { .. }
            | EventKind::EvaluationStarted {}
            | EventKind::StepSettled { by: None, .. }
            | EventKind::UsageReported { .. }
            | EventKind::DeadlinePassed {}
            | EventKind::CancelRequested {}
            | EventKind::RunResumed {} => {}
        }
    }
}

fn text(text: &mut String, change: Change<'_>) {
    if let Some(changed) = change(text) {
        *text = changed;
    }
}

fn shared(text: &mut Arc<str>, change: Change<'_>) {
    if let Some(changed) = change(text) {
        *text = changed.into();
    }
}

fn asked(question: &mut Question, change: Change<'_>) {
    let Question { text: asked, unanswered: Halt { message, .. } } = question;
    text(asked, change);
    text(message, change);
}

fn ended<T>(result: &mut WorkResult<T>, change: Change<'_>, done: impl FnOnce(&mut T, Change<'_>)) {
    match result {
        WorkResult::Done(value) => done(value, change),
        WorkResult::Failed(message) => shared(message, change),
        WorkResult::Halted(halt) => text(&mut halt.message, change),
        WorkResult::Later { .. } => {}
    }
}

fn judged(verdict: &mut Verdict, change: Change<'_>) {
    let said = change(verdict.text());
    let advised = verdict.feedback().and_then(&mut *change);
    if said.is_none() && advised.is_none() {
        return;
    }
    let mut changed = mem::replace(verdict, Verdict::inconclusive());
    if let Some(said) = said {
        changed = changed.with_text(said);
    }
    if let Some(advised) = advised {
        changed = changed.with_feedback(advised);
    }
    *verdict = changed;
}

fn noted(notes: &mut Option<Box<Notes>>, change: Change<'_>) {
    if let Some(Notes { fault, cut_work, .. }) = notes.as_deref_mut() {
        fault.iter_mut().chain(cut_work).for_each(|text| shared(text, &mut *change));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ending, Grant, RunTime, StopReason};

    const SECRET: &str = "hunter2";

    /// Each place that a text from outside has in an event, with the secret in it.
    fn events() -> Vec<EventKind> {
        let said = |what: &str| format!("{what} {SECRET}, {SECRET}");
        let halt = || Halt::new(StopReason::custom("of_my_own"), said("halt"));
        let notes = || {
            let (fault, cut_work) = (Some(said("fault").into()), Some(said("cut work").into()));
            Notes { fault, cut_work, ..Notes::default() }.boxed()
        };
        let ending = || Box::new(Ending::halted_by("budget", halt()));
        let question = Question { text: said("question"), unanswered: halt() };
        let answer = |guidance| EventKind::QuestionAnswered { answer: Some(Answer::Continue { guidance }) };
        let iterated = |result| EventKind::IterationFinished { result, notes: notes() };
        let judged = |result| EventKind::EvaluationFinished { result, notes: notes() };
        let verdict = Verdict::fail;
        vec![
            EventKind::QuestionAsked { index: 0, guardrail: "g".to_owned(), question: Box::new(question) },
            answer(Some(said("guidance"))),
            answer(None),
            iterated(WorkResult::Done(())),
            iterated(WorkResult::Failed(said("failure").into())),
            iterated(WorkResult::Halted(halt())),
            judged(WorkResult::Done(verdict().with_text(said("text")))),
            judged(WorkResult::Done(verdict().with_feedback(said("feedback")).with_score(0.5))),
            judged(WorkResult::Done(verdict().with_text(said("text")).with_feedback(said("feedback")))),
            judged(WorkResult::Done(verdict().with_text("nothing of it"))),
            judged(WorkResult::Failed(said("failure").into())),
            EventKind::StepSettled { met: true, by: Some(said("condition").into()) },
            EventKind::WorkCut { notes: notes() },
            EventKind::Granted { grant: Box::new(Grant { note: Some(said("note")), ..Grant::default() }) },
            EventKind::HaltRequested { halt: Box::new(halt()) },
            EventKind::InterruptRequested { cause: ending() },
            EventKind::RunFinished { ending: ending() },
        ]
    }

    #[test]
    fn every_text_from_outside_is_changed_and_nothing_else() {
        for kind in events() {
            let mut event = Event::new(RunTime::ZERO, kind);
            let before = serde_json::to_string(&event).unwrap();
            event.change_texts(&mut |_| None);
            assert_eq!(serde_json::to_string(&event).unwrap(), before);
            event.change_texts(&mut |text| text.contains(SECRET).then(|| text.replace(SECRET, "***")));
            assert_eq!(serde_json::to_string(&event).unwrap(), before.replace(SECRET, "***"));
        }
    }
}
