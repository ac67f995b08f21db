//! The choice among the models of the servers.

use std::ffi::OsString;

use loop_agents::chat::{GenaiError, ModelErrorKind, Vendor};
use loop_core::with_causes;

use super::{Model, ModelChoiceError, blocking, lookup::ServedModels, servers::ServedModel};
use crate::settings::Settings;

/// The models of the servers, for somebody who named none.
#[derive(Debug)]
pub struct Candidates(ServedModels);

impl Candidates {
    /// Asks the servers for up to two seconds.
    ///
    /// # Errors
    /// The asynchronous runtime cannot be started.
    pub fn ask(settings: &Settings, variables: &[(OsString, OsString)]) -> Result<Self, ModelChoiceError> {
        ServedModels::ask(settings, variables).map(Self)
    }

    /// Returns the names of the models.
    pub fn names(&self) -> Vec<String> {
        self.0.models.iter().map(ServedModel::name).collect()
    }

    /// Returns the model at this index of the [names](Self::names), on the server that has it.
    ///
    /// # Errors
    /// The address of the server is invalid.
    ///
    /// # Panics
    /// There is no such index.
    pub fn model(&self, index: usize, variables: &[(OsString, OsString)]) -> Result<Model, ModelChoiceError> {
        Model::served(&self.0.models[index], variables)
    }

    /// Returns the index of the model that was last used in the folder of the settings.
    pub fn last_used(&self, settings: &Settings, variables: &[(OsString, OsString)]) -> Option<usize> {
        self.0.last_used(settings, variables)
    }

    /// Returns the model that answers where nobody can be asked: the one last used in this folder, otherwise the first
    /// that is not known to serve embeddings only.
    ///
    /// # Errors
    /// There is no model.
    pub fn unattended(
        &self,
        settings: &Settings,
        variables: &[(OsString, OsString)],
    ) -> Result<Model, ModelChoiceError> {
        Model::unattended(&self.0, settings, variables)
    }
}

impl Model {
    /// Checks that the server answers, for up to two seconds, and that an Ollama has the model.
    ///
    /// # Errors
    /// [`ModelChoiceError::Unreachable`].
    pub fn reach(&self) -> Result<(), ModelChoiceError> {
        let server = self.server.endpoint();
        let unreachable = |why: String| ModelChoiceError::Unreachable { name: self.asked.clone(), why };
        let answer = blocking::ask(server.listed("")).map_err(ModelChoiceError::Runtime)?;
        match answer {
            None => Err(unreachable(format!("the server at {} does not answer", self.address()))),
            Some(Err(GenaiError::Server(error))) if error.kind() == ModelErrorKind::Unreachable => {
                Err(unreachable(with_causes(&error)))
            }
            // The server answers, although it shows no list.
            Some(Err(_)) => Ok(()),
            Some(Ok(models)) => {
                let is_there = models.iter().any(|model| model.is_called(self.id()));
                if is_there || server.vendor() != Vendor::Ollama {
                    return Ok(());
                }
                let names: Vec<_> = models.into_iter().map(|model| model.id).collect();
                let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                Err(unreachable(format!(
                    "the server at {} does not have it; its models: {has}",
                    self.address()
                )))
            }
        }
    }
}
