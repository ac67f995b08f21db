//! The knowledge about a workspace: documents, notes and memories. The command line and the session make the same
//! requests, and show the same replies.

mod embedders;
mod error;
mod memory;
mod model2vec;
mod notes;
mod pdf;
mod rag;
mod reply;
mod secrets;
mod workspace;

pub use self::{
    error::KnowledgeError,
    memory::{
        ChatExtractor, MemoryChange, MemoryRequest, MemoryTools, MiningChoice, MiningEvent, MiningRecord,
        RecallRequest,
    },
    notes::NotesRequest,
    rag::{PromptContext, RagRequest},
    reply::KnowledgeReply,
    secrets::WorkspaceSecrets,
    workspace::WorkspaceKnowledge,
};
