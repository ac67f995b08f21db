//! Each action of a run has exactly one answer. A second answer, a late one, and one from elsewhere are refused, and
//! change nothing.

use std::{collections::HashSet, mem};

use loop_core::{
    Action, ActionId, CancellationToken, Input, IterationContext, Loop, Machine, Notes, Parts, RunTime, Step,
    Verdict, WorkResult, condition_fn, iteration_fn,
};
use proptest::{collection::vec, sample::Index};

use crate::scenario::{Exchange, Simulator, also_holds, holds, settings, simulator_machine};

/// Passes an answer to the machine that it has to refuse.
fn refuses(machine: &mut Machine, at: RunTime, answer: &Input) {
    let (before, events) = (machine.progress().clone(), machine.events().len());
    let refused = machine.handle(at, answer.clone()).expect_err("an answer that came before");
    assert_eq!(Some(refused.id()), answer.id());
    assert!(refused.to_string().contains("is refused"), "{refused}");
    assert_eq!((machine.progress(), machine.events().len()), (&before, events));
}

/// Returns an answer of each kind.
fn answers(id: ActionId) -> [Input; 5] {
    [
        Input::Iterated { id, result: WorkResult::Done(()), notes: None },
        Input::Evaluated { id, result: WorkResult::Done(Verdict::pass()), notes: None },
        Input::Settled { id, met: true, by: None },
        Input::Waited { id },
        Input::Answered { id, answer: None },
    ]
}

#[test]
fn exactly_one_answer() {
    holds(settings(vec(proptest::prelude::any::<Index>(), 1..4)), |(scenario, picks)| {
        let run = Simulator::run(&scenario);
        let (mut machine, _) = simulator_machine(&scenario);
        let mut given: Vec<Input> = Vec::new();
        for Exchange { at, input, action, .. } in &run.exchanges {
            for pick in picks.iter().filter(|_| !given.is_empty()) {
                refuses(&mut machine, *at, pick.get(&given));
            }
            for other in input.id().into_iter().flat_map(answers) {
                if mem::discriminant(&other) != mem::discriminant(input) {
                    refuses(&mut machine, *at, &other);
                }
            }
            assert_eq!(machine.handle(*at, input.clone()), Ok(action.clone()));
            let outstanding = machine.outstanding().map(|(_, outstanding)| outstanding);
            assert!(action.is_none() || outstanding == *action, "{action:?} is {outstanding:?}");
            given.extend(input.id().map(|_| input.clone()));
        }
        let ids: HashSet<ActionId> = given.iter().filter_map(Input::id).collect();
        assert_eq!(ids.len(), given.len(), "two actions have one id");
    });
}

/// A worker that everybody thought dead answers after the run has resumed without it.
#[test]
fn exactly_one_answer_over_deaths() {
    also_holds(settings(proptest::prelude::any::<Index>()), |(scenario, death)| {
        let run = Simulator::run(&scenario);
        let Exchange { at, events, .. } = death.get(&run.exchanges);
        let (mut machine, _) = simulator_machine(&scenario);
        machine.restore(&run.events[..*events]).expect("a history");
        let Some((id, action)) = machine.outstanding() else { return };
        let answer = match action {
            Action::Wait(_) => Input::Waited { id },
            Action::Ask(_) => Input::Answered { id, answer: None },
            Action::Evaluate => {
                Input::Evaluated { id, result: WorkResult::Done(Verdict::pass()), notes: None }
            }
            Action::Iterate { .. } | Action::Interrupt { .. } => {
                Input::Iterated { id, result: WorkResult::Done(()), notes: None }
            }
            // Asking the condition again gives the same answer, and a run that is over has none.
            _ => return,
        };
        machine.handle(*at, Input::Resumed).expect("no answer");
        refuses(&mut machine, *at, &answer);
    });
}

/// A driver that died between storing the events and beginning the action goes on as if it had not died.
#[test]
fn exactly_one_answer_of_a_restored_action() {
    also_holds(settings(proptest::prelude::any::<Index>()), |(scenario, death)| {
        let run = Simulator::run(&scenario);
        let died = death.index(run.exchanges.len());
        let stored = &run.events[..run.exchanges[died].events];
        let (mut live, _) = simulator_machine(&scenario);
        for Exchange { at, input, .. } in &run.exchanges[..=died] {
            live.handle(*at, input.clone()).expect("the same inputs");
        }
        let (mut restored, _) = simulator_machine(&scenario);
        restored.restore(stored).expect("a history");
        assert_eq!(restored.outstanding(), live.outstanding());
        for Exchange { at, input, action, .. } in &run.exchanges[died + 1..] {
            assert_eq!(restored.handle(*at, input.clone()), Ok(action.clone()));
        }
        assert_eq!(restored.progress(), &run.progress);
    });
}

/// A run that has to end hears of that once, also if a wrong answer comes first.
#[test]
fn a_refused_answer_hides_no_cancellation() {
    for is_iterated in [false, true] {
        let (token, now) = (CancellationToken::new(), RunTime::ZERO);
        let agent = iteration_fn(async |_: IterationContext<()>| Ok(()));
        let never = condition_fn(|_: &Step<()>, _| false);
        let run = Loop::new(agent).until(never).at_most(3).cancel_on(token.clone());
        let Parts { mut run, .. } = run.into_parts().expect("a loop");
        run.begin(now);
        token.cancel();
        let (id, done) = (ActionId::default(), WorkResult::Done(()));
        let refused = match is_iterated {
            true => run.iterated(now, id, done, Notes::default()),
            false => run.handle(now, Input::Waited { id }),
        };
        refused.expect_err("no such action is outstanding");
        assert!(matches!(run.handle(now, Input::Cancelled), Ok(Some(Action::Interrupt { .. }))));
        assert_eq!(run.handle(now, Input::Cancelled), Ok(None));
        let told = run.events().iter().filter(|event| event.kind.name() == "cancel_requested");
        assert_eq!(told.count(), 1);
    }
}

/// The messages, for people.
#[test]
fn a_refusal_says_what_is_outstanding() {
    let mut machine = Machine::new(Vec::new(), Box::new(std::time::Duration::ZERO), false);
    let done = |id| Input::Iterated { id, result: WorkResult::Done(()), notes: None };
    let mut refusal = |input: Input| {
        machine.handle(RunTime::ZERO, input).map_or_else(|refused| refused.to_string(), |_| String::new())
    };
    assert_eq!(
        refusal(done(ActionId::default())),
        "the answer `iterated` to iteration 0, attempt 0 (event 0) is refused: no action waits for an answer; \
         start or resume the run first"
    );
    assert_eq!(refusal(Input::Started), "");
    let id = |iteration, event| {
        let json = format!(r#"{{"iteration":{iteration},"attempt":1,"event":{event}}}"#);
        serde_json::from_str::<ActionId>(&json).expect("an id")
    };
    assert_eq!(
        refusal(Input::Waited { id: id(1, 2) }),
        "the answer `waited` to iteration 1, attempt 1 (event 2) is refused: that action is `iterate`, which has \
         another kind of answer"
    );
    assert_eq!(refusal(done(id(1, 2))), "");
    assert_eq!(
        refusal(done(id(1, 2))),
        "the answer `iterated` to iteration 1, attempt 1 (event 2) is refused: that action has its answer, or the run \
         went on without it; `settle` of iteration 1, attempt 1 (event 3) is outstanding"
    );
    assert_eq!(
        refusal(done(id(7, 40))),
        "the answer `iterated` to iteration 7, attempt 1 (event 40) is refused: this run has not begun such an \
         action; `settle` of iteration 1, attempt 1 (event 3) is outstanding; is the answer from another run?"
    );
}
