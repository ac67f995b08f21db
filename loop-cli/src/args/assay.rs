//! The command line of `loop assay`.

use std::{path::PathBuf, time::Duration};

use clap::{Args, value_parser};
use loop_agents::pipeline::Percent;
use loop_core::Usd;
use loop_manifest::duration;

/// The text below the options.
pub(super) const HELP: &str = "\
A case is a file with `prompt` or `manifest`, `checks`, and a `folder` to start
from. `loop schema --assay` prints its schema for editors.

Exit:  0 each case reaches --min-pass  1 not  2 bad cases  3 too few runs made

Examples:
  loop assay cases --model ollama:qwen3 --runs 5
  loop assay cases --model claude-sonnet-4-5 --json > before.jsonl
  loop assay cases --model claude-sonnet-4-5 --baseline before.jsonl";

#[derive(Debug, Args)]
pub(crate) struct AssayArgs {
    /// The folder with the cases: .yaml, .yml, .toml or .json
    pub(crate) folder: PathBuf,
    /// Measure this model; repeat for several
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Vec<String>,
    /// Measure this agent: a command, or a name
    #[arg(long, value_name = "CMD")]
    pub(crate) agent: Vec<String>,
    /// Make each case N times
    #[arg(long, value_name = "N", default_value = "1", value_parser = value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: u32,
    /// Make J runs at once
    #[arg(long, value_name = "J", default_value = "1", value_parser = value_parser!(u32).range(1..=1000))]
    pub(crate) jobs: u32,
    /// End a check after this time
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration::parse)]
    pub(crate) check_time: Duration,
    /// Compare with the JSON lines of an earlier assay
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// The share of runs that has to pass
    #[arg(long, value_name = "SHARE", default_value = "100%")]
    pub(crate) min_pass: Percent,
    /// Limit the cost of all runs, in US dollars
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) budget: Option<Usd>,
    /// Print the results as lines of JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the results as a page for a browser
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Print only the results
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

fn dollars(text: &str) -> Result<Usd, String> {
    let usd = text.parse::<f64>().map_err(|error| error.to_string())?;
    let usd = Usd::try_from_f64(usd).map_err(|error| error.to_string())?;
    if usd == Usd::ZERO { Err("nothing can be run with a budget of $0".to_owned()) } else { Ok(usd) }
}
