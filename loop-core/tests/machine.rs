//! The machine alone, where an example is clearer than a law.

use loop_core::{
    Action, Answer, Ceiling, Cost, CostQuality, Decision, Ending, Event, EventKind, Grant, Guardrail, Halt,
    Input, Machine, MaxElapsed, Notes, Progress, Question, RunCost, RunTime, StopReason, Usage, Usd, Verdict,
    WorkResult, guardrail_fn,
};
use std::time::Duration;

use tell::{some_id, tell};

#[path = "machine/attribution.rs"]
mod attribution;
#[path = "machine/deferred_usage.rs"]
mod deferred_usage;
#[path = "machine/history.rs"]
mod history;
#[path = "laws/scenario/tell.rs"]
mod tell;

const NOW: RunTime = RunTime::ZERO;

fn machine(guardrails: Vec<Box<dyn Guardrail>>) -> Machine {
    Machine::new(guardrails, Box::new(Duration::ZERO), true)
}

fn iterated() -> Input {
    Input::Iterated { id: some_id(), result: WorkResult::Done(()), notes: None }
}

fn notes() -> Option<Box<Notes>> {
    let notes = Notes::default().with_usage(Usage::unknown().with_tokens(1, 1));
    notes.with_mark("exit_code", 143).with_fault("it was stopped").boxed()
}

/// A step that is judged again has only the marks of the verdict that counts.
#[test]
fn an_evaluation_that_is_done_again_leaves_only_its_bill() {
    let halted = WorkResult::Halted(Halt::new(StopReason::EvaluatorUnavailable, ""));
    let ends: [Vec<Input>; 2] = [
        vec![Input::Evaluated { id: some_id(), result: halted, notes: notes() }],
        vec![
            Input::Cancelled,
            Input::Evaluated { id: some_id(), result: WorkResult::Done(Verdict::fail()), notes: notes() },
        ],
    ];
    for end in ends {
        let mut run = machine(Vec::new());
        tell(&mut run, NOW, Input::Started);
        assert_eq!(tell(&mut run, NOW, iterated()), Some(Action::Evaluate));
        let last = end.into_iter().map(|input| tell(&mut run, NOW, input)).last();
        assert!(matches!(last, Some(Some(Action::Finish(_)))), "{last:?}");
        assert_eq!(tell(&mut run, NOW, Input::Resumed), Some(Action::Evaluate));
        let progress = run.progress();
        let step = progress.current_step().expect("the step that is judged again");
        assert_eq!((step.marks(), step.fault(), progress.unchanged("exit_code")), (&[][..], None, None));
        assert_eq!(step.usage().tokens(), Some(2));
    }
}

#[test]
fn faults_in_a_row_and_marks_that_stay_are_counted() {
    let mut run = machine(vec![]);
    tell(&mut run, NOW, Input::Started);
    assert_eq!((run.progress().consecutive_failures(), run.progress().unchanged("exit_code")), (0, None));
    for _ in 0..3 {
        tell(&mut run, NOW, Input::Iterated { id: some_id(), result: WorkResult::Done(()), notes: notes() });
        tell(
            &mut run,
            NOW,
            Input::Evaluated { id: some_id(), result: WorkResult::Done(Verdict::fail()), notes: None },
        );
        tell(&mut run, NOW, Input::Settled { id: some_id(), met: false, by: None });
    }
    assert_eq!((run.progress().consecutive_failures(), run.progress().unchanged("exit_code")), (3, Some(2)));
}

/// Ends the run, until a person resumes it.
struct EndsOnce {
    reopened: bool,
}

impl Guardrail for EndsOnce {
    fn name(&self) -> &str {
        "ends_once"
    }
    fn check(&self, _progress: &Progress) -> Decision {
        match self.reopened {
            true => Decision::Continue,
            false => Decision::Halt(Halt::new(StopReason::Stagnated, "")),
        }
    }
    fn reopened(&mut self, ending: &Ending) {
        self.reopened = ending.guardrail() == Some("ends_once");
    }
}

#[test]
fn a_guardrail_hears_that_a_run_which_it_ended_goes_on_live_and_when_it_is_restored() {
    let ends_once = || machine(vec![Box::new(EndsOnce { reopened: false })]);
    let mut live = ends_once();
    assert!(matches!(tell(&mut live, NOW, Input::Started), Some(Action::Finish(_))));
    assert_eq!(tell(&mut live, NOW, Input::Resumed), Some(Action::Iterate { iteration: 1, attempt: 1 }));
    let events: Vec<Event> = live.take_events().collect();
    let mut restored = ends_once();
    restored.restore(&events).expect("the history of a run");
    assert_eq!(tell(&mut restored, NOW, Input::Resumed), Some(Action::Iterate { iteration: 1, attempt: 2 }));
}

/// Asks before each iteration.
fn asks(name: &str) -> Box<dyn Guardrail> {
    let unanswered = Halt::new(StopReason::HitlCheckpoint, "");
    let question = Question::new(name, unanswered);
    Box::new(guardrail_fn(name, move |_| Decision::Ask(question.clone())))
}

#[test]
fn an_answer_to_one_guardrail_is_none_to_another_in_its_place() {
    let mut first = machine(vec![asks("old")]);
    tell(&mut first, NOW, Input::Started);
    tell(
        &mut first,
        NOW,
        Input::Answered { id: some_id(), answer: Some(Answer::Continue { guidance: None }) },
    );
    let events: Vec<_> = first.take_events().collect();

    let asked = |names: &[&str]| {
        let mut run = machine(names.iter().map(|name| asks(name)).collect());
        run.restore(&events).expect("a history");
        match tell(&mut run, NOW, Input::Resumed) {
            Some(Action::Ask(question)) => Some(question.text),
            _ => None,
        }
    };
    assert_eq!(asked(&["old"]), None);
    assert_eq!(asked(&["new"]).as_deref(), Some("new"));
    assert_eq!(asked(&["old", "new"]).as_deref(), Some("new"));
}

#[test]
fn notes_of_several_answers_stand_one_below_the_other() {
    let mut run = machine(vec![asks("first"), asks("second")]);
    tell(&mut run, NOW, Input::Started);
    for note in ["leave the tests alone", "look at the log"] {
        let guidance = Some(note.to_owned());
        tell(&mut run, NOW, Input::Answered { id: some_id(), answer: Some(Answer::Continue { guidance }) });
    }
    let notes = run.progress().guidance().expect("two notes");
    assert_eq!(
        notes.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>(),
        ["leave the tests alone", "look at the log"]
    );
}

#[test]
fn a_deadline_that_comes_too_late_writes_nothing() {
    let mut run = machine(vec![Box::new(MaxElapsed::seconds(9)), asks("checkpoint")]);
    assert!(matches!(tell(&mut run, NOW, Input::Started), Some(Action::Ask(_))));
    assert_eq!(tell(&mut run, NOW, Input::DeadlinePassed), None);
    tell(&mut run, NOW, Input::Answered { id: some_id(), answer: Some(Answer::Continue { guidance: None }) });
    tell(&mut run, NOW, iterated());
    let failed = WorkResult::Failed("no verdict".into());
    assert_eq!(
        tell(&mut run, NOW, Input::Evaluated { id: some_id(), result: failed, notes: None }),
        Some(Action::Settle)
    );
    assert_eq!(tell(&mut run, NOW, Input::DeadlinePassed), None);
    assert!(run.take_events().all(|event| event.kind != EventKind::DeadlinePassed {}));
}

/// The next iteration reports `cost` while it runs, and `notes` when it ends.
fn spends(run: &mut Machine, cost: Cost, notes: Notes) {
    tell(run, NOW, Input::Reported { usage: Usage::unknown().with_cost(cost) });
    tell(run, NOW, Input::Iterated { id: some_id(), result: WorkResult::Done(()), notes: notes.boxed() });
    tell(
        run,
        NOW,
        Input::Evaluated { id: some_id(), result: WorkResult::Done(Verdict::fail()), notes: None },
    );
    tell(run, NOW, Input::Settled { id: some_id(), met: false, by: None });
}

#[test]
fn an_estimate_that_is_confirmed_is_known_and_others_stay() {
    let usd = Usd::dollars(1);
    let confirmed = || Notes::default().with_cost_quality(CostQuality::Known);
    let mut run = machine(vec![]);
    tell(&mut run, NOW, Input::Started);
    spends(&mut run, Cost::estimated(usd), confirmed());
    assert_eq!(run.progress().cost(), RunCost::Exactly(usd));
    spends(&mut run, Cost::estimated(usd), Notes::default());
    spends(&mut run, Cost::estimated(usd), confirmed());
    assert_eq!(run.progress().cost(), RunCost::About(Usd::dollars(3)));
}

#[test]
fn what_has_no_price_makes_a_cost_a_lower_bound() {
    let mut run = machine(vec![]);
    tell(&mut run, NOW, Input::Started);
    spends(&mut run, Cost::at_least(Usd::ZERO), Notes::default());
    assert_eq!((run.progress().cost(), run.progress().unpriced_iterations()), (RunCost::Unknown, 1));
    spends(&mut run, Cost::known(Usd::dollars(1)), Notes::default());
    assert_eq!(run.progress().cost(), RunCost::AtLeast(Usd::dollars(1)));
    assert_eq!((run.progress().unpriced_iterations(), run.progress().uncounted_iterations()), (1, 2));
}

#[test]
fn what_can_be_tried_again_only_after_the_end_is_not_waited_for() {
    let mut run = machine(vec![Box::new(MaxElapsed::minutes(12))]);
    tell(&mut run, NOW, Input::Started);
    let later = |minutes: u64| {
        let result = WorkResult::Later { after: Duration::from_secs(minutes * 60) };
        Input::Iterated { id: some_id(), result, notes: None }
    };
    assert!(matches!(tell(&mut run, NOW, later(11)), Some(Action::Wait(_))));
    tell(&mut run, NOW, Input::Waited { id: some_id() });
    let Some(Action::Finish(ending)) = tell(&mut run, NOW, later(200)) else { panic!("it waits") };
    assert_eq!((ending.reason(), run.progress().iterations()), (Some(&StopReason::TimeExceeded), 0));
    assert_eq!(
        ending.message(),
        "the deferred work can be tried again in 3h20m, but the run's time ends in 12m"
    );
}

#[test]
fn times_are_said_without_their_fractions_unless_they_are_nothing_else() {
    let said = |limit: u64, after: u64| {
        let limit = MaxElapsed::new(Duration::from_millis(limit));
        let mut run = machine(vec![Box::new(limit)]);
        tell(&mut run, NOW, Input::Started);
        let result = WorkResult::Later { after: Duration::from_millis(after) };
        let Some(Action::Finish(ending)) =
            tell(&mut run, NOW, Input::Iterated { id: some_id(), result, notes: None })
        else {
            panic!("it waits")
        };
        ending.message().to_owned()
    };
    assert_eq!(
        said(60_250, 90_500),
        "the deferred work can be tried again in 1m30s, but the run's time ends in 1m"
    );
    assert_eq!(
        said(500, 700),
        "the deferred work can be tried again in 700ms, but the run's time ends in 500ms"
    );
}

#[test]
fn a_step_knows_when_it_began_and_how_long_it_took() {
    let mut run = machine(vec![]);
    let at = RunTime::from_micros;
    tell(&mut run, at(1_000), Input::Started);
    tell(&mut run, at(3_000), iterated());
    tell(
        &mut run,
        at(4_500),
        Input::Evaluated { id: some_id(), result: WorkResult::Done(Verdict::fail()), notes: notes() },
    );
    tell(&mut run, at(9_000), Input::Settled { id: some_id(), met: false, by: None });
    let step = run.progress().last_step().expect("a step");
    assert_eq!((step.started(), step.elapsed()), (at(1_000), Duration::from_micros(3_500)));
}

#[test]
fn a_note_of_a_person_outlives_the_death_of_an_evaluator_and_not_its_step() {
    let mut run = machine(vec![asks("checkpoint")]);
    tell(&mut run, NOW, Input::Started);
    let guidance = Some("leave the tests alone".to_owned());
    tell(
        &mut run,
        NOW,
        Input::Answered { id: some_id(), answer: Some(Answer::Continue { guidance: guidance.clone() }) },
    );
    assert_eq!(tell(&mut run, NOW, iterated()), Some(Action::Evaluate));
    assert_eq!(tell(&mut run, NOW, Input::Resumed), Some(Action::Evaluate));
    assert_eq!(run.progress().guidance(), guidance.as_deref());
    tell(
        &mut run,
        NOW,
        Input::Evaluated { id: some_id(), result: WorkResult::Done(Verdict::fail()), notes: None },
    );
    tell(&mut run, NOW, Input::Settled { id: some_id(), met: false, by: None });
    assert_eq!(run.progress().guidance(), None);
}

#[test]
fn an_iteration_that_was_told_to_end_is_used_up_though_the_run_died_before_it_did() {
    let mut run = machine(vec![Box::new(MaxElapsed::seconds(9))]);
    tell(&mut run, NOW, Input::Started);
    let late = RunTime::from_micros(9_000_000);
    assert!(matches!(tell(&mut run, late, Input::DeadlinePassed), Some(Action::Interrupt { .. })));
    let Some(Action::Finish(ending)) = tell(&mut run, late, Input::Resumed) else { panic!("it goes on") };
    assert_eq!((ending.reason(), run.progress().iterations()), (Some(&StopReason::TimeExceeded), 1));
}

/// An iteration that halts the run is finished: it used up its index, and its marks count.
#[test]
fn what_an_iteration_left_that_halts_the_run_counts() {
    let mut run = machine(vec![]);
    tell(&mut run, NOW, Input::Started);
    tell(&mut run, NOW, Input::Iterated { id: some_id(), result: WorkResult::Done(()), notes: notes() });
    tell(
        &mut run,
        NOW,
        Input::Evaluated { id: some_id(), result: WorkResult::Done(Verdict::fail()), notes: None },
    );
    tell(&mut run, NOW, Input::Settled { id: some_id(), met: false, by: None });
    let halt = Halt::new(StopReason::AgentUnavailable, "");
    let halted = Input::Iterated { id: some_id(), result: WorkResult::Halted(halt), notes: notes() };
    assert!(matches!(tell(&mut run, NOW, halted), Some(Action::Finish(_))));
    assert_eq!((run.progress().iterations(), run.progress().unchanged("exit_code")), (2, Some(1)));
}

#[test]
fn a_halt_from_outside_interrupts_the_work_and_ends_the_run_for_its_reason() {
    let mut run = machine(vec![]);
    tell(&mut run, NOW, Input::Started);
    let halt = Halt::new(StopReason::custom("disk_full"), "the journal cannot be written");
    assert!(matches!(
        tell(&mut run, NOW, Input::Halted { halt: halt.clone() }),
        Some(Action::Interrupt { .. })
    ));
    let Some(Action::Finish(ending)) = tell(&mut run, NOW, iterated()) else { panic!("it goes on") };
    assert_eq!((ending.halt().cloned(), run.progress().iterations()), (Some(halt), 1));
}

#[test]
fn a_run_that_is_cancelled_before_it_starts_has_started_and_ended() {
    let mut run = machine(Vec::new());
    let Some(Action::Finish(ending)) = tell(&mut run, NOW, Input::Cancelled) else { panic!("it goes on") };
    assert_eq!(ending.reason(), Some(&StopReason::Cancelled));
    let events: Vec<&str> = run.take_events().map(|event| event.kind.name()).collect();
    assert_eq!(events, ["run_started", "cancel_requested", "run_finished"]);
}

#[test]
fn who_cancels_while_the_goal_is_looked_at_waits_for_the_answer() {
    let mut run = machine(vec![]);
    tell(&mut run, NOW, Input::Started);
    tell(&mut run, NOW, iterated());
    let verdict = WorkResult::Done(Verdict::pass());
    assert_eq!(
        tell(&mut run, NOW, Input::Evaluated { id: some_id(), result: verdict, notes: None }),
        Some(Action::Settle)
    );
    assert_eq!(tell(&mut run, NOW, Input::Cancelled), None);
    let Some(Action::Finish(ending)) =
        tell(&mut run, NOW, Input::Settled { id: some_id(), met: true, by: None })
    else {
        panic!("it goes on")
    };
    assert_eq!(ending.reason(), None);
}

#[test]
fn granted_time_is_recorded_in_whole_microseconds() {
    let mut run = machine(vec![]);
    tell(&mut run, NOW, Input::Started);
    tell(&mut run, NOW, Input::Cancelled);
    assert!(matches!(tell(&mut run, NOW, iterated()), Some(Action::Finish(_))));
    let grant = Grant::default().with_iterations(2).with_time(Duration::from_nanos(9_000_001_900));
    run.grant(grant.clone());
    tell(&mut run, NOW, Input::Resumed);
    let recorded = grant.with_time(Duration::from_micros(9_000_002));
    assert_eq!(run.progress().granted(), Some(&recorded));
    assert!(
        run.take_events().any(|event| event.kind == EventKind::Granted { grant: Box::new(recorded.clone()) })
    );
}

#[test]
fn an_unknown_kind_of_event_is_an_error_that_says_what_to_do() {
    let error = |json: &str| serde_json::from_str::<Event>(json).expect_err("unknown").to_string();
    let newer = error(r#"{"at":5,"kind":{"dream_began":{}}}"#);
    assert!(
        newer.starts_with("unknown kind of event `dream_began`: a newer version of loop-core wrote it"),
        "{newer}"
    );
    // The other errors are those of serde.
    let other = error(r#"{"at":5,"kind":{"wait_started":{"duration":1,"before":"lunch"}}}"#);
    assert!(other.starts_with("unknown variant `lunch`, expected `iteration` or `evaluation`"), "{other}");
}

#[test]
fn actions_and_inputs_are_written_in_plain_words_and_read_back() {
    use loop_core::Versioned;
    let mut run = machine(vec![asks("checkpoint")]);
    let asked = tell(&mut run, NOW, Input::Started).expect("a question");
    let (id, _) = run.outstanding().expect("a question");
    let unanswered = r#"{"reason":"hitl_checkpoint","blockable":true,"message":""}"#;
    let actions = [
        (asked, format!(r#"{{"ask":{{"text":"checkpoint","unanswered":{unanswered}}}}}"#)),
        (
            Action::Iterate { iteration: 2, attempt: 1 },
            r#"{"iterate":{"iteration":2,"attempt":1}}"#.to_owned(),
        ),
        (Action::Wait(Duration::from_millis(1_500)), r#"{"wait":1500000}"#.to_owned()),
        (Action::Settle, r#""settle""#.to_owned()),
    ];
    for (action, json) in actions {
        let action = Versioned::new(action);
        let written = serde_json::to_string(&action).expect("JSON");
        assert_eq!(written, format!(r#"{{"version":1,"message":{json}}}"#));
        assert_eq!(serde_json::from_str::<Versioned<Action>>(&written).expect("an action"), action);
    }
    let id_json = r#"{"iteration":1,"attempt":1,"event":2}"#;
    let inputs = [
        (Input::Started, r#""started""#.to_owned()),
        (Input::Waited { id }, format!(r#"{{"waited":{{"id":{id_json}}}}}"#)),
        (
            Input::Iterated { id, result: WorkResult::Done(()), notes: None },
            format!(r#"{{"iterated":{{"id":{id_json},"result":{{"done":null}},"notes":null}}}}"#),
        ),
        (
            Input::Answered { id, answer: Some(Answer::Stop) },
            format!(r#"{{"answered":{{"id":{id_json},"answer":"stop"}}}}"#),
        ),
    ];
    for (input, json) in inputs {
        assert_eq!(serde_json::to_string(&input).expect("JSON"), json);
        assert_eq!(serde_json::from_str::<Input>(&json).expect("an input"), input);
    }
}

#[test]
fn an_event_of_before_is_read_and_one_of_today_is_read_back() {
    let before =
        r#"{"at":5,"kind":{"work_cut":{"notes":{"usage":{"cost":{"usd":7,"quality":"estimated"}}}}}}"#;
    let event: Event = serde_json::from_str(before).expect("an event");
    assert_eq!(serde_json::to_string(&event).expect("JSON"), before);
    let usage = Usage::unknown().with_cost(Cost::at_least(Usd::micros(7)));
    let notes = Notes::default().with_usage(usage).with_cost_quality(CostQuality::Partial);
    let event = Event::new(NOW, EventKind::WorkCut { notes: notes.boxed() });
    let written = serde_json::to_string(&event).expect("JSON");
    assert_eq!(serde_json::from_str::<Event>(&written).expect("an event"), event);
}

/// A guardrail that only has a ceiling: 10 seconds.
struct TenSeconds;

impl Guardrail for TenSeconds {
    fn name(&self) -> &str {
        "ten_seconds"
    }

    fn check(&self, _: &Progress) -> Decision {
        Decision::Continue
    }

    fn ceiling(&self, progress: &Progress) -> Ceiling {
        Ceiling::time(Duration::from_secs(10).saturating_sub(progress.elapsed()))
    }
}

const LATE: RunTime = RunTime::from_micros(20_000_000);

#[test]
fn a_ceiling_alone_ends_a_run_before_the_next_iteration() {
    let mut run = machine(vec![Box::new(TenSeconds)]);
    tell(&mut run, NOW, Input::Started);
    assert_eq!(tell(&mut run, LATE, iterated()), Some(Action::Evaluate), "the goal has the last word");
    tell(
        &mut run,
        LATE,
        Input::Evaluated { id: some_id(), result: WorkResult::Done(Verdict::fail()), notes: None },
    );
    let next = tell(&mut run, LATE, Input::Settled { id: some_id(), met: false, by: None });
    assert!(
        matches!(&next, Some(Action::Finish(ending)) if ending.guardrail() == Some("ten_seconds")),
        "{next:?}"
    );
}

#[test]
fn an_evaluation_does_not_begin_again_beyond_a_limit() {
    let mut run = machine(vec![Box::new(TenSeconds)]);
    tell(&mut run, NOW, Input::Started);
    assert_eq!(tell(&mut run, NOW, iterated()), Some(Action::Evaluate));
    // The process died while it judged.
    let next = tell(&mut run, LATE, Input::Resumed);
    assert!(matches!(next, Some(Action::Finish(_))), "{next:?}");
}

#[test]
fn a_pace_is_kept_once_before_an_iteration() {
    let mut run = Machine::new(vec![], Box::new(Duration::from_secs(5)), false);
    tell(&mut run, NOW, Input::Started);
    tell(&mut run, NOW, iterated());
    assert_eq!(
        tell(&mut run, NOW, Input::Settled { id: some_id(), met: false, by: None }),
        Some(Action::Wait(Duration::from_secs(5)))
    );
    assert_eq!(
        tell(&mut run, LATE, Input::Waited { id: some_id() }),
        Some(Action::Iterate { iteration: 2, attempt: 1 })
    );
}

#[test]
fn work_that_is_put_off_leaves_only_its_bill() {
    let mut run = machine(vec![]);
    tell(&mut run, NOW, Input::Started);
    tell(
        &mut run,
        NOW,
        Input::Iterated {
            id: some_id(),
            result: WorkResult::Later { after: Duration::from_secs(1) },
            notes: notes(),
        },
    );
    let step = run.progress().current_step().expect("the step that is tried again");
    assert_eq!((step.marks(), step.fault(), step.usage().tokens()), (&[][..], None, Some(2)));
}

#[test]
fn the_evaluation_before_the_first_iteration_has_its_own_time() {
    let mut run = machine(vec![]);
    run.evaluate_first();
    assert_eq!(tell(&mut run, LATE, Input::Started), Some(Action::Evaluate));
    let later = RunTime::from_micros(23_000_000);
    tell(
        &mut run,
        later,
        Input::Evaluated { id: some_id(), result: WorkResult::Done(Verdict::fail()), notes: None },
    );
    tell(&mut run, later, Input::Settled { id: some_id(), met: false, by: None });
    let step = run.progress().last_step().expect("a step");
    assert_eq!((step.started(), step.elapsed()), (LATE, Duration::from_secs(3)));
}
