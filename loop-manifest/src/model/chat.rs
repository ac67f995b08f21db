//! A model and its tools: a conversation.

use std::{collections::BTreeMap, ffi::OsString, path::Path, sync::Arc};

use loop_agents::{
    chat::Chat,
    skills::{LoadSkill, Skills},
    tools::{FetchUrl, Toolbox},
};
use loop_core::with_causes;
use loop_guardrails::policy::{
    ActionPolicy, Origin, WithOrigin,
    audit::Audit,
    command::CommandPrefix,
    environment::{EnvironmentPolicy, NamePattern},
    workspace::Workspace,
};
use serde::{Deserialize, Serialize};

use super::{
    Model, PromptSections, blocking, project_prompt,
    tools::{audit, command_sandbox, tools_of, workspace},
};
use crate::{
    compose::{ComposeError, ToolsError},
    context::ExecutionContext,
    names::{ToolMode, ToolName},
    settings::Settings,
    skills,
};

/// About how many faulty skills a run warns.
const SHOWN_PROBLEMS: usize = 5;

/// Describes a conversation: where it takes place, and with what.
///
/// # Default
/// No system prompt, the tools and the policy of the settings, and commands of tools that see few of the user's
/// variables: those that are necessary, and those that the settings name.
#[derive(Debug)]
pub struct ChatSetup<'a> {
    settings: &'a Settings,
    cx: &'a ExecutionContext,
    sees: EnvironmentPolicy,
    set: BTreeMap<String, String>,
    policy: ActionPolicy,
    system: Option<String>,
    tools: Option<Vec<ToolName>>,
    has_project_prompt: bool,
    has_skill_list: bool,
}

impl<'a> ChatSetup<'a> {
    /// Describes a conversation in this folder, under these settings.
    pub fn new(settings: &'a Settings, cx: &'a ExecutionContext) -> Self {
        let (sees, set) = (EnvironmentPolicy::new(), BTreeMap::new());
        let policy = ActionPolicy::default();
        let (system, tools, has_project_prompt, has_skill_list) = (None, None, false, false);
        Self { settings, cx, sees, set, policy, system, tools, has_project_prompt, has_skill_list }
            .policy(settings.policy())
    }

    /// Replaces the policy of the settings. Under every policy, tools ask before they change the file that the run
    /// executes.
    #[must_use]
    pub fn policy(self, policy: ActionPolicy) -> Self {
        Self { policy: policy.asking_before(self.cx.executed().map(Path::to_owned)), ..self }
    }

    /// Restricts it to tools and a policy that change nothing.
    #[must_use]
    pub fn reviewing(self) -> Self {
        let looks = |tool: &ToolName| ToolName::LOOKING.contains(tool);
        let tools = tools_of(self.settings).into_iter().filter(looks).collect();
        Self { policy: self.policy.reviewing(), tools: Some(tools), ..self }
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn system(self, system: Option<String>) -> Self {
        Self { system, ..self }
    }

    /// Uses the project's `AGENTS.md` as the system prompt, unless [`system`](Self::system) has set another one.
    #[must_use]
    pub fn with_project_prompt(self) -> Self {
        Self { has_project_prompt: true, ..self }
    }

    /// Sets whether the model sees a list of all skills and reads them with the tool `load_skill`. It does not if it has no
    /// tool `read_file`, or if [`system`](Self::system) has set a system prompt.
    #[must_use]
    pub fn with_skill_list(self, has_skill_list: bool) -> Self {
        Self { has_skill_list, ..self }
    }

    /// Returns the skills that a model with these tools can read. Warns about faulty ones.
    fn skills(&self, names: &[ToolName], workspace: &Workspace) -> Option<Arc<Skills>> {
        let reads = names.iter().any(|name| name.as_str() == "read_file");
        if !self.has_skill_list || !reads || self.system.is_some() {
            return None;
        }
        let found = match skills::find(self.settings, workspace) {
            Ok(found) => found,
            Err(error) => {
                self.cx.warn(&format!("the model gets no skills: {}", with_causes(&error)));
                return None;
            }
        };
        let skipped = found.warnings().iter().filter(|warning| warning.is_skipped);
        skipped.take(SHOWN_PROBLEMS).for_each(|warning| self.cx.warn(&warning.to_string()));
        found.all().next()?;
        Some(found.into())
    }

    /// Returns the system prompt.
    fn system_prompt(&self) -> Option<String> {
        if self.system.is_some() || !self.has_project_prompt {
            return self.system.clone();
        }
        // The conversation itself warns about the policy.
        let Ok(workspace) = Workspace::open(self.cx.folder(), self.policy.clone()) else { return None };
        let toolbox = self.toolbox(&ToolName::ALL, &workspace, &Audit::new());
        let prompt = project_prompt(&workspace, &toolbox, PromptSections::Marked, self.cx.now());
        // A runtime that cannot start would stop the conversation itself, too.
        let prompt = blocking::wait(prompt).ok().flatten()?;
        Some(self.cx.redactor().redact(&prompt).into_owned())
    }

    /// Sets the tools; `None` for those of the settings.
    #[must_use]
    pub fn tools(self, tools: Option<Vec<ToolName>>) -> Self {
        Self { tools, ..self }
    }

    /// Sets which of the user's variables the commands of tools see, and which variables are set for them.
    #[must_use]
    pub fn environment(self, sees: EnvironmentPolicy, set: &BTreeMap<String, String>) -> Self {
        Self { sees, set: set.clone(), ..self }
    }

    /// Returns these tools in this folder. Their decisions go to the audit.
    pub fn toolbox(&self, names: &[ToolName], workspace: &Workspace, audit: &Audit) -> Toolbox {
        // The variables that are set are meant to be seen, and so are those that the policy names.
        let named = workspace.policy().variables().iter().map(|name| name.value.clone());
        let sees = self.sees.clone().of_commands().pass(named);
        let seen = sees.split(self.cx.variables().iter().cloned()).seen.into_iter();
        let set = self.set.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let everything = EnvironmentPolicy::new().pass("*".parse::<NamePattern>());
        let tools = Toolbox::standard(workspace.clone())
            .sandbox(command_sandbox(self.cx))
            .environment(seen.chain(set), &everything)
            .after_write(self.settings.after_write())
            .max_output(self.settings.output_bytes())
            .supervisor(self.cx.supervisor().clone())
            .run(self.cx.supervisor().run())
            .audit(audit.clone());
        // Without the user's permission there is no such tool, so that no model counts on it.
        let tools = match self.settings.remote_reader(|name| self.cx.variable(name)) {
            Ok(reader) => tools.with(FetchUrl::new(reader)),
            Err(_) => tools,
        };
        let tools = match self.cx.call_listener() {
            Some(listener) => tools.on_call(listener),
            None => tools,
        };
        let others = ToolName::ALL.into_iter().filter(|tool| !names.contains(tool));
        self.cx.attended_tools(others.fold(tools, |tools, other| tools.without(other.as_str())))
    }
}

/// A conversation as a person asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ConversationOptions {
    /// The name of the model; `None` for the one that [`Model::choose`] finds.
    pub model: Option<String>,
    /// The system prompt.
    pub system: Option<String>,
    /// The tools that the model can call; `None` for those of the settings.
    pub tools: Option<Vec<ToolName>>,
    /// Further commands that tools may run, by their leading words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<CommandPrefix>,
}

impl ConversationOptions {
    /// Returns the further commands, with the flag that names them.
    pub fn allowed(&self) -> impl Iterator<Item = WithOrigin<CommandPrefix>> {
        self.allow.iter().map(|entry| WithOrigin::new(entry.clone(), Origin::line("--allow", 1)))
    }

    /// Begins the conversation.
    ///
    /// # Errors
    /// As for [`Model::choose`] and [`Model::chat`].
    pub fn begin(&self, settings: &Settings, cx: &ExecutionContext) -> Result<(Model, Chat), ComposeError> {
        let model = Model::choose(self.model.as_deref(), settings, cx.variables())?.learn(cx, false);
        model.remember(cx);
        let setup = ChatSetup::new(settings, cx)
            .policy(settings.policy_allowing(self.allowed()))
            .system(self.system.clone())
            .tools(self.tools.clone())
            .with_project_prompt()
            .with_skill_list(true);
        let chat = model.chat(&setup)?;
        Ok((model, chat))
    }
}

impl Model {
    /// Begins a conversation with this model. The audit records what its tools do.
    ///
    /// # Errors
    /// The folder cannot be worked in, or there is no place for the audit.
    pub fn chat(&self, setup: &ChatSetup<'_>) -> Result<Chat, ToolsError> {
        let names = setup.tools.clone().unwrap_or_else(|| tools_of(setup.settings));
        let mut chat = setup.settings.bound(Chat::new(self.boxed(setup.cx.seed())));
        let mut system = setup.system_prompt();
        if let Some(system) = &system {
            chat = chat.system(system);
        }
        if self.tools_in_use() == ToolMode::Inject {
            chat.set_named_files(Some(workspace(setup.cx, setup.policy.clone())?));
        }
        if names.is_empty() || !self.tools_in_use().has_calls() {
            return Ok(chat);
        }
        let workspace = workspace(setup.cx, setup.policy.clone())?;
        let mut tools = setup.toolbox(&names, &workspace, &audit(setup.cx)?);
        if let Some(skills) = setup.skills(&names, &workspace) {
            let list = setup.cx.redactor().redact(&skills::section(&skills)).into_owned();
            let system = system.get_or_insert_default();
            system.push_str(&list);
            chat = chat.system(system.trim_start());
            let redact = setup.cx.redaction();
            tools = tools.with(LoadSkill::new(skills).redacted(move |text| redact(text)));
        }
        Ok(chat.tools(tools))
    }
}
