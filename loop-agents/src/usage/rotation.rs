//! Decides whether lines may be lost because a file was replaced or rewritten between two looks at it.

use std::{fs::File, io, path::Path};

use loop_core::Usage;

use super::{at_least_nothing, name_watch::NameWatch};

/// How many old files are kept to look at them again.
const MAX_OLD: usize = 64;

/// The changes of a file's name and content while a command runs.
#[derive(Debug, Default)]
pub(super) struct Rotation {
    /// `None` if the folder cannot be watched, or does not exist yet.
    watch: Option<NameWatch>,
    /// How often the name got another file.
    replaced: u32,
    /// How many of these files were opened.
    opened: u32,
    /// Whether one could not be opened. The reader has warned of that.
    is_blocked: bool,
    /// Whether a file was replaced that nobody watched.
    is_unwatched: bool,
    /// How often the same text was written again.
    pub(super) repeated: u32,
    /// The files before this one, and where their reading ended. A process may still write to one of them.
    old: Vec<(File, u64)>,
}

impl Rotation {
    /// Begins to watch this path, instead of the one before.
    pub(super) fn watch(&mut self, path: &Path) -> io::Result<()> {
        self.watch = None;
        self.watch = Some(NameWatch::on(path)?);
        Ok(())
    }

    /// Forgets all changes until now.
    pub(super) fn begin(&mut self) {
        self.take();
        *self = Self { watch: self.watch.take(), ..Self::default() };
    }

    /// Notices the changes until now, and returns how many of them were changes of the content.
    pub(super) fn take(&mut self) -> u32 {
        let events = self.watch.as_ref().map(NameWatch::take).unwrap_or_default();
        self.replaced = self.replaced.saturating_add(events.replaced);
        events.changed
    }

    /// Keeps the file before a new one that was opened just now.
    pub(super) fn replace(&mut self, old: Option<(File, u64)>) {
        self.opened = self.opened.saturating_add(1);
        // A new file where none was, in a folder that nobody watched, is usually that of a new folder.
        self.is_unwatched |= self.watch.is_none() && old.is_some();
        if self.old.len() < MAX_OLD {
            self.old.extend(old);
        }
    }

    /// Notes that the new file cannot be opened.
    pub(super) fn block(&mut self) {
        self.is_blocked = true;
    }

    /// Returns the usage that may be lost at the end of a command: in files that had the name between two looks, or in
    /// old ones to which something was written later.
    pub(super) fn finish(&mut self) -> Usage {
        self.take();
        let opened = self.opened.saturating_add(u32::from(self.is_blocked));
        let is_missed = cfg!(target_os = "linux") && self.watch.is_some() && self.replaced != opened;
        let is_written = |(file, read): &(File, u64)| !file.metadata().is_ok_and(|now| now.len() == *read);
        let is_lost = is_missed || self.is_unwatched || self.old.iter().any(is_written);
        self.begin();
        lost_if(is_lost)
    }
}

/// Returns no usage, whose sum becomes a lower bound if `is_lost`.
pub(super) fn lost_if(is_lost: bool) -> Usage {
    if is_lost { at_least_nothing() } else { Usage::unknown() }
}
