//! Memories of earlier runs. Files are the truth, and tables of `knowledge.db` are an index of them.

/// The tables of the index.
pub(crate) const TABLES: &str = "";
