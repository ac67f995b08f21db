//! A folder on disk that is made equal to a list of entries, with as few writes as possible.

use std::{
    ffi::OsStr,
    fs::{self, File, FileTimes, Permissions},
    io::{self, Write as _},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{
    Wanted,
    walk::{ByPath, FoundEntry, OWNER, found, mode, set_mode, stat, stays_a_folder},
};
use crate::{
    cache::StatData,
    digest::Digest,
    disk::Disk,
    error::{AtPath as _, Error},
    folder_copy::{put, replace},
    store::Objects,
};

/// A later change can have the same time stamp as ours within this time.
const TICK: Duration = Duration::from_millis(20);

/// How long ago the files of the first renewal seem to have changed.
const FIRST_AGE: Duration = Duration::from_secs(10);

/// A folder whose content nobody but [`Mirror::renew`] decides.
#[derive(Debug)]
pub(super) struct Mirror {
    root: PathBuf,
    written: ByPath<Written>,
    /// Whether there is build output of an earlier tree, which is older than every file of this one.
    has_build: bool,
    /// The end of the last renewal, since 1970.
    end: (i64, i64),
}

/// A file as we left it.
#[derive(Debug)]
struct Written {
    content: Content,
    mode: u32,
    stat: StatData,
    modified: SystemTime,
}

/// The identity of a file's content.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Digest(Digest),
    Copy(StatData),
}

impl Mirror {
    /// Makes an empty folder at `root`, in the place of what is there.
    pub(super) fn create(root: &Path, has_build: bool) -> Result<Self, Error> {
        if fs::symlink_metadata(root).is_ok() {
            crate::FolderCopy::discard(root)?;
        }
        Disk::default().create_folder(root)?;
        Ok(Self { root: root.to_owned(), written: ByPath::new(), end: (0, 0), has_build })
    }

    /// Makes the folder equal to `wanted`. A file that keeps its content keeps its time stamp too, also if something else
    /// changed it in between. One with another content gets the present time.
    pub(super) fn renew(&mut self, wanted: &ByPath<Wanted>, objects: &Objects) -> Result<(), Error> {
        stays_a_folder(&self.root)?;
        let now = found(&self.root)?;
        // What is in a folder goes before the folder.
        for (path, entry) in now.iter().rev() {
            if !wanted.get(path).is_some_and(|wanted| wanted.can_stay(entry)) {
                remove(&self.root.join(path))?;
            }
        }
        let mut modes = Vec::new();
        for (path, content) in wanted {
            match content {
                Wanted::Folder { mode } => {
                    let folder = self.root.join(path);
                    if !now.get(path).is_some_and(|entry| content.can_stay(entry)) {
                        fs::create_dir(&folder).at(&folder)?;
                    }
                    modes.push((folder, *mode));
                }
                _ => self.put(path, content, now.get(path), objects)?,
            }
        }
        self.written.retain(|path, _| wanted.contains_key(path));
        for (folder, bits) in modes.iter().rev() {
            if mode(folder)? != bits & 0o7777 {
                set_mode(folder, *bits)?;
            }
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(TICK);
        self.end = (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), i64::from(since.subsec_nanos()));
        Ok(())
    }

    fn put(
        &mut self,
        path: &OsStr,
        wanted: &Wanted,
        found: Option<&FoundEntry>,
        objects: &Objects,
    ) -> Result<(), Error> {
        let absolute = self.root.join(path);
        if let Wanted::Link { target } = wanted {
            if !found.is_some_and(|entry| wanted.can_stay(entry)) {
                replace(&absolute, |draft| symlink(target, draft))?;
            }
            return Ok(());
        }
        let (content, bits) = wanted.identity();
        let before = self.written.get(path).filter(|written| written.content == content);
        let is_as_written = |written: &&Written| {
            found.is_some_and(|entry| entry.stat == written.stat)
                && written.mode == bits
                && written.stat.changed() < self.end
        };
        if before.is_some_and(|written| is_as_written(&written)) {
            return Ok(());
        }
        let times = before.map(|written| written.modified).or_else(|| self.is_first().then(first_time));
        let times = times.map(|time| FileTimes::new().set_modified(time));
        match wanted {
            Wanted::Copy { from, entry } => put(from, &entry.kind, &absolute)?,
            Wanted::Stored { digest, .. } => write(&absolute, bits, times, |file| {
                objects.read(*digest, |piece| file.write_all(piece).at(&absolute)).map_err(io::Error::other)
            })?,
            Wanted::Merged { content, .. } => {
                write(&absolute, bits, times, |file| file.write_all(content))?;
            }
            Wanted::Folder { .. } | Wanted::Link { .. } => return Ok(()),
        }
        let modified = fs::symlink_metadata(&absolute).and_then(|found| found.modified()).at(&absolute)?;
        let written = Written { content, mode: bits, stat: stat(&absolute)?, modified };
        self.written.insert(path.into(), written);
        Ok(())
    }

    /// Returns the paths, of those that `is_asked` accepts, that are no longer as they were left, and whether each is still a
    /// file with the same content.
    pub(super) fn changed(
        &self,
        wanted: &ByPath<Wanted>,
        is_asked: impl Fn(&Path) -> bool,
    ) -> Result<Vec<(PathBuf, bool)>, Error> {
        let now = found(&self.root)?;
        let is_same = |path: &OsStr, content: &Wanted| match (now.get(path), self.written.get(path)) {
            (Some(entry), Some(written)) => entry.stat == written.stat,
            (Some(entry), None) => content.can_stay(entry),
            (None, _) => false,
        };
        let has_content = |path: &Path| {
            let Some(Content::Digest(digest)) = self.written.get(path.as_os_str()).map(|file| &file.content)
            else {
                return false;
            };
            let is_file = now.get(path.as_os_str()).is_some_and(FoundEntry::is_file);
            is_file && fs::read(self.root.join(path)).is_ok_and(|now| Digest::of(&now) == *digest)
        };
        let changed = wanted.iter().filter(|(path, content)| !is_same(path, content));
        let paths = changed.map(|(path, _)| PathBuf::from(path)).filter(|path| is_asked(path));
        Ok(paths.map(|path| (path.clone(), has_content(&path))).collect())
    }

    fn is_first(&self) -> bool {
        self.end == (0, 0) && !self.has_build
    }

    /// Returns the topmost paths that are there and not in `wanted`.
    pub(super) fn added(&self, wanted: &ByPath<Wanted>) -> Result<Vec<PathBuf>, Error> {
        let mut added: Vec<PathBuf> = Vec::new();
        let mut all: Vec<_> = found(&self.root)?.into_keys().map(PathBuf::from).collect();
        all.retain(|path| !wanted.contains_key(path.as_os_str()));
        // In this order, everything in a folder follows it.
        all.sort_unstable();
        for path in all {
            if !added.last().is_some_and(|last| path.starts_with(last)) {
                added.push(path);
            }
        }
        Ok(added)
    }
}

impl Wanted {
    /// Returns whether the entry on disk is one of the right kind, so that it is replaced and not removed.
    fn can_stay(&self, entry: &FoundEntry) -> bool {
        use crate::folder_copy::CopiedEntry::{File, Folder, Link};
        match (self, &entry.kind) {
            (Self::Folder { .. }, Folder { .. })
            | (Self::Stored { .. } | Self::Merged { .. } | Self::Copy { .. }, File { .. }) => true,
            (Self::Link { target }, Link { target: found }) => target == found,
            _ => false,
        }
    }

    /// Returns what identifies the content of a file, and its mode.
    fn identity(&self) -> (Content, u32) {
        match self {
            Self::Stored { digest, mode } => (Content::Digest(*digest), *mode),
            Self::Merged { content, mode } => (Content::Digest(Digest::of(content)), *mode),
            Self::Copy { entry, .. } => (Content::Copy(entry.stat), 0),
            Self::Folder { .. } | Self::Link { .. } => (Content::Digest(Digest::of(b"")), 0),
        }
    }
}

/// The time stamp of the first files. Tools that count whole seconds still see that a file changed right afterwards.
fn first_time() -> SystemTime {
    SystemTime::now().checked_sub(FIRST_AGE).unwrap_or_else(SystemTime::now)
}

/// Writes a file under another name, and gives it its place at once.
fn write(
    path: &Path,
    mode: u32,
    times: Option<FileTimes>,
    fill: impl Fn(&mut File) -> io::Result<()>,
) -> Result<(), Error> {
    replace(path, |draft| {
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(draft)?;
        fill(&mut file)?;
        file.set_permissions(Permissions::from_mode(mode & 0o7777))?;
        times.map_or(Ok(()), |times| file.set_times(times))
    })
}

fn remove(path: &Path) -> Result<(), Error> {
    let metadata = fs::symlink_metadata(path).at(path)?;
    if !metadata.is_dir() {
        return fs::remove_file(path).at(path);
    }
    if metadata.permissions().mode() & OWNER != OWNER {
        set_mode(path, OWNER)?;
    }
    fs::remove_dir(path).at(path)
}
