//! Errors between us and the system. A failure inside the command is an [`Exit`](super::Exit) instead.

use std::{io, path::PathBuf};

use rustix::io::Errno;

/// A command could not be run, or was lost while it ran. The system's own message is the
/// [source](std::error::Error::source), and not part of the text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// A string for the system has a NUL byte in it, which would end the string early.
    #[error("{what} contains a NUL byte, which cannot be passed to a program")]
    Nul {
        /// The string with the NUL byte: the command, the working directory, or a variable by name.
        what: String,
    },
    /// A variable's name is empty or has a `=` in it.
    #[error("`{name}` cannot be the name of an environment variable: it is empty or contains `=`")]
    VariableName {
        /// The name.
        name: String,
    },
    /// The working directory does not exist, or we cannot enter it.
    #[error("cannot use {} as the working directory", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The command and its environment are larger than the system allows.
    #[error(
        "the command ({line_bytes} bytes) and its environment ({environment_bytes} bytes) \
         are too long for this system"
    )]
    TooLong {
        /// The length of the command line, in bytes.
        line_bytes: usize,
        /// The length of all variables together, in bytes.
        environment_bytes: usize,
    },
    /// We could not create a pipe or register it, usually because too many files are open.
    #[error("cannot prepare the command's input and output")]
    Pipe(#[source] io::Error),
    /// The process that cleans up if this one is killed is gone, and we could not start another one.
    #[error("cannot start a watchdog in place of one that was killed")]
    WatchdogLost(#[source] io::Error),
    /// There is no program of this name.
    #[error("cannot find the program `{program}` in the folders of PATH")]
    NotFound {
        /// Its name.
        program: String,
    },
    /// The shell, or the program that is run without one, did not start.
    #[error("cannot start {program}")]
    Program {
        /// Its name or path.
        program: String,
        /// The system's error.
        source: io::Error,
    },
    /// The system does not report the end of a process in the way that we need.
    #[error(
        "cannot await the end of a command on this system: this requires Linux 5.3 or newer, and a sandbox that \
         allows `pidfd_open`"
    )]
    Unwatchable(#[source] io::Error),
    /// The process is still alive after we killed it.
    #[error(
        "cannot end the command (process {process}): it belongs to another user, or hangs in a system call"
    )]
    Undying {
        /// Its number.
        process: u32,
    },
    /// The process started, but we could not await its end. Usually too many files are open, or the host program reaps
    /// the children of others.
    #[error("lost track of the running command")]
    Lost(#[source] io::Error),
}

impl ProcessError {
    /// Returns true if a retry without any change would fail again. Running out of open files or processes may pass. A
    /// missing directory does not come back by itself.
    pub fn is_lasting(&self) -> bool {
        match self {
            Self::Nul { .. }
            | Self::VariableName { .. }
            | Self::Directory { .. }
            | Self::TooLong { .. }
            | Self::Unwatchable(_)
            | Self::Undying { .. } => true,
            Self::NotFound { .. } => true,
            Self::Program { source, .. } => {
                matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
            }
            Self::Pipe(_) | Self::WatchdogLost(_) | Self::Lost(_) => false,
        }
    }

    /// Builds the error for a process that we could not watch.
    pub(super) fn unwatched(error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            // An older kernel does not know the call, and a sandbox forbids it. Both are permanent.
            Some(Errno::NOSYS | Errno::INVAL | Errno::PERM) => Self::Unwatchable(error),
            _ => Self::Lost(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use loop_core::with_causes;

    use super::*;

    #[test]
    fn what_the_system_never_does_is_lasting_and_what_it_lacks_now_is_not() {
        for errno in [Errno::NOSYS, Errno::INVAL, Errno::PERM] {
            assert!(ProcessError::unwatched(errno.into()).is_lasting(), "{errno}");
        }
        assert!(!ProcessError::unwatched(Errno::MFILE.into()).is_lasting());
    }

    #[test]
    fn a_cause_is_said_once() {
        let error =
            ProcessError::Program { program: "/bin/sh".to_owned(), source: io::Error::other("no memory") };
        assert_eq!(with_causes(&error), "cannot start /bin/sh: no memory");
    }
}
