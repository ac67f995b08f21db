//! One entry of a walk.

use std::{
    ffi::OsStr,
    fs::File,
    os::{fd::OwnedFd, unix::ffi::OsStrExt as _},
    path::Path,
};

use rustix::{
    fs::{FileType, Mode, Stat, fstat, readlinkat},
    io::Errno,
};

use super::{
    names,
    walk::{MOST_LEVELS, Visited, Walker, device_and_inode},
};
use crate::{
    cache::{CachedEntry, StatData},
    error::{AtPath as _, Error},
    store::hash_file,
    tree::{Entry, EntryKind, LeftOut},
};

pub(crate) fn mode(stat: &Stat) -> u32 {
    #[expect(clippy::useless_conversion, reason = "the type of the mode depends on the system")]
    u32::from(Mode::from_raw_mode(stat.st_mode).bits())
}

/// Returns whether another process removed or replaced the entry after it was listed.
fn vanished(error: Errno) -> bool {
    matches!(error, Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NXIO)
}

impl Walker<'_> {
    /// Captures the entry at the current path. Returns it, and whether it is the same as in the last capture.
    pub(super) fn visit(
        &mut self,
        folder: &OwnedFd,
        name: Box<[u8]>,
        cached: Option<CachedEntry>,
        level: usize,
    ) -> Result<Visited, Error> {
        if &*name == b".git" {
            let entry = self.left_out(name, LeftOut::Repository, 0);
            return Ok(uncached(entry, cached));
        }
        let stat = match names::stat(folder, &name) {
            Ok(stat) => stat,
            Err(error) if vanished(error) => return Ok(self.gone()),
            Err(Errno::ACCESS) => {
                let entry = self.left_out(name, LeftOut::Unreadable, 0);
                return Ok(uncached(entry, cached));
            }
            Err(error) => return Err(error).at(&self.absolute()),
        };
        let kind = FileType::from_raw_mode(stat.st_mode);
        let is_folder = kind == FileType::Directory;
        let is_ignored = self.is_ignored(is_folder);
        if is_ignored && !self.is_tracked() {
            let entry = self.left_out(name, LeftOut::Ignored, 0);
            return Ok(uncached(entry, cached));
        }
        match kind {
            FileType::Directory => {
                let outer = std::mem::replace(&mut self.in_ignored, is_ignored);
                let visited = self.visit_folder(folder, name, &stat, cached, level);
                self.in_ignored = outer;
                visited
            }
            FileType::RegularFile => self.visit_file(folder, name, &stat, cached),
            FileType::Symlink => self.visit_link(folder, name, cached),
            _ => Ok(uncached(self.left_out(name, LeftOut::Special, 0), cached)),
        }
    }

    fn gone(&mut self) -> Visited {
        self.unsettled.push(self.path().to_owned());
        None
    }

    fn visit_folder(
        &mut self,
        parent: &OwnedFd,
        name: Box<[u8]>,
        stat: &Stat,
        cached: Option<CachedEntry>,
        level: usize,
    ) -> Result<Visited, Error> {
        let reason = match names::open_folder(parent, &name) {
            _ if level >= MOST_LEVELS => LeftOut::TooDeep,
            _ if self.outside.contains(&device_and_inode(stat)) => LeftOut::Store,
            Ok(folder) => {
                let (old, cached) = cached.map_or((None, None), |cached| (Some(cached.entry), cached.folder));
                let folder = self.folder(&folder, cached, level + 1)?;
                let kind = EntryKind::Folder { digest: folder.digest };
                let entry = Entry { name, mode: mode(stat), kind };
                let is_same = old.is_some_and(|old| old == entry);
                return Ok(Some((
                    CachedEntry { entry, stat: StatData::default(), folder: Some(folder) },
                    is_same,
                )));
            }
            Err(Errno::ACCESS) => LeftOut::Unreadable,
            Err(error) if vanished(error) => return Ok(self.gone()),
            Err(error) => return Err(error).at(&self.absolute()),
        };
        Ok(uncached(self.left_out(name, reason, 0), cached))
    }

    fn visit_link(
        &mut self,
        folder: &OwnedFd,
        name: Box<[u8]>,
        cached: Option<CachedEntry>,
    ) -> Result<Visited, Error> {
        self.count(0)?;
        let target = match readlinkat(folder, &*name, Vec::new()) {
            Ok(target) => target,
            Err(error) if vanished(error) || error == Errno::INVAL => return Ok(self.gone()),
            Err(error) => return Err(error).at(&self.absolute()),
        };
        let target = Path::new(OsStr::from_bytes(target.to_bytes())).to_owned();
        Ok(uncached(Entry { name, mode: 0, kind: EntryKind::Link { target } }, cached))
    }

    fn visit_file(
        &mut self,
        folder: &OwnedFd,
        name: Box<[u8]>,
        stat: &Stat,
        cached: Option<CachedEntry>,
    ) -> Result<Visited, Error> {
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        let is_secret = (self.options.is_secret)(self.path());
        if size > self.options.max_file && !is_secret {
            return Ok(uncached(self.left_out(name, LeftOut::TooLarge, size), cached));
        }
        self.count(size)?;
        let found = StatData::of(stat);
        if let Some(mut cached) = cached.filter(|cached| cached.stat == found) {
            let was_secret = matches!(cached.entry.kind, EntryKind::LeftOut { reason: LeftOut::Secret, .. });
            if was_secret == is_secret {
                let mode = if is_secret { 0 } else { mode(stat) };
                let is_same = std::mem::replace(&mut cached.entry.mode, mode) == mode;
                if is_secret {
                    self.left_out.push((self.path().to_owned(), LeftOut::Secret));
                }
                return Ok(Some((cached, is_same)));
            }
        }
        let file = match names::open_file(folder, &name) {
            Ok(file) => File::from(file),
            Err(Errno::ACCESS | Errno::PERM) => {
                return Ok(uncached(self.left_out(name, LeftOut::Unreadable, size), None));
            }
            Err(error) if vanished(error) => return Ok(self.gone()),
            Err(error) => return Err(error).at(&self.absolute()),
        };
        self.read_file(&file, name, stat, is_secret)
    }

    fn read_file(
        &mut self,
        file: &File,
        name: Box<[u8]>,
        listed: &Stat,
        is_secret: bool,
    ) -> Result<Visited, Error> {
        let path = self.absolute();
        let before = fstat(file).at(&path)?;
        if FileType::from_raw_mode(before.st_mode) != FileType::RegularFile {
            return Ok(self.gone());
        }
        let size = u64::try_from(before.st_size).unwrap_or(0);
        let entry = if is_secret {
            self.left_out.push((self.path().to_owned(), LeftOut::Secret));
            let digest = Some(hash_file(file, &path)?);
            Entry { name, mode: 0, kind: EntryKind::LeftOut { reason: LeftOut::Secret, size, digest } }
        } else {
            let (digest, size) = self.objects.add_file(file, &path, size)?;
            Entry { name, mode: mode(&before), kind: EntryKind::File { size, digest } }
        };
        let stat = StatData::of(&before);
        if StatData::of(listed) != stat || StatData::of(&fstat(file).at(&path)?) != stat {
            self.unsettled.push(self.path().to_owned());
        }
        self.read.push((self.path().to_owned(), stat));
        let stat = if stat.is_settled(self.now) { stat } else { StatData::default() };
        Ok(Some((CachedEntry { entry, stat, folder: None }, false)))
    }
}

/// An entry that is made anew by each capture.
fn uncached(entry: Entry, cached: Option<CachedEntry>) -> Visited {
    let is_same = cached.is_some_and(|cached| cached.entry == entry);
    Some((CachedEntry { entry, stat: StatData::default(), folder: None }, is_same))
}
