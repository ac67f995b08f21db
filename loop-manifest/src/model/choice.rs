//! Chooses a model from the request, the settings and the environment.

use std::{ffi::OsString, time::Duration};

use loop_agents::{
    chat::{ChatModel, Effort, GenaiError, GenaiModel, ProseTools, Retry, Vendor},
    usage::Prices,
};
use loop_guardrails::Backoff;

use super::{
    error::ModelChoiceError,
    ollama,
    vendor::{self, VARIABLE, VendorAccess, value},
};
use crate::{
    names::{NameError, VendorModel, vendor_name},
    settings::{NamedModel, Settings, SettingsLayer},
};

/// A model that can be asked.
#[derive(Debug, Clone)]
pub struct Model {
    /// The name by which it can be chosen again.
    asked: String,
    server: GenaiModel,
    tools_in_text: bool,
}

impl Model {
    /// Chooses the model with this name. Without a name, it takes the model of the project's settings, of the user's,
    /// of `LOOP_MODEL`, or the first one of an Ollama that responds. `variables` are the user's, with addresses and
    /// keys.
    ///
    /// Without a name, this blocks for up to two seconds while it asks Ollama.
    ///
    /// # Errors
    /// There is no model, the name is unknown, its key is not set, or its address is invalid.
    pub fn choose(
        asked: Option<&str>,
        settings: &Settings,
        variables: &[(OsString, OsString)],
    ) -> Result<Self, ModelChoiceError> {
        let lookup = |name: &str| value(variables, name);
        if let Some(name) = asked {
            return Self::named(name, settings, lookup);
        }
        let layers = [&settings.project, &settings.user];
        if let Some(set) = layers.into_iter().find_map(|layer| layer.tables.chat.model.as_ref()) {
            let place = || format!("`[chat] model` ({})", set.origin);
            return Self::named(set.value.as_str(), settings, lookup)
                .map_err(|source| source.named_by(place()));
        }
        match lookup(VARIABLE) {
            Some(name) => {
                Self::named(&name, settings, lookup).map_err(|source| source.named_by(VARIABLE.to_owned()))
            }
            None => {
                let access = VendorAccess::of(Vendor::Ollama, lookup);
                Ok(Self::at(ollama::first(access.clone())?, access)?)
            }
        }
    }

    /// The model of this name.
    fn named(
        name: &str,
        settings: &Settings,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ModelChoiceError> {
        let name = name.trim();
        let of = |layer: &SettingsLayer| layer.tables.models.get(name).cloned();
        // The user's own names come first, and no project gives another model a vendor's name.
        let found = of(&settings.user).map_or_else(|| name.parse().map(NamedModel::plain), Ok);
        let NamedModel { model, base_url, key_env, tools_in_text, context_tokens } =
            found.or_else(|nobodys: NameError| of(&settings.project).ok_or(nobodys))?;
        let mut access = VendorAccess::of(model.vendor, &lookup);
        if let Some(url) = base_url {
            // The vendor's key is for the vendor.
            access = VendorAccess { base_url: Some(url), key: None };
        }
        if let Some(variable) = key_env {
            let key = lookup(&variable);
            let unset = || ModelChoiceError::KeyUnset { name: name.to_owned(), variable: variable.clone() };
            access.key = Some(key.ok_or_else(unset)?.into());
        }
        // A server of the user's own may want none.
        if access.key.is_none() && access.base_url.is_none() && model.vendor != Vendor::Ollama {
            let variables = vendor::variables(model.vendor).keys.join(" or ");
            return Err(ModelChoiceError::KeyNeeded { name: name.to_owned(), variables });
        }
        let mut chosen = Self { asked: name.to_owned(), tools_in_text, ..Self::at(model, access)? };
        if let Some(tokens) = context_tokens {
            chosen.server = chosen.server.with_context_window(tokens);
        }
        Ok(chosen)
    }

    /// This model of a vendor that is reached so.
    pub(super) fn at(
        VendorModel { vendor, id }: VendorModel,
        access: VendorAccess,
    ) -> Result<Self, GenaiError> {
        let asked = format!("{}:{id}", vendor_name(vendor));
        let server = GenaiModel::new(access.endpoint(vendor), id)?;
        Ok(Self { asked, server, tools_in_text: false })
    }

    /// Sets the prices of its tokens.
    #[must_use]
    pub fn prices(mut self, prices: Prices) -> Self {
        self.server = self.server.prices(prices);
        self
    }

    /// Sets the maximum silence during a reply, after which the reply fails.
    #[must_use]
    pub fn max_silence(mut self, time: Duration) -> Self {
        self.server = self.server.max_silence(time);
        self
    }

    /// Sets how hard it thinks.
    #[must_use]
    pub fn reasoning(mut self, effort: Effort) -> Self {
        self.server = self.server.reasoning(effort);
        self
    }

    /// The name by which it can be chosen again.
    pub fn asked(&self) -> &str {
        &self.asked
    }

    /// Returns the vendor's name for it.
    pub fn id(&self) -> &str {
        self.server.name()
    }

    /// Returns the size of its context window in tokens, if known.
    pub fn window(&self) -> Option<u64> {
        self.server.context_window()
    }

    /// Returns the model, which is asked again where that may help. Runs with different seeds do not ask at the same
    /// time.
    pub fn boxed(&self, seed: u64) -> Box<dyn ChatModel> {
        let patient = Retry::new(self.server.clone()).pace(Backoff::new(FIRST_WAIT).seed(seed));
        if self.tools_in_text { Box::new(ProseTools::new(patient)) } else { Box::new(patient) }
    }
}

/// Returns the name, or without one the name of the model that [`Model::choose`] finds. A run keeps it, so that
/// resuming the run asks the same model.
///
/// # Errors
/// Those of [`Model::choose`] without a name.
pub fn name_of(
    asked: Option<String>,
    settings: &Settings,
    variables: &[(OsString, OsString)],
) -> Result<String, ModelChoiceError> {
    asked.map_or_else(|| Model::choose(None, settings, variables).map(|model| model.asked), Ok)
}

/// The wait after the second try.
const FIRST_WAIT: Duration = Duration::from_secs(1);
