//! Reasons why documents cannot be stored or found.

use std::path::PathBuf;

use crate::{BoxError, EmbedError, Error};

/// The reason why an operation on a store of documents failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] Error),
    /// The embedder failed. The store is as it was for the files that it could not embed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// There is no store of this name.
    #[error("there is no store `{0}`: `loop rag list` lists them, and `loop rag new {0}` creates it")]
    NoStore(String),
    /// A store of this name exists already. It is unchanged.
    #[error("the store `{0}` exists already, and was not changed")]
    Exists(String),
    /// The name of a store cannot be used.
    #[error("the name `{0}` cannot be used: write 1 to 64 letters, digits, `-` or `_`")]
    Name(String),
    /// The store belongs to another embedder.
    #[error(
        "the store `{store}` has vectors of {own}, not of {given}: use {own}, or create another store with {given}"
    )]
    OtherEmbedder {
        /// The name of the store.
        store: String,
        /// Its own embedder.
        own: String,
        /// The embedder that was given.
        given: String,
    },
    /// The store has vectors, but nothing can make more.
    #[error(
        "the store `{store}` needs its embedder {own} for new documents, but there is none: check its server"
    )]
    NoEmbedder {
        /// The name of the store.
        store: String,
        /// Its own embedder.
        own: String,
    },
    /// A path that was named cannot be read.
    #[error("{} cannot be read", path.display())]
    Path {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: BoxError,
    },
}
