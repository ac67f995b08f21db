//! Which model answers, and which others could.

use std::time::Duration;

use anyhow::anyhow;
use loop_telemetry::transcript::Entry;

use loop_session::Input;

use super::{Interrupted, Session, command::meant, turn::no_model};
use loop_manifest::model::{self, Model};

/// How long models are looked for that nobody wrote down.
const PATIENCE: Duration = Duration::from_secs(2);

impl Session {
    /// The model of this name.
    ///
    /// # Errors
    /// Nobody's name, or a key that is not there.
    pub(super) fn choose(&self, name: &str) -> anyhow::Result<Model> {
        Ok(Model::choose(Some(name), &self.settings, self.place.variables())?)
    }

    /// Lets the model of this name answer from now on.
    ///
    /// # Errors
    /// As for [`choose`](Self::choose).
    pub(super) fn use_model(&mut self, name: &str) -> anyhow::Result<()> {
        self.take_model(name)?;
        self.log.write(Entry::ModelChanged { model: name.to_owned() });
        Ok(())
    }

    /// The same, where that is written down otherwise.
    ///
    /// # Errors
    /// As for [`choose`](Self::choose).
    pub(super) fn take_model(&mut self, name: &str) -> anyhow::Result<()> {
        let model = self.choose(name)?;
        self.chat.set_model(model.boxed(self.place.seed()));
        self.model = Some(model);
        Ok(())
    }

    /// Whether this line can be done at all, for whoever has it done again and again: there is somebody to whom it can
    /// be said, or it is a command.
    ///
    /// # Errors
    /// There is no model, no such command, or nothing to do.
    pub(super) fn answers(&self, line: &str) -> anyhow::Result<()> {
        match Input::of(line) {
            Input::Nothing => Err(anyhow!("`{}` alone does nothing", line.trim())),
            Input::Command { name, arguments } => meant(name, arguments).map(drop),
            Input::Prompt(_) if self.model.is_none() => Err(no_model()),
            _ => Ok(()),
        }
    }

    /// The names of models that settings have.
    pub(super) fn named_models(&self) -> Vec<String> {
        let layers = [&self.settings.user, &self.settings.project];
        let mut names: Vec<_> = layers.iter().flat_map(|layer| layer.tables.models.keys().cloned()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// These, and what an Ollama has, if one answers.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub(super) async fn all_models(&mut self) -> anyhow::Result<Vec<String>> {
        let stop = self.stop();
        let local = tokio::time::timeout(PATIENCE, model::of_ollama(self.place.variables()));
        let local = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(Interrupted.into()),
            local = local => local.unwrap_or_default(),
        };
        let mut names = self.named_models();
        names.extend(local.into_iter().map(|name| format!("ollama:{name}")));
        Ok(names)
    }
}
