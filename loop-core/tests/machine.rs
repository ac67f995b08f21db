//! The machine by itself, where an example says more than a law.

use loop_core::{
    Action, Answer, Decision, EventKind, Guardrail, Halt, Input, Machine, Mark, MaxElapsed, Notes, Question,
    RunTime, StopReason, Usage, Verdict, WorkResult, guardrail_fn,
};
use std::time::Duration;

const NOW: RunTime = RunTime::ZERO;

fn machine(guardrails: Vec<Box<dyn Guardrail>>) -> Machine {
    Machine::new(guardrails, Box::new(Duration::ZERO), true)
}

fn iterated() -> Input {
    Input::Iterated { result: WorkResult::Done(()), notes: None }
}

fn notes() -> Option<Box<Notes>> {
    let mark = Mark { name: "exit_code".into(), hash: 143 };
    let usage = Usage::unknown().with_tokens(1, 1);
    Notes { usage, marks: vec![mark], fault: Some("it was stopped".into()) }.boxed()
}

/// A step that is judged again bears the marks of the verdict that counts, and no others.
#[test]
fn an_evaluation_that_is_done_again_leaves_only_its_bill() {
    let halted = WorkResult::Halted(Halt::new(StopReason::EvaluatorUnavailable, ""));
    let ends: [Vec<Input>; 2] = [
        vec![Input::Evaluated { result: halted, notes: notes() }],
        vec![
            Input::Cancelled,
            Input::Evaluated { result: WorkResult::Done(Verdict::fail()), notes: notes() },
        ],
    ];
    for end in ends {
        let mut run = machine(Vec::new());
        run.handle(NOW, Input::Started);
        assert_eq!(run.handle(NOW, iterated()), Some(Action::Evaluate));
        let last = end.into_iter().map(|input| run.handle(NOW, input)).last();
        assert!(matches!(last, Some(Some(Action::Finish(_)))), "{last:?}");
        assert_eq!(run.handle(NOW, Input::Resumed), Some(Action::Evaluate));
        let progress = run.progress();
        let step = progress.current_step().expect("the step that is judged again");
        assert_eq!((step.marks(), step.fault(), progress.unchanged("exit_code")), (&[][..], None, None));
        assert_eq!(step.usage().tokens(), Some(2));
    }
}

/// Asks before each iteration.
fn asks(name: &str) -> Box<dyn Guardrail> {
    let unanswered = Halt::new(StopReason::HitlCheckpoint, "");
    let question = Question { text: name.to_owned(), unanswered };
    Box::new(guardrail_fn(name, move |_| Decision::Ask(question.clone())))
}

#[test]
fn an_answer_to_one_guardrail_is_none_to_another_in_its_place() {
    let mut first = machine(vec![asks("old")]);
    first.handle(NOW, Input::Started);
    first.handle(NOW, Input::Answered { answer: Some(Answer::Continue { guidance: None }) });
    let events: Vec<_> = first.take_events().collect();

    let asked = |names: &[&str]| {
        let mut run = machine(names.iter().map(|name| asks(name)).collect());
        run.restore(&events);
        match run.handle(NOW, Input::Resumed) {
            Some(Action::Ask(question)) => Some(question.text),
            _ => None,
        }
    };
    assert_eq!(asked(&["old"]), None);
    assert_eq!(asked(&["new"]).as_deref(), Some("new"));
    assert_eq!(asked(&["old", "new"]).as_deref(), Some("new"));
}

#[test]
fn a_deadline_that_comes_too_late_writes_nothing() {
    let mut run = machine(vec![Box::new(MaxElapsed::seconds(9)), asks("checkpoint")]);
    assert!(matches!(run.handle(NOW, Input::Started), Some(Action::Ask(_))));
    assert_eq!(run.handle(NOW, Input::DeadlinePassed), None);
    run.handle(NOW, Input::Answered { answer: Some(Answer::Continue { guidance: None }) });
    run.handle(NOW, iterated());
    let failed = WorkResult::Failed("no verdict".into());
    assert_eq!(run.handle(NOW, Input::Evaluated { result: failed, notes: None }), Some(Action::Settle));
    assert_eq!(run.handle(NOW, Input::DeadlinePassed), None);
    assert!(run.take_events().all(|event| event.kind != EventKind::DeadlinePassed {}));
}
