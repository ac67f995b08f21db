//! A journal and the files beside it contain no secret.

use jiff::Timestamp;
use loop_core::{Event, EventKind, Journal, Notes, RunTime, Verdict, WorkResult};
use loop_telemetry::{FileJournal, JournalReader, Redactor};

#[test]
fn texts_and_outputs_are_written_without_their_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let redactor = Redactor::new(["hunter2\"hunter2"]).shapes();
    let mut journal = FileJournal::<Vec<String>>::create(&run, Timestamp::now).unwrap().redacting(redactor);
    let text = format!("hunter2\"hunter2 and ghp_{}", "a1".repeat(18));
    let kinds = [
        EventKind::IterationFinished {
            result: WorkResult::Done(()),
            notes: Some(Box::new(Notes::default().with_fault(text.as_str()))),
        },
        EventKind::EvaluationFinished {
            result: WorkResult::Done(Verdict::fail().with_text(text.as_str()).with_feedback(text.as_str())),
            notes: None,
        },
    ];
    let events = kinds.map(|kind| Event::new(RunTime::ZERO, kind));
    journal.append(&events, Some(&vec![text.clone()])).unwrap();
    journal.append(&events[..1], Some(&vec![text; 3_000])).unwrap();
    futures::executor::block_on(journal.sync()).unwrap();

    let mut reader = JournalReader::open(&run).unwrap();
    let mut outputs = Vec::new();
    while let Some(entry) = reader.next_entry().unwrap() {
        outputs.extend(entry.output.map(|output| output.json().unwrap()));
    }
    let all = outputs.concat() + &std::fs::read_to_string(journal.path()).unwrap();
    assert!(all.contains("[redacted] and [redacted]"), "{}", &all[..200]);
    assert!(!all.contains("hunter2") && !all.contains("a1a1a1"));
    assert_eq!(outputs.len(), 2);
}
