//! Models by their names: where they are, which keys they need, and which tools they can call.
//!
//! A key is money, and a model's server reads everything that is said to it. So there is one way from a name to a server,
//! for chats, repetitions and manifests. A project only names models. Where they are and which keys they get is decided by
//! the user: by the [settings](crate::settings), and by the variables that each vendor's users know.
//!
//! | step | file |
//! | --- | --- |
//! | the vendor's variables become an address and a key | `vendor.rs` |
//! | the name that was asked for, the settings and the variables become one model | `choice.rs` |
//! | nobody names a model: is there an Ollama? | `local.rs` |
//! | tools, under the policy and audited | `tools.rs` |
//! | a model and tools become a conversation | `chat.rs` |

mod chat;
mod choice;
mod error;
mod local;
mod tools;
mod vendor;

pub use self::{
    chat::{ChatSetup, Conversation},
    choice::{Model, name_of},
    error::ModelChoiceError,
    local::of_ollama,
    tools::{audit, tools_of, workspace},
};
