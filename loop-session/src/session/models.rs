//! The choice of the model, and the list of available ones.

use loop_manifest::model::{self, Model, ModelChoiceError};
use loop_telemetry::transcript::TranscriptEntry;

use super::state::Session;
use crate::{InputError, SessionHost};

impl Session {
    /// Returns whether there is a model that answers prompts.
    pub fn has_model(&self) -> bool {
        self.dialogue.model.is_some()
    }

    /// Returns the model with this name.
    ///
    /// # Errors
    /// No model has this name, or its key is missing.
    pub(crate) fn choose(&self, name: &str) -> Result<Model, InputError> {
        Ok(self.look_up(name)?.learn(&self.context.execution, false))
    }

    /// Returns the model with this name, without the facts about it.
    ///
    /// # Errors
    /// As for [`choose`](Self::choose).
    fn look_up(&self, name: &str) -> Result<Model, InputError> {
        Ok(Model::choose(Some(name), &self.context.settings, self.context.execution.variables())?)
    }

    /// Makes the model with this name answer from now on.
    ///
    /// # Errors
    /// As for [`choose`](Self::choose); also if the server of the model cannot be reached.
    pub(crate) fn use_model(&mut self, name: &str) -> Result<(), InputError> {
        let model = self.look_up(name)?;
        reach(&model, self.host())?;
        self.set_model(model.learn(&self.context.execution, false));
        let model = self.dialogue.model.as_ref().map_or(name, Model::asked).to_owned();
        self.log.write(TranscriptEntry::ModelChanged { model });
        Ok(())
    }

    /// Changes the model without an entry in the transcript, for callers whose change another entry records.
    ///
    /// # Errors
    /// As for [`choose`](Self::choose).
    pub(crate) fn set_model_unrecorded(&mut self, name: &str) -> Result<(), InputError> {
        let model = self.choose(name)?;
        self.set_model(model);
        Ok(())
    }

    fn set_model(&mut self, model: Model) {
        model.remember(&self.context.execution);
        self.dialogue.chat.set_model(model.boxed(self.context.execution.seed()));
        self.dialogue.model = Some(model);
    }

    /// Returns the names of the models in the settings.
    pub fn named_models(&self) -> Vec<String> {
        let layers = [&self.context.settings.user, &self.context.settings.project];
        let mut names: Vec<_> = layers.iter().flat_map(|layer| layer.tables.models.keys().cloned()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns the named models, and those of the servers that respond.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub(crate) async fn all_models(&mut self) -> Result<Vec<String>, InputError> {
        let stop = self.stop();
        let served = model::served_names(&self.context.settings, self.context.execution.variables());
        let served = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(InputError::Interrupted),
            served = served => served,
        };
        let mut names = self.named_models();
        names.extend(served);
        Ok(names)
    }
}

/// Checks that the model's server answers. Warns if it does not list the model.
///
/// # Errors
/// [`ModelChoiceError::Unreachable`].
pub(super) fn reach(model: &Model, host: &SessionHost) -> Result<(), ModelChoiceError> {
    if let Some(warning) = model.reach()? {
        host.warn(&warning);
    }
    Ok(())
}
