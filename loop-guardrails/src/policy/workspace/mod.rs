//! Restricts access to the files below one folder.
//!
//! Checking a path first and opening it afterwards is not safe: a folder at the time of the check may be a link to
//! somewhere else when it is opened. And a check of the parent alone lets `link/new/file` through, since `link/new`
//! does not exist yet. So a [`Workspace`] holds its root open and walks from there, name by name. It opens each name in
//! the folder before it, and never through a link. It reads links itself, and walks to their targets as long as these
//! are below the root. At the end it knows the path that it took, without links and without `..`. The policy judges
//! that path, and the workspace opens the last name in the folder that it holds.
//!
//! If a file [needs a person's approval](super::Ruling::needs_approval) and is a link to another file, the other file
//! needs it too, wherever in the workspace the link is, and through any number of links. So before a change, the
//! workspace searches for all its links. If it contains too many names to search, every change needs approval.
//!
//! A manifest or a task file can have any name. So the content of a file matters as well, before a change and after it.
//!
//! This does not detect everything. A hard link is a regular file, so a second name for a secret hides it. If somebody
//! moves a folder out of the workspace while it is held, it stays held until the call ends. Both need a person or
//! process that can already read or write there.

mod commands;
mod error;
mod executable_content;
mod explain;
mod files;
mod folders;
mod followed_links;
mod git_paths;
mod git_settings;
mod nested_repositories;
mod path_walk;
mod repository;
mod stored_secrets;

use std::{
    ffi::OsStr,
    fmt, fs,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::fs::{Mode, OFlags};

use self::path_walk::{FinalLink, MissingNames, WalkTarget};
pub use self::{
    commands::OpenedCommand,
    error::WorkspaceError,
    explain::{Explanation, ExplanationSubject},
    files::{OpenedFile, WrittenFile},
    folders::{FileKind, FolderEntry, PathStatus},
    repository::Repository,
    stored_secrets::{StoredSecrets, has_token_of_git, is_closed},
};
use super::{
    ActionPolicy, DeniedAction, LocalPath, Origin, Verb, WithOrigin, command::CommandPrefix,
    executed::ExecutedFile,
};

/// A folder with the policy for everything below it.
///
/// Paths are relative to the root, or absolute and below it. All calls block for the disk. Clones refer to the same
/// folder.
///
/// ```
/// use std::io::Read;
/// use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = Workspace::open(folder.path(), ActionPolicy::default())?;
/// workspace.write("notes/today.txt", b"buy milk")?;
/// let mut text = String::new();
/// workspace.read("notes/../notes/today.txt")?.file.read_to_string(&mut text)?;
/// assert_eq!(text, "buy milk");
/// assert!(workspace.read("../outside").is_err());
/// assert!(workspace.write(".env", b"KEY=1").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Workspace(Arc<Inner>);

struct Inner {
    root: Arc<OwnedFd>,
    path: PathBuf,
    policy: ActionPolicy,
}

impl Workspace {
    /// Opens a folder. This follows links on the way to it.
    ///
    /// # Errors
    /// [`WorkspaceError::Root`] if it is not a folder, or cannot be opened.
    pub fn open(root: impl AsRef<Path>, policy: ActionPolicy) -> Result<Self, WorkspaceError> {
        let root = root.as_ref();
        let error = |source| WorkspaceError::Root { path: root.to_owned(), source };
        let path = fs::canonicalize(root).map_err(error)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open(&path, flags, Mode::empty()).map_err(|errno| error(errno.into()))?;
        Ok(Self(Arc::new(Inner { root: Arc::new(fd), policy: policy.at(&path), path })))
    }

    /// Returns the path of the root, without links.
    pub fn root(&self) -> &Path {
        &self.0.path
    }

    /// Returns the policy.
    pub fn policy(&self) -> &ActionPolicy {
        &self.0.policy
    }

    /// Returns the same folder with a person's approval for changes to these paths: see [`ActionPolicy::approving`].
    #[must_use]
    pub fn approving(&self, paths: impl IntoIterator<Item = LocalPath>) -> Self {
        self.with(self.policy().clone().approving(paths))
    }

    /// Returns the same folder in which a person also allows commands with these leading words: see
    /// [`ActionPolicy::allowing`].
    #[must_use]
    pub fn allowing(&self, entry: CommandPrefix) -> Self {
        self.with(self.policy().clone().allowing([WithOrigin::new(entry, Origin::Person)]))
    }

    /// Returns the same folder in which a person also allows this line for a shell: see
    /// [`ActionPolicy::allowing_in_shell`].
    #[must_use]
    pub fn allowing_in_shell(&self, line: impl Into<String>) -> Self {
        self.with(self.policy().clone().allowing_in_shell(line))
    }

    /// Returns the same folder under another policy.
    fn with(&self, policy: ActionPolicy) -> Self {
        let Inner { root, path, .. } = &*self.0;
        Self(Arc::new(Inner { root: Arc::clone(root), path: path.clone(), policy }))
    }

    /// Returns the path without links, if this action is allowed there. Use this for programs that open the path
    /// themselves; by then it may have been replaced. A missing path is judged as if it were created.
    ///
    /// # Errors
    /// [`WorkspaceError`] if it leads out, or the policy does not allow it.
    pub fn check(&self, path: &str, verb: Verb) -> Result<LocalPath, WorkspaceError> {
        // Removing a link removes the link itself.
        let last = if verb == Verb::Delete { FinalLink::Keep } else { FinalLink::Follow };
        Ok(self.find(path, last, MissingNames::AssumeFolders(verb), verb)?.path)
    }

    /// Returns the path without links, if you may write these bytes there as the whole content of a file. A manifest or
    /// a task file needs a person's approval.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn check_write(&self, path: &str, bytes: &[u8]) -> Result<LocalPath, WorkspaceError> {
        let place = self.check(path, Verb::Write)?;
        executable_content::refuse_new(&self.0, &place, ExecutedFile::of(bytes))?;
        Ok(place)
    }

    /// Resolves a path, if this action is allowed there.
    fn find(
        &self,
        path: &str,
        last: FinalLink,
        missing: MissingNames,
        verb: Verb,
    ) -> Result<WalkTarget, WorkspaceError> {
        // Judge the text first, so that a refused action creates no folders and does not reveal whether a secret
        // exists. A text that leads out may still be a path below the root, through a link.
        let by_text =
            self.policy().local(path).map_or(Ok(()), |local| self.0.judge(&local, verb)).map(|()| None);
        // A question must be about the path that a person could approve.
        let is_question = matches!(missing, MissingNames::AssumeFolders(_));
        let unapproved = by_text.or_else(|denied| {
            let can_be_approved = is_question && denied.ruling.needs_approval.is_some();
            if can_be_approved { Ok(Some(denied)) } else { Err(denied) }
        })?;
        let place = path_walk::walk(&self.0, Path::new(path), last, missing)?;
        self.0.judge(&place.path, verb)?;
        self.0.judge_in_repositories(&place.path, verb)?;
        if let Some(mut denied) = unapproved {
            denied.ruling.needs_approval = Some(Box::new(place.path));
            return Err(denied.into());
        }
        if self.policy().needs_approval(&place.path, verb) {
            followed_links::refuse_target(&self.0, &place.path, verb)?;
            executable_content::refuse_held(&self.0, &place, verb)?;
            git_settings::refuse_named(&self.0, &place.path, verb)?;
        }
        Ok(place)
    }
}

impl Inner {
    fn judge(&self, path: &LocalPath, verb: Verb) -> Result<(), DeniedAction> {
        self.policy.on_path(path, verb).into_result(format!("to {verb} `{path}`")).map(drop)
    }

    /// Judges a path in a folder that git would take for a repository as if the folder's name was `.git`. A bare
    /// repository can have any name.
    fn judge_in_repositories(&self, path: &LocalPath, verb: Verb) -> Result<(), WorkspaceError> {
        for folder in path.as_path().ancestors().skip(1) {
            let below = path.as_path().strip_prefix(folder).unwrap_or(path.as_path());
            if !below.iter().next().is_some_and(|child| is_git_folder(&self.path.join(folder), child)) {
                continue;
            }
            let above = folder.parent().unwrap_or(folder);
            let renamed = LocalPath::new(above.join(".git").join(below))?;
            let action = format!("to {verb} `{path}`, in a repository of git");
            self.policy.on_path(&renamed, verb).into_result(action)?;
        }
        Ok(())
    }
}

/// Returns whether git would take this folder for the inside of a repository, once it contains this child. Any of its
/// parts can be the last one that is created.
fn is_git_folder(folder: &Path, child: &OsStr) -> bool {
    let has = |name: &str| child.eq_ignore_ascii_case(name) || folder.join(name).symlink_metadata().is_ok();
    has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Workspace").field(&self.0.path).finish()
    }
}
