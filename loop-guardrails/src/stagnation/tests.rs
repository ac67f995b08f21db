//! Tests of the counts.

use loop_core::{EventKind, Notes, RunTime, Verdict, WorkResult};
use proptest::{collection::vec, option, prelude::*};

use super::*;

const FILES: &str = "files";
const SCORE: &str = "score";

/// The marks of one step: its files, its check, what was put back, and its score.
type Marks = (Option<u64>, Option<u64>, Option<u64>, Option<f64>);

fn events((files, check, put_back, score): Marks) -> Vec<Event> {
    let with = |notes: Notes, name, mark: Option<u64>| match mark {
        Some(mark) => notes.with_mark(name, mark),
        None => notes,
    };
    let of_agent = with(Notes::default(), FILES, files);
    let of_check = with(with(Notes::default(), CHECK_MARK, check), PUT_BACK_MARK, put_back);
    let of_check = with(of_check, SCORE, score.map(f64::to_bits));
    let kinds = [
        EventKind::IterationStarted { iteration: 1, attempt: 1 },
        EventKind::IterationFinished { result: WorkResult::Done(()), notes: of_agent.boxed() },
        EventKind::EvaluationStarted {},
        EventKind::EvaluationFinished { result: WorkResult::Done(Verdict::fail()), notes: of_check.boxed() },
        EventKind::StepSettled { met: false, by: None },
    ];
    kinds.into_iter().map(|kind| Event::new(RunTime::ZERO, kind)).collect()
}

fn of(rules: StagnationRules, steps: &[Marks]) -> Stagnation {
    let mut stagnation = Stagnation::new(rules, FILES, SCORE);
    steps.iter().flat_map(|step| events(*step)).for_each(|event| stagnation.observe(&event));
    stagnation
}

fn halt(stagnation: &Stagnation) -> Option<String> {
    match stagnation.check(&Progress::default()) {
        Decision::Halt(halt) => Some(halt.message),
        _ => None,
    }
}

const SAME: Marks = (Some(1), Some(2), None, None);

fn marks() -> impl Strategy<Value = Marks> {
    let few = || option::weighted(0.9, 0..2_u64);
    (few(), few(), option::weighted(0.3, 0..2_u64), option::of(0.0..3.0_f64))
}

proptest! {
    /// The count is that of the last steps with the same files and the same check.
    #[test]
    fn the_same_result_counts(steps in vec(marks(), 0..20)) {
        let judged: Vec<_> = steps.iter().filter(|step| step.1.is_some()).collect();
        let last = judged.last();
        let same = judged.iter().rev().take_while(|step| Some((step.0, step.1)) == last.map(|last| (last.0, last.1)));
        prop_assert_eq!(of(StagnationRules::default(), &steps).state().same, same.count() as u64);
    }

    /// A restored guardrail goes on as if the run had not been interrupted, at any event.
    #[test]
    fn a_restored_guardrail_decides_as_the_first(steps in vec(marks(), 0..20), cut: prop::sample::Index) {
        let rules = StagnationRules {
            halt_after: 4,
            oscillation_after: Some(3),
            score: Some(ScoreGain { gain: 0.5, within: 5, is_lower_better: false }),
            ..StagnationRules::default()
        };
        let mut events: Vec<_> = steps.iter().flat_map(|step| events(*step)).collect();
        let later = events.split_off(cut.index(events.len() + 1));
        let mut first = Stagnation::new(rules, FILES, SCORE);
        events.iter().for_each(|event| first.observe(event));
        let mut restored = Stagnation::new(rules, FILES, SCORE);
        restored.restore(&first.snapshot().unwrap()).unwrap();
        for event in &later {
            first.observe(event);
            restored.observe(event);
            prop_assert_eq!(halt(&first), halt(&restored));
        }
        prop_assert_eq!(first.snapshot().unwrap(), restored.snapshot().unwrap());
    }
}

#[test]
fn the_agent_is_told_before_the_run_halts() {
    for before in 0..12 {
        let mut stagnation = of(StagnationRules::default(), &vec![SAME; before]);
        assert_eq!(halt(&stagnation).is_some(), before >= 8, "after {before}");
        events(SAME).iter().take(2).for_each(|event| stagnation.observe(event));
        assert_eq!(stagnation.repetitions(2), before as u64 + 1);
        let nudge = stagnation.nudge(2);
        assert_eq!(nudge.is_some(), (4..7).contains(&before), "{nudge:?}");
        assert_eq!(stagnation.nudge(3), None, "another output");
    }
    let message = halt(&of(StagnationRules::default(), &[SAME; 8])).unwrap();
    assert!(message.starts_with("8 iterations in a row left the same files"), "{message}");
    let message = halt(&of(StagnationRules::default(), &[(None, Some(2), None, None); 8])).unwrap();
    assert!(message.starts_with("8 iterations in a row ended with the same answer"), "{message}");
}

#[test]
fn three_times_the_same_change_put_back_is_enough() {
    let rules = StagnationRules::default();
    let put_back = |files, check| (Some(files), Some(check), Some(7), None);
    assert_eq!(halt(&of(rules, &[put_back(1, 1), put_back(1, 2)])), None);
    assert!(halt(&of(rules, &[put_back(1, 1), put_back(1, 2), put_back(1, 3)])).is_some());
    assert_eq!(
        halt(&of(rules, &[put_back(1, 1), put_back(2, 1), put_back(3, 1)])),
        None,
        "other work goes on"
    );
    let between = [put_back(1, 1), put_back(1, 2), SAME, put_back(1, 3), put_back(1, 4)];
    assert_eq!(halt(&of(rules, &between)), None);
}

#[test]
fn earlier_files_count_only_on_request() {
    let files = |names: &[u64]| -> Vec<Marks> {
        (0..).zip(names).map(|(check, files)| (Some(*files), Some(check), None, None)).collect()
    };
    let rules = StagnationRules { oscillation_after: Some(4), ..StagnationRules::default() };
    assert!(halt(&of(rules, &files(&[1, 2, 1, 2, 1, 2]))).is_some());
    assert!(halt(&of(rules, &files(&[1, 2, 3, 1, 2, 2, 3, 1]))).is_some());
    assert_eq!(halt(&of(rules, &files(&[1, 2, 1, 2, 3, 2, 1]))), None, "a new state between");
    assert_eq!(halt(&of(rules, &files(&[1, 1, 1, 1, 1, 1]))), None, "no change is no return");
    assert_eq!(halt(&of(StagnationRules::default(), &files(&[1, 2, 1, 2, 1, 2, 1, 2]))), None);
}

#[test]
fn a_score_has_to_gain_enough() {
    let scores = |scores: &[f64]| -> Vec<Marks> {
        (0..).zip(scores).map(|(step, score)| (Some(step), Some(step), None, Some(*score))).collect()
    };
    let rule = |is_lower_better| StagnationRules {
        score: Some(ScoreGain { gain: 0.5, within: 3, is_lower_better }),
        ..StagnationRules::default()
    };
    assert!(halt(&of(rule(false), &scores(&[1.0, 1.1, 1.2, 1.3]))).is_some());
    assert_eq!(halt(&of(rule(false), &scores(&[1.0, 1.3, 1.4, 1.6]))), None, "small steps add up");
    assert!(halt(&of(rule(true), &scores(&[1.0, 2.0, 3.0, 4.0]))).is_some());
    assert_eq!(halt(&of(rule(true), &scores(&[4.0, 3.0, 2.0, 1.0, 0.5]))), None);
}

#[test]
fn a_person_who_looked_starts_the_counts_anew() {
    for (reason, is_over) in [(StopReason::Stagnated, false), (StopReason::Cancelled, true)] {
        let mut stagnation = of(StagnationRules::default(), &[SAME; 8]);
        stagnation.reopened(&Ending::halted(Halt::new(reason, "")));
        assert_eq!(halt(&stagnation).is_some(), is_over);
    }
}

#[test]
fn clones_share_their_state() {
    let stagnation = Stagnation::new(StagnationRules::default(), FILES, SCORE);
    let mut other = stagnation.clone();
    events(SAME).iter().take(2).for_each(|event| other.observe(event));
    assert!(stagnation.knows_files());
}

#[test]
fn other_changes_that_are_put_back_are_no_progress() {
    let run = |judged: fn(u64) -> u64| {
        let mut stagnation = Stagnation::new(StagnationRules::default(), FILES, SCORE);
        for step in 0..8 {
            for mut event in events((Some(step), Some(2), None, None)) {
                if let EventKind::EvaluationFinished { notes, .. } = &mut event.kind {
                    let marks = notes.take().map_or_else(Notes::default, |notes| *notes);
                    *notes = marks.with_mark(JUDGED_MARK, judged(step)).boxed();
                }
                stagnation.observe(&event);
            }
        }
        halt(&stagnation).is_some()
    };
    assert!(run(|_| 7));
    assert!(!run(|step| step));
}
