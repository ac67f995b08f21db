//! A conversation with a model that has tools.

use std::fmt;

use loop_guardrails::policy::workspace::Workspace;

use super::{
    super::{
        ChatModel, History,
        context::{Counted, SummaryEffect, SummaryRules},
    },
    Turn, TurnLimits,
};
use crate::tools::{Tool, ToolDefinition, Toolbox};

/// A conversation: a model, its tools, and the messages so far.
///
/// # Default
/// No system prompt, no tools, no messages, and the default [`TurnLimits`] and [`SummaryRules`].
///
/// ```
/// use loop_agents::{chat::{Chat, ScriptedModel}, tools::Toolbox};
/// use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// use serde_json::json;
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let model = ScriptedModel::new()
///     .calls("write_file", json!({ "path": "poem", "content": "Roses" }))
///     .says("I have begun.");
///
/// let mut chat = Chat::new(model)
///     .system("You are a poet.")
///     .tools(Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default())?));
/// let turn = chat.turn("Write a poem.").run().await?;
///
/// assert_eq!((turn.text.as_str(), turn.rounds), ("I have begun.", 2));
/// assert_eq!(std::fs::read_to_string(folder.path().join("poem"))?, "Roses");
/// assert_eq!(chat.history().messages().len(), 3);
/// # Ok(()) }
/// ```
pub struct Chat {
    pub(in crate::chat) model: Box<dyn ChatModel>,
    pub(super) system: Option<String>,
    pub(super) pinned: Vec<String>,
    pub(super) tools: Option<Toolbox>,
    /// The workspace whose files a prompt carries if it names them.
    pub(super) named_files: Option<Workspace>,
    /// The text before each prompt, in requests only.
    pub(in crate::chat) context: Option<String>,
    pub(in crate::chat) definitions: Vec<ToolDefinition>,
    pub(in crate::chat) history: History,
    /// The server's count for the last reply, if only messages were added since.
    pub(in crate::chat) counted: Option<Counted>,
    /// The result of the last summary, if the conversation still begins with it.
    pub(in crate::chat) summarised: Option<SummaryEffect>,
    pub(in crate::chat) summary_rules: SummaryRules,
    pub(super) limits: TurnLimits,
}

impl Chat {
    /// Creates an empty conversation with this model.
    pub fn new(model: impl ChatModel + 'static) -> Self {
        Self {
            model: Box::new(model),
            system: None,
            pinned: Vec::new(),
            tools: None,
            named_files: None,
            context: None,
            definitions: Vec::new(),
            history: History::new(),
            counted: None,
            summarised: None,
            summary_rules: SummaryRules::default(),
            limits: TurnLimits::default(),
        }
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn system(mut self, system: impl Into<String>) -> Self {
        self.set_system(Some(system.into()));
        self
    }

    /// Sets the tools that the model can call.
    #[must_use]
    pub fn tools(mut self, tools: Toolbox) -> Self {
        self.set_tools(Some(tools));
        self
    }

    /// Sets the system prompt, unless one is set.
    pub(crate) fn or_system(mut self, system: &str) -> Self {
        self.system.get_or_insert_with(|| system.to_owned());
        self
    }

    /// Adds a tool if the conversation has any tools. Also returns whether it has.
    pub(crate) fn also(self, tool: impl Tool) -> (Self, bool) {
        let Self { tools: Some(tools), .. } = self else { return (self, false) };
        (Self { tools: None, ..self }.tools(tools.with(tool)), true)
    }

    /// Sets the limits of each turn.
    #[must_use]
    pub const fn limits(mut self, limits: TurnLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Continues from these messages.
    #[must_use]
    pub fn with_history(mut self, history: History) -> Self {
        self.set_history(history);
        self
    }

    /// Returns the messages so far.
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// Returns the model's name.
    pub fn model_name(&self) -> &str {
        self.model.name()
    }

    /// Prepares a turn with this prompt. Nothing happens before you [run](Turn::run) it.
    pub fn turn(&mut self, prompt: impl Into<String>) -> Turn<'_> {
        Turn::new(self, prompt.into())
    }

    /// Sets the iteration that the audit records for calls from now on.
    pub(in super::super) fn set_iteration(&mut self, iteration: u64) {
        if let Some(tools) = &mut self.tools {
            tools.set_iteration(iteration);
        }
    }
}

impl fmt::Debug for Chat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chat")
            .field("model", &self.model.name())
            .field("tools", &self.tools)
            .field("messages", &self.history.messages().len())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
