//! The copies of the folder: those of loops that run at once, and the tree of a sealed check.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use loop_agents::usage::UsageFile;
use loop_core::{Event, Progress};
use loop_snapshots::{FolderCopy, Relocation};

use super::{ExecutionContext, Hook};
use crate::snapshots::SnapshotError;

/// Deletes the copies of its folder that a run left in `root`, which [`ExecutionContext::with_copies`] set: those of several
/// loops, and the trees of checks.
///
/// # Errors
/// A file cannot be deleted.
pub fn discard_copies(root: &Path, run: &str) -> Result<(), SnapshotError> {
    let copies = root.join(run);
    discard_lanes(&copies)?;
    discard(&verified_place(&copies))?;
    Ok(discard(&sealed_place(&copies))?)
}

/// Deletes the copies of several loops, and their journals.
pub(crate) fn discard_lanes(copies: &Path) -> Result<(), loop_snapshots::Error> {
    // The journals go first: without their copies, nothing could continue them.
    discard(&journals_place(copies))?;
    discard(copies)
}

/// The place of the journals of several loops, beside their copies.
pub(crate) fn journals_place(copies: &Path) -> PathBuf {
    copies.with_added_extension("journals")
}

/// The place of a sealed tree, beside the copies of the same run.
pub(crate) fn sealed_place(copies: &Path) -> PathBuf {
    copies.with_added_extension("sealed")
}

/// The place for the trees of a check that runs again after its run.
pub(crate) fn verified_place(copies: &Path) -> PathBuf {
    copies.with_added_extension("verified")
}

/// Deletes a folder with copies, if it is there.
pub(crate) fn discard(copies: &Path) -> Result<(), loop_snapshots::Error> {
    if copies.symlink_metadata().is_ok() {
        FolderCopy::discard(copies)?;
    }
    Ok(())
}

/// Makes the listener to one of several loops, which has this number, from 1.
pub(super) type MakeLaneListener = dyn Fn(usize) -> LaneListener + Send + Sync;

/// Hears what a loop does.
type LaneListener = Box<dyn FnMut(&Event, &Progress) + Send>;

impl ExecutionContext {
    /// Sets the folder for the copies in which loops at once work. It is best on the file system of the run's folder, where
    /// copies can share blocks. Default: none, and a plan with several loops cannot run.
    #[must_use]
    pub fn with_copies(self, folder: Option<PathBuf>) -> Self {
        Self { copies: folder, ..self }
    }

    /// Sets the factory of listeners to loops that run at once. It is called with the number of each loop, from 1.
    #[must_use]
    pub fn on_lane<L>(self, make: impl Fn(usize) -> L + Send + Sync + 'static) -> Self
    where
        L: FnMut(&Event, &Progress) + Send + 'static,
    {
        Self { on_lane: Some(Hook(Arc::new(move |number| Box::new(make(number))))), ..self }
    }

    /// Returns the folder for the copies of this run.
    pub(crate) fn copies(&self) -> Option<PathBuf> {
        Some(self.copies.as_ref()?.join(self.supervisor.run()))
    }

    /// Deletes the tree of a sealed check of this run, which nothing needs after a run that cannot be resumed.
    ///
    /// # Errors
    /// A file cannot be deleted.
    pub fn discard_sealed_tree(&self) -> Result<(), SnapshotError> {
        Ok(self.copies().map_or(Ok(()), |copies| discard(&sealed_place(&copies)))?)
    }

    /// Returns the context of a loop that works in this copy of the folder. It takes no snapshots, and nobody sees the
    /// output of its commands.
    ///
    /// # Errors
    /// The file for the usage of its agent cannot be made.
    pub fn in_copy(&self, folder: &Path) -> io::Result<Self> {
        let executed = self.executed.as_ref().and_then(|file| file.strip_prefix(&self.folder).ok());
        Ok(Self {
            folder: folder.to_owned(),
            executed: executed.map(|file| folder.join(file)).or_else(|| self.executed.clone()),
            usage: UsageFile::create()?,
            usage_log: Arc::default(),
            snapshots: None,
            output: None,
            ..self.clone()
        })
    }

    /// Returns the context of a check that runs in a sealed tree, with a folder for temporary files of its own. It takes no
    /// snapshots.
    pub(crate) fn in_sealed(&self, tree: &Path, temporary: &Path, relocation: &Relocation) -> Self {
        let moved = |(name, value): &(OsString, OsString)| (name.clone(), relocation.word(value.clone()));
        Self {
            folder: tree.to_owned(),
            variables: self
                .variables
                .iter()
                .filter(|(name, _)| name != "TMPDIR")
                .map(moved)
                .chain([("TMPDIR".into(), temporary.into())])
                .collect(),
            snapshots: None,
            ..self.clone()
        }
    }

    /// Returns the listener to the loop with this number.
    pub(crate) fn lane_listener(&self, number: usize) -> LaneListener {
        match &self.on_lane {
            Some(Hook(make)) => make(number),
            None => Box::new(|_, _| {}),
        }
    }
}
