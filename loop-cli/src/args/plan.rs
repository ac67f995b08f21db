//! The command line of `loop plan`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use loop_agents::plan::{DEFAULT_REPAIRS, PLAN_FILE};

use super::RunOptions;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct PlanArgs {
    #[command(subcommand)]
    pub(crate) command: Option<PlanCommand>,
    /// The task; after `--`, also one that begins like a command
    #[arg(required = true)]
    pub(crate) task: Vec<String>,
    /// Ask this agent: a command, or a name that `init` knows
    #[arg(long, value_name = "CMD", conflicts_with = "model")]
    pub(crate) agent: Option<String>,
    /// Ask this model
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Replace a plan that has open steps
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) place: PlanFileArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PlanFileArgs {
    /// The plan's file
    #[arg(long, value_name = "FILE", default_value = PLAN_FILE)]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// Perform all open steps, as a run
    Run(PerformArgs),
    /// Perform the next open step
    Next(PerformArgs),
    /// Count the steps, and print the next one
    Status(PlanFileArgs),
    /// Print the plan
    Show(PlanFileArgs),
    /// Delete the plan
    Clear {
        /// Do not ask
        #[arg(long, visible_alias = "force")]
        yes: bool,
        #[command(flatten)]
        place: PlanFileArgs,
    },
}

#[derive(Debug, Args)]
pub(crate) struct PerformArgs {
    /// The plan's file
    #[arg(value_name = "FILE", default_value = PLAN_FILE)]
    pub(crate) file: PathBuf,
    /// Repair a step at most N times if its validation does not pass
    #[arg(long, value_name = "N", default_value_t = DEFAULT_REPAIRS)]
    pub(crate) repairs: u64,
    /// Perform the steps after a blocked one as well
    #[arg(long)]
    pub(crate) keep_going: bool,
    #[command(flatten)]
    pub(crate) options: RunOptions,
}
