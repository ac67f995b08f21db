//! The files below `memories/`: which there are, and how one is replaced.
//!
//! An active memory is in `TYPE/ID.md`. The others are in `proposed/TYPE/`, `archive/TYPE/` and `rejected/TYPE/`, so
//! that a change of state moves the file and keeps its bytes.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, ErrorKind, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::{MemoryState, MemoryType, digest};
use crate::{Error, regular_file};

/// The largest file, in bytes. The limits of summary and body are far below.
const MOST_BYTES: u64 = 64 << 10;

/// A file that changed this recently can change again without another time in its entry.
const YOUNG: Duration = Duration::from_secs(1);

const NOT_REGULAR: &str = "it is not a regular file";

/// The name of a file that is being written. One process writes at a time, and the next one removes what a killed one
/// left.
const DRAFT: &str = ".draft";

/// A file that should be a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MemoryPath {
    /// The path below `memories/`.
    pub(super) path: PathBuf,
    pub(super) id: String,
    pub(super) state: MemoryState,
    pub(super) memory_type: MemoryType,
    /// Differs after each change of the file; empty if the file is too young to rely on that.
    pub(super) stamp: String,
    /// The reason why its content does not matter.
    pub(super) fault: Option<String>,
}

/// Returns the folder of the memories of this state and type.
pub(super) fn folder_of(state: MemoryState, memory_type: MemoryType) -> PathBuf {
    let folder = Path::new(memory_type.as_str());
    match state {
        MemoryState::Active => folder.to_owned(),
        MemoryState::Proposed => Path::new("proposed").join(folder),
        MemoryState::Archived => Path::new("archive").join(folder),
        MemoryState::Rejected => Path::new("rejected").join(folder),
    }
}

/// Returns all files, the active ones first, sorted by name, and then those that are in no folder of memories.
pub(super) fn list(root: &Path) -> Result<Vec<MemoryPath>, Error> {
    let mut found = Vec::new();
    let mut ids: HashMap<String, PathBuf> = HashMap::new();
    for state in MemoryState::ALL {
        for memory_type in MemoryType::ALL {
            let folder = folder_of(*state, *memory_type);
            if let Some(fault) = folder_fault(root, &folder) {
                found.push(MemoryPath {
                    id: String::new(),
                    state: *state,
                    memory_type: *memory_type,
                    stamp: String::new(),
                    fault: Some(fault.to_owned()),
                    path: folder,
                });
                continue;
            }
            for name in names(&root.join(&folder))? {
                let path = folder.join(&name);
                let Some(mut file) = entry(root, path, *state, *memory_type)? else { continue };
                if let Some(first) = ids.get(&file.id) {
                    file.fault = Some(format!("its id is that of {}: rename one of them", first.display()));
                    file.stamp.push_str(" duplicate");
                } else {
                    ids.insert(file.id.clone(), file.path.clone());
                }
                found.push(file);
            }
        }
    }
    found.extend(misplaced(root)?);
    Ok(found)
}

/// Returns the entries of the folder that a person may have meant for memories: files, and folders with files.
fn misplaced(root: &Path) -> Result<Vec<MemoryPath>, Error> {
    let ours =
        MemoryState::ALL.iter().flat_map(|state| MemoryType::ALL.iter().map(|kind| folder_of(*state, *kind)));
    let ours: HashSet<_> = ours.filter_map(|folder| folder.iter().next().map(PathBuf::from)).collect();
    let is_odd = |name: &Path| {
        let is_hidden = name.as_os_str().as_encoded_bytes().starts_with(b".");
        !is_hidden && name != Path::new(digest::NAME) && !ours.contains(name)
    };
    let mut found = Vec::new();
    for path in names_of(root, is_odd)? {
        let is_folder = root.join(&path).symlink_metadata().is_ok_and(|facts| facts.is_dir());
        let is_meant = if is_folder { !names(&root.join(&path))?.is_empty() } else { has_extension(&path) };
        if is_meant {
            let types: Vec<_> = MemoryType::ALL.iter().map(|kind| kind.as_str()).collect();
            found.push(MemoryPath {
                path,
                id: String::new(),
                state: MemoryState::Active,
                memory_type: MemoryType::ToolUse,
                stamp: "misplaced".to_owned(),
                fault: Some(format!("memories are in the folders {}", types.join(", "))),
            });
        }
    }
    Ok(found)
}

fn has_extension(name: &Path) -> bool {
    name.extension().is_some_and(|extension| extension == "md")
}

/// Returns why memories of this folder are neither read nor written: a link could lead anywhere.
pub(super) fn folder_fault(root: &Path, folder: &Path) -> Option<&'static str> {
    let parts = folder.ancestors().filter(|part| !part.as_os_str().is_empty());
    let is_odd = |part: &Path| root.join(part).symlink_metadata().is_ok_and(|facts| !facts.is_dir());
    parts.into_iter().any(is_odd).then_some("it is not a folder, or it is a link")
}

/// Returns the names of a folder that end in `.md`, sorted. Names that begin with a dot belong to editors.
fn names(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let is_memory = |name: &Path| {
        let is_hidden = name.as_os_str().as_encoded_bytes().starts_with(b".");
        !is_hidden && has_extension(name)
    };
    names_of(folder, is_memory)
}

fn names_of(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, Error> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(Error::file(folder))?,
    };
    let names = entries.map(|entry| Ok(PathBuf::from(entry.map_err(Error::file(folder))?.file_name())));
    let mut names: Vec<_> = names
        .filter(|name| name.as_ref().map_or(true, |name| is_wanted(name)))
        .collect::<Result<_, Error>>()?;
    names.sort_unstable();
    Ok(names)
}

fn entry(
    root: &Path,
    path: PathBuf,
    state: MemoryState,
    memory_type: MemoryType,
) -> Result<Option<MemoryPath>, Error> {
    let whole = root.join(&path);
    let facts = match whole.symlink_metadata() {
        // Another process moved it in the meantime.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        facts => facts.map_err(Error::file(&whole))?,
    };
    let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let fault = if !facts.is_file() {
        Some(NOT_REGULAR.to_owned())
    } else if facts.len() > MOST_BYTES {
        Some(format!("it has {} bytes (at most {MOST_BYTES})", facts.len()))
    } else if !id.bytes().all(is_plain) || id.len() > 64 {
        Some("its name must consist of at most 64 letters, digits, `-` and `_`, before `.md`".to_owned())
    } else {
        None
    };
    let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(facts.ctime().max(0).unsigned_abs());
    let is_young = changed + YOUNG * 2 > SystemTime::now();
    let numbers = [facts.size() as i64, facts.mtime(), facts.mtime_nsec(), facts.ctime(), facts.ctime_nsec()];
    let stamp = if is_young { String::new() } else { format!("{numbers:?} {}", facts.ino()) };
    Ok(Some(MemoryPath { path, id, state, memory_type, stamp, fault }))
}

/// Reads a file; `None` if it is gone. The inner error is a fault of its content.
pub(super) fn read(path: &Path) -> Result<Option<Result<String, String>>, Error> {
    match regular_file::read(path, MOST_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file(path)(error)),
        Ok(None) => Ok(Some(Err(NOT_REGULAR.to_owned()))),
        Ok(Some(bytes)) => Ok(Some(String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned()))),
    }
}

/// Writes a file atomically: it has its old or its new content, also after a power cut.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    create_folder(folder)?;
    let draft = folder.join(DRAFT);
    let replace = || {
        remove(&draft)?;
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, path)?;
        File::open(folder)?.sync_all()
    };
    replace().map_err(|error| {
        // The draft has no name that counts, so a second failure here changes nothing.
        let _ = fs::remove_file(&draft);
        Error::file(path)(error)
    })
}

/// Moves a file into a folder that may be missing.
pub(super) fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    let folder = to.parent().unwrap_or(Path::new("."));
    create_folder(folder)?;
    let sync = |path: &Path| File::open(path)?.sync_all();
    fs::rename(from, to)
        .and_then(|()| sync(folder))
        .and_then(|()| from.parent().map_or(Ok(()), sync))
        .map_err(Error::file(from))
}

/// Removes a file, which may be gone already.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Waits until no other process changes the files. The lock ends with the value.
pub(super) fn lock(root: &Path) -> Result<File, Error> {
    create_folder(root)?;
    let lock = File::open(root).map_err(Error::file(root))?;
    lock.lock().map_err(Error::file(root))?;
    let states = MemoryState::ALL.iter();
    let folders = states.flat_map(|state| MemoryType::ALL.iter().map(|kind| folder_of(*state, *kind)));
    for folder in folders.chain([PathBuf::new()]) {
        let draft = root.join(folder).join(DRAFT);
        remove(&draft).map_err(Error::file(&draft))?;
    }
    Ok(lock)
}

fn create_folder(folder: &Path) -> Result<(), Error> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(Error::file(folder))
}
