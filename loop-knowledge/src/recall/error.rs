//! Reasons why nothing was recalled.

use crate::{BoxError, documents::DocumentError, memory::MemoryError, notes::NoteError};

/// The reason why nothing was recalled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// The memories cannot be used.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The documents cannot be used.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The notes cannot be used.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// It cannot be known which words are secret.
    #[error("nothing was recalled, since secrets cannot be removed")]
    Secrets(#[source] BoxError),
}
