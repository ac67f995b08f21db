//! A model and its tools: a conversation.

use std::collections::BTreeMap;

use loop_agents::chat::Chat;
use loop_guardrails::policy::{ActionPolicy, environment::EnvironmentPolicy};
use loop_manifest::{ToolName, settings::Settings};
use serde::{Deserialize, Serialize};

use super::{
    Model,
    tools::{audit, of_settings, toolbox, workspace},
};
use crate::compose::Place;

/// Where a conversation takes place, and with what.
///
/// # Default
/// No system prompt, the tools and the policy of the settings, and commands of tools that see few of the user's variables:
/// those that are necessary, and those that the settings name.
#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    pub(super) settings: &'a Settings,
    pub(super) place: &'a Place,
    pub(super) sees: EnvironmentPolicy,
    pub(super) set: BTreeMap<String, String>,
    pub(super) policy: ActionPolicy,
    system: Option<String>,
    tools: Option<Vec<ToolName>>,
}

impl<'a> Surroundings<'a> {
    pub(crate) fn new(settings: &'a Settings, place: &'a Place) -> Self {
        let (sees, set) = (EnvironmentPolicy::new(), BTreeMap::new());
        let around =
            Self { settings, place, sees, set, policy: ActionPolicy::default(), system: None, tools: None };
        around.policy(settings.policy())
    }

    /// Sets what tools may do there. The default is what the settings say. Either way, tools ask before they change the
    /// file that the run executes.
    pub(crate) fn policy(self, policy: ActionPolicy) -> Self {
        Self { policy: policy.asking_before(self.place.executed.clone()), ..self }
    }

    /// For a model that is only to look: of the tools of the settings those that change nothing, and a policy that
    /// lets nothing be changed.
    pub(crate) fn reviewing(self) -> Self {
        let looks = |tool: &ToolName| ToolName::LOOKING.contains(tool);
        let tools = of_settings(self.settings).into_iter().filter(looks).collect();
        Self { policy: self.policy.reviewing(), tools: Some(tools), ..self }
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

/// Who answers, and what they can do; see [`ConversationArgs`](crate::args::ConversationArgs).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Conversation {
    pub(crate) model: Option<String>,
    /// What the model is told of itself.
    pub(crate) system: Option<String>,
    /// What it can call; `None` is what the settings say.
    pub(crate) tools: Option<Vec<ToolName>>,
}

impl Conversation {
    /// Begins it, with the model that is in it.
    ///
    /// # Errors
    /// Those of [`Model::choose`] and [`Model::chat`].
    pub(crate) fn begin(&self, settings: &Settings, place: &Place) -> anyhow::Result<(Model, Chat)> {
        let model = Model::choose(self.model.as_deref(), settings, &place.env)?;
        let around = Surroundings::new(settings, place).system(self.system.clone()).tools(self.tools.clone());
        let chat = model.chat(&around)?;
        Ok((model, chat))
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
        if names.is_empty() {
            return Ok(chat);
        }
        let workspace = workspace(around.place, around.policy.clone())?;
        Ok(chat.tools(toolbox(&names, around, &workspace, &audit(around.place)?)))
    }
}
