//! What a run that is to go on has done so far.

use jiff::Timestamp;
use loop_core::{Observer, Progress, with_causes};
use loop_telemetry::{Record, RunEntry, RunInfo, RunStore, TelemetryFile};

use super::{Failure, kept::read_on, usage};
use crate::view::{self, Table, text};

/// What the journal of a run says, read to its end before the run goes on: so a damaged one is found while
/// nothing has changed yet.
pub(super) struct Earlier {
    pub(super) progress: Progress,
    pub(super) table: Table,
    /// When it was written last.
    last: Option<Timestamp>,
    /// The bytes of a last line that was not written whole.
    torn: Option<u64>,
}

impl Earlier {
    /// Reads it.
    pub(super) fn of(store: &RunStore, id: &str) -> Result<Self, Failure> {
        let (mut progress, mut table, mut last) = (Progress::default(), Table::default(), None);
        let mut journal = store.journal(id)?;
        read_on(&mut journal, &mut progress, |line, progress| {
            table.on_event(&line.event, progress);
            last = line.timestamp().or(last);
            Ok(())
        })?;
        let torn = journal.torn_bytes();
        Ok(Self { progress, table, last, torn })
    }

    /// Refuses to go on with a journal that was cut: the list knows of an end that it lacks, or it has no beginning. Tells
    /// of a last line that is cut off.
    pub(super) fn refuse_a_cut_one(&self, store: &RunStore, run: &RunEntry) -> Result<(), Failure> {
        let lacks_its_end = !run.is_open && self.progress.ending().is_none();
        if lacks_its_end {
            let path = store.folder_of(&run.id)?.join("events.jsonl");
            return Err(usage!(
                "{} was cut: it lacks the end of the run, which the list of runs knows\n  \
                 take the file from a backup, or begin a new run",
                path.display()
            ));
        }
        if let Some(bytes) = self.torn {
            let torn = text::count(bytes, "byte");
            view::warning(&format!(
                "the last line of the run's journal was not written whole: its {torn} are cut off, and what it was to \
                 record is done again"
            ));
        }
        Ok(())
    }

    /// Makes up for a process that died after the run had ended, and before that was noted everywhere. Says whether the
    /// record is written.
    pub(super) fn note_end(
        &self,
        store: &RunStore,
        telemetry: &TelemetryFile,
        info: &RunInfo,
    ) -> Result<bool, Failure> {
        let Some(ending) = self.progress.ending() else { return Ok(true) };
        let mut record = Record::of(&info.name, ending, &self.progress).run_id(&info.id);
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
