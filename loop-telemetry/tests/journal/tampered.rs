//! Another process changes a journal while the run writes it.

use std::{fs, path::Path};

use futures::executor::block_on;
use jiff::Timestamp;
use loop_core::{Event, EventKind, Journal, RunTime};
use loop_telemetry::FileJournal;

/// Returns the error that the journal's writer gets after `meddle` changed the file.
fn told(meddle: impl FnOnce(&Path)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = FileJournal::<u64>::create(folder.path().join("run"), Timestamp::now).unwrap();
    let began = Event::new(RunTime::ZERO, EventKind::RunStarted { evaluated: false, evaluates_first: false });
    journal.append(std::slice::from_ref(&began), None).unwrap();
    block_on(journal.sync()).unwrap();
    meddle(journal.path());
    let at_sync = block_on(journal.sync()).unwrap_err().to_string();
    let at_write = journal.append(&[began], None).unwrap_err().to_string();
    assert_eq!(at_write, at_sync);
    at_write
}

#[test]
fn whoever_writes_a_journal_notices_when_it_is_removed_replaced_or_cut() {
    let removed = told(|path| fs::remove_file(path).unwrap());
    assert!(removed.contains("events.jsonl") && removed.contains("it was removed"), "{removed}");
    let cut = told(|path| fs::write(path, "").unwrap());
    assert!(cut.contains("bytes, but"), "{cut}");
    #[cfg(unix)]
    {
        let replaced = told(|path| {
            fs::copy(path, path.with_extension("new")).unwrap();
            fs::rename(path.with_extension("new"), path).unwrap();
        });
        assert!(replaced.contains("another file"), "{replaced}");
    }
}
