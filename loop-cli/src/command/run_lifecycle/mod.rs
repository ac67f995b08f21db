//! The steps that commands about runs share: find or build the specification, set the run up, execute it, and find it
//! again later.
//!
//! | step | file |
//! | --- | --- |
//! | what to run: a manifest, flags, or a stored specification | `run_spec.rs`, `stored_spec.rs` |
//! | checks before the first paid step | `preflight.rs` |
//! | storage, supervision and the record | `setup.rs` |
//! | the loop itself, with its observers | `execute.rs` |
//! | the command after the run | `on_finish.rs` |
//! | earlier runs: their list, their history, their processes | `stored_runs.rs`, `prior_run.rs`, `leftover_processes.rs` |

pub(super) mod execute;
pub(super) mod leftover_processes;
mod on_finish;
pub(super) mod preflight;
pub(super) mod prior_run;
pub(super) mod run_spec;
pub(super) mod setup;
pub(super) mod stored_runs;
pub(super) mod stored_spec;
