//! From what was asked for, the settings and the environment to one model.

use std::{ffi::OsString, time::Duration};

use anyhow::{Context, anyhow};
use loop_agents::{
    chat::{ChatModel, Effort, GenaiModel, ProseTools, Retry, Vendor},
    usage::Prices,
};
use loop_guardrails::Backoff;
use loop_manifest::{
    NameError, VendorModel,
    settings::{Layer, NamedModel, Settings},
    vendor_name,
};

use super::{
    local,
    vendor::{self, Access, VARIABLE, value},
};

/// A model that can be asked.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    /// The name by which it can be chosen again.
    asked: String,
    server: GenaiModel,
    tools_in_text: bool,
}

impl Model {
    /// The model of this name; else that of the project's settings, of the user's, of `LOOP_MODEL`, or the first
    /// of an Ollama that answers. `variables` are the user's.
    ///
    /// Without a name it may wait a moment for Ollama, on this thread.
    ///
    /// # Errors
    /// No model, a name that is nobody's, a key that is not there, an address that is none.
    pub(crate) fn choose(
        asked: Option<&str>,
        settings: &Settings,
        variables: &[(OsString, OsString)],
    ) -> anyhow::Result<Self> {
        let lookup = |name: &str| value(variables, name);
        if let Some(name) = asked {
            return Self::named(name, settings, lookup);
        }
        let layers = [&settings.project, &settings.user];
        if let Some(set) = layers.into_iter().find_map(|layer| layer.tables.chat.model.as_ref()) {
            let whence = || format!("`[chat] model` ({})", set.origin);
            return Self::named(set.value.as_str(), settings, lookup).with_context(whence);
        }
        match lookup(VARIABLE) {
            Some(name) => Self::named(&name, settings, lookup).context(VARIABLE),
            None => {
                let access = Access::of(Vendor::Ollama, lookup);
                Self::at(local::first(access.clone())?, access)
            }
        }
    }

    /// The model of this name.
    fn named(
        name: &str,
        settings: &Settings,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> anyhow::Result<Self> {
        let name = name.trim();
        let of = |layer: &Layer| layer.tables.models.get(name).cloned();
        // What the user calls so is what the user means; and no project gives another model a vendor's name.
        let found = of(&settings.user).map_or_else(|| name.parse().map(NamedModel::plain), Ok);
        let NamedModel { model, base_url, key_env, tools_in_text, context_tokens } =
            found.or_else(|nobodys: NameError| of(&settings.project).ok_or(nobodys))?;
        let mut access = Access::of(model.vendor, &lookup);
        if let Some(url) = base_url {
            // The vendor's key is for the vendor.
            access = Access { base_url: Some(url), key: None };
        }
        if let Some(variable) = key_env {
            let key = lookup(&variable);
            access.key =
                Some(key.with_context(|| format!("the key of `{name}`: {variable} is not set"))?.into());
        }
        // A server of the user's own may want none.
        if access.key.is_none() && access.base_url.is_none() && model.vendor != Vendor::Ollama {
            let keys = vendor::variables(model.vendor).keys.join(" or ");
            return Err(anyhow!("`{name}` needs a key: set {keys}, or name another model"));
        }
        let mut chosen = Self { asked: name.to_owned(), tools_in_text, ..Self::at(model, access)? };
        if let Some(tokens) = context_tokens {
            chosen.server = chosen.server.with_context_window(tokens);
        }
        Ok(chosen)
    }

    /// This model of a vendor that is reached so.
    pub(super) fn at(VendorModel { vendor, id }: VendorModel, access: Access) -> anyhow::Result<Self> {
        let asked = format!("{}:{id}", vendor_name(vendor));
        let server = GenaiModel::new(access.endpoint(vendor), id)?;
        Ok(Self { asked, server, tools_in_text: false })
    }

    /// With these prices.
    #[must_use]
    pub(crate) fn prices(mut self, prices: Prices) -> Self {
        self.server = self.server.prices(prices);
        self
    }

    /// That fails if nothing comes for so long.
    #[must_use]
    pub(crate) fn max_silence(mut self, time: Duration) -> Self {
        self.server = self.server.max_silence(time);
        self
    }

    /// That thinks so hard.
    #[must_use]
    pub(crate) fn reasoning(mut self, effort: Effort) -> Self {
        self.server = self.server.reasoning(effort);
        self
    }

    /// The name by which it can be chosen again.
    pub(crate) fn asked(&self) -> &str {
        &self.asked
    }

    /// What its vendor calls it.
    pub(crate) fn id(&self) -> &str {
        self.server.name()
    }

    /// How many tokens it can read and write at once, if that is known.
    pub(crate) fn window(&self) -> Option<u64> {
        self.server.context_window()
    }

    /// The model, asked again where that may help. Runs with other seeds do not ask at the same time.
    pub(crate) fn boxed(&self, seed: u64) -> Box<dyn ChatModel> {
        let patient = Retry::new(self.server.clone()).pace(Backoff::new(FIRST_WAIT).seed(seed));
        if self.tools_in_text { Box::new(ProseTools::new(patient)) } else { Box::new(patient) }
    }
}

/// The name of a model: this one, or that of the one which is asked if nobody names one. What is kept of a run has
/// it, so that whoever goes on with the run asks the same model.
///
/// # Errors
/// Those of [`Model::choose`], without a name.
pub(crate) fn name_of(
    asked: Option<String>,
    settings: &Settings,
    variables: &[(OsString, OsString)],
) -> anyhow::Result<String> {
    asked.map_or_else(|| Model::choose(None, settings, variables).map(|model| model.asked), Ok)
}

/// The wait after the second try.
const FIRST_WAIT: Duration = Duration::from_secs(1);
