//! A model and its tools: a conversation.

use std::collections::BTreeMap;

use loop_agents::chat::Chat;
use loop_guardrails::policy::environment::EnvironmentPolicy;

use super::{
    Model, ToolName,
    tools::{of_settings, toolbox},
};
use crate::{compose::Place, settings::Settings};

/// Where a conversation takes place, and with what.
///
/// # Default
/// No system prompt, the tools of the settings, and commands of tools that see the user's variables without what
/// looks like a secret.
#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    pub(super) settings: &'a Settings,
    pub(super) place: &'a Place,
    pub(super) sees: EnvironmentPolicy,
    pub(super) set: BTreeMap<String, String>,
    system: Option<String>,
    tools: Option<Vec<ToolName>>,
}

impl<'a> Surroundings<'a> {
    pub(crate) fn new(settings: &'a Settings, place: &'a Place) -> Self {
        let (sees, set) = (EnvironmentPolicy::new(), BTreeMap::new());
        Self { settings, place, sees, set, system: None, tools: None }
    }

    /// Who the model is to be.
    pub(crate) fn system(self, system: Option<String>) -> Self {
        Self { system, ..self }
    }

    /// What it can call; `None` is what the settings say.
    pub(crate) fn tools(self, tools: Option<Vec<ToolName>>) -> Self {
        Self { tools, ..self }
    }

    /// What commands of tools see of the user's variables, and what is set for them.
    pub(crate) fn environment(self, sees: EnvironmentPolicy, set: &BTreeMap<String, String>) -> Self {
        Self { sees, set: set.clone(), ..self }
    }
}

impl Model {
    /// A conversation with this model. What its tools do is audited.
    ///
    /// # Errors
    /// A folder that cannot be worked in, and no place for the audit.
    pub(crate) fn chat(&self, around: &Surroundings<'_>) -> anyhow::Result<Chat> {
        let names = around.tools.clone().unwrap_or_else(|| of_settings(around.settings));
        let mut chat = Chat::new(self.boxed(around.place.seed()));
        if let Some(system) = &around.system {
            chat = chat.system(system);
        }
        Ok(match toolbox(&names, around)? {
            Some(tools) => chat.tools(tools),
            None => chat,
        })
    }
}
