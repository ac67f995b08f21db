//! The server that starts for a model.

use std::sync::Arc;

use loop_agents::{
    chat::{ChatModel, GenaiModel},
    servers::{ManagedServer, ServerCommand, ServerKind},
};

use super::error::ModelChoiceError;
use crate::{context::ExecutionContext, settings::Settings};

/// A server of the settings, and the one of the run once the model belongs to a run.
#[derive(Debug, Clone)]
pub(super) struct Hosting {
    name: String,
    command: ServerCommand,
    server: Option<Arc<ManagedServer>>,
}

impl Hosting {
    /// Returns the server that the settings name for a model.
    ///
    /// # Errors
    /// [`ModelChoiceError::NoServer`].
    pub(super) fn of(model: &str, name: String, settings: &Settings) -> Result<Self, ModelChoiceError> {
        match settings.user.tables.servers.get(&name) {
            Some(command) => Ok(Self { command: command.clone(), name, server: None }),
            None => Err(ModelChoiceError::NoServer { name: model.to_owned(), server: name }),
        }
    }

    /// Makes the server one of the run. Before it starts, the model is looked for at the address that it would have
    /// without this server, and at the usual port of such servers.
    pub(super) fn join(&mut self, cx: &ExecutionContext, model: &GenaiModel) {
        let Self { name, command, .. } = self;
        let endpoint = model.endpoint();
        let port = endpoint.local_port();
        self.server = Some(cx.server(name, command, |server| match (port, command.kind()) {
            (Some(port), _) => server.usually_at(port, None),
            (None, ServerKind::Ollama) => server,
            (None, kind) => match kind.usual_port() {
                Some(port) => server.usually_at(port, Some(model.name().to_owned())),
                None => server,
            },
        }));
    }

    /// Returns the server of the run.
    pub(super) fn server(&self) -> Option<Arc<ManagedServer>> {
        self.server.clone()
    }
}
