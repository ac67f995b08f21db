//! Model servers that this program starts on this machine.
//!
//! A person without a vendor's key often has a model server installed that does not run. A program that starts it also
//! has to end it: a server that is left behind keeps gigabytes of memory. So a [`LocalServer`] ends with the value, and
//! its process is supervised like every other. It listens only at 127.0.0.1, so nobody else on the network can reach it.
//!
//! With the feature `servers`, a [`ManagedServer`] starts such a server when a model needs it, and a [`HostedModel`] is a
//! model behind it. A server that answered before is used as it is, and never stopped.

#[cfg(feature = "servers")]
mod command;
mod error;
#[cfg(feature = "servers")]
mod hosted_model;
#[cfg(feature = "servers")]
mod kept;
mod local_server;
#[cfg(feature = "servers")]
mod managed;
#[cfg(feature = "servers")]
mod note;
#[cfg(feature = "servers")]
mod ollama;
#[cfg(feature = "servers")]
mod running;
#[cfg(feature = "servers")]
mod weights;

#[cfg(feature = "servers")]
pub use self::{
    command::{GpuLayers, ServerCommand, ServerCommandError, ServerKind},
    hosted_model::HostedModel,
    managed::{ManagedServer, ServerSurroundings},
    note::NotedServer,
    ollama::{OllamaAction, OllamaWord, PullProgress},
    running::{EndedServer, ServerPlace},
    weights::{ModelFile, model_files},
};
pub use self::{error::ServerError, local_server::LocalServer};
