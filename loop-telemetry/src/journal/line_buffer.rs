//! The lines between a journal and its file.

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{IoErrorContext, JournalError, appender::Appender, chain::LinePosition};
use crate::private_folder;

/// The file of lines, and the lines that must not be in it yet. A sync shares them with the run, which appends more
/// meanwhile. Nobody holds the lock while the disk is busy.
pub(super) struct LineBuffer {
    pub(super) file: Appender,
    /// Lines that wait to be written.
    pub(super) pending: Vec<u8>,
    /// The file of an output that must be synced before the line that names it is written.
    pub(super) pending_output: Option<String>,
    /// Whether we have recorded that the journal has events.
    pub(super) is_begun: bool,
    /// The position of the next line; `None` until we have loaded the lines before it.
    pub(super) next: Option<LinePosition>,
}

pub(super) fn locked(lines: &Mutex<LineBuffer>) -> MutexGuard<'_, LineBuffer> {
    // Each change of the buffer is complete before anything that could panic.
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LineBuffer {
    /// Writes the waiting lines, unless an output must be synced first.
    pub(super) fn flush(&mut self) -> Result<(), JournalError> {
        if self.pending_output.is_none() && !self.pending.is_empty() {
            self.file.append(&self.pending)?;
            self.pending.clear();
        }
        Ok(())
    }

    /// Writes the lines that waited for this output.
    pub(super) fn flush_after(&mut self, output: &str) -> Result<(), JournalError> {
        self.pending_output.take_if(|name| name == output);
        self.flush()
    }

    /// Records that the journal has events, once they are synced. From then on, a journal without events is damaged.
    pub(super) fn note_begun(&mut self, marker: &Path) -> Result<(), JournalError> {
        if !self.is_begun {
            let file = private_folder::private().write(true).create(true).truncate(false).open(marker);
            file.cannot_create(marker)?;
            self.is_begun = true;
        }
        Ok(())
    }
}
