//! What can go wrong between us and the system; what goes wrong inside the command is an
//! [`Exit`](super::Exit).

use std::{io, path::PathBuf};

/// A command that could not be run, or was lost while it ran.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// A string for the system has a NUL byte in it, which ends strings there.
    #[error("{what} contains a NUL byte, which no program can be given")]
    Nul {
        /// What has it: the command, the working directory, or a variable by name.
        what: String,
    },
    /// A variable's name is empty or has a `=` in it.
    #[error("`{name}` cannot be the name of an environment variable: it is empty or contains `=`")]
    VariableName {
        /// The name.
        name: String,
    },
    /// The working directory does not exist, or cannot be entered.
    #[error("cannot run in the directory {}: {source}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The command and its environment are larger than the system takes.
    #[error(
        "the command ({line_bytes} bytes) and its environment ({environment_bytes} bytes) \
         are too long for this system"
    )]
    TooLong {
        /// The length of the command line.
        line_bytes: usize,
        /// The length of all variables together.
        environment_bytes: usize,
    },
    /// A pipe, or a place to wait for one, could not be made: mostly too many open files.
    #[error("cannot prepare the command's input and output: {0}")]
    Pipe(#[source] io::Error),
    /// The shell did not start.
    #[error("cannot start /bin/sh: {0}")]
    Shell(#[source] io::Error),
    /// The process started, but its end could not be awaited: mostly too many open files, or a
    /// host program that reaps the children of others.
    #[error("lost sight of the running command: {0}")]
    Lost(#[source] io::Error),
}

impl ProcessError {
    /// Whether trying again without changing anything would fail again. Running out of open
    /// files or processes may pass; a directory that is gone does not come back by itself.
    pub fn is_lasting(&self) -> bool {
        match self {
            Self::Nul { .. } | Self::VariableName { .. } | Self::Directory { .. } | Self::TooLong { .. } => {
                true
            }
            Self::Shell(error) => {
                matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
            }
            Self::Pipe(_) | Self::Lost(_) => false,
        }
    }
}
