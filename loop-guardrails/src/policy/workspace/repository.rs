//! Vets the repository that git reads in a workspace.
//!
//! Git trusts the files of a repository. It follows links among them, uses another folder if a file names one, and
//! prints lines of files that it cannot parse. So anyone who can write to `.git`, or whose archive was unpacked here,
//! could make it print any file. We therefore find the repository without git, vet it, and then name it to git.

use std::{
    collections::HashSet,
    ffi::OsStr,
    fs, io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use super::WorkspaceError;

/// A repository whose files are its own.
///
/// # Vetting
/// It contains no links, pipes or devices, and it takes no objects or settings from another folder. Refs have a
/// plausible length. Links are allowed in hooks, submodules and large files (`lfs`, `annex`), since git reads none of
/// them here. `.git` may be a file only in a linked work tree that its repository also names.
///
/// This does not detect changes between the vetting and git's own access.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repository {
    /// The folder that git calls its directory.
    pub git_dir: PathBuf,
    /// The folder that contains its files.
    pub work_tree: PathBuf,
}

/// The name of a repository's folder.
const GIT: &str = ".git";

/// Parts of a repository that git does not read when it shows something. No revision begins with such a name.
const UNREAD: &[&str] = &["annex", "fsmonitor--daemon", "hooks", "lfs", "modules"];

/// Prefixes of files that may have any length. All files in `objects` and `logs` may, too.
const LONG: &[&str] = &["index", "packed-refs", "sharedindex."];

/// The maximum size in bytes of a file in `refs`, and of other files. Git reads a ref whole, and accepts a file of any
/// name as one.
const MAX_REF_BYTES: u64 = 64 << 10;
const MAX_BYTES: u64 = 256 << 20;

impl Repository {
    /// Refuses an index that names files behind a link. Git reads such a file instead of the content that it stored, if
    /// both look alike. `names` end in NUL and are relative to the work tree.
    pub(super) fn vet_index(&self, names: &[u8]) -> Result<(), WorkspaceError> {
        let mut looked_at = HashSet::new();
        for name in names.split(|byte| *byte == 0) {
            let mut folder = name;
            while let Some(end) = folder.iter().rposition(|byte| *byte == b'/') {
                folder = &folder[..end];
                if !looked_at.insert(folder) {
                    break;
                }
                let path = self.work_tree.join(OsStr::from_bytes(folder));
                if kind_of(&path)?.is_some_and(|kind| kind.is_symlink()) {
                    let problem = "it is a link, and git's index has files of a folder in its place; ask the \
                                   user to correct one of them (`git add`)";
                    return Err(refused(&path, problem));
                }
            }
        }
        Ok(())
    }

    /// Finds the repository of a folder, in it or above it, and vets it. `folder` must contain no links.
    ///
    /// # Errors
    /// [`WorkspaceError::Repository`] if there is none, or it uses files outside it.
    pub fn find(folder: &Path) -> Result<Self, WorkspaceError> {
        for work_tree in folder.ancestors() {
            let path = work_tree.join(GIT);
            let Some(kind) = kind_of(&path)? else { continue };
            let git_dir = if kind.is_dir() {
                vet(&path)?;
                if kind_of(&path.join("commondir"))?.is_some() {
                    return Err(refused(&path, "its `commondir` names another repository"));
                }
                path
            } else if kind.is_file() {
                linked(&path)?
            } else {
                return Err(refused(&path, "it is a link"));
            };
            return Ok(Self { git_dir, work_tree: work_tree.to_owned() });
        }
        Err(refused(folder, "there is no repository, neither here nor above; use the tools for files"))
    }
}

/// Returns the folder in the repository for a linked work tree. The work tree's `.git` names that folder, which must
/// name it in turn, because a file in the work tree alone could name any repository.
fn linked(file: &Path) -> Result<PathBuf, WorkspaceError> {
    let text = read(file)?;
    let elsewhere = || {
        let problem = "it is a file that names another folder, but not a linked work tree (`git worktree`) of \
                       that repository; ask the user to run git";
        refused(file, problem)
    };
    let named = trimmed(text.strip_prefix("gitdir: ").ok_or_else(elsewhere)?);
    let git_dir = file.with_file_name(named).canonicalize().map_err(|_| elsewhere())?;
    let named_by = |name: &str| {
        let path = git_dir.join(name);
        let is_file = kind_of(&path)?.is_some_and(|kind| kind.is_file());
        let text = if is_file { read(&path)? } else { return Err(elsewhere()) };
        git_dir.join(trimmed(&text)).canonicalize().map_err(|_| elsewhere())
    };
    let common = git_dir.ancestors().nth(2).ok_or_else(elsewhere)?;
    let is_worktree = git_dir.parent().is_some_and(|parent| parent.ends_with("worktrees"));
    if !is_worktree || named_by("commondir")? != common || named_by("gitdir")? != file {
        return Err(elsewhere());
    }
    vet(common)?;
    vet(&git_dir)?;
    Ok(git_dir)
}

/// Removes what git removes from a path in such a file. A blank at its end is part of the path: `.. ` is another folder
/// than `..`.
fn trimmed(text: &str) -> &str {
    text.trim_end_matches(['\n', '\r'])
}

/// Refuses a repository that contains links, or that uses objects of another one.
fn vet(git_dir: &Path) -> Result<(), WorkspaceError> {
    let mut folders = vec![git_dir.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(&folder, &error))?;
            let path = entry.path();
            let kind = entry.file_type().map_err(|error| unreadable(&path, &error))?;
            let is_unread = folder == git_dir && UNREAD.iter().any(|name| entry.file_name() == *name);
            if kind.is_dir() {
                if !is_unread {
                    folders.push(path);
                }
            } else if is_unread && kind.is_symlink() {
                return Err(refused(
                    &path,
                    "it is a link; for hooks elsewhere, set `core.hooksPath` and remove it",
                ));
            } else if !kind.is_file() && !is_socket(kind) {
                return Err(refused(&path, "it is a link, a pipe or a device"));
            } else {
                vet_length(git_dir, &entry)?;
            }
        }
    }
    let alternates = git_dir.join("objects/info/alternates");
    if kind_of(&alternates)?.is_some() && !read(&alternates)?.trim().is_empty() {
        let problem = "it names other repositories; `git repack -a -d` makes their objects its own, then remove the \
                       file";
        return Err(refused(&alternates, problem));
    }
    let tables = git_dir.join("reftable/tables.list");
    if kind_of(&tables)?.is_some() && read(&tables)?.contains('/') {
        return Err(refused(&tables, "it names refs of another folder"));
    }
    Ok(())
}

/// Refuses a file that is too large for the purpose that git may use it for.
fn vet_length(git_dir: &Path, entry: &fs::DirEntry) -> Result<(), WorkspaceError> {
    let path = entry.path();
    let below = path.strip_prefix(git_dir).unwrap_or(&path);
    let mut own = below.components();
    if below.starts_with("worktrees") {
        own.by_ref().take(2).for_each(drop);
    }
    let own = own.as_path();
    let name = entry.file_name();
    let is_long = LONG.iter().any(|long| name.as_bytes().starts_with(long.as_bytes()));
    if own.starts_with("objects") || own.starts_with("logs") || (is_long && own.as_os_str() == name) {
        return Ok(());
    }
    let bytes = entry.metadata().map_err(|error| unreadable(&path, &error))?.len();
    let most = if own.starts_with("refs") { MAX_REF_BYTES } else { MAX_BYTES };
    if bytes <= most {
        return Ok(());
    }
    Err(refused(
        &path,
        &format!("it has {bytes} bytes, which is too large for such a file; ask the user to remove it"),
    ))
}

/// Git's file system monitor listens on a socket.
fn is_socket(kind: fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&kind)
}

/// Returns the type of the file, without following a link.
fn kind_of(path: &Path) -> Result<Option<fs::FileType>, WorkspaceError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata.file_type())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn read(path: &Path) -> Result<String, WorkspaceError> {
    fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> WorkspaceError {
    refused(path, &format!("it cannot be read: {error}"))
}

fn refused(path: &Path, problem: &str) -> WorkspaceError {
    WorkspaceError::Repository { path: path.to_owned(), problem: problem.to_owned() }
}
