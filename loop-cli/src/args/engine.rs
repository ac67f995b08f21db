//! The command line of runs on other machines.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

/// The page below the options of `loop submit`.
pub(crate) const ABOUT_SUBMIT: &str = "\
This is the command `submit` of the program loop-temporal, which knows more
options: loop-temporal submit --help

Examples:
  loop submit loop.yaml --queue loops --count 20
  loop submit fix.yaml --queue loops --each src/*.rs
  loop runs --engine temporal";

/// The page below the options of `loop worker`.
pub(crate) const ABOUT_WORKER: &str = "\
This is the command `worker` of the program loop-temporal, which knows more
options: loop-temporal worker --help

Example:  loop worker --queue loops --slots 4";

/// An engine that stores runs and gives their steps to workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// The Temporal server of your settings
    Temporal,
}

/// Arguments for the program of the engine.
#[derive(Debug, Args)]
pub(crate) struct EngineArgs {
    /// The arguments of loop-temporal
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARG")]
    pub(crate) words: Vec<OsString>,
}
