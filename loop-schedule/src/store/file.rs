//! The jobs of a project, in a file.
//!
//! A file of jobs in the project would let whoever sends somebody a repository run prompts on their machine.
//! So it is in the user's own folder, by the project's path:
//!
//! ```text
//! schedule/<name>-<hash of the path>/jobs.json      the jobs
//! schedule/<name>-<hash of the path>/jobs.lock      held by who changes them
//! schedule/<name>-<hash of the path>/firing.lock    held by who fires them
//! ```

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{Jobs, StoreError, plain};

/// The format that is written.
const FORMAT: u64 = 1;

/// The jobs of a project, in a folder of the user's. Any number of processes may use it at once. It blocks,
/// for the disk.
///
/// ```
/// use jiff::Timestamp;
/// use loop_schedule::{FileStore, Job, JobId, Reach, Settings, When, Zone};
/// # let state = tempfile::tempdir()?;
/// # let project = tempfile::tempdir()?;
/// let store = FileStore::for_project(state.path().join("schedule"), project.path())?;
/// let now = Timestamp::now();
/// let when = When::Cron { expression: "0 9 * * 1-5".parse()?, zone: Zone::utc() };
/// let job = Job::new(JobId::from_bits(7), when, "look at the open pull requests", now);
///
/// let first = store.update(|jobs| jobs.add(job, &Settings::classic(), Reach::Year, now))??;
/// assert!(first.slot > now);
/// assert_eq!(store.read()?.records().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStore {
    folder: PathBuf,
    project: Option<PathBuf>,
}

impl FileStore {
    /// The store of a project, in the folder of all schedules. Nothing is made yet.
    ///
    /// # Errors
    /// [`StoreError::File`] if there is no such project.
    pub fn for_project(schedules: impl AsRef<Path>, project: impl AsRef<Path>) -> Result<Self, StoreError> {
        let project = plain::at(project.as_ref(), project.as_ref().canonicalize())?;
        Ok(Self { folder: schedules.as_ref().join(key(&project)), project: Some(project) })
    }

    /// The store in this folder. Nothing is made yet.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), project: None }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn jobs_file(&self) -> PathBuf {
        self.folder.join("jobs.json")
    }

    /// All jobs. Without a file there are none; one that cannot be read is
    /// [set aside](crate::StoreWarning::SetAside).
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be opened, is a link, or was written by a later version.
    pub fn read(&self) -> Result<Jobs, StoreError> {
        // Whoever only looks leaves no traces.
        if !self.folder.exists() {
            return Ok(Jobs::default());
        }
        let _lock = self.lock()?;
        self.load()
    }

    /// Changes the jobs. Meanwhile nobody else does; when this returns, the change is on the disk.
    ///
    /// # Errors
    /// As [`read`](Self::read), and if the file cannot be written. Then nothing is changed.
    pub fn update<T>(&self, change: impl FnOnce(&mut Jobs) -> T) -> Result<T, StoreError> {
        let _lock = self.lock()?;
        let mut jobs = self.load()?;
        let before = jobs.clone();
        let result = change(&mut jobs);
        if jobs != before {
            plain::write(&self.jobs_file(), &self.to_json(&jobs))?;
        }
        Ok(result)
    }

    fn lock(&self) -> Result<std::fs::File, StoreError> {
        plain::create_folder(&self.folder)?;
        let path = self.folder.join("jobs.lock");
        let lock = plain::open_lock(&path)?;
        plain::at(&path, lock.lock())?;
        Ok(lock)
    }

    fn load(&self) -> Result<Jobs, StoreError> {
        plain::refuse_link(&self.folder)?;
        let path = self.jobs_file();
        let Some(bytes) = plain::read(&path)? else { return Ok(Jobs::default()) };
        match parse(&bytes) {
            Ok((format, _)) if format > FORMAT => {
                Err(StoreError::Newer { path, found: format, known: FORMAT })
            }
            Ok((_, jobs)) => Ok(jobs),
            Err(why) => Ok(Jobs::set_aside(why, plain::set_aside(&path)?)),
        }
    }

    fn to_json(&self, jobs: &Jobs) -> Vec<u8> {
        let written = jobs.records().iter().map(|record| {
            serde_json::to_value(record).unwrap_or_else(|error| unreachable!("jobs are JSON: {error}"))
        });
        let mut file = jobs.more.clone();
        file.insert("v".to_owned(), FORMAT.into());
        if let Some(project) = &self.project {
            file.insert("project".to_owned(), project.to_string_lossy().into());
        }
        file.insert("jobs".to_owned(), written.chain(jobs.unreadable.iter().cloned()).collect());
        format!("{:#}\n", json!(file)).into_bytes()
    }
}

/// The format of a file, and its jobs.
fn parse(bytes: &[u8]) -> Result<(u64, Jobs), String> {
    let mut file: Map<String, Value> = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let format = file.remove("v").and_then(|format| format.as_u64());
    let format = format.ok_or("it does not say its format, `v`")?;
    match file.remove("jobs") {
        // Nothing is known of what else a later format has.
        _ if format > FORMAT => Ok((format, Jobs::default())),
        Some(Value::Array(values)) if format == FORMAT => Ok((format, Jobs::from_values(values, file))),
        Some(Value::Array(_)) => Err(format!("there is no format {format}")),
        _ => Err("it has no list of jobs".to_owned()),
    }
}

/// A folder's name for a project: readable, and different for each path.
fn key(project: &Path) -> String {
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    let plain = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' });
    let hash =
        project.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            // FNV-1a: it has to tell paths apart, and to be the same for ever.
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("{}-{hash:016x}", plain.take(32).collect::<String>())
}
