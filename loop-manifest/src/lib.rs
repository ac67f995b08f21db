#![doc = include_str!("../README.md")]
//!
//! # How it is done
//! [`Source`] is the text of a file. Parsing turns any format into a tree of values with locations. The fields are then
//! read from the tree and validated into a [`Plan`]. A warning marks input that works but was probably not intended.
//! All findings are [`Diagnostics`].

mod bounds;
mod compose;
mod context;
mod default_manifest;
mod describe;
mod diagnostic;
mod diagnostics;
mod document;
pub mod duration;
mod effective;
mod environment;
mod field;
mod fields;
mod format;
pub mod init;
mod json_comments;
mod key_errors;
mod keys;
mod load;
mod mismatch;
mod missing_program;
pub mod model;
mod named_secrets;
mod names;
mod nearest;
mod next_step;
mod overrides;
mod parallel_plan;
pub mod plan;
mod raw;
mod raw_checks;
mod raw_condition;
mod raw_environment;
mod raw_limits;
mod raw_pace;
mod raw_parallel;
mod raw_sandbox;
mod raw_seal;
mod raw_snapshots;
mod raw_stagnation;
mod remaining;
mod request_plan;
pub mod sandbox_plan;
mod schema;
mod seal_plan;
mod sealed;
pub mod settings;
pub mod skills;
mod snapshot_plan;
pub mod snapshots;
mod source;
mod steps_plan;
mod stop_plan;
mod stored_output;
pub mod task;
mod unfilled;
mod usage_reporter;
mod validate;
mod variables;
mod warnings;
mod withheld;

#[cfg(test)]
#[path = "../tests/manifests/mod.rs"]
mod tests;

pub use self::{
    compose::{
        AgentOutput, ComposeError, FirstPrompt, LaneOutput, LanesOutput, ON_FINISH_TIME, PlannedAgent,
        PlannedLoop, ToolsError,
    },
    context::{ExecutionContext, OutputSink, discard_copies, secrets_in},
    default_manifest::{NoDefaultManifest, default_manifest, unused_manifest},
    describe::{checks, describe, nobody_to_ask},
    diagnostics::{Diagnostics, Paint},
    environment::EnvironmentPlan,
    format::Format,
    keys::flag::flag,
    load::LoadedPlan,
    missing_program::{MissingProgram, describe_missing, missing_program},
    names::{
        HistoryShare, ModeError, ModelName, NameError, ToolMode, ToolName, UnknownTool, VendorModel,
        vendor_name,
    },
    nearest::closest,
    next_step::{how_to_continue, next_step, resume_command, resume_hint},
    overrides::Overrides,
    plan::Plan,
    remaining::remaining,
    request_plan::{RequestPlanError, request_plan},
    schema::schema,
    sealed::{FreshVerdict, SealTrial, VerificationError},
    source::Source,
    stop_plan::StopPlan,
    stored_output::{StoredAgentOutput, describe_actions},
    unfilled::UNFILLED,
    validate::kebab_case,
    withheld::withheld,
};
