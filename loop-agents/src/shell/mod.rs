//! Agents and checks that are commands.
//!
//! A [`ShellAgent`] runs a command line with a prompt made from a [`Template`], and a
//! [`CommandEvaluator`] runs another that judges what the first one did. Both are
//! [supervised](crate::process).

mod agent;
mod agent_prompt;
mod background;
mod command;
mod evaluator;
mod failures;
mod output;
mod output_listener;
mod output_reader;
mod placeholder;
mod prompt_memory;
mod quoting;
mod rate_limit_backoff;
mod shell_settings;
mod template;
mod unreported_cost;
mod variables;

pub use agent::{Preview, ShellAgent};
pub(crate) use agent_prompt::AgentPrompt;
pub use background::{BackgroundPolicy, MAX_BACKGROUND_WAIT, UnknownBackgroundPolicy};
pub use command::{CommandError, CommandLine, Invocation, MAX_LINE_BYTES, PromptUndeliverable};
pub use evaluator::{
    CheckOutput, CommandEvaluator, EVALUATOR_EXIT_MARK, EVALUATOR_MATCHES_MARK, MAX_PATTERNS,
    TooManyPatterns, has_match,
};
pub use output::ShellOutput;
pub use placeholder::{Placeholder, PromptValues};
pub use prompt_memory::PromptMemory;
pub use quoting::QuotingError;
pub use shell_settings::{BUDGET_VARIABLE, ITERATION_VARIABLE, SECONDS_VARIABLE, Shell};
pub use template::{Template, UnknownPlaceholder};
pub use variables::{VariablePlace, Variables};
