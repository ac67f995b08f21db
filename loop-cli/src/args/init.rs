//! The arguments of `loop init`.

use std::path::PathBuf;

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use loop_manifest::init::Template;

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// fix-until-tests-pass (the default) or refactor-until-lint-clean
    #[arg(default_value = "fix-until-tests-pass", hide_possible_values = true, hide_default_value = true)]
    #[arg(value_parser = template())]
    pub(crate) template: Template,
    /// Write to this file, or - for stdout [default: loop.yaml]
    #[arg(long, value_name = "FILE", default_value = "loop.yaml", hide_default_value = true)]
    pub(crate) out: PathBuf,
    /// Use this agent or command [default: first known on PATH]
    #[arg(long, value_name = "CMD")]
    pub(crate) agent: Option<String>,
    /// Use this check [default: what the project's files point to]
    #[arg(long, value_name = "CMD")]
    pub(crate) check: Option<String>,
    /// Seal the check if it says the same in a tree of its own
    #[arg(long)]
    pub(crate) sealed: bool,
    /// Replace FILE if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Write a skill instead: it teaches agents to start loops
    #[arg(long, conflicts_with_all = ["template", "out", "agent", "check", "sealed", "list"])]
    pub(crate) skill: bool,
    /// Convert the settings of a harvey.yaml to loop.toml instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["template", "agent", "check", "sealed", "skill", "list"])]
    pub(crate) from: Option<PathBuf>,
    /// Only list the agents and the checks that were found
    #[arg(long, conflicts_with_all = ["out", "agent", "check", "sealed", "force"])]
    pub(crate) list: bool,
}

/// Reads the name of a template. The list of names is for completions.
fn template() -> impl TypedValueParser<Value = Template> {
    let about = |template| match template {
        Template::FixUntilTestsPass => "Fix the code until the project's tests pass",
        _ => "Refactor the code until the project's linter finds nothing",
    };
    let names = Template::ALL.map(|template| PossibleValue::new(template.name()).help(about(template)));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Template>())
}
