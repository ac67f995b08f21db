//! The changes that a restore makes in the folder.

use std::{
    collections::BTreeMap,
    os::{fd::OwnedFd, unix::ffi::OsStrExt as _},
    path::{Path, PathBuf},
};

use rustix::io::Errno;

use super::{
    KeptReason,
    place::{Place, mode_of, open_below, set_mode},
};
use crate::{
    diff::Change,
    disk,
    error::{AtPath as _, Error},
    store::Objects,
    tree::Entry,
};

/// The bits that the owner needs to change a folder.
const OWNER: u32 = 0o700;

pub(super) struct Restorer<'a> {
    objects: &'a Objects,
    root: OwnedFd,
    folder: &'a Path,
    /// The modes that folders get at the end, when nothing below them changes any more.
    modes: BTreeMap<PathBuf, u32>,
    pub(super) kept: Vec<(PathBuf, KeptReason)>,
}

impl<'a> Restorer<'a> {
    pub(super) fn new(objects: &'a Objects, folder: &'a Path) -> Result<Self, Error> {
        let root = disk::open_folder(folder).at(folder)?.into();
        Ok(Self { objects, root, folder, modes: BTreeMap::new(), kept: Vec::new() })
    }

    pub(super) fn apply(&mut self, changes: &[Change]) -> Result<(), Error> {
        // Children go before their parents, and parents come before their children.
        let removals: Vec<_> = changes.iter().rev().filter(|change| is_removal(change)).collect();
        let mut result = removals.into_iter().try_for_each(|change| self.remove(change));
        result = result.and_then(|()| changes.iter().try_for_each(|change| self.put(change)));
        // Folders that were made writable get their modes back even after a failure.
        let modes = std::mem::take(&mut self.modes);
        for (path, mode) in modes.iter().rev() {
            let absolute = self.folder.join(path);
            match open_below(&self.root, path) {
                Ok(folder) => result = result.and(set_mode(&folder, *mode, &absolute)),
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
                Err(error) => result = result.and(Err(error).at(&absolute)),
            }
        }
        result
    }

    /// Opens the folder of a path, and makes it writable until the end. Returns `None` if it is gone or now a link.
    fn parent(&mut self, path: &Path) -> Result<Option<OwnedFd>, Error> {
        let parent = path.parent().unwrap_or(Path::new(""));
        let absolute = self.folder.join(parent);
        let folder = match open_below(&self.root, parent) {
            Ok(folder) => folder,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
            Err(error) => return Err(error).at(&absolute),
        };
        let mode = mode_of(&folder, &absolute)?;
        if mode & OWNER != OWNER {
            self.modes.entry(parent.to_owned()).or_insert(mode);
            set_mode(&folder, mode | OWNER, &absolute)?;
        }
        Ok(Some(folder))
    }

    /// Calls `change` on a path that is still what was captured. Otherwise keeps the path.
    fn at_place(
        &mut self,
        path: &Path,
        expected: Option<&Entry>,
        change: impl FnOnce(&Place<'_>, &Objects) -> Result<Option<KeptReason>, Error>,
    ) -> Result<(), Error> {
        let (absolute, name) = (self.folder.join(path), path.file_name().unwrap_or_default().as_bytes());
        let kept = match self.parent(path)? {
            Some(folder) => {
                let place = Place { folder: &folder, name, path: &absolute };
                if place.holds(expected)? {
                    change(&place, self.objects)?
                } else {
                    Some(KeptReason::ChangedMeanwhile)
                }
            }
            None => Some(KeptReason::ChangedMeanwhile),
        };
        self.kept.extend(kept.map(|reason| (path.to_owned(), reason)));
        Ok(())
    }

    fn remove(&mut self, change: &Change) -> Result<(), Error> {
        let Some(before) = &change.before else { return Ok(()) };
        self.at_place(&change.path, Some(before), |place, _| {
            Ok(if place.remove(before)? { None } else { Some(KeptReason::NotEmpty) })
        })
    }

    fn put(&mut self, change: &Change) -> Result<(), Error> {
        let Some(after) = &change.after else { return Ok(()) };
        if self.kept.iter().any(|(path, _)| change.path.starts_with(path)) {
            if !self.kept.iter().any(|(path, _)| *path == change.path) {
                self.kept.push((change.path.clone(), KeptReason::ChangedMeanwhile));
            }
            return Ok(());
        }
        let before = change.before.as_ref().filter(|_| !is_removal(change));
        if after.folder().is_none() {
            return self
                .at_place(&change.path, before, |place, objects| place.put(after, objects).map(|()| None));
        }
        if before.is_none() {
            self.at_place(&change.path, None, |place, _| place.create_folder().map(|()| None))?;
        }
        self.modes.insert(change.path.clone(), after.mode);
        Ok(())
    }
}

/// Returns whether the old entry goes before the new one comes: a rename replaces only files and links by their like.
fn is_removal(change: &Change) -> bool {
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => before.folder().is_some() != after.folder().is_some(),
        (before, _) => before.is_some(),
    }
}
