use loop_core::{Cost, Event, EventKind, Halt, Notes, RunTime, WorkResult};
use proptest::prelude::*;

use super::*;

/// Returns the progress of a run whose iterations took a second each and had this usage.
fn progress_of(usages: &[Usage]) -> Progress {
    let mut progress = Progress::default();
    let mut apply = |seconds: u64, kind| {
        progress.apply(&Event::new(RunTime::from_micros(seconds * 1_000_000), kind)).expect("it follows");
    };
    apply(0, EventKind::RunStarted { evaluated: false, evaluates_first: false });
    for (iteration, usage) in (1..).zip(usages) {
        let notes = Notes::default().with_usage(*usage).boxed();
        apply(iteration * 2 - 1, EventKind::IterationStarted { iteration, attempt: 1 });
        apply(iteration * 2, EventKind::IterationFinished { result: WorkResult::Done(()), notes });
        apply(iteration * 2, EventKind::StepSettled { met: false, by: None });
    }
    progress
}

fn ending(reason: StopReason) -> Ending {
    Ending::halted(Halt::new(reason, ""))
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap()
}

#[test]
fn the_line_of_a_run_that_met_its_goal() {
    let usage = Usage::unknown().with_tokens(900, 100).with_cost(Cost::known(Usd::micros(420_000)));
    let record = Record::of("tidy", &Ending::goal_met(""), &progress_of(&[usage, usage]))
        .run_id("0198-7f")
        .manifest("/home/ann/tidy.yaml")
        .between(at(1_769_851_800_000), at(1_769_851_804_250));
    insta::assert_snapshot!(record.to_line(), @r#"{"loop":"tidy","iterations":2,"stop_reason":"goal_met","blockable":false,"success":true,"estimated_cost_usd":0.84,"elapsed_seconds":4.0,"ended_at":"2026-01-31T09:30:04.250Z","run_id":"0198-7f","cost_state":"known","usage":{"input_tokens":1800,"cached_input_tokens":null,"output_tokens":200},"working_seconds":2.0,"started_at":"2026-01-31T09:30:00.000Z","manifest":"/home/ann/tidy.yaml"}"#);
}

#[test]
fn a_record_names_the_work_that_was_cut_in_the_last_iteration() {
    let mut progress = progress_of(&[Usage::unknown()]);
    let mut apply = |seconds: u64, kind| {
        progress.apply(&Event::new(RunTime::from_micros(seconds * 1_000_000), kind)).expect("it follows");
    };
    let mut notes = Notes::default();
    notes.cut_work = Some("`KEY=hunter2 npm test`".into());
    apply(3, EventKind::IterationStarted { iteration: 2, attempt: 1 });
    apply(4, EventKind::IterationFinished { result: WorkResult::Done(()), notes: notes.boxed() });
    apply(4, EventKind::StepSettled { met: true, by: None });
    let record = Record::of("tidy", &Ending::goal_met(""), &progress).between(at(0), at(0));
    assert_eq!(record.cut_work.as_deref(), Some("`KEY=hunter2 npm test`"));
    let redacted = record.redacted(&Redactor::new([b"hunter2".to_vec()]));
    assert!(!redacted.to_line().contains("hunter2"), "{}", redacted.to_line());
    assert!(redacted.cut_work.is_some_and(|work| work.ends_with("npm test`")));
}

#[test]
fn what_is_unknown_is_null() {
    let record = Record::of("say \"hi\"\n", &ending(StopReason::BudgetExceeded), &Progress::default())
        .between(at(0), at(0));
    insta::assert_snapshot!(record.to_line(), @r#"{"loop":"say \"hi\"\n","iterations":0,"stop_reason":"budget_exceeded","blockable":true,"success":false,"estimated_cost_usd":null,"elapsed_seconds":0.0,"ended_at":"1970-01-01T00:00:00.000Z","run_id":null,"cost_state":"unknown","usage":{"input_tokens":null,"cached_input_tokens":null,"output_tokens":null},"working_seconds":0.0,"started_at":"1970-01-01T00:00:00.000Z","manifest":null}"#);
}

#[test]
fn a_cost_is_known_only_if_every_part_of_it_is() {
    let known = Usage::unknown().with_cost(Cost::known(Usd::dollars(1)));
    let estimated = Usage::unknown().with_cost(Cost::estimated(Usd::dollars(1)));
    let silent = Usage::unknown().with_tokens(1, 1);
    let state = |usages: &[Usage]| CostState::from(progress_of(usages).cost());
    assert_eq!(state(&[]), CostState::Unknown);
    assert_eq!(state(&[silent]), CostState::Unknown);
    assert_eq!(state(&[known, known]), CostState::Known);
    assert_eq!(state(&[known, estimated]), CostState::Estimated);
    assert_eq!(state(&[known, silent]), CostState::Estimated);
}

#[test]
fn a_cost_of_which_a_part_is_missing_is_a_lower_bound_and_only_that_is_said() {
    let known = Usage::unknown().with_cost(Cost::known(Usd::dollars(1)));
    let silent = Usage::unknown().with_tokens(1, 1);
    let line = |usages: &[Usage]| {
        let ending = Ending::goal_met("");
        Record::of("tidy", &ending, &progress_of(usages)).between(at(0), at(0)).to_line()
    };
    assert!(line(&[known, silent]).ends_with(r#","cost_is_lower_bound":true}"#));
    for usages in [&[][..], &[known], &[silent]] {
        assert!(!line(usages).contains("lower_bound"), "{usages:?}");
    }
}

proptest! {
    /// A record is one line, and reading it back returns the same record.
    #[test]
    fn survives_its_line(
        name: String,
        reason in "[a-z_]{1,20}",
        blockable: bool,
        cost in proptest::option::of(0..1_u64 << 51),
        (elapsed, working) in (0..1_u64 << 51, 0..1_u64 << 51),
        (started, ended) in (0..4_000_000_000_000_000_i64, 0..4_000_000_000_000_000_i64),
        run_id: Option<String>,
        input_tokens: Option<u64>,
        cost_is_lower_bound: bool,
    ) {
        let halt = Halt::new(StopReason::custom(reason), "").blockable(blockable);
        let micros = |at| Timestamp::from_microsecond(at).unwrap();
        let mut record = Record::of(name, &Ending::halted(halt), &Progress::default())
            .between(micros(started), micros(ended));
        record.run_id = run_id;
        record.estimated_cost_usd = cost.map(Usd::micros);
        record.elapsed = Duration::from_micros(elapsed);
        record.working = Duration::from_micros(working);
        record.usage.input_tokens = input_tokens;
        record.cost_is_lower_bound = cost_is_lower_bound;

        let line = record.to_line();
        prop_assert!(!line.contains(['\n', '\r']));
        prop_assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record);
    }
}
