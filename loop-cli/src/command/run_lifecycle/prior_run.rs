//! The history of a run that is about to continue.

use jiff::Timestamp;
use loop_core::{Observer, Progress, with_causes};
use loop_telemetry::{LineDigest, Record, RunEntry, RunInfo, RunStore, TelemetryFile};

use super::stored_runs::read_on;
use crate::command::{Failure, usage};
use crate::view::{self, IterationTable, text};

/// The journal of a run, read to its end before the run continues. That way a damaged journal is found before anything
/// changes.
pub(crate) struct PriorRun {
    pub(crate) progress: Progress,
    pub(crate) table: IterationTable,
    /// The time of the last entry.
    last: Option<Timestamp>,
    /// The length of an incomplete last line, in bytes.
    torn: Option<u64>,
    /// The digest of the last whole line.
    head: Option<LineDigest>,
}

impl PriorRun {
    /// Reads the journal.
    pub(crate) fn read(store: &RunStore, id: &str) -> Result<Self, Failure> {
        let (mut progress, mut table, mut last) = (Progress::default(), IterationTable::default(), None);
        let mut journal = store.journal(id)?;
        read_on(&mut journal, &mut progress, |line, progress| {
            table.on_event(&line.event, progress);
            last = line.timestamp().or(last);
            Ok(())
        })?;
        let (torn, head) = (journal.torn_bytes(), journal.head());
        Ok(Self { progress, table, last, torn, head })
    }

    /// Refuses a truncated journal: one that lacks an end known to the list of runs, or one without a beginning. Warns
    /// about an incomplete last line.
    pub(crate) fn refuse_truncated(&self, store: &RunStore, run: &RunEntry) -> Result<(), Failure> {
        let lacks_its_end = !run.is_open && self.progress.ending().is_none();
        if lacks_its_end {
            let path = store.folder_of(&run.id)?.join("events.jsonl");
            return Err(usage!(
                "{} was cut: it lacks the end of the run, which the list of runs contains\n  \
                 restore the file from a backup, or start a new run",
                path.display()
            ));
        }
        if let Some(bytes) = self.torn {
            let torn = text::count(bytes, "byte");
            view::warning(&format!(
                "the last line of the run's journal is incomplete: its {torn} are removed, and the run repeats \
                 that step"
            ));
        }
        Ok(())
    }

    /// Completes the records of a process that died after the end of its run but before noting the end everywhere.
    /// Returns whether the record was written.
    pub(crate) fn note_end(
        &self,
        store: &RunStore,
        telemetry: &TelemetryFile,
        info: &RunInfo,
    ) -> Result<bool, Failure> {
        let Some(ending) = self.progress.ending() else { return Ok(true) };
        let mut record =
            Record::of(&info.name, ending, &self.progress).run_id(&info.id).journal_head(self.head);
        if let Some(manifest) = &info.manifest {
            record = record.manifest(&manifest.path);
        }
        let record =
            record.between(info.started_at, self.last.unwrap_or(info.started_at)).redacted(&view::secrets());
        let appended = telemetry.append_once(&record);
        if let Err(error) = &appended {
            view::warning(&format!("the run's record was not written: {}", with_causes(error)));
        }
        store.note_end(&record)?;
        Ok(appended.is_ok())
    }
}
