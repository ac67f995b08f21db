//! A model with its retries, its server and its way to call tools.

use std::time::Duration;

use loop_agents::{
    chat::{AutoTools, ChatModel, GenaiModel, ProseTools, Retry, WithoutTools},
    servers::HostedModel,
};
use loop_guardrails::Backoff;

use super::{Model, hosting::Hosting, logged::LoggedModel};
use crate::names::ToolMode;

/// The wait after the second try.
const FIRST_WAIT: Duration = Duration::from_secs(1);

impl Model {
    /// Returns the model, which is asked again where that may help. Runs with different seeds do not ask at the same
    /// time.
    pub fn boxed(&self, seed: u64) -> Box<dyn ChatModel> {
        let log = self.debug_log.clone();
        let retried = move |server: GenaiModel| {
            let pace = Backoff::new(FIRST_WAIT).seed(seed);
            Box::new(Retry::new(LoggedModel::new(server, log.clone())).pace(pace)) as Box<dyn ChatModel>
        };
        let patient = match self.hosting.as_ref().and_then(Hosting::server) {
            Some(server) => Box::new(HostedModel::new(server, self.server.clone(), retried)),
            None => retried(self.server.clone()),
        };
        match self.tools_in_use() {
            ToolMode::Prose => Box::new(ProseTools::new(patient)),
            ToolMode::Auto => {
                let (store, server, id) =
                    (self.store.clone(), self.server.endpoint().clone(), self.id().to_owned());
                Box::new(AutoTools::new(patient).on_calls_in_text(move || {
                    if let Some(store) = &store {
                        // Without a place for it, the next conversation finds out again.
                        let _ = store.keep_calls_in_text(&server, &id);
                    }
                }))
            }
            ToolMode::Structured => patient,
            ToolMode::Inject | ToolMode::None => Box::new(WithoutTools::new(patient)),
        }
    }
}
