//! Reading a folder into the store.

pub(crate) mod names;
mod options;
mod scope;
mod visit;
mod walk;

use std::{
    path::{Path, PathBuf},
    thread,
    time::Instant,
};

pub use self::options::{CaptureOptions, Limit, Limits};
use self::walk::Walker;
pub(crate) use self::{scope::Scope, visit::mode};
use crate::{
    cache::CachedFolder,
    error::{AtPath as _, Error},
    record::Snapshot,
    store::Objects,
    tree::LeftOut,
};

/// More attempts do not help with a folder in which something writes all the time.
const ATTEMPTS: usize = 3;
/// Bytes of stack: an unoptimised build needs about 10 KB for each level.
const STACK: usize = 16 << 20;

/// A snapshot, and how it came about.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Capture {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// The files and folders that it lists without their content, each with the reason.
    pub left_out: Vec<(PathBuf, LeftOut)>,
    /// The number of files whose content was read. The others have the stat data of the last capture.
    pub files_read: u64,
}

/// A folder as it was read, whose contents are in the store.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) folder: CachedFolder,
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) files_read: u64,
    pub(crate) left_out: Vec<(PathBuf, LeftOut)>,
    pub(crate) unsettled: Vec<PathBuf>,
}

/// Reads `root`, again if it changes meanwhile.
///
/// The walk recurses, so it gets a thread whose stack is large enough for the deepest folder.
pub(crate) fn scan(
    objects: &mut Objects,
    root: &Path,
    store: &Path,
    options: &CaptureOptions,
    scope: &Scope,
    cached: Option<CachedFolder>,
) -> Result<Scan, Error> {
    thread::scope(|threads| {
        let attempts = || attempts(objects, root, store, options, scope, cached);
        let walk = thread::Builder::new().stack_size(STACK).spawn_scoped(threads, attempts).at(root)?;
        walk.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn attempts(
    objects: &mut Objects,
    root: &Path,
    store: &Path,
    options: &CaptureOptions,
    scope: &Scope,
    mut cached: Option<CachedFolder>,
) -> Result<Scan, Error> {
    let (started, mut files_read, mut attempt) = (Instant::now(), 0, 1);
    loop {
        let mut walker = Walker::new(objects, root, store, options, scope, started)?;
        let folder = walker.root(cached)?;
        let mut scan = walker.into_scan(folder);
        files_read += scan.files_read;
        if scan.unsettled.is_empty() || attempt == ATTEMPTS {
            scan.files_read = files_read;
            return Ok(scan);
        }
        cached = Some(scan.folder);
        attempt += 1;
    }
}
