//! The error of a rule that cannot be stored.

use std::{io, path::PathBuf};

use crate::Diagnostics;

/// The reason why a rule could not be stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeepError {
    /// No variable says where the settings are.
    #[error("there is no settings file: set HOME or LOOP_CONFIG")]
    NoFile,
    /// TOML is text, and the path of the folder is not.
    #[error("the path of this folder is not UTF-8, so the settings cannot name it: rename the folder")]
    Folder,
    /// The file cannot be read or written.
    #[error("cannot change {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The file has the table in a form that this program does not change.
    #[error("cannot change {}: its table in it has an unusual form; change it yourself", path.display())]
    Form {
        /// The file.
        path: PathBuf,
    },
    /// The file, or what it would become, is not valid.
    #[error("{}", .0.in_whole_lines())]
    Invalid(Diagnostics),
}

/// The findings are no source of the error, because their own text shows only parts of long lines.
impl From<Diagnostics> for KeepError {
    fn from(findings: Diagnostics) -> Self {
        Self::Invalid(findings)
    }
}
