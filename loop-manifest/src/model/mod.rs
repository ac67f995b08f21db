//! Models by name: their addresses, their keys and their tools.
//!
//! A key is money, and a model's server reads the whole conversation. So chats, repetitions and manifests share one way
//! from a name to a server. A project can only name models. The user decides their addresses and keys, through the
//! [settings](crate::settings) and the usual variables of each vendor.
//!
//! | step | file |
//! | --- | --- |
//! | the vendor's variables become an address and a key | `vendor.rs` |
//! | the name that was asked for, the settings and the variables become one model | `choice.rs` |
//! | an Ollama that is installed and does not run | `stopped_ollama.rs` |
//! | a bare name, or no name at all: which models do the servers have? | `servers.rs`, `lookup.rs`, `ollama.rs` |
//! | the facts about a model, from the settings, the server and a table | `learn.rs`, `reported.rs`, `facts_store.rs` |
//! | all known models, for people | `available.rs` |
//! | the project's own instructions | `project_prompt.rs` |
//! | tools, under the policy and audited | `tools.rs` |
//! | a model and tools become a conversation | `chat.rs` |
//! | a model that makes vectors of texts | `embedder.rs` |

mod available;
mod blocking;
mod boxed;
mod candidates;
mod chat;
mod choice;
mod embedder;
mod error;
mod facts_store;
mod hosting;
mod last_used;
mod learn;
mod logged;
mod lookup;
mod ollama;
mod project_prompt;
mod reported;
mod server_line;
mod servers;
mod stopped_ollama;
mod tools;
mod vendor;

pub use self::{
    available::{ModelEntry, available, models_table, served_names},
    candidates::Candidates,
    chat::{ChatSetup, ConversationOptions},
    choice::Model,
    error::ModelChoiceError,
    project_prompt::{PromptSections, project_prompt},
    server_line::{ServerLine, ServerLineError},
    stopped_ollama::StoppedOllama,
    tools::{audit, command_sandbox, tools_of, workspace},
};
