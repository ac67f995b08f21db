//! The journals of an assay.

use std::path::Path;

use loop_manifest::ExecutionContext;
use loop_telemetry::{FileJournal, JournalError, JournalReader, jiff::Timestamp};
use serde::de::DeserializeOwned;

use crate::error::AssayError;

/// Opens the journal in this folder, or creates it.
pub(crate) fn open<O>(folder: &Path, cx: &ExecutionContext) -> Result<FileJournal<O>, JournalError> {
    let wall = cx.clone();
    let clock = move || Timestamp::try_from(wall.now()).unwrap_or_default();
    let journal = match exists(folder) {
        true => FileJournal::open(folder, clock)?,
        false => FileJournal::create(folder, clock)?,
    };
    Ok(journal.redacting(cx.redactor()))
}

/// Returns all outputs in the journal in this folder; none if there is no journal.
pub(crate) fn outputs<O: DeserializeOwned>(folder: &Path) -> Result<Vec<O>, AssayError> {
    let mut outputs = Vec::new();
    if !exists(folder) {
        return Ok(outputs);
    }
    let mut journal = JournalReader::open(folder)?;
    while let Some(entry) = journal.next_entry()? {
        let Some(output) = entry.output else { continue };
        let parsed = serde_json::from_str(&output.json()?);
        let why =
            |error: serde_json::Error| AssayError::Result { path: folder.to_owned(), why: error.to_string() };
        outputs.push(parsed.map_err(why)?);
    }
    Ok(outputs)
}

fn exists(folder: &Path) -> bool {
    folder.join("events.jsonl").exists()
}
