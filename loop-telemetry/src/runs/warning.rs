//! Warnings about the files of a store that still works.

use std::{
    collections::HashSet,
    fmt,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

/// A problem in the files of a store of runs that a person should know about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreWarning {
    /// A line of the index is damaged.
    #[error(
        "line {line} of {} is damaged: {why}. The list was read from the folders of the runs instead, and the \
         next run rewrites the file",
        path.display()
    )]
    Index {
        /// The index.
        path: PathBuf,
        /// The number of the first damaged line, from 1.
        line: u64,
        /// The damage.
        why: String,
    },
    /// The index lacks runs that have a folder.
    #[error(
        "{} lacks {runs} of the runs whose folders are beside it: it was cut, or restored from an old backup. \
         They were read from their folders, and the next run rewrites the file",
        path.display()
    )]
    Lacking {
        /// The index.
        path: PathBuf,
        /// The number of missing runs.
        runs: usize,
    },
    /// A run that the index lacks cannot be listed.
    #[error("the run {id} is not listed: {why}")]
    Unlisted {
        /// The run.
        id: String,
        /// The reason.
        why: String,
    },
}

/// Reports each warning of a store once.
pub(super) struct Warnings {
    listener: Box<dyn Fn(&StoreWarning) + Send + Sync>,
    reported: Mutex<HashSet<String>>,
}

impl Warnings {
    pub(super) fn new(listener: impl Fn(&StoreWarning) + Send + Sync + 'static) -> Self {
        Self { listener: Box::new(listener), reported: Mutex::default() }
    }

    pub(super) fn tell(&self, warning: &StoreWarning) {
        let is_new = self.reported.lock().unwrap_or_else(PoisonError::into_inner).insert(warning.to_string());
        if is_new {
            (self.listener)(warning);
        }
    }
}

impl fmt::Debug for Warnings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Warnings").field("reported", &self.reported).finish_non_exhaustive()
    }
}
