//! The walk through a folder.

use std::{
    fs::File,
    io::{self, Read as _},
    os::{fd::OwnedFd, unix::ffi::OsStrExt as _},
    path::{Path, PathBuf},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use rustix::{
    fs::{fstat, lstat, stat},
    io::Errno,
};

use super::{CaptureOptions, Limit, Scan, Scope, names};
use crate::{
    cache::{CachedEntry, CachedFolder, StatData},
    disk,
    error::{AtPath as _, Error},
    ignore::Rules,
    store::Objects,
    tree::{Entry, EntryKind, LeftOut, encode_folder},
};

/// An open folder takes a file descriptor, and a level of the stack.
pub(super) const MOST_LEVELS: usize = 256;
/// More of a `.gitignore` is not read.
const MOST_RULES: u64 = 1 << 20;

/// One attempt at reading a folder.
pub(super) struct Walker<'a> {
    pub(super) objects: &'a mut Objects,
    root: &'a Path,
    /// The device and inode of each folder that is left out: the store's, and those of the options.
    pub(super) outside: Vec<(u64, u64)>,
    pub(super) options: &'a CaptureOptions,
    scope: &'a Scope,
    started: Instant,
    /// The start of this attempt, in seconds since 1970.
    pub(super) now: (i64, i64),
    /// The current path, from the top of the repository.
    full_path: Vec<u8>,
    /// The length of the path from the top of the repository to the folder.
    outer: usize,
    /// Patterns, and the length of the path to which they are relative.
    rules: Vec<(usize, Rules)>,
    /// Whether the walk is in an ignored folder, because something below it is tracked.
    pub(super) in_ignored: bool,
    files: u64,
    bytes: u64,
    pub(super) left_out: Vec<(PathBuf, LeftOut)>,
    pub(super) unsettled: Vec<PathBuf>,
    pub(super) read: Vec<(PathBuf, StatData)>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(
        objects: &'a mut Objects,
        root: &'a Path,
        store: &Path,
        options: &'a CaptureOptions,
        scope: &'a Scope,
        started: Instant,
    ) -> Result<Self, Error> {
        let mut outside = vec![device_and_inode(&lstat(store).at(store)?)];
        outside.extend(options.outside.iter().filter_map(|path| Some(device_and_inode(&stat(path).ok()?))));
        let now = options.now.unwrap_or_else(SystemTime::now);
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut walker = Self {
            objects,
            root,
            outside,
            options,
            scope,
            started,
            now: (i64::try_from(now.as_secs()).unwrap_or(i64::MAX), i64::from(now.subsec_nanos())),
            full_path: Vec::new(),
            outer: 0,
            rules: Vec::new(),
            in_ignored: false,
            files: 0,
            bytes: 0,
            left_out: Vec::new(),
            unsettled: Vec::new(),
            read: Vec::new(),
        };
        walker.find_repository();
        Ok(walker)
    }

    /// Reads the patterns above the folder, up to the top of its repository. Nothing of `.git` but `info/exclude` is
    /// read.
    fn find_repository(&mut self) {
        let Some(top) = self.root.ancestors().find(|path| path.join(".git").symlink_metadata().is_ok())
        else {
            return;
        };
        let read = |path: PathBuf| disk::open(&path).map(|file| read_rules(&file)).unwrap_or_default();
        self.rules.push((0, read(top.join(".git/info/exclude"))));
        let between = self.root.strip_prefix(top).unwrap_or(Path::new(""));
        let mut folder = top.to_owned();
        for step in between {
            self.rules.push((self.full_path.len(), read(folder.join(".gitignore"))));
            folder.push(step);
            self.full_path.extend(step.as_bytes());
            self.full_path.push(b'/');
        }
        self.outer = self.full_path.len();
    }

    pub(super) fn path(&self) -> &Path {
        Path::new(std::ffi::OsStr::from_bytes(&self.full_path[self.outer..]))
    }

    /// The path for error messages.
    pub(super) fn absolute(&self) -> PathBuf {
        self.root.join(self.path())
    }

    pub(super) fn root(&mut self, cached: Option<CachedFolder>) -> Result<CachedFolder, Error> {
        let root = disk::open_folder(self.root).at(self.root)?;
        self.folder(&root.into(), cached, 0)
    }

    pub(super) fn folder(
        &mut self,
        folder: &OwnedFd,
        cached: Option<CachedFolder>,
        level: usize,
    ) -> Result<CachedFolder, Error> {
        let before = StatData::of(&fstat(folder).at(self.root)?);
        let scoped = self.scope.names_in(self.path());
        let listed = scoped.is_none();
        let exists = |name: &[u8]| !matches!(names::stat(folder, name), Err(Errno::NOENT));
        let existing = |names: Vec<Box<[u8]>>| Ok(names.into_iter().filter(|name| exists(name)).collect());
        let names = scoped.map_or_else(|| names::names(folder), existing);
        let names = names.map_err(|source| Error::File { path: self.absolute(), source })?;
        let rules = self.rules.len();
        self.add_rules(folder);
        let (old_digest, old) = cached.map_or((None, Vec::new()), |old| (Some(old.digest), old.entries));
        let mut is_same = old.len() == names.len();
        let mut old = old.into_iter().peekable();
        let mut entries = Vec::with_capacity(names.len());
        let path_length = self.full_path.len();
        for name in names {
            while old.next_if(|entry| *entry.entry.name < *name).is_some() {}
            let cached = old.next_if(|entry| entry.entry.name == name);
            if path_length > self.outer {
                self.full_path.push(b'/');
            }
            self.full_path.extend(&*name);
            let visited = self.visit(folder, name, cached, level)?;
            self.full_path.truncate(path_length);
            is_same &= visited.as_ref().is_some_and(|(_, is_same)| *is_same);
            entries.extend(visited.map(|(entry, _)| entry));
        }
        self.rules.truncate(rules);
        if listed && StatData::of(&fstat(folder).at(self.root)?) != before {
            self.unsettled.push(self.path().to_owned());
        }
        let digest = match old_digest {
            Some(digest) if is_same => digest,
            _ => self.objects.add(&encode_folder(entries.iter().map(|cached| &cached.entry)))?,
        };
        Ok(CachedFolder { digest, entries })
    }

    fn add_rules(&mut self, folder: &OwnedFd) {
        // As in git, a link is no list of patterns.
        if let Ok(file) = names::open_file(folder, b".gitignore") {
            let file = File::from(file);
            if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
                let length = self.full_path.len();
                let base = if length > self.outer { length + 1 } else { length };
                self.rules.push((base, read_rules(&file)));
            }
        }
    }

    /// Returns whether the current path is ignored, and nothing that is tracked is at or below it.
    pub(super) fn is_ignored(&self, is_folder: bool) -> bool {
        if self.options.ignored {
            return false;
        }
        let verdict = |(base, rules): &(usize, Rules)| {
            if rules.is_empty() { None } else { rules.verdict(&self.full_path[*base..], is_folder) }
        };
        self.in_ignored || self.rules.iter().rev().find_map(verdict).unwrap_or(false)
    }

    pub(super) fn is_tracked(&self) -> bool {
        let path = self.path();
        let below = self.options.tracked.range(path.to_owned()..).next();
        below.is_some_and(|tracked| tracked.starts_with(path))
    }

    pub(super) fn left_out(&mut self, name: Box<[u8]>, reason: LeftOut, size: u64) -> Entry {
        self.left_out.push((self.path().to_owned(), reason));
        Entry { name, mode: 0, kind: EntryKind::LeftOut { reason, size, digest: None } }
    }

    /// Counts a captured file, and compares the totals with the limits.
    pub(super) fn count(&mut self, size: u64) -> Result<(), Error> {
        self.files += 1;
        self.bytes += size;
        let Some(limits) = self.options.limits else { return Ok(()) };
        let limit = if self.files > limits.files {
            Limit::Files(limits.files)
        } else if self.bytes > limits.bytes {
            Limit::Bytes(limits.bytes)
        } else if self.started.elapsed() > limits.time {
            Limit::Time(limits.time)
        } else {
            return Ok(());
        };
        Err(Error::OverLimit(limit))
    }

    /// Ends the attempt: files that changed after they were read make it unsettled.
    pub(super) fn into_scan(mut self, folder: CachedFolder) -> Scan {
        for (path, stat) in &self.read {
            if !lstat(self.root.join(path)).is_ok_and(|now| StatData::of(&now) == *stat) {
                self.unsettled.push(path.clone());
            }
        }
        self.unsettled.sort();
        self.unsettled.dedup();
        Scan {
            folder,
            files: self.files,
            bytes: self.bytes,
            files_read: self.read.len() as u64,
            left_out: self.left_out,
            unsettled: self.unsettled,
        }
    }
}

fn read_rules(file: &File) -> Rules {
    let mut text = Vec::new();
    match io::Read::by_ref(&mut &*file).take(MOST_RULES).read_to_end(&mut text) {
        Ok(_) => Rules::parse(&text),
        // Without patterns, more is captured and not less.
        Err(_) => Rules::default(),
    }
}

#[expect(clippy::unnecessary_cast, reason = "the types of the fields depend on the system")]
pub(super) fn device_and_inode(stat: &rustix::fs::Stat) -> (u64, u64) {
    (stat.st_dev as u64, stat.st_ino as u64)
}

pub(super) type Visited = Option<(CachedEntry, bool)>;
