//! Options of a capture.

use std::{
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

type IsSecret = dyn Fn(&Path) -> bool + Send + Sync;

/// Says which files a capture stores, and when it gives up.
///
/// # Default
/// Files up to 50 MB are stored, and ignored ones are left out. No name is secret, and nothing is limited.
#[derive(Clone)]
pub struct CaptureOptions {
    pub(crate) max_file: u64,
    pub(crate) ignored: bool,
    pub(crate) tracked: BTreeSet<PathBuf>,
    pub(crate) outside: Vec<PathBuf>,
    pub(crate) is_secret: Arc<IsSecret>,
    pub(crate) limits: Option<Limits>,
    pub(crate) now: Option<SystemTime>,
}

impl Default for CaptureOptions {
    fn default() -> Self {
        Self {
            max_file: 50_000_000,
            ignored: false,
            tracked: BTreeSet::new(),
            outside: Vec::new(),
            is_secret: Arc::new(|_| false),
            limits: None,
            now: None,
        }
    }
}

impl fmt::Debug for CaptureOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("CaptureOptions");
        shown.field("max_file", &self.max_file).field("ignored", &self.ignored).field("limits", &self.limits);
        shown.finish_non_exhaustive()
    }
}

impl CaptureOptions {
    /// Leaves files of more than this many bytes out.
    #[must_use]
    pub fn max_file(mut self, bytes: u64) -> Self {
        self.max_file = bytes;
        self
    }

    /// Stores files that a `.gitignore` or `.git/info/exclude` names too.
    #[must_use]
    pub fn with_ignored(mut self) -> Self {
        self.ignored = true;
        self
    }

    /// Stores these paths, relative to the folder, although a `.gitignore` names them. Pass the files that a
    /// repository tracks (`git ls-files -z --cached --ignored --exclude-standard`): git does not ignore them.
    #[must_use]
    pub fn with_tracked(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.tracked.extend(paths);
        self
    }

    /// Leaves a folder out, whatever path leads to it: the state of the program that captures, for example.
    #[must_use]
    pub fn without_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.outside.push(folder.into());
        self
    }

    /// Stores only the digest of a file for whose path, relative to the folder, `is_secret` returns true.
    #[must_use]
    pub fn secrets(mut self, is_secret: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        self.is_secret = Arc::new(is_secret);
        self
    }

    /// Makes a capture that exceeds a limit fail with [`Error::OverLimit`](crate::Error::OverLimit).
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Replaces the system's clock. A file that changed within the two seconds before this time is read again by the
    /// next capture, because its next change may get the same time stamp.
    #[must_use]
    pub fn now(mut self, now: SystemTime) -> Self {
        self.now = Some(now);
        self
    }
}

/// The largest folder that a capture accepts.
///
/// # Default
/// 200,000 files, 2 GB, and 5 seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The number of files and links.
    pub files: u64,
    /// The total size of the files, in bytes.
    pub bytes: u64,
    /// The time that the capture takes.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { files: 200_000, bytes: 2_000_000_000, time: Duration::from_secs(5) }
    }
}

/// The limit that a folder exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The number of files.
    Files(u64),
    /// The total size, in bytes.
    Bytes(u64),
    /// The time of a capture.
    Time(Duration),
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files(most) => write!(formatter, "it has more than {most} files"),
            Self::Bytes(most) => write!(formatter, "its files have more than {most} bytes"),
            Self::Time(most) => write!(formatter, "a capture takes longer than {} s", most.as_secs_f64()),
        }
    }
}
