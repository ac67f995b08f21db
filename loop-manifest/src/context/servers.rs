//! The model servers of a run.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use loop_agents::servers::{ManagedServer, ServerCommand, ServerSurroundings};
use loop_telemetry::StateDir;

use super::ExecutionContext;

/// The servers that models of this run may start, by name. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct RunServers(Arc<Mutex<BTreeMap<String, Arc<ManagedServer>>>>);

impl ExecutionContext {
    /// Returns the server with this name, which all models of the run share. `make` adds what only its first model knows.
    pub fn server(
        &self,
        name: &str,
        command: &ServerCommand,
        make: impl FnOnce(ManagedServer) -> ManagedServer,
    ) -> Arc<ManagedServer> {
        let mut servers = self.servers.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || {
            let state = StateDir::from_env_with(|name| self.variable(name));
            let surroundings = ServerSurroundings {
                variables: self.variables.to_vec(),
                supervisor: Some(self.supervisor.clone()),
                folder: state.and_then(|state| state.servers()).ok(),
            };
            Arc::new(make(ManagedServer::new(name, command.clone(), surroundings)))
        };
        Arc::clone(servers.entry(name.to_owned()).or_insert_with(new))
    }

    /// Ends the model servers that the run has started, and waits for their end.
    ///
    /// # Cancel safety
    /// Dropping the future leaves the rest to the end of the context.
    pub async fn stop_servers(&self) {
        let servers: Vec<_> =
            self.servers.0.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for server in servers {
            server.stop().await;
        }
    }
}
