//! Which model answers, where it is, and what it can call.
//!
//! A key is money, and whoever is asked hears all that is said. So there is one way from a name to a server, for
//! chats, repetitions and manifests alike, and what a project says in it is a name: where models are and which
//! keys go there is the user's affair ([`loop_manifest::settings`], and the variables that each vendor's users know).
//!
//! | step | file |
//! | --- | --- |
//! | `openai:gpt-5` is a vendor and a name | `name.rs` |
//! | the vendor's variables are an address and a key | `vendor.rs` |
//! | what was asked for, the settings and the environment are one model | `choice.rs` |
//! | nobody said anything: is there an Ollama? | `local.rs` |
//! | tools, under the policy and audited | `tools.rs` |
//! | a model and tools are a conversation | `chat.rs` |
//! | no model is there, and a session is all the same | `nobody.rs` |

mod chat;
mod choice;
mod local;
mod nobody;
mod tools;
mod vendor;

pub(crate) use self::{
    chat::{Conversation, Surroundings},
    choice::{Model, name_of},
    local::of_ollama,
    nobody::NoModel,
    tools::{audit, of_settings as tools_of, toolbox, workspace},
};
