//! Snapshots as the store lists them.

use std::{
    ffi::OsStr,
    fmt,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{
    codec::{Reader, put_bytes, put_u32, put_u64, seal, unseal},
    digest::Digest,
    error::Error,
};

/// The name of a snapshot: its run, and its number within that run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotId {
    pub(crate) run: String,
    pub(crate) number: u64,
}

impl SnapshotId {
    /// Names the snapshot of a run with this number, usually the number of an iteration.
    ///
    /// # Errors
    /// Fails with [`Error::RunName`] unless `run` has 1 to 128 ASCII letters, digits, `.`, `-` or `_`, and does not
    /// begin with `.`.
    pub fn new(run: &str, number: u64) -> Result<Self, Error> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        if run.is_empty() || run.len() > 128 || run.starts_with('.') || !run.bytes().all(is_plain) {
            return Err(Error::RunName(run.to_owned()));
        }
        Ok(Self { run: run.to_owned(), number })
    }

    /// Returns the name of the run.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Returns the number within the run.
    pub fn number(&self) -> u64 {
        self.number
    }
}

impl fmt::Display for SnapshotId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.run, self.number)
    }
}

/// A stored snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// The name.
    pub id: SnapshotId,
    /// The time at which the capture began.
    pub time: SystemTime,
    /// The digest of the folder: equal for equal contents, names and modes.
    pub root: Digest,
    /// The number of captured files and links.
    pub files: u64,
    /// The total size of the captured files, in bytes.
    pub bytes: u64,
    /// The files that were still changing after three attempts: their contents here may never have existed together.
    pub unsettled: Vec<PathBuf>,
    /// The paths that were captured. An empty list means the whole folder.
    pub scope: Vec<PathBuf>,
}

impl Snapshot {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let since = self.time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut out = b"snap1\n".to_vec();
        put_u64(&mut out, since.as_secs());
        put_u32(&mut out, since.subsec_nanos());
        out.extend(self.root.0);
        put_u64(&mut out, self.files);
        put_u64(&mut out, self.bytes);
        for paths in [&self.unsettled, &self.scope] {
            put_u64(&mut out, paths.len() as u64);
            paths.iter().for_each(|path| put_bytes(&mut out, path.as_os_str().as_bytes()));
        }
        seal(out)
    }

    pub(crate) fn decode(id: SnapshotId, sealed: &[u8]) -> Option<Self> {
        let mut reader = Reader(unseal(sealed)?.strip_prefix(b"snap1\n")?);
        let (seconds, nanos) = reader.u64().zip(reader.u32())?;
        let time = UNIX_EPOCH.checked_add(Duration::new(seconds, nanos.min(999_999_999)))?;
        let root = reader.digest()?;
        let (files, bytes) = reader.u64().zip(reader.u64())?;
        let (unsettled, scope) = (paths(&mut reader)?, paths(&mut reader)?);
        Some(Self { id, time, root, files, bytes, unsettled, scope })
    }
}

fn paths(reader: &mut Reader<'_>) -> Option<Vec<PathBuf>> {
    let count = reader.u64()?;
    (0..count).map(|_| reader.bytes().map(|path| Path::new(OsStr::from_bytes(path)).to_owned())).collect()
}
