//! The store of one folder's snapshots.

mod bound;
mod check;
mod objects;
mod pack;
mod place;

use std::{
    fs::{self, File},
    io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

pub use self::bound::Collected;
pub(crate) use self::objects::{Objects, hash_file};
use self::place::place_of;
use crate::{
    cache::CachedFolder,
    capture::{Capture, CaptureOptions, Scan, Scope, scan},
    digest::Digest,
    disk::{self, Disk},
    error::{AtPath as _, Error},
    record::{Snapshot, SnapshotId},
    restore::RESTORE,
};

const FORMAT: &[u8] = b"loop-snapshots 1\n";

/// Why a store with another file `format` is refused.
const FOREIGN: &str = "it has another format, or belongs to another folder";

/// The snapshots of one folder.
///
/// Several processes can use the same store: each operation takes the store's lock, and waits for it.
#[derive(Debug)]
pub struct Store {
    pub(crate) path: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) disk: Disk,
    pub(crate) objects: Objects,
}

/// A run with snapshots.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredRun {
    /// The name of the run.
    pub name: String,
    /// Whether [`Store::end_run`] was called. Only ended runs are dropped as a whole.
    pub ended: bool,
    /// The snapshots, by their number.
    pub snapshots: Vec<Snapshot>,
}

impl StoredRun {
    /// Returns whether these are the states before a restore, so that it can be undone.
    pub fn is_restore(&self) -> bool {
        self.name.starts_with(RESTORE)
    }

    /// Returns whether the last capture of the run began more than `age` before `now`.
    pub fn is_older_than(&self, age: Duration, now: SystemTime) -> bool {
        let last = self.snapshots.iter().map(|snapshot| snapshot.time).max();
        last.is_none_or(|last| now.duration_since(last).is_ok_and(|past| past > age))
    }
}

impl Store {
    /// Opens the store of `folder` below the state directory `state`, or creates it there. A link to a folder has the
    /// same store as the folder.
    ///
    /// # Errors
    /// Fails with [`Error::Damaged`] if the store is not what this crate wrote; [`Store::recreate`] makes it anew.
    /// Fails with [`Error::File`] if `folder` does not exist, or the store cannot be created.
    pub fn open(state: &Path, folder: &Path) -> Result<Self, Error> {
        Self::open_on(Disk::default(), state, folder)
    }

    /// Opens a store that calls `before` with the path of each file of the store that it is about to change. An error
    /// from `before` makes the change fail. For tests of full disks and killed processes.
    ///
    /// # Errors
    /// See [`open`](Self::open).
    #[doc(hidden)]
    pub fn open_with_faults(
        state: &Path,
        folder: &Path,
        before: impl Fn(&Path) -> io::Result<()> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        Self::open_on(Disk { before: Some(Arc::new(before)) }, state, folder)
    }

    fn open_on(disk: Disk, state: &Path, folder: &Path) -> Result<Self, Error> {
        let (folder, path) = place_of(state, folder)?;
        let (format, packs, runs) = (path.join("format"), path.join("packs"), path.join("runs"));
        disk.create_folder(&path)?;
        // Only the digest: a path may have a secret in it.
        let name = Digest::of(folder.as_os_str().as_bytes()).to_string();
        let expected = [FORMAT, name.as_bytes()].concat();
        match disk::read(&format) {
            Ok(found) if found == expected => {}
            Ok(_) => {
                return Err(Error::damaged(&format, FOREIGN));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && !packs.exists() => {
                disk.replace(&format, &expected, true)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::damaged(&format, "it is missing"));
            }
            Err(error) => return Err(error).at(&format),
        }
        disk.create_folder(&packs)?;
        disk.create_folder(&runs)?;
        let mut store = Self::at(path, folder, disk);
        let _lock = store.lock()?;
        Ok(store)
    }

    /// Names the store of `folder` in the folder `path`, which exists. Reads nothing.
    fn at(path: PathBuf, folder: PathBuf, disk: Disk) -> Self {
        let objects = Objects::new(&disk, path.join("packs"));
        Self { path, folder, disk, objects }
    }

    /// Returns whether `folder` has a store below `state`, damaged or not. Creates nothing. The store of a folder that was
    /// removed is found by the folder's absolute path without links.
    pub fn exists(state: &Path, folder: &Path) -> bool {
        place_of(state, folder).is_ok_and(|(_, path)| path.exists())
    }

    /// Returns the folder in which the snapshots of `folder` are below `state`. Creates nothing.
    ///
    /// # Errors
    /// Fails if the place cannot be determined.
    pub fn place(state: &Path, folder: &Path) -> Result<PathBuf, Error> {
        place_of(state, folder).map(|(_, path)| path)
    }

    /// Removes all snapshots of `folder`, damaged or not, and creates an empty store.
    ///
    /// # Errors
    /// Fails with [`Error::File`] if a file of the store cannot be removed.
    pub fn recreate(state: &Path, folder: &Path) -> Result<Self, Error> {
        let (_, path) = place_of(state, folder)?;
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error).at(&path),
            _ => Self::open(state, folder),
        }
    }

    /// Returns the absolute path of the folder, without links.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder that contains the snapshots.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for other users of the store, and looks at what they changed.
    pub(crate) fn lock(&mut self) -> Result<File, Error> {
        let path = self.path.join("lock");
        let file = disk::lock(&path).at(&path)?;
        self.objects.refresh()?;
        Ok(file)
    }

    fn cache_path(&self) -> PathBuf {
        self.path.join("cache")
    }

    /// Reads the cache. One that is missing or damaged costs time, and nothing else.
    fn cache(&self) -> Option<CachedFolder> {
        CachedFolder::decode(&disk::read(&self.cache_path()).ok()?)
    }

    /// Captures the folder as the snapshot `id`.
    ///
    /// A file is read only if its stat data differs from that of the last capture, or if it changed within two seconds
    /// before that capture. If the folder changes meanwhile, it is captured again, up to three times;
    /// [`Snapshot::unsettled`] then lists the files that still changed.
    ///
    /// # Errors
    /// Fails with [`Error::Exists`] if there is such a snapshot, with [`Error::OverLimit`] if the folder exceeds a
    /// limit of the options, and with [`Error::File`] if a file of the folder or of the store cannot be used. No
    /// snapshot exists then.
    pub fn capture(&mut self, id: &SnapshotId, options: &CaptureOptions) -> Result<Capture, Error> {
        let _lock = self.lock()?;
        if self.record_path(id).exists() {
            return Err(Error::Exists(id.clone()));
        }
        self.capture_as(id, options)
    }

    /// Captures the folder like [`capture`](Self::capture), and replaces the snapshot `id` if there is one. For work
    /// that is done again under the same number, because the process died before it noted that the work was done.
    ///
    /// # Errors
    /// Fails like [`capture`](Self::capture), but with no [`Error::Exists`]. An older snapshot stays then.
    pub fn recapture(&mut self, id: &SnapshotId, options: &CaptureOptions) -> Result<Capture, Error> {
        let _lock = self.lock()?;
        self.capture_as(id, options)
    }

    fn capture_as(&mut self, id: &SnapshotId, options: &CaptureOptions) -> Result<Capture, Error> {
        let time = options.now.unwrap_or_else(SystemTime::now);
        let scan = self.scan(options)?;
        self.record(id, time, &scan, &Scope::default())
    }

    /// Stores the contents of the folder, and remembers their stat data.
    pub(crate) fn scan(&mut self, options: &CaptureOptions) -> Result<Scan, Error> {
        let cached = self.cache();
        let old = cached.as_ref().map(|cached| cached.digest);
        let scan = scan(&mut self.objects, &self.folder, &self.path, options, &Scope::default(), cached)?;
        self.objects.commit()?;
        if scan.files_read > 0 || old != Some(scan.folder.digest) {
            self.disk.replace(&self.cache_path(), &scan.folder.encode(), false)?;
        }
        Ok(scan)
    }

    pub(crate) fn record(
        &mut self,
        id: &SnapshotId,
        time: SystemTime,
        scan: &Scan,
        scope: &Scope,
    ) -> Result<Capture, Error> {
        let snapshot = Snapshot {
            id: id.clone(),
            time,
            root: scan.folder.digest,
            files: scan.files,
            bytes: scan.bytes,
            unsettled: scan.unsettled.clone(),
            scope: scope.paths().to_vec(),
        };
        self.disk.create_folder(&self.path.join("runs").join(&id.run))?;
        self.disk.replace(&self.record_path(id), &snapshot.encode(), true)?;
        // A run that was resumed goes on.
        let ended = self.path.join("runs").join(&id.run).join("ended");
        if ended.exists() {
            self.disk.remove(&ended)?;
        }
        Ok(Capture { snapshot, left_out: scan.left_out.clone(), files_read: scan.files_read })
    }

    fn record_path(&self, id: &SnapshotId) -> PathBuf {
        self.path.join("runs").join(&id.run).join(format!("{}.snapshot", id.number))
    }

    /// Returns the snapshot `id`.
    ///
    /// # Errors
    /// Fails with [`Error::NotFound`] if there is none, and with [`Error::Damaged`] if its record changed.
    pub fn snapshot(&self, id: &SnapshotId) -> Result<Snapshot, Error> {
        let path = self.record_path(id);
        match disk::read(&path) {
            Ok(bytes) => Snapshot::decode(id.clone(), &bytes)
                .ok_or_else(|| Error::damaged(&path, "its checksum is wrong")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Error::NotFound(id.clone())),
            Err(error) => Err(error).at(&path),
        }
    }

    /// Lists the runs, from the one whose last snapshot is the oldest.
    ///
    /// # Errors
    /// Fails if a record cannot be read or is damaged.
    pub fn runs(&self) -> Result<Vec<StoredRun>, Error> {
        let mut runs = Vec::new();
        for name in self.run_names()? {
            let snapshots = self.snapshots(&name)?;
            let ended = self.path.join("runs").join(&name).join("ended").exists();
            runs.push(StoredRun { name, ended, snapshots });
        }
        runs.sort_by_key(|run| (run.snapshots.iter().map(|snapshot| snapshot.time).max(), run.name.clone()));
        Ok(runs)
    }

    /// Returns whether a run has snapshots.
    pub fn has_run(&self, run: &str) -> bool {
        SnapshotId::new(run, 0).is_ok_and(|id| self.path.join("runs").join(id.run).exists())
    }

    /// Lists the snapshots of one run, by their number. The list of an unknown run is empty.
    ///
    /// # Errors
    /// Fails if a record cannot be read or is damaged, and with [`Error::RunName`].
    pub fn snapshots(&self, run: &str) -> Result<Vec<Snapshot>, Error> {
        let id = SnapshotId::new(run, 0)?;
        if !self.has_run(run) {
            return Ok(Vec::new());
        }
        let numbers = self.numbers(run)?.into_iter();
        numbers.map(|number| self.snapshot(&SnapshotId { number, ..id.clone() })).collect()
    }

    /// The names of the runs, without a look at their snapshots.
    pub(crate) fn run_names(&self) -> Result<Vec<String>, Error> {
        let folder = self.path.join("runs");
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder).at(&folder)? {
            let entry = entry.at(&folder)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            names.push(
                SnapshotId::new(&name, 0).map_err(|_| Error::damaged(&entry.path(), "it is no run"))?.run,
            );
        }
        Ok(names)
    }

    /// The numbers of a run's snapshots, in their order.
    pub(crate) fn numbers(&self, run: &str) -> Result<Vec<u64>, Error> {
        let folder = self.path.join("runs").join(run);
        let mut numbers: Vec<u64> = Vec::new();
        for record in fs::read_dir(&folder).at(&folder)? {
            let file = record.at(&folder)?.file_name();
            numbers
                .extend(file.to_str().and_then(|file| file.strip_suffix(".snapshot")?.parse::<u64>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Marks a run as ended, so that its snapshots may be dropped when the store needs room.
    ///
    /// # Errors
    /// Fails if the mark cannot be written, for example because the run has no snapshot.
    pub fn end_run(&self, run: &str) -> Result<(), Error> {
        let id = SnapshotId::new(run, 0)?;
        self.disk.replace(&self.path.join("runs").join(id.run).join("ended"), b"", false)
    }
}
