//! Notes: projects, observations and concepts, in tables of `knowledge.db`.

/// The tables.
pub(crate) const TABLES: &str = include_str!("tables.sql");
