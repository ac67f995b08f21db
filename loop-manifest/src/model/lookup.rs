//! Finds a model among those that the servers have.

use std::{collections::BTreeSet, ffi::OsString, time::SystemTime};

use loop_agents::chat::Vendor;

use super::{
    error::ModelChoiceError,
    facts_store::FactsStore,
    last_used, ollama,
    reported::reported,
    servers::{self, ServedModel},
    vendor::{VendorAccess, value},
};
use crate::{names::NameError, nearest::nearness, settings::Settings};

/// How many near names an error lists.
const NEAR_NAMES: usize = 3;

/// The models that the servers have.
#[derive(Debug)]
pub(super) struct ServedModels {
    pub(super) models: Vec<ServedModel>,
    store: FactsStore,
}

impl ServedModels {
    /// Asks the servers for up to two seconds.
    ///
    /// # Errors
    /// The asynchronous runtime cannot be started.
    pub(super) fn ask(
        settings: &Settings,
        variables: &[(OsString, OsString)],
    ) -> Result<Self, ModelChoiceError> {
        let store = FactsStore::of(variables, SystemTime::now());
        let models = servers::served(&servers::known(settings, variables), &store.now())?;
        Ok(Self { models, store })
    }

    /// Returns the model with this bare name; `None` if no server has it.
    ///
    /// # Errors
    /// Several servers have it.
    pub(super) fn called(&self, name: &str) -> Result<Option<&ServedModel>, ModelChoiceError> {
        let all: Vec<_> = self.models.iter().filter(|model| model.listed.is_called(name)).collect();
        match all[..] {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            _ => Err(ModelChoiceError::Ambiguous {
                name: name.to_owned(),
                choices: all.into_iter().map(ServedModel::described).collect(),
            }),
        }
    }

    /// Returns the error for a name that nothing has, with the names near to it.
    pub(super) fn unknown(&self, problem: NameError, settings: &Settings, name: &str) -> ModelChoiceError {
        let layers = [&settings.user, &settings.project];
        let named = layers.into_iter().flat_map(|layer| &layer.tables.models);
        let known = named.flat_map(|(name, model)| {
            std::iter::once(name.clone()).chain(model.tags.iter().map(|tag| format!("@{tag}")))
        });
        let served = self.models.iter().map(ServedModel::name);
        let distance = |known: &String| {
            let id = known.split_once(':').map_or(known.as_str(), |(_, id)| id);
            let family = id.split(':').next().unwrap_or(id);
            [known, id, family].into_iter().filter_map(|known| nearness(name, known)).min()
        };
        let near = known.chain(served).filter_map(|known| Some((distance(&known)?, known)));
        let near: BTreeSet<_> = near.collect();
        let near = near.into_iter().map(|(_, known)| known).take(NEAR_NAMES).collect();
        ModelChoiceError::Unknown { problem, near }
    }

    /// Returns the index of the model that was last used in this folder.
    pub(super) fn last_used(&self, settings: &Settings, variables: &[(OsString, OsString)]) -> Option<usize> {
        let last = last_used::in_folder(settings.folder(), variables)?;
        self.models.iter().position(|model| model.name() == last)
    }

    /// Returns the model that answers where nobody can be asked, and why it does if there are several.
    ///
    /// # Errors
    /// There is no model.
    pub(super) fn unattended(
        &self,
        settings: &Settings,
        variables: &[(OsString, OsString)],
    ) -> Result<(&ServedModel, Option<String>), ModelChoiceError> {
        if let [one] = &self.models[..] {
            return Ok((one, None));
        }
        if let Some(last) = self.last_used(settings, variables) {
            let model = &self.models[last];
            return Ok((
                model,
                Some(format!("no model is named, so {} answers, as it did here last", model.name())),
            ));
        }
        let embeds = |model: &&ServedModel| {
            let ServedModel { server, listed } = model;
            let facts = reported(&server.endpoint(), &listed.id, Some(listed.clone()), &self.store, false);
            facts.embeds.is_some_and(|fact| fact.value)
        };
        match self.models.iter().find(|model| !embeds(model)) {
            Some(model) => {
                let why = format!(
                    "no model is named, so {} answers, the first of the servers' models",
                    model.name()
                );
                Ok((model, Some(why)))
            }
            None => {
                let access = VendorAccess::of(Vendor::Ollama, |name| value(variables, name));
                Err(ollama::none(access))
            }
        }
    }
}
