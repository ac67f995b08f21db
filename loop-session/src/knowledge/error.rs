//! Reasons why a request about knowledge failed.

use std::{io, path::PathBuf};

use loop_agents::{embedding::EmbedRequestError, process::RUN_VARIABLE, remote::RemoteError};
use loop_knowledge::{
    documents::DocumentError,
    memory::{MemoryError, mining::MiningFailure},
    notes::NoteError,
    recall::RecallError,
};
use loop_manifest::{ToolsError, model::ModelChoiceError, settings::RemoteDisabled};
use loop_telemetry::StateDirError;

/// The reason why a request about knowledge failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KnowledgeError {
    /// The documents cannot be used.
    #[error(transparent)]
    Documents(#[from] DocumentError),
    /// The notes cannot be used.
    #[error(transparent)]
    Notes(#[from] NoteError),
    /// The memories cannot be used.
    #[error(transparent)]
    Memories(#[from] MemoryError),
    /// Nothing could be recalled.
    #[error(transparent)]
    Recall(#[from] RecallError),
    /// A model gave no proposals.
    #[error(transparent)]
    Mining(#[from] MiningFailure),
    /// A record of earlier work cannot be read.
    #[error("the record cannot be read")]
    Record(#[source] loop_knowledge::BoxError),
    /// Recall waited for a server, where it must not wait.
    #[error("nothing was recalled, since an embedder would have to answer first")]
    Waits,
    /// An agent of a run asked for something that only a person may do.
    #[error(
        "{0} is for people, and this is inside of a run ({RUN_VARIABLE} is set, or was): `loop memory add` proposes a memory, and \
         a person decides about it after the run"
    )]
    InRun(&'static str),
    /// The user's settings do not allow reading addresses.
    #[error(transparent)]
    RemoteDisabled(#[from] RemoteDisabled),
    /// An address cannot be read.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// A database cannot be used.
    #[error(transparent)]
    Store(#[from] loop_knowledge::Error),
    /// No programs can run here.
    #[error(transparent)]
    Tools(#[from] ToolsError),
    /// There is no place for state.
    #[error(transparent)]
    State(#[from] StateDirError),
    /// The workspace is not usable.
    #[error("the folder {} cannot be used", path.display())]
    Workspace {
        /// The workspace.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// No store is in use, and none was named.
    #[error(
        "no store is in use: `loop rag new NAME` creates one, `loop rag list` lists them, and `loop rag use NAME` \
         chooses one"
    )]
    NoStoreInUse,
    /// The name of a store has a secret in it.
    #[error("the name has a secret in it, and would be the name of a file: choose another name")]
    SecretName,
    /// There is no such embedder: it has none of the fixed names, and is no model.
    #[error("the embedder is neither `none` nor `hashed` nor `model2vec`, and its model cannot be used")]
    Model(#[from] ModelChoiceError),
    /// This program was built without the embedder `model2vec`.
    #[error("this `loop` was built without the embedder `model2vec`: build it with `--features model2vec`")]
    WithoutModel2Vec,
    /// The settings do not say where the weights of the embedder `model2vec` are.
    #[error(
        "your own settings do not say where the weights are: write `model2vec = \"/the/folder\"` under `[knowledge]`"
    )]
    NoModel2Vec,
    /// The weights are not those of the store.
    #[error(
        "the store belongs to the embedder `{own}`, and the weights that your settings name are `{found}`"
    )]
    OtherModel2Vec {
        /// The name of the embedder of the store.
        own: String,
        /// The name of the embedder with the weights.
        found: String,
    },
    /// The weights of the embedder `model2vec` cannot be used.
    #[cfg(feature = "model2vec")]
    #[error(transparent)]
    Model2Vec(#[from] loop_knowledge::Model2VecError),
    /// The server of the embedder returned no vector.
    #[error(transparent)]
    Embed(#[from] EmbedRequestError),
}

impl KnowledgeError {
    /// Returns whether the request itself was wrong, and not the machine or the stored data.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Documents(error) => !matches!(
                error,
                DocumentError::Store(_) | DocumentError::Embed(_) | DocumentError::NoEmbedder { .. }
            ),
            Self::Memories(error) => {
                !matches!(error, MemoryError::Store(_) | MemoryError::Secrets(_) | MemoryError::Embed(_))
            }
            Self::Notes(error) => !matches!(error, NoteError::Store(_) | NoteError::Secrets(_)),
            Self::InRun(_)
            | Self::Record(_)
            | Self::NoStoreInUse
            | Self::WithoutModel2Vec
            | Self::NoModel2Vec
            | Self::OtherModel2Vec { .. }
            | Self::SecretName
            | Self::RemoteDisabled(_)
            | Self::Model(_)
            | Self::Workspace { .. } => true,
            _ => false,
        }
    }
}
