//! The reasons why no model is available.

use std::io;

use loop_agents::chat::GenaiError;

use crate::names::NameError;

/// The error when no model is available.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelChoiceError {
    /// The model that the settings or a variable name cannot be asked.
    #[error("{place}")]
    NamedBy {
        /// The place that names it.
        place: String,
        /// The reason why it is unusable.
        source: Box<Self>,
    },
    /// The name is wrong.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Neither the settings nor a server has this name.
    #[error("{problem}{}", nearest(near))]
    Unknown {
        /// The reason why the name alone does not choose a model.
        problem: NameError,
        /// Names that are near to it.
        near: Vec<String>,
    },
    /// Several servers have a model with this name.
    #[error("several servers have a model `{name}`: name one of {}", choices.join(", "))]
    Ambiguous {
        /// The name.
        name: String,
        /// The names that are not ambiguous, with the addresses.
        choices: Vec<String>,
    },
    /// The server does not have the model, or does not answer.
    #[error("`{name}` cannot be asked: {why}")]
    Unreachable {
        /// The name.
        name: String,
        /// The reason.
        why: String,
    },
    /// The settings name a server for the model that they do not describe.
    #[error(
        "`[models.{name}]` names the server `{server}`, but your settings have no `[servers.{server}]`: add it"
    )]
    NoServer {
        /// The name of the model.
        name: String,
        /// The name of the server.
        server: String,
    },
    /// The settings say which variable has the key, and it is not set.
    #[error("the key of `{name}` is missing: {variable} is not set")]
    KeyUnset {
        /// The name of the model.
        name: String,
        /// The variable.
        variable: String,
    },
    /// The vendor wants a key.
    #[error("`{name}` needs a key: set {variables}, or name another model")]
    KeyNeeded {
        /// The name of the model.
        name: String,
        /// The variables that can have the key.
        variables: String,
    },
    /// The server's address or the key cannot be used.
    #[error(transparent)]
    Server(#[from] GenaiError),
    /// No model is named, and no Ollama has one.
    #[error(
        "no model is configured, and {why}; choose one in one of these ways:\n  \
         just once        --model claude-sonnet-4-5, or ollama:qwen3\n  \
         in a loop.toml   [chat]\n                   model = \"claude-sonnet-4-5\"\n  \
         in the shell     export LOOP_MODEL=claude-sonnet-4-5\n  \
         a vendor's model needs its key as well: ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY"
    )]
    NoneNamed {
        /// The reason why no Ollama has one.
        why: String,
    },
    /// The asynchronous runtime could not be started.
    #[error("cannot start the asynchronous runtime")]
    Runtime(#[source] io::Error),
}

fn nearest(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() { String::new() } else { format!("; near names: {}", quoted.join(", ")) }
}

impl ModelChoiceError {
    pub(super) fn named_by(self, place: String) -> Self {
        Self::NamedBy { place, source: Box::new(self) }
    }
}
