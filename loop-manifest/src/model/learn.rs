//! Learns the facts about a model before its first turn.

use loop_agents::{
    chat::{DEFAULT_OLLAMA_WINDOW, Vendor},
    facts::ModelFacts,
};

use super::{Model, facts_store::FactsStore, reported::reported};
use crate::context::ExecutionContext;

impl Model {
    /// Learns the facts about the model: from the settings, from its server, and from the bundled table. It asks a
    /// server of the user's own for up to two seconds, unless the state directory has its answer of the last 24 hours;
    /// with `refresh` it asks in any case. An Ollama sends at least its list, whose digests show whether that answer is
    /// still about the same model. Other facts stay unknown.
    ///
    /// The window that a request to Ollama asks for is that of the settings, otherwise that of `OLLAMA_CONTEXT_LENGTH`,
    /// of the model file, or 32,768 tokens. It is never larger than the model supports.
    #[must_use]
    pub fn learn(mut self, cx: &ExecutionContext, refresh: bool) -> Self {
        if self.server.endpoint().is_exposed() {
            cx.warn(&format!(
                "the connection to {} is not encrypted, and it leaves your network: others can read the conversation. \
                 Use an `https://` address.",
                self.address()
            ));
        }
        let store = FactsStore::of(cx.variables(), cx.now());
        let listed = self.listed.take();
        let reported = match &mut self.hosting {
            // The server need not run yet, and whatever listens at its address may be another.
            Some(hosting) => {
                hosting.join(cx, &self.server);
                ModelFacts::default()
            }
            None => reported(self.server.endpoint(), self.id(), listed, &store, refresh),
        };
        let calls_in_text = store.calls_in_text(self.server.endpoint(), self.id());
        let set = ModelFacts::from_settings(self.window_set, self.tools_set);
        let learned = ModelFacts { calls_in_text, ..ModelFacts::default() };
        let supported = reported.window.as_ref().map(|fact| fact.value);
        let bundled = match self.server.endpoint().vendor() {
            Vendor::Ollama => ModelFacts::default(),
            _ => ModelFacts::bundled(self.id()),
        };
        self.facts = set.or(reported).or(learned).or(bundled);
        let window = match self.server.endpoint().vendor() {
            Vendor::Ollama => {
                let preset = self.facts.preset_window.as_ref().map(|fact| fact.value);
                let wanted =
                    self.window_set.or(self.window_of_variables).or(preset).unwrap_or(DEFAULT_OLLAMA_WINDOW);
                Some(supported.map_or(wanted, |supported| supported.min(wanted)))
            }
            _ => self.facts.window.as_ref().map(|fact| fact.value),
        };
        if let Some(tokens) = window {
            self.server = self.server.with_context_window(tokens);
        }
        self.store = Some(store);
        self.logged_to(cx.debug_log().cloned())
    }
}
