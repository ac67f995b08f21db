//! A copy of a folder that may take its place later: several agents can work at once, each in a copy of its own.
//!
//! The copy has everything that the folder has, ignored files and `.git` too, so that a program works in it as in the
//! folder. Where the file system can, files share their blocks until one of them changes.

mod changes;
mod stored;

use std::{
    collections::BTreeMap,
    fs::{self, DirBuilder, File, FileTimes, Metadata, Permissions},
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::error::{AtPath as _, Error};

/// A copy of a folder.
///
/// ```
/// use loop_snapshots::FolderCopy;
/// # let place = tempfile::tempdir()?;
/// # let (folder, copied) = (place.path().join("folder"), place.path().join("copy"));
/// # std::fs::create_dir(&folder)?;
/// std::fs::write(folder.join("notes.md"), "one\n")?;
/// let copy = FolderCopy::create(&folder, &copied)?;
/// std::fs::write(copied.join("notes.md"), "one, two\n")?;
/// assert_eq!(copy.hand_back()?, 1);
/// assert_eq!(std::fs::read_to_string(folder.join("notes.md"))?, "one, two\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FolderCopy {
    origin: PathBuf,
    copy: PathBuf,
    /// The entries of the origin when it was copied, by their paths below it. A folder comes before what is in it.
    before: Entries,
    /// When the last file of the copy was made: whatever changes later has a later time of change.
    made: ChangeTime,
}

/// The time at which the kernel saw the last change of a file, in seconds and nanoseconds. No program can set it.
pub(crate) type ChangeTime = (i64, i64);

pub(crate) type Entries = BTreeMap<PathBuf, CopiedEntry>;

/// The properties that tell whether an entry changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CopiedEntry {
    Folder { mode: u32 },
    File { mode: u32, size: u64, modified: SystemTime },
    Link { target: PathBuf },
}

impl FolderCopy {
    /// Copies the folder `origin` to the path `copy`, where nothing may be yet; folders above it are made as needed. Links
    /// are copied as links. Pipes, sockets and devices are left out.
    ///
    /// # Errors
    /// [`Error::File`] if an entry cannot be read or written, or if something is at `copy`. The entries that were copied stay there.
    pub fn create(origin: &Path, copy: &Path) -> Result<Self, Error> {
        let origin = fs::canonicalize(origin).at(origin)?;
        let above = std::path::absolute(copy).at(copy)?;
        if above
            .ancestors()
            .find_map(|path| fs::canonicalize(path).ok())
            .is_some_and(|path| path.starts_with(&origin))
        {
            let source = io::Error::other("a copy cannot be in the folder that is copied");
            return Err(Error::File { path: above, source });
        }
        if let Some(above) = copy.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(above).at(above)?;
        }
        DirBuilder::new().mode(0o700).create(copy).at(copy)?;
        let copy = fs::canonicalize(copy).at(copy)?;
        let before = entries(&origin)?;
        for (path, entry) in &before {
            put(&origin.join(path), entry, &copy.join(path))?;
        }
        // Only now, because nothing can be written to a folder without write permission.
        set_folder_modes(&before, &copy)?;
        let mut made = (i64::MIN, 0);
        for (path, _) in before.iter().filter(|(_, entry)| matches!(entry, CopiedEntry::File { .. })) {
            made = made.max(changes::time(&copy.join(path))?);
        }
        Ok(Self { origin, copy, before, made })
    }

    /// Returns the path of the copy.
    pub fn folder(&self) -> &Path {
        &self.copy
    }

    /// Makes the origin equal to the copy: changes, adds and removes what was changed, added and removed in the copy. Keeps
    /// what only the origin has gained since. Returns the number of changed entries.
    ///
    /// # Errors
    /// [`Error::ChangedMeanwhile`] if something has changed in both; nothing is handed back then. [`Error::File`] if an
    /// entry cannot be read or written; the origin may then have a part of the changes.
    pub fn hand_back(&self) -> Result<usize, Error> {
        let (mut origin, copy) = (entries(&self.origin)?, entries(&self.copy)?);
        self.remove_drafts(&mut origin)?;
        let removed: Vec<_> = self.before.keys().filter(|path| !copy.contains_key(*path)).collect();
        let mut changed = Vec::new();
        for (path, entry) in &copy {
            if self.is_changed(path, entry, &origin)? {
                changed.push((path, entry));
            }
        }
        let paths = || removed.iter().copied().chain(changed.iter().map(|(path, _)| *path));
        let conflicts = self.conflicts(paths(), &origin, &copy)?;
        if !conflicts.is_empty() {
            return Err(Error::ChangedMeanwhile { folder: self.origin.clone(), paths: conflicts });
        }
        let changes: Vec<_> = paths().collect();
        let opened = self.open_folders(&origin, &changes)?;
        // What is in a folder goes before the folder.
        for path in removed.iter().rev().filter(|path| origin.contains_key(**path)) {
            remove(&self.origin.join(path))?;
        }
        for (path, entry) in &changed {
            put(&self.copy.join(path), entry, &self.origin.join(path))?;
        }
        let has_mode = |path: &PathBuf| {
            opened.contains(path) || self.before.get(path) != copy.get(path) || self.is_opened(path, &origin)
        };
        set_folder_modes(copy.iter().filter(|(path, _)| has_mode(path)), &self.origin)?;
        Ok(changes.len())
    }

    /// Removes the drafts of a process that died while it handed back.
    fn remove_drafts(&self, origin: &mut Entries) -> Result<(), Error> {
        let is_draft = |path: &&PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(DRAFT) && name.ends_with(DRAFT_END) && !self.before.contains_key(*path)
        };
        let drafts: Vec<_> = origin.keys().filter(is_draft).cloned().collect();
        for draft in drafts {
            remove(&self.origin.join(&draft))?;
            origin.remove(&draft);
        }
        Ok(())
    }

    /// Returns whether a process that died has made this folder of the origin writable.
    fn is_opened(&self, path: &Path, origin: &Entries) -> bool {
        let mode = |entries: &Entries| match entries.get(path) {
            Some(CopiedEntry::Folder { mode }) => Some(*mode),
            _ => None,
        };
        let was = mode(&self.before).filter(|mode| mode & 0o700 != 0o700);
        was.is_some_and(|was| mode(origin) == Some(was | 0o700))
    }

    /// Makes the folders of the origin in which something changes writable. Returns them.
    fn open_folders(&self, origin: &Entries, changes: &[&PathBuf]) -> Result<Vec<PathBuf>, Error> {
        let mut opened = Vec::new();
        for folder in changes.iter().filter_map(|path| path.parent()) {
            if let Some(CopiedEntry::Folder { mode }) = origin.get(folder)
                && mode & 0o700 != 0o700
                && !opened.iter().any(|known| known == folder)
            {
                let path = self.origin.join(folder);
                fs::set_permissions(&path, Permissions::from_mode(mode | 0o700)).at(&path)?;
                opened.push(folder.to_owned());
            }
        }
        Ok(opened)
    }

    /// Returns a text that differs if a folder has other entries, or entries with another kind, size or time.
    ///
    /// # Errors
    /// [`Error::File`] if an entry cannot be read.
    pub fn state(folder: &Path) -> Result<String, Error> {
        Ok(format!("{:?}", entries(folder)?))
    }

    /// Deletes a folder with copies in it, also if its folders have no write permission.
    ///
    /// # Errors
    /// [`Error::File`] if something in it cannot be deleted.
    pub fn discard(copies: &Path) -> Result<(), Error> {
        let Err(error) = fs::remove_dir_all(copies) else { return Ok(()) };
        if error.kind() != io::ErrorKind::PermissionDenied {
            return Err(error).at(copies);
        }
        for (path, entry) in entries(copies)? {
            if let CopiedEntry::Folder { .. } = entry {
                let path = copies.join(path);
                fs::set_permissions(&path, Permissions::from_mode(0o700)).at(&path)?;
            }
        }
        fs::remove_dir_all(copies).at(copies)
    }
}

/// Lists what is below a folder.
pub(crate) fn entries(root: &Path) -> Result<Entries, Error> {
    let (mut found, mut folders) = (Entries::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        let path = root.join(&folder);
        for entry in fs::read_dir(&path).at(&path)? {
            let entry = entry.at(&path)?;
            let below = folder.join(entry.file_name());
            let metadata = match entry.metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                metadata => metadata.at(&entry.path())?,
            };
            if let Some(kind) = kind(&entry.path(), &metadata)? {
                if metadata.is_dir() {
                    folders.push(below.clone());
                }
                found.insert(below, kind);
            }
        }
    }
    Ok(found)
}

pub(crate) fn kind(path: &Path, metadata: &Metadata) -> Result<Option<CopiedEntry>, Error> {
    let mode = metadata.mode() & 0o7777;
    Ok(if metadata.is_dir() {
        Some(CopiedEntry::Folder { mode })
    } else if metadata.is_symlink() {
        Some(CopiedEntry::Link { target: fs::read_link(path).at(path)? })
    } else if metadata.is_file() {
        Some(CopiedEntry::File { mode, size: metadata.len(), modified: metadata.modified().at(path)? })
    } else {
        None
    })
}

/// Puts a copy of an entry at `to`, in the place of what is there. A folder stays if it is one already.
pub(crate) fn put(from: &Path, entry: &CopiedEntry, to: &Path) -> Result<(), Error> {
    match entry {
        CopiedEntry::Folder { .. } => match fs::symlink_metadata(to) {
            Ok(metadata) if metadata.is_dir() => Ok(()),
            found => {
                if found.is_ok() {
                    fs::remove_file(to).at(to)?;
                }
                DirBuilder::new().mode(0o700).create(to).at(to)
            }
        },
        CopiedEntry::File { modified, .. } => replace(to, |draft| {
            // On Linux and macOS this shares the blocks of the file where the file system can.
            fs::copy(from, draft)?;
            let times = FileTimes::new().set_modified(*modified);
            match File::open(draft).and_then(|file| file.set_times(times)) {
                // The mode may forbid to open it. Then the file counts as changed later, which costs only time.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
                set => set,
            }
        }),
        CopiedEntry::Link { target } => replace(to, |draft| symlink(target, draft)),
    }
}

/// Makes a file or link under a name of its own, and gives it its place at once.
pub(crate) fn replace(to: &Path, make: impl Fn(&Path) -> io::Result<()>) -> Result<(), Error> {
    let number =
        (0_u64..).find(|number| fs::symlink_metadata(draft(to, *number)).is_err()).unwrap_or_default();
    let draft = draft(to, number);
    let placed = make(&draft).and_then(|()| {
        if fs::symlink_metadata(to).is_ok_and(|metadata| metadata.is_dir()) {
            fs::remove_dir(to)?;
        }
        fs::rename(&draft, to)
    });
    if placed.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&draft);
    }
    placed.at(to)
}

/// The name of a draft, around its number.
const DRAFT: &str = ".loop-copy-";
const DRAFT_END: &str = ".draft";

fn draft(to: &Path, number: u64) -> PathBuf {
    to.with_file_name(format!("{DRAFT}{number}{DRAFT_END}"))
}

/// Removes a file, a link, or a folder in which nothing is left.
fn remove(path: &Path) -> Result<(), Error> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty) => {
            Ok(())
        }
        removed => removed.at(path),
    }
}

pub(crate) fn set_folder_modes<'a>(
    entries: impl IntoIterator<Item = (&'a PathBuf, &'a CopiedEntry)>,
    root: &Path,
) -> Result<(), Error> {
    for (path, entry) in entries {
        if let CopiedEntry::Folder { mode } = entry {
            let path = root.join(path);
            fs::set_permissions(&path, Permissions::from_mode(*mode)).at(&path)?;
        }
    }
    Ok(())
}
