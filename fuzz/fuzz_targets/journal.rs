//! Journals that somebody else has written, or has written over.

#![no_main]

use std::{fs, path::Path, sync::LazyLock};

use jiff::Timestamp;
use libfuzzer_sys::fuzz_target;
use loop_core::{Event, EventKind, Journal, RunTime};
use loop_telemetry::{FileJournal, JournalReader};
use tempfile::TempDir;

static RUN: LazyLock<TempDir> = LazyLock::new(|| TempDir::with_prefix("journal").expect("a folder"));

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    // Nothing that has a wrong checksum gets any further, so lines also come with the right one.
    read(&sealed(bytes));
});

/// However it is read, what is in a journal is the same; and what was resumed can be gone on with.
fn read(bytes: &[u8]) {
    let run = RUN.path();
    fs::write(run.join("events.jsonl"), bytes).expect("it is written");
    let seen = entries(run);
    let mut journal = FileJournal::<String>::open(run, || Timestamp::UNIX_EPOCH)
        .expect("nobody else has it")
        .without_sync();
    let mut loaded = Vec::new();
    if journal.load(&mut |event| loaded.push(event.clone())).is_err() {
        return;
    }
    assert_eq!(seen.as_deref(), Some(&loaded[..]));
    let next = Event::new(RunTime::ZERO, EventKind::RunResumed {});
    Journal::append(&mut journal, std::slice::from_ref(&next), None).expect("it is appended");
    let sync = Journal::<String>::sync(&mut journal);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(sync).expect("it is synced");
    loaded.push(next);
    assert_eq!(entries(run), Some(loaded));
}

/// All events; `None` if something is wrong with one.
fn entries(run: &Path) -> Option<Vec<Event>> {
    let mut reader = JournalReader::open(run).expect("the file is there");
    let mut events = Vec::new();
    loop {
        match reader.next_entry() {
            Ok(Some(entry)) => {
                entry.timestamp();
                entry.output.map(|output| output.json().map_err(|error| error.to_string()));
                events.push(entry.event);
            }
            Ok(None) => return Some(events),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                return None;
            }
        }
    }
}

/// The same lines with checksums that fit.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    const KEY: &[u8] = br#","crc":""#;
    let mut sealed = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.windows(KEY.len()).rposition(|window| window == KEY) {
            Some(end) if line.ends_with(b"\n") => {
                let crc = crc32fast::hash(&line[..end]);
                sealed.extend_from_slice(&line[..end]);
                sealed.extend_from_slice(format!(",\"crc\":\"{crc:08x}\"}}\n").as_bytes());
            }
            _ => sealed.extend_from_slice(line),
        }
    }
    sealed
}
