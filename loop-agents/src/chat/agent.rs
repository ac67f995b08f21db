//! A chat agent as an iteration of a loop.

use std::fmt;

use async_trait::async_trait;
use loop_core::{CancellationToken, Iteration, IterationContext, IterationError};

use super::{Chat, History, Message, TurnEvent, TurnOutput, turn::cancelled_with};
use crate::{
    output::{OUTPUT_MARK, excerpt, fingerprint},
    shell::{AgentPrompt, PromptMemory, Template},
};

/// An agent that is a conversation: each iteration is one turn of it, with a prompt from a [`Template`].
///
/// A turn never waits for input: the tools' policy settles in advance what they may do. A rate limit defers the
/// iteration, unless the turn has already called a tool. A refused key or an unknown model ends the run.
///
/// Before a turn for which less than a fifth of the model's window is left, the model summarises the older turns. If
/// the window would overflow and there is no summary, the iteration fails.
///
/// # Default
/// The template `{goal}`, an empty goal, at most 32 KiB of text for each placeholder
/// ([`DEFAULT_EXCERPT_BYTES`](crate::output::DEFAULT_EXCERPT_BYTES)), and a conversation that continues from turn to
/// turn.
///
/// ```
/// use loop_agents::chat::{Chat, ChatAgent, ScriptedModel};
/// use loop_core::{Loop, Step, condition_fn};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = ScriptedModel::new().says("Still building.").says("The build broke.");
/// let agent = ChatAgent::new(Chat::new(model)).goal("How is the build?");
/// let broke = condition_fn(|step: &Step<_>, _| {
///     step.output().is_some_and(|turn: &loop_agents::chat::TurnOutput| turn.text.contains("broke"))
/// });
/// let report = Loop::new(agent).until(broke).at_most(10).run().await?;
/// assert_eq!(report.iterations(), 2);
/// # Ok(()) }
/// ```
pub struct ChatAgent {
    chat: Chat,
    agent_prompt: AgentPrompt,
    /// The conversation that each iteration starts from, if iterations do not continue one another.
    origin: Option<History>,
    /// Whether the next turn continues the conversation in spite of that.
    continues: bool,
    on_event: Box<dyn FnMut(TurnEvent<'_>) + Send>,
}

impl ChatAgent {
    /// Creates an agent that continues this conversation.
    pub fn new(chat: Chat) -> Self {
        Self {
            chat,
            agent_prompt: AgentPrompt::default(),
            origin: None,
            continues: false,
            on_event: Box::new(|_| {}),
        }
    }

    /// Sets the goal: the value of `{goal}`.
    #[must_use]
    pub fn goal(mut self, goal: impl Into<String>) -> Self {
        self.agent_prompt.goal = goal.into();
        self
    }

    /// Sets the prompt's template; see [`Placeholder`](crate::shell::Placeholder). There are no exit codes.
    #[must_use]
    pub fn prompt(mut self, template: impl Into<Template>) -> Self {
        self.agent_prompt.template = template.into();
        self
    }

    /// Sets how many bytes of the last reply, and of the last verdict, go into a prompt.
    #[must_use]
    pub fn feedback_bytes(mut self, bytes: usize) -> Self {
        self.agent_prompt.feedback_bytes = bytes;
        self
    }

    /// Sets the source of `{memory}`. Without one, its value is empty.
    #[must_use]
    pub fn memory(mut self, memory: Option<PromptMemory>) -> Self {
        self.agent_prompt.memory = memory;
        self
    }

    /// Starts every iteration from the conversation as it is now, without the turns of earlier iterations.
    #[must_use]
    pub fn fresh(mut self) -> Self {
        self.origin = Some(self.chat.history().clone());
        self
    }

    /// Lets the next turn of an agent whose turns are [fresh](Self::fresh) continue the conversation of the last one.
    pub const fn continue_next(&mut self) {
        self.continues = true;
    }

    /// Puts a text before the prompts of the next turns; see [`Chat::set_context`].
    pub fn set_context(&mut self, context: Option<String>) {
        self.chat.set_context(context);
    }

    /// Calls `listener` with every event of a turn, for a live view. The turn waits while the listener runs.
    #[must_use]
    pub fn on_event(mut self, listener: impl FnMut(TurnEvent<'_>) + Send + 'static) -> Self {
        self.on_event = Box::new(listener);
        self
    }

    /// Returns the conversation.
    pub const fn chat(&self) -> &Chat {
        &self.chat
    }

    /// Returns the prompt's template.
    pub const fn template(&self) -> &Template {
        &self.agent_prompt.template
    }

    /// Returns the prompt of an iteration, without asking the model.
    ///
    /// ```
    /// use loop_agents::chat::{Chat, ChatAgent, ScriptedModel};
    /// use loop_core::{IterationContext, Work};
    ///
    /// let agent = ChatAgent::new(Chat::new(ScriptedModel::new())).goal("all is well").prompt("{iteration}: {goal}");
    /// assert_eq!(agent.prompt_in(&IterationContext::new(&Work::new(), 3)), "3: all is well");
    /// ```
    pub fn prompt_in(&self, cx: &IterationContext<TurnOutput>) -> String {
        let values = self.agent_prompt.values(cx, |output, bytes| excerpt(output.text.as_bytes(), bytes));
        self.agent_prompt.template.render(&values)
    }

    /// Takes one turn with this prompt and ignores the template. Each event goes to `inspect` first, then to the
    /// [listener](Self::on_event).
    ///
    /// # Errors
    /// Fails in the same cases as an iteration.
    ///
    /// # Cancel safety
    /// Dropping the future ends the turn; see [`Turn::run`](super::Turn::run).
    pub async fn work(
        &mut self,
        prompt: String,
        cx: IterationContext<TurnOutput>,
        mut inspect: impl FnMut(TurnEvent<'_>) + Send,
    ) -> Result<TurnOutput, IterationError> {
        let continues = std::mem::take(&mut self.continues);
        if let Some(origin) = self.origin.as_ref().filter(|_| !continues) {
            self.chat.set_history(origin.clone());
        }
        self.chat.set_iteration(cx.iteration());
        let is_fresh = self.origin.is_some() && !continues;
        let Self { chat, on_event, .. } = self;
        let mut tell = move |event: TurnEvent<'_>| {
            inspect(event);
            on_event(event);
        };
        if !is_fresh {
            let cancel = CancellationToken::new();
            let (message, meter) = (chat.as_sent(Message::user(&prompt)), cx.meter());
            let room = chat.make_room(&message, &meter, &cancel, &mut tell);
            cancelled_with(&cx, &cancel, room).await?;
        }
        let output = chat.turn(prompt).on_event(tell).run_in(&cx).await?;
        cx.mark(OUTPUT_MARK, fingerprint(output.text.len() as u64, &[output.text.as_bytes()]));
        if output.truncated {
            cx.fault("the reply was cut off at its token limit");
        }
        Ok(output)
    }
}

#[async_trait]
impl Iteration for ChatAgent {
    type Output = TurnOutput;

    async fn run(&mut self, cx: IterationContext<TurnOutput>) -> Result<TurnOutput, IterationError> {
        let prompt = self.prompt_in(&cx);
        self.work(prompt, cx, |_| {}).await
    }
}

impl fmt::Debug for ChatAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatAgent")
            .field("chat", &self.chat)
            .field("agent_prompt", &self.agent_prompt)
            .finish_non_exhaustive()
    }
}
