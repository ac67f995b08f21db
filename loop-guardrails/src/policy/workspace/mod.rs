//! Files below one folder, and none besides.
//!
//! Looking at a path, finding it harmless, and opening it then is one step too many: what was a folder
//! when it was looked at is a link to somewhere else when it is opened. And whoever looks at the parent
//! alone lets `link/new/file` through, since `link/new` is not there to be looked at. So a [`Workspace`]
//! holds its root open and walks from there, name by name, each opened in the folder before it and never
//! through a link. A link it reads, and walks to where it leads, as long as that is below the root. At the
//! end it knows the path on which it came, without a link and without `..`: that one is judged by the
//! policy, and the last name is opened in the folder that is held.
//!
//! A link from a file that [needs a person's yes](super::Ruling::needs_approval) to another file makes that one need it
//! too, wherever in the workspace the link is, and through any number of links. So before a file is changed, all links of
//! the workspace are looked for. In one with more names than are looked at, each change needs a person's yes.
//!
//! A manifest or a task file has any name. So what a file holds counts as well: before a change, and after it.
//!
//! What this does not see: a hard link is a file like any other, so a second name for a secret hides it;
//! and a folder that somebody moves out of the workspace while it is held stays held until the call ends.
//! Both take somebody who can already read or write there.

mod commands;
mod content;
mod error;
mod explain;
mod files;
mod folders;
mod followed;
mod repository;
mod walk;

use std::{
    fmt, fs,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::fs::{Mode, OFlags};

use self::walk::{Last, Missing, Place};
pub use self::{
    commands::OpenedCommand,
    error::WorkspaceError,
    explain::{Asked, Explanation},
    files::{Opened, Written},
    folders::{Entry, Kind, Status},
    repository::Repository,
};
use super::{ActionPolicy, Denied, LocalPath, Verb, executed::Executed};

/// One folder, and what a policy allows below it.
///
/// Paths are relative to the root, or absolute and below it. All calls block for the disk. Clones stand for
/// the same.
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
    /// Opens a folder. Links on the way to it are followed.
    ///
    /// # Errors
    /// [`WorkspaceError::Root`] if it is no folder, or cannot be opened.
    pub fn open(root: impl AsRef<Path>, policy: ActionPolicy) -> Result<Self, WorkspaceError> {
        let root = root.as_ref();
        let error = |source| WorkspaceError::Root { path: root.to_owned(), source };
        let path = fs::canonicalize(root).map_err(error)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open(&path, flags, Mode::empty()).map_err(|errno| error(errno.into()))?;
        Ok(Self(Arc::new(Inner { root: Arc::new(fd), policy: policy.at(&path), path })))
    }

    /// Where it is, without links.
    pub fn root(&self) -> &Path {
        &self.0.path
    }

    /// What is allowed in it.
    pub fn policy(&self) -> &ActionPolicy {
        &self.0.policy
    }

    /// The same folder, where a person has said yes to changes of these paths: see [`ActionPolicy::approving`].
    #[must_use]
    pub fn approving(&self, paths: impl IntoIterator<Item = LocalPath>) -> Self {
        let Inner { root, path, policy } = &*self.0;
        let policy = policy.clone().approving(paths);
        Self(Arc::new(Inner { root: Arc::clone(root), path: path.clone(), policy }))
    }

    /// Where a path leads, if this may be done there; for programs that open it themselves, and may so find
    /// something else in its place by then. What is not there is judged as if it were made.
    ///
    /// # Errors
    /// [`WorkspaceError`] if it leads out, or the policy does not allow it.
    pub fn check(&self, path: &str, verb: Verb) -> Result<LocalPath, WorkspaceError> {
        // A link that is removed is removed itself.
        let last = if verb == Verb::Delete { Last::Kept } else { Last::Followed };
        Ok(self.find(path, last, Missing::Imagined(verb), verb)?.path)
    }

    /// Where a path leads, if this may be written there as the whole content of a file: what is a manifest or a task file
    /// takes a person's yes.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn check_write(&self, path: &str, bytes: &[u8]) -> Result<LocalPath, WorkspaceError> {
        let place = self.check(path, Verb::Write)?;
        content::refuse_new(&self.0, &place, Executed::of(bytes))?;
        Ok(place)
    }

    /// Where a path leads, if this may be done there.
    fn find(&self, path: &str, last: Last, missing: Missing, verb: Verb) -> Result<Place, WorkspaceError> {
        // By its text first: no folders are made for what is then refused, and whether a secret is there is
        // not told. A text that leads out may still be a path that does not, behind a link.
        let by_text =
            self.policy().local(path).map_or(Ok(()), |local| self.0.judge(&local, verb)).map(|()| None);
        // What is only asked is asked about the path to which a person could say yes.
        let is_question = matches!(missing, Missing::Imagined(_));
        let unapproved = by_text.or_else(|denied| {
            let can_be_approved = is_question && denied.ruling.needs_approval.is_some();
            if can_be_approved { Ok(Some(denied)) } else { Err(denied) }
        })?;
        let place = walk::walk(&self.0, Path::new(path), last, missing)?;
        self.0.judge(&place.path, verb)?;
        if let Some(mut denied) = unapproved {
            denied.ruling.needs_approval = Some(place.path);
            return Err(denied.into());
        }
        if self.policy().needs_approval(&place.path, verb) {
            followed::refuse_target(&self.0, &place.path, verb)?;
            content::refuse_held(&self.0, &place, verb)?;
        }
        Ok(place)
    }
}

impl Inner {
    fn judge(&self, path: &LocalPath, verb: Verb) -> Result<(), Denied> {
        self.policy.on_path(path, verb).into_result(format!("to {verb} `{path}`")).map(drop)
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Workspace").field(&self.0.path).finish()
    }
}
