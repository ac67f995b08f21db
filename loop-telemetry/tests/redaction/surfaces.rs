//! Each place that stores the output of a program.

use std::fs;

use futures::executor::block_on;
use jiff::Timestamp;
use loop_core::{Ending, Event, EventKind, Journal, Notes, Progress, RunTime, Verdict, WorkResult};
use loop_telemetry::{
    Channel, FileJournal, JournalReader, Logs, REDACTED, Record, Redactor,
    transcript::{ConversationChange, SessionInfo, SessionStore, TranscriptEntry},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::forms::{Written, written};

/// Returns the text as a value and as a key, in lists and nested, as models write the arguments of calls.
fn arguments(text: &str) -> Value {
    json!({ "path": text, text: { "deep": [text, { text: 1 }] }, "count": 3 })
}

/// Collects all texts and keys of some JSON, as a reader sees them.
fn texts(of: &Value, all: &mut String) {
    match of {
        Value::String(text) => all.push_str(text),
        Value::Array(values) => values.iter().for_each(|value| texts(value, all)),
        Value::Object(fields) => {
            for (key, value) in fields {
                all.push_str(key);
                all.push('\n');
                texts(value, all);
            }
        }
        other => all.push_str(&other.to_string()),
    }
    all.push('\n');
}

fn seen(json: &str) -> String {
    let mut all = String::new();
    for line in json.lines() {
        match serde_json::from_str::<Value>(line) {
            Ok(value) => texts(&value, &mut all),
            Err(_) => all.push_str(line),
        }
        all.push('\n');
    }
    all
}

fn journal(redactor: &Redactor, text: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let journal = FileJournal::<Value>::create(&run, Timestamp::now).expect("a journal");
    let mut journal = journal.redacting(redactor.clone());
    let notes = Notes::default().with_fault(text);
    let verdict = Verdict::fail().with_text(text).with_feedback(text);
    let kinds = [
        EventKind::IterationFinished { result: WorkResult::Done(()), notes: Some(Box::new(notes)) },
        EventKind::EvaluationFinished { result: WorkResult::Done(verdict), notes: None },
        EventKind::IterationFinished { result: WorkResult::Failed(text.into()), notes: None },
    ];
    let events = kinds.map(|kind| Event::new(RunTime::ZERO, kind));
    journal.append(&events[..2], Some(&arguments(text))).expect("written");
    journal.append(&events[2..], None).expect("written");
    block_on(journal.sync()).expect("synced");
    let lines = fs::read_to_string(journal.path()).expect("a journal");
    let mut reader = JournalReader::open(&run).expect("a journal");
    while reader.next_entry().expect("a whole line").is_some() {}
    seen(&lines)
}

fn log(redactor: &Redactor, text: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = Logs::of(folder.path()).redacting(redactor.clone()).begin("agent", 1).expect("a log");
    let path = log.path().to_owned();
    for byte in text.as_bytes().chunks(1) {
        log.write(Channel::Output, byte).expect("written");
    }
    log.finish().expect("written");
    fs::read_to_string(path).expect("a log")
}

fn transcript(redactor: &Redactor, text: &str) -> String {
    let state = tempfile::tempdir().expect("a folder");
    let store = SessionStore::at(state.path().join("sessions"));
    let info = SessionInfo::new("s", "/ws", "model", Timestamp::UNIX_EPOCH);
    let file = store.begin::<Value>(&info, Timestamp::now).expect("a session");
    let mut file = file.redacting(redactor.clone());
    let change = ConversationChange { kept: 0, messages: vec![arguments(text)] };
    let usage = loop_core::Usage::unknown();
    file.append(&TranscriptEntry::Asked { prompt: json!(text), model: text.to_owned() }).expect("written");
    file.append(&TranscriptEntry::Answered { change, usage, model: "m".to_owned() }).expect("written");
    file.append(&TranscriptEntry::Renamed { name: text.to_owned() }).expect("written");
    let lines = fs::read_to_string(file.path()).expect("a transcript");
    seen(&lines) + &fs::read_to_string(file.path().with_extension("name")).expect("a name")
}

fn record(redactor: &Redactor, text: &str) -> String {
    let ending = Ending::goal_met(text);
    let draft = Record::of(text, &ending, &Progress::default()).manifest(text);
    let record = draft.between(Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH).redacted(redactor);
    seen(&record.to_line())
}

/// A place, and a function that returns the stored form of a text.
type Surface = (&'static str, fn(&Redactor, &str) -> String);

const SURFACES: [Surface; 5] = [
    ("journal", journal),
    ("log", log),
    ("transcript", transcript),
    ("record", record),
    ("JSON", |redactor, text| seen(&redactor.json(&arguments(text)).expect("JSON"))),
];

proptest! {
    // Each case writes and syncs several files.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn no_form_of_a_value_stays_anywhere(Written { value, form, text } in written()) {
        let redactor = Redactor::new([&value]).shapes();
        for (name, surface) in SURFACES {
            let kept = surface(&redactor, &text);
            prop_assert!(kept.contains(REDACTED), "{name}, {form}: {kept}");
            prop_assert!(!kept.contains(&text) && !kept.contains(&value), "{name}, {form}: {kept}");
        }
    }
}
