//! What a run that is to go on has done so far.

use anyhow::anyhow;
use jiff::Timestamp;
use loop_core::{Observer, Progress};
use loop_telemetry::{Record, RunInfo, RunStore, TelemetryFile};

use super::{Failure, kept::read_on};
use crate::view::{self, Table};

/// What the journal of a run says, read to its end before the run goes on: so a damaged one is found while
/// nothing has changed yet.
pub(super) struct Earlier {
    pub(super) progress: Progress,
    pub(super) table: Table,
    /// When it was written last.
    last: Option<Timestamp>,
}

impl Earlier {
    /// Reads it.
    pub(super) fn of(store: &RunStore, id: &str) -> Result<Self, Failure> {
        let (mut progress, mut table, mut last) = (Progress::default(), Table::default(), None);
        read_on(&mut store.journal(id)?, &mut progress, |line, progress| {
            table.on_event(&line.event, progress);
            last = line.timestamp().or(last);
            Ok(())
        })?;
        Ok(Self { progress, table, last })
    }

    /// Makes up for a process that died after the run had ended, and before that was noted everywhere.
    pub(super) fn note_end(
        &self,
        store: &RunStore,
        telemetry: &TelemetryFile,
        info: &RunInfo,
    ) -> Result<(), Failure> {
        let Some(ending) = self.progress.ending() else { return Ok(()) };
        let mut record = Record::of(&info.name, ending, &self.progress).run_id(&info.id);
        if let Some(manifest) = &info.manifest {
            record = record.manifest(&manifest.path);
        }
        let record = record.between(info.started_at, self.last.unwrap_or(info.started_at));
        if let Err(error) = telemetry.append_once(&record) {
            view::warning(&format!("the run's record was not written: {:#}", anyhow!(error)));
        }
        Ok(store.note_end(&record)?)
    }
}
