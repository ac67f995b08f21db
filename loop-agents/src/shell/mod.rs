//! Agents and checks that are commands.
//!
//! A [`ShellAgent`] runs a command line with a prompt made from a [`Template`], and a
//! [`CommandEvaluator`] runs another that judges what the first one did. Both are
//! [supervised](crate::process).

mod agent;
mod bill;
mod briefing;
mod command;
mod evaluator;
mod hearing;
mod listener;
mod patience;
mod placeholder;
mod prompt;
mod quoting;
mod reason;
mod surroundings;
mod trouble;

pub use agent::{Preview, ShellAgent, ShellOutput};
pub(crate) use briefing::Briefing;
pub use command::{CommandError, CommandLine, Invocation, MAX_LINE_BYTES, PromptUndeliverable};
pub use evaluator::{
    Checked, CommandEvaluator, EVALUATOR_EXIT_MARK, EVALUATOR_MATCHES_MARK, MAX_PATTERNS, TooManyPatterns,
    has_match,
};
pub use placeholder::{Placeholder, Values};
pub use prompt::{Template, UnknownPlaceholder};
pub use quoting::Unquotable;
pub use surroundings::{BUDGET_VARIABLE, ITERATION_VARIABLE, SECONDS_VARIABLE, Shell};
