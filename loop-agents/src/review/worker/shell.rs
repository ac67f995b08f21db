//! A worker that is a command.

use async_trait::async_trait;
use loop_core::{IterationContext, WorkError};
use serde_json::Value;

use super::{SAID_BYTES, Worker};
use crate::{
    process::OutputStream,
    review::{ActionLog, CallListener, WorkTree, call_event::REPLY, stream::ActionStream},
    shell::ShellAgent,
    tools::ToolOutcome,
};

/// The name of the command in the report of its calls, and its id.
const COMMAND: &str = "command";

/// Returns whether the listener hears of this call although the agent did not make it: it is the agent's own command, or
/// its last words.
#[cfg(feature = "plan")]
pub(crate) fn is_own_call(id: &str, call: &str) -> bool {
    (id, call) == (COMMAND, COMMAND) || (id, call) == ("", REPLY)
}

/// A [`ShellAgent`] as a [`Worker`]. It reads the agent's actions from its stream, if the format reports them (Claude
/// Code, Codex and pi), and adds the differences in a [`WorkTree`]. It ignores the agent's template.
#[derive(Debug)]
pub struct ShellWorker {
    agent: ShellAgent,
    tree: WorkTree,
    preface: &'static str,
    listener: CallListener,
}

impl ShellWorker {
    /// Creates a worker from this agent, which works in this tree.
    pub fn new(agent: ShellAgent, tree: WorkTree) -> Self {
        Self { agent, tree, preface: "", listener: CallListener::default() }
    }

    /// Sets the text before each prompt, because we cannot give a command a system prompt.
    #[must_use]
    pub fn preface(self, preface: &'static str) -> Self {
        Self { preface, ..self }
    }
}

#[async_trait]
impl Worker for ShellWorker {
    async fn work(
        &mut self,
        prompt: String,
        actions: &mut ActionLog,
        cx: IterationContext<()>,
    ) -> Result<String, WorkError> {
        let prompt = format!("{}\n{prompt}", self.preface).trim_start().to_owned();
        let before = self.tree.snapshot().await;
        let (root, listener) = (self.tree.root().to_owned(), self.listener.clone());
        let mut stream_log = ActionStream::of(self.agent.format(), root, listener);
        self.listener.began(COMMAND, COMMAND, &Value::from(self.agent.command().as_str()));
        let done = self
            .agent
            .work(prompt, cx.part(), |stream, bytes| {
                if let Some(stream_log) = stream_log.as_mut().filter(|_| stream == OutputStream::Stdout) {
                    stream_log.feed(bytes);
                }
            })
            .await;
        match &done {
            Ok(done) => {
                let failure = done.failure();
                let outcome = if failure.is_some() { ToolOutcome::Failed } else { ToolOutcome::Done };
                let exit_code = Some(done.exit.shell_code());
                self.listener.ended(COMMAND, outcome, exit_code, &failure.unwrap_or_default());
                self.listener.replied(&done.said().excerpt(SAID_BYTES));
            }
            Err(error) => self.listener.ended(COMMAND, ToolOutcome::Failed, None, &error.to_string()),
        }
        // The stream does not list files that the agent's own commands wrote.
        *actions = self.tree.since(&before).await;
        if let Some(mut told) = stream_log.map(ActionStream::finish) {
            told.without_gone(self.tree.root());
            actions.absorb(&told);
        }
        let done = done?;
        actions.failure = done.failure();
        Ok(done.said().excerpt(SAID_BYTES))
    }

    fn on_call(&mut self, listener: CallListener) {
        self.listener = listener;
    }

    fn reports_calls(&self) -> bool {
        ActionStream::of(self.agent.format(), self.tree.root().to_owned(), CallListener::default()).is_some()
    }
}
