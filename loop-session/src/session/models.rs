//! Which model answers, and which others could.

use std::time::Duration;

use loop_manifest::model::{self, Model};
use loop_telemetry::transcript::Entry;

use super::state::Session;
use crate::InputError;

/// How long models are looked for that nobody wrote down.
const PATIENCE: Duration = Duration::from_secs(2);

impl Session {
    /// The model of this name.
    ///
    /// # Errors
    /// Nobody's name, or a key that is not there.
    pub(crate) fn choose(&self, name: &str) -> Result<Model, InputError> {
        Ok(Model::choose(Some(name), &self.context.settings, self.context.execution.variables())?)
    }

    /// Lets the model of this name answer from now on.
    ///
    /// # Errors
    /// As for [`choose`](Self::choose).
    pub(crate) fn use_model(&mut self, name: &str) -> Result<(), InputError> {
        self.take_model(name)?;
        self.log.write(Entry::ModelChanged { model: name.to_owned() });
        Ok(())
    }

    /// The same, where that is written down otherwise.
    ///
    /// # Errors
    /// As for [`choose`](Self::choose).
    pub(crate) fn take_model(&mut self, name: &str) -> Result<(), InputError> {
        let model = self.choose(name)?;
        self.dialogue.chat.set_model(model.boxed(self.context.execution.seed()));
        self.dialogue.model = Some(model);
        Ok(())
    }

    /// Returns the names of the models in the settings.
    pub fn named_models(&self) -> Vec<String> {
        let layers = [&self.context.settings.user, &self.context.settings.project];
        let mut names: Vec<_> = layers.iter().flat_map(|layer| layer.tables.models.keys().cloned()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// These, and what an Ollama has, if one answers.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub(crate) async fn all_models(&mut self) -> Result<Vec<String>, InputError> {
        let stop = self.stop();
        let local = tokio::time::timeout(PATIENCE, model::of_ollama(self.context.execution.variables()));
        let local = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(InputError::Interrupted),
            local = local => local.unwrap_or_default(),
        };
        let mut names = self.named_models();
        names.extend(local.into_iter().map(|name| format!("ollama:{name}")));
        Ok(names)
    }
}
