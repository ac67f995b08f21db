#![doc = include_str!("../README.md")]

mod data_text;
pub mod documents;
mod embedding;
mod error;
mod extractor;
pub mod fts;
pub mod identifiers;
pub mod languages;
pub mod memory;
#[cfg(feature = "model2vec")]
mod model2vec;
pub mod notes;
pub mod recall;
mod regular_file;
mod secrets;
mod store;

#[cfg(feature = "model2vec")]
pub use self::model2vec::{Model2VecEmbedder, Model2VecError};
pub use self::{
    data_text::{DATA_NOTICE, data_line, indented_data},
    embedding::{BATCH, EmbedError, Embedder, HashedEmbedder, Vector, VectorError, embed_all},
    error::{BoxError, Error},
    extractor::Extractor,
    secrets::SecretFilter,
    store::{Health, KnowledgeFolder},
};
