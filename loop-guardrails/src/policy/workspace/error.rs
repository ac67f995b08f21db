//! Why a path cannot be used.

use std::{io, path::PathBuf};

use rustix::io::Errno;

use crate::policy::{Denied, LocalPath, OutsidePath};

/// Why a path cannot be used. The texts are for a person and for a model: they say what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// The root is no folder, or cannot be opened.
    #[error("cannot open the workspace {}: give a folder that you can read", path.display())]
    Root {
        /// The root, as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The path leaves the workspace by its text.
    #[error(transparent)]
    Outside(#[from] OutsidePath),
    /// A link on the path leaves the workspace.
    #[error("the link `{link}` leads out of the workspace, to {}: use what lies within", target.display())]
    LinkOutside {
        /// The link.
        link: LocalPath,
        /// Where it leads.
        target: PathBuf,
    },
    /// The policy does not allow it.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// There is nothing of this name.
    #[error("there is no `{path}`: list its folder to see what is there")]
    NotFound {
        /// What is not there.
        path: LocalPath,
    },
    /// Something else is there than what is needed.
    #[error("`{path}` is not a {needed}")]
    Kind {
        /// Where.
        path: LocalPath,
        /// What is needed: "file", "folder".
        needed: &'static str,
    },
    /// Links that lead to links, too many of them, or names that change all the time.
    #[error(
        "`{path}` leads through too many links, or changes while it is opened: try again, or use another path"
    )]
    Restless {
        /// The path, as it was given.
        path: String,
    },
    /// A folder cannot be moved away from rules about what is in it.
    #[error(
        "`{path}` cannot be moved as a whole, since there are rules about what is in it: move its files one by one"
    )]
    RulesBelow {
        /// The folder.
        path: LocalPath,
    },
    /// Git is not run, since its repository is missing, or could show files of other folders.
    #[error("git does not run here, because of `{}`: {problem}", path.display())]
    Repository {
        /// The file or folder that is in the way.
        path: PathBuf,
        /// Why, and what to do.
        problem: String,
    },
    /// A command names more files than it is given at once.
    #[error("a command reads at most {most} files; run it several times")]
    ManyFiles {
        /// How many it may be.
        most: usize,
    },
    /// The system refused.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// What was to be done: "read".
        action: &'static str,
        /// With what.
        path: LocalPath,
        /// What the system said.
        source: io::Error,
    },
}

impl WorkspaceError {
    /// Whether it is the policy, and not the disk, that refuses.
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
