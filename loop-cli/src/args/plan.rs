//! The command line of `loop plan`.

use std::path::PathBuf;

use clap::{Args, Subcommand, value_parser};
use loop_agents::plan::{MAX_REPAIRS, PLAN_FILE};

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
    /// Print the plan as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: PlanFileArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PlanFileArgs {
    /// The plan's file
    #[arg(long, value_name = "FILE", default_value = PLAN_FILE)]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct PlanViewArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: PlanFileArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// Perform all open steps, as a run
    Run(PerformArgs),
    /// Perform the next open step
    Next(PerformArgs),
    /// Count the steps, and print the next one
    Status(PlanViewArgs),
    /// Print the plan
    Show(PlanViewArgs),
    /// Delete the plan
    Clear {
        /// Do not ask
        #[arg(long, visible_alias = "force")]
        yes: bool,
        #[command(flatten)]
        view: PlanViewArgs,
    },
}

#[derive(Debug, Args)]
pub(crate) struct PerformArgs {
    /// The plan's file
    #[arg(value_name = "FILE", default_value = PLAN_FILE)]
    pub(crate) file: PathBuf,
    /// Repair a step at most N times if its validation does not pass [default: 2, or that of the settings]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(0..=MAX_REPAIRS))]
    pub(crate) repairs: Option<u64>,
    /// Perform the steps after a blocked one as well
    #[arg(long)]
    pub(crate) keep_going: bool,
    #[command(flatten)]
    pub(crate) options: RunOptions,
}
