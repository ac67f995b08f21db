//! Chooses a model from the request, the settings and the environment.

use std::{ffi::OsString, time::Duration};

use loop_agents::{
    chat::{ChatModel, Effort, GenaiError, GenaiModel, ServerLocation, Vendor},
    facts::{Fact, ListedModel, ModelFacts},
    usage::Prices,
};
use loop_telemetry::DebugLog;

use super::{
    error::ModelChoiceError,
    facts_store::FactsStore,
    hosting::Hosting,
    lookup::ServedModels,
    servers::{self, ServedModel},
    vendor::{self, VARIABLE, VendorAccess, value},
};
use crate::{
    names::{HistoryShare, NameError, ToolMode, VendorModel, vendor_name},
    settings::{NamedModel, Settings, SettingsLayer},
};

/// A model that can be asked.
#[derive(Debug, Clone)]
pub struct Model {
    /// The name by which it can be chosen again.
    pub(super) asked: String,
    pub(super) server: GenaiModel,
    tool_mode: ToolMode,
    history: Option<HistoryShare>,
    /// The window that the settings set, in tokens.
    pub(super) window_set: Option<u64>,
    /// The window that the user's variables set for all models of the vendor.
    pub(super) window_of_variables: Option<u64>,
    /// Whether it accepts tools, by the settings.
    pub(super) tools_set: Option<bool>,
    /// The model in a list that its server has just sent, until it learns the facts.
    pub(super) listed: Option<ListedModel>,
    /// The known facts. Empty until the model [learns](Self::learn) them.
    pub(super) facts: ModelFacts,
    /// The place for what a reply shows.
    pub(super) store: Option<FactsStore>,
    /// The log of its requests.
    pub(super) debug_log: Option<DebugLog>,
    /// The server that starts for it.
    pub(super) hosting: Option<Hosting>,
    /// Why it was chosen, if nobody named it and there was a choice.
    pub(super) reason: Option<String>,
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
        match asked {
            Some(name) => Self::named(name, settings, variables),
            None => match Self::configured(settings, variables)? {
                Some(model) => Ok(model),
                None => Self::unnamed(settings, variables),
            },
        }
    }

    /// Chooses a model of the servers, where nobody named one.
    pub(super) fn unnamed(
        settings: &Settings,
        variables: &[(OsString, OsString)],
    ) -> Result<Self, ModelChoiceError> {
        let served = ServedModels::ask(settings, variables)?;
        Self::unattended(&served, settings, variables)
    }

    /// Returns the model of these that answers where nobody can be asked.
    pub(super) fn unattended(
        served: &ServedModels,
        settings: &Settings,
        variables: &[(OsString, OsString)],
    ) -> Result<Self, ModelChoiceError> {
        let (model, reason) = served.unattended(settings, variables)?;
        Ok(Self { reason, ..Self::served(model, variables)? })
    }

    /// Returns the model that the settings or `LOOP_MODEL` name, if they name one.
    ///
    /// # Errors
    /// The model is not usable.
    pub fn configured(
        settings: &Settings,
        variables: &[(OsString, OsString)],
    ) -> Result<Option<Self>, ModelChoiceError> {
        let layers = [&settings.project, &settings.user];
        if let Some(set) = layers.into_iter().find_map(|layer| layer.tables.chat.model.as_ref()) {
            let place = || format!("`[chat] model` ({})", set.origin);
            let named = Self::named(set.value.as_str(), settings, variables);
            return named.map(Some).map_err(|source| source.named_by(place()));
        }
        let Some(name) = value(variables, VARIABLE) else { return Ok(None) };
        let named = Self::named(&name, settings, variables);
        named.map(Some).map_err(|source| source.named_by(VARIABLE.to_owned()))
    }

    /// The model of this name: one of the settings, one with its vendor, one that a server has, or one with this tag.
    fn named(
        name: &str,
        settings: &Settings,
        variables: &[(OsString, OsString)],
    ) -> Result<Self, ModelChoiceError> {
        let name = name.trim();
        let of = |layer: &SettingsLayer| layer.tables.models.get(name).cloned();
        // The user's own names come first, and no project gives another model a vendor's name.
        let found = of(&settings.user).map_or_else(|| name.parse().map(NamedModel::plain), Ok);
        let source = match found.or_else(|nobodys: NameError| of(&settings.project).ok_or(nobodys)) {
            Ok(model) => return Self::of_settings(name, model, settings, variables),
            Err(NameError::Empty) => return Err(NameError::Empty.into()),
            Err(source) => source,
        };
        for (prefix, url) in servers::LOCAL {
            if let Some(id) = name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(':')) {
                let access = VendorAccess { base_url: Some(url.to_owned()), key: None };
                let model = VendorModel { vendor: Vendor::OpenAi, id: id.to_owned() };
                return Ok(Self { asked: name.to_owned(), ..Self::at(model, access)? });
            }
        }
        let served = ServedModels::ask(settings, variables)?;
        if let Some(model) = served.called(name)? {
            return Self::served(model, variables);
        }
        let tag = name.strip_prefix('@').unwrap_or(name);
        let layers = [&settings.user, &settings.project];
        let tagged = layers.into_iter().flat_map(|layer| &layer.tables.models);
        match tagged.into_iter().find(|(_, model)| model.tags.iter().any(|it| it == tag)) {
            Some((name, model)) => Self::of_settings(name, model.clone(), settings, variables),
            None => Err(served.unknown(source, settings, name)),
        }
    }

    /// The model that the settings describe.
    fn of_settings(
        name: &str,
        NamedModel { model, base_url, server, key_env, tool_mode, tools, context_tokens, history, .. }: NamedModel,
        settings: &Settings,
        variables: &[(OsString, OsString)],
    ) -> Result<Self, ModelChoiceError> {
        let lookup = |name: &str| value(variables, name);
        let mut access = VendorAccess::of(model.vendor, lookup);
        if let Some(url) = base_url {
            // The vendor's key is for the vendor.
            access = VendorAccess { base_url: Some(url), key: None };
        }
        if let Some(variable) = key_env {
            let key = lookup(&variable);
            let unset = || ModelChoiceError::KeyUnset { name: name.to_owned(), variable: variable.clone() };
            access.key = Some(key.ok_or_else(unset)?.into());
        }
        let hosting = server.map(|server| Hosting::of(name, server, settings)).transpose()?;
        // A server of the user's own may want none.
        if hosting.is_none()
            && access.key.is_none()
            && access.base_url.is_none()
            && model.vendor != Vendor::Ollama
        {
            let variables = vendor::variables(model.vendor).keys.join(" or ");
            return Err(ModelChoiceError::KeyNeeded { name: name.to_owned(), variables });
        }
        let window_of_variables = vendor::window(model.vendor, lookup);
        let plain = Self::at(model, access)?;
        let mut chosen = Self {
            asked: name.to_owned(),
            tool_mode,
            history,
            window_set: context_tokens,
            window_of_variables,
            tools_set: tools,
            hosting,
            ..plain
        };
        if let Some(tokens) = context_tokens.or(window_of_variables) {
            chosen.server = chosen.server.with_context_window(tokens);
        }
        Ok(chosen)
    }

    /// The model that a server has.
    pub(super) fn served(
        model: &ServedModel,
        variables: &[(OsString, OsString)],
    ) -> Result<Self, ModelChoiceError> {
        let vendor = model.server.vendor;
        let id = model.listed.id.clone();
        let window_of_variables = vendor::window(vendor, |name| value(variables, name));
        let plain = Self::at(VendorModel { vendor, id }, model.server.access.clone())?;
        let listed = Some(model.listed.clone());
        Ok(Self { asked: model.name(), window_of_variables, listed, ..plain })
    }

    /// This model of a vendor that is reached so.
    pub(super) fn at(
        VendorModel { vendor, id }: VendorModel,
        access: VendorAccess,
    ) -> Result<Self, GenaiError> {
        let asked = format!("{}:{id}", vendor_name(vendor));
        let server = GenaiModel::new(access.endpoint(vendor), id)?;
        Ok(Self {
            asked,
            server,
            tool_mode: ToolMode::Auto,
            history: None,
            window_set: None,
            window_of_variables: None,
            tools_set: None,
            listed: None,
            facts: ModelFacts::default(),
            store: None,
            debug_log: None,
            hosting: None,
            reason: None,
        })
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

    /// Returns why this model was chosen, if nobody named a model and there are several.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Returns the name of the protocol that its server speaks.
    pub fn vendor_name(&self) -> &'static str {
        vendor_name(self.server.endpoint().vendor())
    }

    /// The name by which it can be chosen again.
    pub fn asked(&self) -> &str {
        &self.asked
    }

    /// Returns the vendor's name for it.
    pub fn id(&self) -> &str {
        self.server.name()
    }

    /// Returns the known facts about it. Nothing is known before it [learns](Self::learn) them.
    pub fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    /// Returns how it gets tools: `Auto` only while nobody knows whether it supports calls.
    pub fn tools_in_use(&self) -> ToolMode {
        let is = |fact: &Option<Fact<bool>>| fact.as_ref().map(|fact| fact.value);
        match (self.tool_mode, is(&self.facts.tools)) {
            (ToolMode::Auto, Some(true)) => ToolMode::Structured,
            (ToolMode::Auto, Some(false)) => ToolMode::Prose,
            (ToolMode::Auto, None) if is(&self.facts.calls_in_text) == Some(true) => ToolMode::Prose,
            (mode, _) => mode,
        }
    }

    /// Returns how much of a conversation it gets when it is asked once: by default all of it on this machine, and the
    /// last 10 messages elsewhere.
    pub fn history(&self) -> HistoryShare {
        let is_here = self.server.endpoint().location() == ServerLocation::ThisMachine;
        let usual = if is_here { HistoryShare::All } else { HistoryShare::Last(ELSEWHERE) };
        self.history.unwrap_or(usual)
    }

    /// Returns the address of its server, without a login.
    pub fn address(&self) -> String {
        self.server.endpoint().shown_address()
    }

    /// Returns the size of its context window in tokens, if known.
    pub fn window(&self) -> Option<u64> {
        self.server.context_window()
    }

    /// Sets the log of its requests.
    #[must_use]
    pub fn logged_to(self, debug_log: Option<DebugLog>) -> Self {
        Self { debug_log, ..self }
    }
}

/// How many messages a model on another machine gets when it is asked once.
const ELSEWHERE: usize = 10;
