//! A check that the work cannot change.
//!
//! | what | where |
//! | --- | --- |
//! | the evaluator | `check.rs`, `verdict.rs` |
//! | the tree in which it runs, and what is put back | `tree.rs` |
//! | which paths judge | `protected.rs`, `named.rs`, `conventions.rs`, `patterns.rs`, `documents.rs` |
//! | how many tests ran | `floor.rs` |
//! | files outside of the folder | `surroundings.rs` |

mod check;
mod conventions;
mod documents;
mod floor;
mod named;
mod patterns;
mod protected;
mod surroundings;
mod tree;
mod verdict;

pub(crate) use self::{check::SealedCheck, patterns::check_pattern, verdict::with_more};
