//! Manifests: from a file to a plan that can be run.
//!
//! A manifest spends money while its owner sleeps, so nothing in it is guessed: what is unknown,
//! contradictory or without effect is refused before anything runs, with the place and the remedy.
//!
//! [`source`] reads the file, [`document`] makes a tree of values with places out of whichever format
//! it is in, [`raw`] reads the fields out of the tree, [`validate`] turns them into a [`Plan`], and
//! [`warnings`] looks for what will run but was probably not meant. All of them speak through
//! [`diagnostics`].

mod bounds;
mod describe;
pub(crate) mod diagnostics;
pub(crate) mod document;
mod environment;
mod field;
mod fields;
pub(crate) mod flags;
pub(crate) mod goal;
mod keys;
pub(crate) mod mismatch;
pub(crate) mod nearest;
pub(crate) mod plan;
mod raw;
mod raw_condition;
mod reporter;
mod schema;
mod source;
mod unfilled;
mod validate;
mod warnings;
mod withheld;

#[cfg(test)]
mod tests;

pub(crate) use describe::{checks, describe, nobody_to_ask};
pub(crate) use diagnostics::{Diagnostics, Paint};
pub(crate) use keys::is_key;
pub(crate) use plan::Plan;
pub(crate) use schema::schema;
pub(crate) use source::{Format, Source};
pub(crate) use unfilled::UNFILLED;
pub(crate) use validate::kebab_case;
pub(crate) use withheld::withheld;
