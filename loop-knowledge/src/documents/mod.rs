//! Documents: files in chunks, found again by words and by vectors.
//!
//! A store belongs to one embedder, or to none, from its creation. A document is replaced in one transaction, so a
//! reader sees its old or its new chunks, and never both or none.

mod block;
mod chunks;
mod error;
mod given;
mod ingest;
mod query;
mod report;
pub(crate) mod selection;
mod sources;
mod store;
#[cfg(test)]
mod tests;

pub use self::{
    block::{ContextBlock, context_block},
    chunks::{CHUNK_CHARACTERS, Chunk, chunks},
    error::DocumentError,
    given::{PdfText, RemoteText},
    ingest::Ingest,
    query::{Hit, MIN_SCORE, MOST_VECTORS, QueryOptions, Retrieved, TOP_K},
    report::IngestReport,
    selection::Selection,
    sources::{MOST_BYTES, SkipReason},
    store::{DocumentStore, EmbedderId, StoreStatus},
};
pub(crate) use self::{
    chunks::{Region, chunks_of_regions},
    store::{check, names},
};
