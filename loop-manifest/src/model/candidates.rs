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
    /// Checks that the server answers, for up to two seconds, and that an Ollama has the model. Returns a warning if
    /// another server lists its models and this one is not among them. It may answer nevertheless: some servers accept
    /// names that they do not list.
    ///
    /// # Errors
    /// [`ModelChoiceError::Unreachable`].
    pub fn reach(&self) -> Result<Option<String>, ModelChoiceError> {
        if self.hosting.is_some() {
            // Its first request starts the server.
            return Ok(None);
        }
        let server = self.server.endpoint();
        let unreachable = |why: String| ModelChoiceError::Unreachable { name: self.asked.clone(), why };
        let models = match blocking::ask(server.listed("")).map_err(ModelChoiceError::Runtime)? {
            None => return Err(unreachable(format!("the server at {} does not answer", self.address()))),
            Some(Err(GenaiError::Server(error))) if error.kind() == ModelErrorKind::Unreachable => {
                return Err(unreachable(with_causes(&error)));
            }
            // The server answers, although it shows no list.
            Some(Err(_)) => return Ok(None),
            Some(Ok(models)) => models,
        };
        if models.iter().any(|model| model.is_called(self.id())) {
            return Ok(None);
        }
        let names: Vec<_> = models.into_iter().map(|model| model.id).collect();
        let (address, has) = (self.address(), shortened(&names));
        match server.vendor() {
            Vendor::Ollama => {
                Err(unreachable(format!("the server at {address} does not have it; its models: {has}")))
            }
            Vendor::OpenAi if !names.is_empty() => {
                let id = self.id();
                Ok(Some(format!("the server at {address} does not list `{id}`; its models: {has}")))
            }
            // Their lists leave out other names of the same models.
            _ => Ok(None),
        }
    }
}

/// The number of models that a message names.
const NAMED: usize = 8;

fn shortened(names: &[String]) -> String {
    let shown = names.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 if shown.is_empty() => "none".to_owned(),
        0 => shown,
        more => format!("{shown} and {more} more (`loop models` lists them)"),
    }
}
