//! The first manifest of a project: what `loop init` writes.
//!
//! Nobody should have to read a reference to get a loop that runs. So the commands come from what is
//! here ([`project`], [`agent`]), the words from a [`template`]; [`draft`] makes a manifest of them, and
//! [`page`] writes it in the format that was asked for. What is not found is left open, and said.

pub(crate) mod agent;
mod draft;
mod page;
pub(crate) mod project;
pub(crate) mod report;
pub(crate) mod template;

#[cfg(test)]
mod tests;

pub(crate) use draft::{Draft, SCHEMA_FILE};
