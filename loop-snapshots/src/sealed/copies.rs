//! Files that no snapshot has: copied once, and compared before each use.

use std::{
    ffi::OsString,
    fs,
    io::Read as _,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
    path::{Path, PathBuf},
};

use super::{
    Wanted,
    relocation::Relocation,
    walk::{ByPath, FoundEntry, OWNER, found, set_mode, stays_a_folder},
};
use crate::{
    cache::StatData,
    codec::{Reader, put_bytes, put_u64, seal, unseal},
    disk::{self, Disk},
    error::{AtPath as _, Error},
    folder_copy::{CopiedEntry, put, replace},
};

/// Larger files are copied as they are, without a search for the folder's path.
pub(super) const LARGEST_RELOCATED: u64 = 64 << 10;

/// Copies in a folder of their own, and what identifies each.
#[derive(Debug)]
pub(super) struct Copies {
    root: PathBuf,
    entries: ByPath<FoundEntry>,
    /// The topmost paths. Everything below them comes from here alone.
    roots: Vec<PathBuf>,
}

impl Copies {
    /// Makes an empty folder for copies.
    pub(super) fn create(root: &Path) -> Result<Self, Error> {
        Disk::default().create_folder(root)?;
        Ok(Self { root: root.to_owned(), entries: ByPath::new(), roots: Vec::new() })
    }

    /// Opens the copies that an earlier process made.
    ///
    /// # Errors
    /// [`Error::SealBroken`] if they are not what it left.
    pub(super) fn open(root: &Path) -> Result<Self, Error> {
        let list = list_of(root);
        let bytes = disk::read(&list).at(&list)?;
        let (roots, stats) = decode(&bytes).ok_or_else(|| Error::damaged(&list, "its checksum is wrong"))?;
        let entries = found(root)?;
        let is_same = |(path, entry): (&OsString, &FoundEntry)| {
            stats.get(path) == Some(&entry.stat) || matches!(entry.kind, CopiedEntry::Folder { .. })
        };
        match entries.iter().find(|entry| !is_same(*entry)) {
            Some((path, _)) => Err(Error::SealBroken { path: root.join(path) }),
            None if entries.len() != stats.len() => Err(Error::SealBroken { path: root.to_owned() }),
            None => Ok(Self { root: root.to_owned(), entries, roots }),
        }
    }

    /// Copies what is at these paths of `from`.
    pub(super) fn add(
        &mut self,
        from: &Path,
        paths: Vec<PathBuf>,
        relocation: &Relocation,
    ) -> Result<(), Error> {
        for path in &paths {
            if let Some(above) = path.parent() {
                let above = self.root.join(above);
                fs::create_dir_all(&above).at(&above)?;
            }
            copy(&from.join(path), &self.root.join(path), relocation)?;
        }
        self.roots.extend(paths);
        self.entries = found(&self.root)?;
        let list = list_of(&self.root);
        Disk::default().replace(&list, &self.encode(), true)
    }

    /// Returns whether the path is one of the copies, or below one.
    pub(super) fn covers(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Returns the first path that is not as it was copied.
    pub(super) fn changed(&self) -> Result<Option<PathBuf>, Error> {
        let now = found(&self.root)?;
        let differs = |(path, entry): (&OsString, &FoundEntry)| {
            now.get(path).is_none_or(|now| !now.is_same_as(entry)).then(|| PathBuf::from(path))
        };
        let added = now.keys().find(|path| !self.entries.contains_key(*path)).map(PathBuf::from);
        Ok(self.entries.iter().find_map(differs).or(added))
    }

    /// Returns whether there are no copies.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Forgets and deletes all copies.
    pub(super) fn clear(&mut self) -> Result<(), Error> {
        stays_a_folder(&self.root)?;
        crate::FolderCopy::discard(&self.root)?;
        *self = Self::create(&self.root)?;
        Ok(())
    }

    /// Returns the entries for the sealed tree.
    pub(super) fn wanted(&self) -> impl Iterator<Item = (OsString, Wanted)> + '_ {
        self.entries.iter().map(|(path, entry)| {
            let wanted = match &entry.kind {
                CopiedEntry::Folder { mode } => Wanted::Folder { mode: *mode },
                CopiedEntry::Link { target } => Wanted::Link { target: target.clone() },
                CopiedEntry::File { .. } => Wanted::Copy { from: self.root.join(path), entry: entry.clone() },
            };
            (path.clone(), wanted)
        })
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = b"copies1\n".to_vec();
        put_u64(&mut out, self.roots.len() as u64);
        self.roots.iter().for_each(|root| put_bytes(&mut out, root.as_os_str().as_bytes()));
        for (path, entry) in &self.entries {
            put_bytes(&mut out, path.as_bytes());
            entry.stat.encode(&mut out);
        }
        seal(out)
    }
}

fn decode(sealed: &[u8]) -> Option<(Vec<PathBuf>, ByPath<StatData>)> {
    let mut reader = Reader(unseal(sealed)?.strip_prefix(b"copies1\n")?);
    let path =
        |reader: &mut Reader<'_>| reader.bytes().map(|path| PathBuf::from(std::ffi::OsStr::from_bytes(path)));
    let count = reader.u64()?;
    let roots = (0..count).map(|_| path(&mut reader)).collect::<Option<_>>()?;
    let mut stats = ByPath::new();
    while !reader.is_empty() {
        stats.insert(path(&mut reader)?.into_os_string(), StatData::decode(&mut reader)?);
    }
    Some((roots, stats))
}

/// The file with the list of the copies, beside their folder.
fn list_of(root: &Path) -> PathBuf {
    root.with_extension("list")
}

/// Copies a file, a link, or a folder with everything below it. Sockets, pipes and devices are left out.
fn copy(from: &Path, to: &Path, relocation: &Relocation) -> Result<(), Error> {
    let metadata = fs::symlink_metadata(from).at(from)?;
    let Some(kind) = crate::folder_copy::kind(from, &metadata)? else { return Ok(()) };
    match kind {
        CopiedEntry::File { size, mode, .. } if size <= LARGEST_RELOCATED => {
            let mut content = Vec::new();
            disk::open(from).and_then(|mut file| file.read_to_end(&mut content)).at(from)?;
            match relocation.text(&content) {
                Some(content) => {
                    replace(to, |draft| fs::write(draft, &content))?;
                    set_mode(to, mode)
                }
                None => put(from, &kind, to),
            }
        }
        CopiedEntry::File { .. } => put(from, &kind, to),
        CopiedEntry::Link { target } => {
            let target = relocation.path(&target);
            replace(to, |draft| symlink(&target, draft))
        }
        CopiedEntry::Folder { mode } => {
            Disk::default().create_folder(to)?;
            for entry in fs::read_dir(from).at(from)? {
                let name = entry.at(from)?.file_name();
                copy(&from.join(&name), &to.join(&name), relocation)?;
            }
            // A folder that nobody may write could not be compared or deleted.
            set_mode(to, mode | OWNER)
        }
    }
}
