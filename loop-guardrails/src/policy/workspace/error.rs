//! Why a path cannot be used.

use std::{io, path::PathBuf};

use rustix::io::Errno;

use crate::policy::{DeniedAction, LocalPath, OutsidePath};

/// The reason why a path cannot be used. The messages are for a person and for a model, and say what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// The root is not a folder, or cannot be opened.
    #[error("cannot open the workspace {}: give a folder that you can read", path.display())]
    Root {
        /// The root, as it was given.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The path as written leaves the workspace.
    #[error(transparent)]
    Outside(#[from] OutsidePath),
    /// A link on the path leaves the workspace.
    #[error("the link `{link}` leads out of the workspace, to {}: use a path inside it", target.display())]
    LinkOutside {
        /// The link.
        link: LocalPath,
        /// Its target.
        target: PathBuf,
    },
    /// The policy does not allow it.
    #[error(transparent)]
    Denied(#[from] DeniedAction),
    /// There is no file of this name.
    #[error("there is no `{path}`: list its folder to see what is there")]
    NotFound {
        /// The missing path.
        path: LocalPath,
    },
    /// The path has another type than needed.
    #[error("`{path}` is not a {needed}")]
    Kind {
        /// The path.
        path: LocalPath,
        /// The type that is needed: "file", "folder".
        needed: &'static str,
    },
    /// A loop or chain of too many links, or names that keep changing.
    #[error(
        "`{path}` leads through too many links, or changes while it is opened: try again, or use another path"
    )]
    Restless {
        /// The path, as it was given.
        path: String,
    },
    /// Rules about the contents of a folder prevent moving it.
    #[error(
        "`{path}` cannot be moved as a whole, because rules apply to paths in it: move its files one by one"
    )]
    RulesBelow {
        /// The folder.
        path: LocalPath,
    },
    /// Git does not run, because its repository is missing or could show files of other folders.
    #[error("git does not run here, because of `{}`: {problem}", path.display())]
    Repository {
        /// The file or folder that prevents it.
        path: PathBuf,
        /// The reason, and what to do.
        problem: String,
    },
    /// A command names more files than it can get at once.
    #[error("a command reads at most {most} files; run it several times")]
    ManyFiles {
        /// The maximum number.
        most: usize,
    },
    /// The system returned an error.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// The action that failed: "read".
        action: &'static str,
        /// The path of the action.
        path: LocalPath,
        /// The error from the system.
        source: io::Error,
    },
}

impl WorkspaceError {
    /// Returns whether the policy refused, and not the disk.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Outside(_)
                | Self::LinkOutside { .. }
                | Self::Denied(_)
                | Self::RulesBelow { .. }
                | Self::Repository { .. }
        )
    }

    pub(super) fn io(action: &'static str, path: &LocalPath, source: impl Into<io::Error>) -> Self {
        let source = source.into();
        if Errno::from_io_error(&source) == Some(Errno::NOENT) {
            return Self::NotFound { path: path.clone() };
        }
        Self::Io { action, path: path.clone(), source }
    }
}
