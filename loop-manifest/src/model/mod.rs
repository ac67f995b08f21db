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
//! | nobody names a model: is there an Ollama? | `ollama.rs` |
//! | the facts about a model, from the settings, the server and a table | `learn.rs`, `facts_store.rs` |
//! | tools, under the policy and audited | `tools.rs` |
//! | a model and tools become a conversation | `chat.rs` |

mod blocking;
mod chat;
mod choice;
mod error;
mod facts_store;
mod learn;
mod ollama;
mod tools;
mod vendor;

pub use self::{
    chat::{ChatSetup, ConversationOptions},
    choice::{Model, name_of},
    error::ModelChoiceError,
    ollama::of_ollama,
    tools::{audit, tools_of, workspace},
};
