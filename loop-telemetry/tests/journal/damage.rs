//! Damage, later formats and a second writer are refused.

use std::{fs, path::Path};

use jiff::Timestamp;
use loop_core::{BuildError, Event, EventKind, Journal, RunTime, WorkResult};
use loop_telemetry::{FileJournal, JournalError, JournalReader};

use crate::scenario::{Scenario, ScriptedStep, create, open, read, run};

async fn journal_in(folder: &Path) -> Vec<u8> {
    let scenario = Scenario { turns: vec![ScriptedStep::Makes(3), ScriptedStep::Makes(100_000)], goal: 3 };
    run(&scenario, create(folder), usize::MAX).await;
    fs::read(folder.join("events.jsonl")).unwrap()
}

fn load(folder: &Path) -> Result<Option<String>, String> {
    open(folder).load(&mut |_| {}).map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_damaged_line_is_named_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    let whole = journal_in(&run_folder).await;
    let lines = whole.iter().filter(|byte| **byte == b'\n').count();
    for line in 0..lines {
        let begin = whole.split_inclusive(|byte| *byte == b'\n').take(line).map(<[u8]>::len).sum::<usize>();
        let mut damaged = whole.clone();
        damaged[begin + 30] ^= 1;
        fs::write(run_folder.join("events.jsonl"), &damaged).unwrap();
        let error = load(&run_folder).unwrap_err();
        assert!(error.starts_with(&format!("line {} of ", line + 1)), "{error}");
        assert!(error.contains("is damaged") && error.contains("backup"), "{error}");
        // And it cut off nothing.
        assert_eq!(fs::read(run_folder.join("events.jsonl")).unwrap(), damaged);
    }
}

#[tokio::test]
async fn a_lost_or_doubled_line_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    let whole = String::from_utf8(journal_in(&run_folder).await).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let lost = [&lines[..2], &lines[3..]].concat().concat();
    let doubled = [&lines[..3], &lines[2..]].concat().concat();
    for (text, line) in [(lost, 3), (doubled, 4)] {
        fs::write(run_folder.join("events.jsonl"), text).unwrap();
        let error = load(&run_folder).unwrap_err();
        assert!(error.starts_with(&format!("line {line} of ")) && error.contains("instead of"), "{error}");
    }
}

#[tokio::test]
async fn a_torn_line_is_cut_off_when_the_run_goes_on_and_not_by_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    let path = run_folder.join("events.jsonl");
    let whole = journal_in(&run_folder).await;
    let mut torn = whole.clone();
    torn.extend_from_slice(br#"{"v":2,"seq":"#);
    fs::write(&path, &torn).unwrap();
    assert_eq!(read(&run_folder).len(), whole.iter().filter(|byte| **byte == b'\n').count());
    assert_eq!(fs::read(&path).unwrap(), torn);
    load(&run_folder).unwrap();
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[tokio::test]
async fn a_newer_format_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    let whole = journal_in(&run_folder).await;
    for newer in [&br#"{"v":3,"n":1}"#[..], b"{\"v\":3,\"n\":1}\n"] {
        let text = [&whole[..], newer].concat();
        fs::write(run_folder.join("events.jsonl"), &text).unwrap();
        let error = load(&run_folder).unwrap_err();
        assert!(error.contains("has the format 3") && error.contains("use the version"), "{error}");
        assert_eq!(fs::read(run_folder.join("events.jsonl")).unwrap(), text);
    }
}

#[tokio::test]
async fn a_lost_output_is_missed_only_if_it_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    journal_in(&run_folder).await;
    fs::remove_dir_all(run_folder.join("outputs")).unwrap();
    let error = load(&run_folder).unwrap_err();
    assert!(error.contains("outputs"), "{error}");
}

#[tokio::test]
async fn a_line_is_written_after_the_output_that_it_names_is_safe() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    let mut journal = FileJournal::<String>::create(&run_folder, Timestamp::now).unwrap();
    let kind = EventKind::IterationFinished { result: WorkResult::Done(()), notes: None };
    let ended = Event::new(RunTime::ZERO, kind);
    journal.append(&[ended], Some(&"x".repeat(100_000))).unwrap();
    assert_eq!(read(&run_folder).len(), 0);
    assert_eq!(fs::read_dir(run_folder.join("outputs")).unwrap().count(), 1);
    journal.sync().await.unwrap();
    assert_eq!(read(&run_folder).len(), 1);
}

#[tokio::test]
async fn a_run_has_one_writer() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    let first = create(&run_folder);
    let second = FileJournal::<String>::open(&run_folder, Timestamp::now).unwrap_err();
    assert!(matches!(second, JournalError::InUse { .. }), "{second}");
    drop(first);
    FileJournal::<String>::open(&run_folder, Timestamp::now).unwrap();
    assert!(matches!(
        FileJournal::<String>::create(&run_folder, Timestamp::now),
        Err(JournalError::Create { .. })
    ));
}

#[tokio::test]
async fn what_is_damaged_begins_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    let mut whole = journal_in(&run_folder).await;
    whole[40] ^= 1;
    fs::write(run_folder.join("events.jsonl"), whole).unwrap();
    let agent = loop_core::iteration_fn(async |_: loop_core::IterationContext<String>| Ok(String::new()));
    let goal = loop_guardrails::after(1);
    let run = loop_core::Loop::new(agent).until(goal).at_most(1).resume_from(open(&run_folder)).run().await;
    assert!(matches!(run.unwrap_err(), BuildError::Journal(why) if why.contains("line 1 of ")));
}

#[tokio::test]
async fn a_living_run_is_followed_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    let mut journal = create(&run_folder);
    let mut reader = JournalReader::open(&run_folder).unwrap();
    assert!(reader.next_entry().unwrap().is_none());
    // An event without a number gets that of its line.
    let event = |at| {
        let mut event = Event::new(RunTime::from_micros(at), EventKind::EvaluationStarted {});
        event.sequence = at;
        event
    };
    let mut first = event(1);
    first.sequence = 0;
    journal.append(&[first, event(2)], None).unwrap();
    for at in [1, 2] {
        assert_eq!(reader.next_entry().unwrap().unwrap().event, event(at));
    }
    // Half a line is not yet a line.
    journal.append(&[event(3)], None).unwrap();
    let path = run_folder.join("events.jsonl");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 5]).unwrap();
    assert!(reader.next_entry().unwrap().is_none());
    fs::write(&path, &whole).unwrap();
    assert_eq!(reader.next_entry().unwrap().unwrap().event, event(3));
    assert!(reader.next_entry().unwrap().is_none());
}

#[test]
fn what_was_not_loaded_is_not_appended_to() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    drop(create(&run_folder));
    let event = Event::new(RunTime::ZERO, EventKind::RunResumed {});
    let error = open(&run_folder).append(&[event], None).unwrap_err();
    assert!(error.to_string().contains("load it first"), "{error}");
}
