//! Errors of a sandbox.

use std::{
    io,
    path::{Path, PathBuf},
};

/// A sandbox that cannot be prepared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// A path that cannot be part of a sandbox.
    #[error("cannot use {} in a sandbox: {problem}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// The problem.
        problem: &'static str,
    },
    /// A writable path that cannot be opened.
    #[error("cannot let a sandbox write to {}", path.display())]
    Unopened {
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A hidden path that cannot be opened.
    #[error("cannot hide {} from a sandbox", path.display())]
    Unhidden {
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A folder of the system with hidden files cannot be listed.
    #[error("cannot list the system's folders for a sandbox")]
    Listing(#[source] io::Error),
    /// The network for a list of hosts, or its proxy, could not be created.
    #[error("cannot create the network of a sandbox")]
    Network(#[source] io::Error),
    /// This machine cannot enforce a part of the sandbox.
    #[error("this machine cannot enforce the sandbox: {}", missing.join("; "))]
    Unenforceable {
        /// The missing parts, each with its reason.
        missing: Vec<String>,
    },
    /// The private temporary folder could not be created.
    #[error("cannot create the temporary folder of a sandbox")]
    Temporary(#[source] io::Error),
    /// The filter of system calls could not be built.
    #[error("cannot build the system call filter of a sandbox: {0}")]
    Filter(String),
}

impl SandboxError {
    pub(super) fn path(path: &Path, problem: &'static str) -> Self {
        Self::Path { path: path.to_owned(), problem }
    }

    pub(super) fn whole_system(path: &Path) -> Self {
        Self::path(path, "a sandbox that may write everywhere is none. Name the folders to write")
    }
}
