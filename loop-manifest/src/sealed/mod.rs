//! A check that the work cannot change.
//!
//! | what | where |
//! | --- | --- |
//! | the evaluator | `check.rs`, `baseline.rs`, `verdict.rs` |
//! | the tree in which it runs, and what is put back | `tree.rs` |
//! | which paths judge | `protected.rs`, `conventions.rs`, `patterns.rs`, `documents/`, `modules.rs`, `moves.rs`, `path_programs.rs` |
//! | what names such paths | `named/`, `scripts.rs`, `references.rs`, `discovery.rs`, `programs.rs`, `shell_text.rs` |
//! | how many tests ran | `noted_output.rs`, `floor.rs`, `counts.rs`, `runners.rs` |
//! | files outside of the folder | `surroundings.rs` |
//! | the check again, after the run | `verification.rs` |

mod baseline;
mod check;
mod conventions;
mod counts;
mod discovery;
mod documents;
mod floor;
mod modules;
mod moves;
mod moving;
mod named;
mod noted_output;
mod path_programs;
mod patterns;
mod programs;
mod protected;
mod references;
mod runners;
mod scripts;
mod shell_text;
mod surroundings;
mod tree;
mod trial;
mod verdict;
mod verification;

pub use self::trial::SealTrial;
pub use self::verification::{FreshVerdict, VerificationError};
pub(crate) use self::{
    check::SealedCheck,
    floor::shows_no_tests,
    patterns::check_pattern,
    runners::is_test_runner,
    verdict::{refused, with_more},
};
