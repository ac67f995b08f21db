//! Stores the jobs of a project in a file.
//!
//! If the file were in the project, the author of a repository could run prompts on the machine of everyone who clones
//! it. So it is in the user's own folder, by the project's path:
//!
//! ```text
//! schedule/<name>-<hash of the path>/jobs.json      the jobs
//! schedule/<name>-<hash of the path>/jobs.lock      held by who changes them; not empty once jobs were stored
//! schedule/<name>-<hash of the path>/firing.lock    held by who fires them
//! ```

use std::{
    collections::BTreeMap,
    fs::File,
    path::{Path, PathBuf},
};

use serde::{Serialize, Serializer, ser::SerializeSeq as _};
use serde_json::{Map, Value};

use super::{Jobs, StoreError, WithWarnings, checksum, private_file};

/// The format that this version writes.
const FORMAT: u64 = 1;

/// The jobs of a project, in a folder of the user's. Any number of processes may use it at once. Calls block for the
/// disk.
///
/// ```
/// use jiff::Timestamp;
/// use loop_schedule::{FileStore, Job, JobId, Horizon, ScheduleSettings, Trigger, Zone};
/// # let state = tempfile::tempdir()?;
/// # let project = tempfile::tempdir()?;
/// let store = FileStore::for_project(state.path().join("schedule"), project.path())?;
/// let now = Timestamp::now();
/// let trigger = Trigger::Cron { expression: "0 9 * * 1-5".parse()?, zone: Zone::utc() };
/// let job = Job::new(JobId::from_bits(7), trigger, "look at the open pull requests", now);
///
/// let added = store.update(|jobs| jobs.add(job, &ScheduleSettings::classic(), Horizon::Year, now))?;
/// let first = added.report(|warning| eprintln!("{warning}"))?;
/// assert!(first.slot > now);
/// let jobs = store.read()?.report(|warning| eprintln!("{warning}"));
/// assert_eq!(jobs.records().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStore {
    /// The folder of all schedules, if this is a project's.
    schedules: Option<PathBuf>,
    folder: PathBuf,
    project: Option<Project>,
}

/// The project of a store, as its file names it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Project {
    /// The path, without its secrets.
    shown: String,
    /// The hash of the path. A file with another hash was copied from another project's store.
    hash: String,
}

impl FileStore {
    /// Names the store of a project, in the folder of all schedules. This creates nothing yet.
    ///
    /// The store contains the project's path, and the path's last component is part of the store's folder name. If the
    /// path contains a secret, use [`for_project_shown`](Self::for_project_shown).
    ///
    /// # Errors
    /// [`StoreError::File`] if the project does not exist.
    pub fn for_project(schedules: impl AsRef<Path>, project: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::for_project_shown(schedules, project, str::to_owned)
    }

    /// Names the store of a project, and stores the path as returned by `show`, without its secrets. A hash of the path
    /// itself identifies the store, so that it is the same whatever `show` removes.
    ///
    /// # Errors
    /// As [`for_project`](Self::for_project), and if the folder of all schedules is a link or cannot be read.
    pub fn for_project_shown(
        schedules: impl AsRef<Path>,
        project: impl AsRef<Path>,
        show: impl FnOnce(&str) -> String,
    ) -> Result<Self, StoreError> {
        let (schedules, project) = (schedules.as_ref(), project.as_ref());
        private_file::is_folder(schedules)?;
        let project = private_file::at(project, project.canonicalize())?;
        let (shown, hash) = (show(&project.to_string_lossy()), hash(&project));
        let name = match private_file::ending_with(schedules, &format!("-{hash}"))? {
            Some(name) => name,
            None => format!("{}-{hash}", name(&shown)),
        };
        let project = Some(Project { shown, hash });
        Ok(Self { folder: schedules.join(name), schedules: Some(schedules.to_owned()), project })
    }

    /// Names the store in this folder. This creates nothing yet.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { schedules: None, folder: folder.into(), project: None }
    }

    /// Returns its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn jobs_file(&self) -> PathBuf {
        self.folder.join("jobs.json")
    }

    fn lock_file(&self) -> PathBuf {
        self.folder.join("jobs.lock")
    }

    /// Returns all jobs, with the [warnings](crate::StoreWarning) about unreadable ones. Before the first change there
    /// is no file, and so there are no jobs.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be opened, is [damaged](StoreError::Damaged), [missing](StoreError::Missing)
    /// or a link, belongs to another project, or was written by a later version. The file stays unchanged.
    pub fn read(&self) -> Result<WithWarnings<Jobs>, StoreError> {
        // Reading alone must not create files.
        if !self.is_there()? {
            return Ok(WithWarnings::new(Jobs::default(), Vec::new()));
        }
        self.load(&self.lock()?)
    }

    /// Changes the jobs under a lock. When this returns, the change is on the disk.
    ///
    /// # Errors
    /// As [`read`](Self::read), and if the file cannot be written. Then the store is unchanged.
    pub fn update<T>(&self, change: impl FnOnce(&mut Jobs) -> T) -> Result<WithWarnings<T>, StoreError> {
        let lock = self.lock()?;
        let mut written = Ok(());
        let changed = self.load(&lock)?.map(|mut jobs| {
            let before = jobs.clone();
            let result = change(&mut jobs);
            if jobs != before {
                written = self.write(&jobs, &lock);
            }
            result
        });
        written.map(|()| changed)
    }

    /// Writes the file, and then records in the lock that there is one.
    fn write(&self, jobs: &Jobs, lock: &File) -> Result<(), StoreError> {
        private_file::write(&self.jobs_file(), &self.to_json(jobs))?;
        private_file::at(&self.lock_file(), lock.set_len(1))
    }

    /// Returns whether its folder exists, after checking that each existing part is a folder and not a link.
    pub(super) fn is_there(&self) -> Result<bool, StoreError> {
        self.schedules.as_deref().map_or(Ok(true), private_file::is_folder)?;
        private_file::is_folder(&self.folder)
    }

    /// Creates its folder.
    pub(super) fn create(&self) -> Result<(), StoreError> {
        // Check before, so that nothing is created behind a link; and after, in case one was added in between.
        if !self.is_there()? {
            private_file::create_folder(&self.folder)?;
            self.is_there()?;
        }
        Ok(())
    }

    fn lock(&self) -> Result<File, StoreError> {
        self.create()?;
        let path = self.lock_file();
        let lock = private_file::open_lock(&path)?;
        private_file::at(&path, lock.lock())?;
        Ok(lock)
    }

    fn load(&self, lock: &File) -> Result<WithWarnings<Jobs>, StoreError> {
        let path = self.jobs_file();
        let Some(bytes) = private_file::read(&path)? else {
            let lock_file = self.lock_file();
            return match private_file::at(&lock_file, lock.metadata())?.len() {
                0 => Ok(WithWarnings::new(Jobs::default(), Vec::new())),
                _ => Err(StoreError::Missing { path, lock: lock_file }),
            };
        };
        match parse(&bytes, self.project.as_ref()) {
            Ok(FileContent::Jobs(jobs)) => Ok(jobs),
            Ok(FileContent::Newer(found)) => Err(StoreError::Newer { path, found, known: FORMAT }),
            Err(why) => Err(StoreError::Damaged { path, why }),
        }
    }

    fn to_json(&self, jobs: &Jobs) -> Vec<u8> {
        let known = self.project.iter().flat_map(|Project { shown, hash }| {
            [("project", FileField::Text(shown)), ("project_hash", FileField::Text(hash))]
        });
        let mut file: BTreeMap<&str, FileField<'_>> =
            jobs.more.iter().map(|(key, value)| (key.as_str(), FileField::Other(value))).collect();
        file.extend(known.chain([("jobs", FileField::Jobs(jobs)), ("v", FileField::Format(FORMAT))]));
        let text = serde_json::to_string_pretty(&file);
        checksum::seal(&text.unwrap_or_else(|error| unreachable!("jobs are JSON: {error}"))).into_bytes()
    }
}

/// The value of a key in the file. Jobs are written as they are, because a tree of values would take longer to make
/// than the file takes to read.
enum FileField<'a> {
    Text(&'a str),
    Format(u64),
    Other(&'a Value),
    Jobs(&'a Jobs),
}

impl Serialize for FileField<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Format(format) => format.serialize(serializer),
            Self::Other(value) => value.serialize(serializer),
            Self::Jobs(jobs) => {
                let mut list = serializer.serialize_seq(None)?;
                jobs.records().iter().try_for_each(|record| list.serialize_element(record))?;
                jobs.unreadable.iter().try_for_each(|value| list.serialize_element(value))?;
                list.end()
            }
        }
    }
}

/// The content of a file.
enum FileContent {
    Jobs(WithWarnings<Jobs>),
    /// The file has this later format.
    Newer(u64),
}

fn parse(bytes: &[u8], project: Option<&Project>) -> Result<FileContent, String> {
    let mut file: Map<String, Value> = serde_json::from_slice(bytes).map_err(|error| match bytes {
        [] => "it is empty".to_owned(),
        _ => error.to_string(),
    })?;
    let format = file.remove("v").and_then(|format| format.as_u64());
    let format = format.ok_or("it does not name its format, `v`")?;
    if !checksum::fits(bytes) {
        return Err(
            "its checksum does not match its content (if you edited it by hand, remove the key `crc`)"
                .to_owned(),
        );
    }
    // An earlier version keeps it as an unknown key, where it has no meaning any more.
    file.remove("crc");
    // A file of an earlier version has no hash.
    if let (Some(project), Some(hash)) = (project, file.get("project_hash"))
        && *hash != project.hash
    {
        let other = file.get("project").and_then(Value::as_str).unwrap_or("another folder");
        return Err(format!("it holds the jobs of {other}, not those of {}", project.shown));
    }
    match file.remove("jobs") {
        // The other content of a later format is unknown.
        _ if format > FORMAT => Ok(FileContent::Newer(format)),
        Some(Value::Array(values)) if format == FORMAT => {
            Ok(FileContent::Jobs(Jobs::from_values(values, file)))
        }
        Some(Value::Array(_)) => Err(format!("there is no format {format}")),
        _ => Err("it has no list of jobs".to_owned()),
    }
}

/// Returns the readable part of a project's folder name.
fn name(project: &str) -> String {
    let last = Path::new(project).file_name().unwrap_or_default().to_string_lossy();
    last.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).take(32).collect()
}

/// Returns the part of a folder's name that is unique to each path. The hash is FNV-1a, because it must never change.
fn hash(project: &Path) -> String {
    let bytes = project.as_os_str().as_encoded_bytes().iter();
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}
