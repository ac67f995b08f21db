//! Walks from the root to a path, holding one folder after the other.

use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    fs,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::OsStringExt,
    },
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, mkdirat, openat, readlinkat, statat},
    io::Errno,
};

use super::{Inner, WorkspaceError};
use crate::policy::{LocalPath, OutsidePath, Verb};

/// The most links, new folders, and concurrent name changes on the way to a path.
const MAX_HOPS: u32 = 255;

/// How to treat a link that is the last name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FinalLink {
    Follow,
    /// The path refers to the link itself.
    Keep,
}

/// How to treat missing names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingNames {
    Refuse,
    /// The last one may be missing, and the walk creates the folders before it.
    Create,
    /// For questions: treats missing folders as if they existed, by the same rules, without creating them.
    AssumeFolders(Verb),
}

/// The end of a walk: a name in a folder that is held open.
pub(super) struct WalkTarget {
    /// If folders are imagined, this is the deepest existing one.
    folder: Arc<OwnedFd>,
    /// `.` for the root.
    pub(super) name: OsString,
    /// The path to here, without links and without `..`.
    pub(super) path: LocalPath,
    /// The type of the existing file, if any. It is a link only if links are kept.
    pub(super) kind: Option<FileType>,
    /// Names on the way that are not in the path: links, and folders that `..` left again.
    pub(super) passed: Vec<LocalPath>,
}

impl WalkTarget {
    pub(super) fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

/// Walks from the root to `path`.
pub(super) fn walk(
    inner: &Inner,
    path: &Path,
    last: FinalLink,
    missing: MissingNames,
) -> Result<WalkTarget, WorkspaceError> {
    let below = below(path, &inner.path).ok_or_else(|| OutsidePath(path.into()))?;
    let left = below.components().map(|part| part.as_os_str().to_owned()).collect();
    let (held, passed) = (Vec::new(), Vec::new());
    Walk { inner, asked: path, last, missing, held, left, hops: 0, passed }.run()
}

/// Converts a path to one relative to the root. An absolute path may be below it.
fn below<'a>(path: &'a Path, root: &Path) -> Option<&'a Path> {
    if path.is_absolute() { path.strip_prefix(root).ok() } else { Some(path) }
}

struct Walk<'a> {
    inner: &'a Inner,
    asked: &'a Path,
    last: FinalLink,
    missing: MissingNames,
    /// The folders on the way, without the root.
    held: Vec<HeldFolder>,
    /// The remaining names.
    left: VecDeque<OsString>,
    hops: u32,
    passed: Vec<LocalPath>,
}

/// A folder on the way.
struct HeldFolder {
    /// The open folder, unless it is only imagined.
    folder: Option<Arc<OwnedFd>>,
    name: OsString,
}

impl Walk<'_> {
    fn run(mut self) -> Result<WalkTarget, WorkspaceError> {
        while let Some(name) = self.left.pop_front() {
            match Path::new(&name).components().next() {
                Some(Component::ParentDir) => {
                    let left = self.held.pop().ok_or_else(|| OutsidePath(self.asked.into()))?;
                    self.passed.push(self.path(&left.name)?);
                }
                Some(Component::Normal(_)) => {
                    if let Some(place) = self.step(name)? {
                        return Ok(place);
                    }
                }
                _ => {}
            }
        }
        Ok(self.here())
    }

    /// Advances by one name, or returns the place if it was the last.
    fn step(&mut self, name: OsString) -> Result<Option<WalkTarget>, WorkspaceError> {
        let is_last = self.left.is_empty();
        match self.look(&name)? {
            Some(FileType::Symlink) if !is_last || self.last == FinalLink::Follow => self.follow(&name)?,
            None if self.missing == MissingNames::Refuse => {
                return Err(WorkspaceError::NotFound { path: self.whole_path(&name)? });
            }
            None if is_last => return self.arrive(name, None).map(Some),
            None => self.add(name)?,
            kind @ Some(_) if is_last => return self.arrive(name, kind).map(Some),
            Some(_) => self.enter(name)?,
        }
        Ok(None)
    }

    /// Returns the path of this name with the remaining names after it. An error that cut a path could cut a secret in
    /// it, and nothing would find the rest of that.
    fn whole_path(&self, name: &OsStr) -> Result<LocalPath, WorkspaceError> {
        let path = self.path(name)?;
        let rest: PathBuf = self.left.iter().collect();
        Ok(path.join(rest).unwrap_or(path))
    }

    /// Returns the type of the file of this name, if it exists.
    fn look(&self, name: &OsStr) -> Result<Option<FileType>, WorkspaceError> {
        if self.held.last().is_some_and(|held| held.folder.is_none()) {
            return Ok(None);
        }
        match statat(self.folder(), name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(WorkspaceError::io("look at", &self.path(name)?, errno)),
        }
    }

    /// Walks to the target of a link.
    fn follow(&mut self, name: &OsStr) -> Result<(), WorkspaceError> {
        self.hop()?;
        let target = match readlinkat(self.folder(), name, Vec::new()) {
            Ok(target) => PathBuf::from(OsString::from_vec(target.into_bytes())),
            // It is no longer a link, or it is gone, so check it again.
            Err(Errno::INVAL | Errno::NOENT) => {
                self.left.push_front(name.to_owned());
                return Ok(());
            }
            Err(errno) => return Err(WorkspaceError::io("follow", &self.path(name)?, errno)),
        };
        let (below, from_root) = self.target(name, &target)?;
        self.passed.push(self.path(name)?);
        if from_root {
            self.held.clear();
        }
        for part in below.components().rev() {
            self.left.push_front(part.as_os_str().to_owned());
        }
        Ok(())
    }

    /// Returns the target of a link, relative to the root or to the link's folder.
    ///
    /// A link that goes above the root, or to it by another name, may come back below it; the system resolves that. The
    /// result is only a text, and we walk it like any other path.
    fn target(&self, name: &OsStr, target: &Path) -> Result<(PathBuf, bool), WorkspaceError> {
        let root = &self.inner.path;
        let link = self.path(name)?;
        let folder = link.as_path().parent().unwrap_or(Path::new(""));
        let stays = if target.is_absolute() {
            target.strip_prefix(root).is_ok_and(|below| LocalPath::new(below).is_ok())
        } else {
            LocalPath::new(folder.join(target)).is_ok()
        };
        if stays {
            return Ok((below(target, root).unwrap_or(target).to_owned(), target.is_absolute()));
        }
        let whole = root.join(folder).join(target);
        // There, a name means one file to us and another to the program that opens it.
        let is_ours = ["/proc", "/dev"].iter().any(|own| tidy(&whole).starts_with(own));
        let inside = inside(&whole, root).filter(|_| !is_ours);
        let outside = || WorkspaceError::LinkOutside { link, target: target.to_owned() };
        inside.map(|inside| (inside, true)).ok_or_else(outside)
    }

    /// Opens the folder of this name, and continues from there.
    fn enter(&mut self, name: OsString) -> Result<(), WorkspaceError> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | HOLD;
        match openat(self.folder(), &name, flags, Mode::empty()) {
            Ok(folder) => self.held.push(HeldFolder { folder: Some(Arc::new(folder)), name }),
            Err(errno @ (Errno::NOTDIR | Errno::LOOP)) => {
                // A link has replaced it, or it never was a folder.
                let is_link = statat(self.folder(), &name, AtFlags::SYMLINK_NOFOLLOW)
                    .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
                if !is_link && errno == Errno::NOTDIR {
                    return Err(WorkspaceError::Kind { path: self.path(&name)?, needed: "folder" });
                }
                self.hop()?;
                self.left.push_front(name);
            }
            Err(errno) => return Err(WorkspaceError::io("enter", &self.path(&name)?, errno)),
        }
        Ok(())
    }

    /// Continues in a folder that does not exist.
    fn add(&mut self, name: OsString) -> Result<(), WorkspaceError> {
        self.hop()?;
        let path = self.path(&name)?;
        if let MissingNames::AssumeFolders(verb) = self.missing {
            if verb == Verb::Write
                && let Err(denied) = self.inner.judge(&path, verb)
                // A path below such a folder needs approval too, and that path is the question.
                && denied.ruling.needs_approval.is_none()
            {
                return Err(denied.into());
            }
            self.held.push(HeldFolder { folder: None, name });
            return Ok(());
        }
        self.inner.judge(&path, Verb::Write)?;
        match mkdirat(self.folder(), &name, Mode::from_raw_mode(0o777)) {
            // Another process may have created it first, so check it again.
            Ok(()) | Err(Errno::EXIST) => self.left.push_front(name),
            Err(errno) => return Err(WorkspaceError::io("make the folder", &path, errno)),
        }
        Ok(())
    }

    fn hop(&mut self) -> Result<(), WorkspaceError> {
        self.hops += 1;
        if self.hops > MAX_HOPS {
            return Err(WorkspaceError::Restless { path: self.asked.display().to_string() });
        }
        Ok(())
    }

    /// Returns the deepest existing folder on the way.
    fn folder(&self) -> &Arc<OwnedFd> {
        self.held.iter().rev().find_map(|held| held.folder.as_ref()).unwrap_or(&self.inner.root)
    }

    /// Returns the path of this name in the current folder.
    fn path(&self, name: &OsStr) -> Result<LocalPath, OutsidePath> {
        LocalPath::new(self.held.iter().map(|held| held.name.as_os_str()).chain([name]).collect::<PathBuf>())
    }

    fn arrive(&mut self, name: OsString, kind: Option<FileType>) -> Result<WalkTarget, WorkspaceError> {
        let (folder, path) = (Arc::clone(self.folder()), self.path(&name)?);
        Ok(WalkTarget { folder, path, name, kind, passed: std::mem::take(&mut self.passed) })
    }

    /// Returns the folder in which the walk ended, after `..` or at the start.
    fn here(self) -> WalkTarget {
        let path = self.held.iter().map(|held| held.name.as_os_str()).collect::<PathBuf>();
        WalkTarget {
            folder: Arc::clone(self.folder()),
            name: ".".into(),
            path: LocalPath::new(path).unwrap_or_default(),
            kind: Some(FileType::Directory),
            passed: self.passed,
        }
    }
}

/// Resolves a path with the system, and returns it relative to the root, if it is below it. Missing names stay as
/// written.
fn inside(path: &Path, root: &Path) -> Option<PathBuf> {
    let found = path.ancestors().find_map(|folder| Some((folder, fs::canonicalize(folder).ok()?)));
    let (folder, real) = found?;
    let whole = real.join(path.strip_prefix(folder).ok()?);
    match whole.strip_prefix(root) {
        Ok(below) if LocalPath::new(below).is_ok() => Some(below.to_owned()),
        // `..` after a missing folder may lead back to an existing one.
        _ if whole.components().any(|part| part == Component::ParentDir) => inside(&tidy(&whole), root),
        _ => None,
    }
}

/// Removes `.` and `..` from a path, looking only at its text.
pub(super) fn tidy(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut tidy, part| {
        match part {
            Component::ParentDir => drop(tidy.pop()),
            Component::CurDir => {}
            other => tidy.push(other),
        }
        tidy
    })
}

/// Holding a folder needs no permission to list it.
#[cfg(target_os = "linux")]
const HOLD: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const HOLD: OFlags = OFlags::RDONLY;
