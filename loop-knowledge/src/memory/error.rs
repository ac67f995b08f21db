//! Reasons why a memory cannot be stored, found or changed.

use std::path::PathBuf;

use crate::{BoxError, EmbedError, Error};

/// The reason why an operation on memories failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// A file or the database cannot be used.
    #[error(transparent)]
    Store(#[from] Error),
    /// It cannot be known which words are secret.
    #[error("the memory was not stored, since its secrets cannot be removed")]
    Secrets(#[source] BoxError),
    /// There is no vector of a text.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// No memory has this id.
    #[error("there is no memory `{0}`: `loop memory list` lists them")]
    Unknown(String),
    /// Several memories have ids that begin like this.
    #[error("`{id}` is the beginning of {count} ids, such as {first} and {second}: write more of it")]
    Ambiguous {
        /// The beginning.
        id: String,
        /// The number of memories.
        count: usize,
        /// The first id.
        first: String,
        /// The second id.
        second: String,
    },
    /// The file with this id is not a memory.
    #[error("{} is not a memory: {}. Mend or remove the file", .0.path.display(), .0.why)]
    Faulty(MemoryFault),
    /// The memory is in another state than the operation needs.
    #[error("the memory {id} is {state}, and only {expected} ones can be changed like this")]
    State {
        /// Its id.
        id: String,
        /// Its state.
        state: super::MemoryState,
        /// The states that the operation accepts.
        expected: &'static str,
    },
    /// A field of a new memory is faulty.
    #[error("the memory was not stored: {0}")]
    Invalid(String),
    /// The front matter of a file has a form in which one value cannot be replaced.
    #[error("{} stays unchanged, since its front matter cannot be edited safely: change `{key}` by hand", path.display())]
    Edit {
        /// The file.
        path: PathBuf,
        /// The key to change.
        key: &'static str,
    },
    /// A memory, a proposal or a rejected proposal has the same words.
    #[error("nothing was proposed: a memory or an earlier proposal has the same words")]
    Repeated,
    /// A person has not decided about many proposals.
    #[error("nothing was proposed: {0} proposals wait for a person already")]
    TooManyWait(usize),
    /// Only a person writes the profile.
    #[error("nothing was proposed: only a person changes the profile of the workspace")]
    ProfileOfPerson,
    /// There is a profile already.
    #[error("the workspace has a profile: edit {}", .0.display())]
    ProfileExists(PathBuf),
}

/// A file below `memories/` that is not a memory. It is skipped and stays unchanged.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct MemoryFault {
    /// The file.
    pub path: PathBuf,
    /// The fault.
    pub why: String,
}
