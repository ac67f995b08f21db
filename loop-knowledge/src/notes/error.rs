//! Reasons why a note cannot be stored or found.

use crate::{BoxError, Error};

/// The reason why an operation on notes failed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoteError {
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] Error),
    /// It cannot be known which words are secret.
    #[error("the text was not stored, since its secrets cannot be removed")]
    Secrets(#[source] BoxError),
    /// There is no project in use.
    #[error(
        "no project is in use: `loop kb project list` lists them, `loop kb project add NAME` adds one, and `loop kb \
         project use NAME` chooses one"
    )]
    NoProject,
    /// There is no project of this name.
    #[error("there is no project `{0}`: `loop kb project list` lists them")]
    UnknownProject(String),
    /// The project has observations.
    #[error("the project `{name}` has {observations} observations: `--force` deletes it with them")]
    HasObservations {
        /// The name of the project.
        name: String,
        /// How many it has.
        observations: u64,
    },
    /// A name or a text is empty.
    #[error("the {0} is empty")]
    Empty(&'static str),
}
