//! The executing half of a loop: an iteration in which an agent works on a task.

use std::{fmt, path::PathBuf};

use async_trait::async_trait;
use loop_core::{Iteration, IterationContext, WorkError};
use serde::{Deserialize, Serialize};

use super::{
    ActionHistory, ActionLog, CallListener, WorkTree, Worker, action_history::HistorySummary,
    claims_complete, next_steps, prompt,
};
use crate::{
    judge::OutputText,
    output::{OUTPUT_MARK, fingerprint},
};

/// The output of one loop of the working agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskOutput {
    /// The agent's last words.
    pub words: String,
    /// The actions of this loop, and of the loops just before it that had no output, which nobody has reviewed yet.
    #[serde(rename = "account")]
    pub actions: ActionLog,
    /// The actions of all loops so far.
    pub so_far: ActionLog,
    /// The text of the last findings before this loop. Reviews without a result do not count.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub found_before: String,
}

impl OutputText for TaskOutput {
    fn excerpt(&self, max_bytes: usize) -> String {
        self.words.excerpt(max_bytes)
    }

    fn last_words(&self, max_bytes: usize) -> String {
        self.words.last_words(max_bytes)
    }

    fn failure(&self) -> Option<String> {
        self.actions.failure.clone()
    }
}

impl TaskOutput {
    /// Returns true if the agent claims that everything is done; see [`claims_complete`]. A command that fails claims
    /// nothing, whatever it printed before.
    pub fn claims_complete(&self) -> bool {
        self.actions.failure.is_none() && claims_complete(&self.words)
    }

    /// Returns the steps that the agent would take next, in its own words; see [`next_steps`].
    pub fn next_steps(&self) -> Vec<String> {
        next_steps(&self.words)
    }
}

type Task = dyn FnMut() -> Result<String, WorkError> + Send;

/// An iteration in which an agent works on a task. In the first loop the agent receives the whole task. In later loops
/// it also receives the actions so far, the errors, and the work that is left.
///
/// ```
/// use loop_agents::{chat::{Chat, ChatAgent, ScriptedModel}, review::{ChatWorker, TaskExecution}};
/// use loop_core::{Loop, Step, condition_fn};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = ScriptedModel::new().says("Nothing yet.\nSTATUS: INCOMPLETE").says("**STATUS: COMPLETE**");
/// let worker = ChatWorker::new(ChatAgent::new(Chat::new(model)));
/// let execution = TaskExecution::new(worker, 5, || Ok("Write a poem.".to_owned()));
/// let done = condition_fn(|step: &Step<_>, _| {
///     step.output().is_some_and(loop_agents::review::TaskOutput::claims_complete)
/// });
/// let report = Loop::new(execution).until(done).at_most(5).run().await?;
/// assert_eq!(report.iterations(), 2);
/// # Ok(()) }
/// ```
pub struct TaskExecution<W> {
    worker: W,
    loops: u64,
    task: Box<Task>,
    history: ActionHistory,
}

impl<W: Worker> TaskExecution<W> {
    /// Creates an iteration whose agent works in at most `loops` loops on the text that `task` returns each time.
    pub fn new(
        worker: W,
        loops: u64,
        task: impl FnMut() -> Result<String, WorkError> + Send + 'static,
    ) -> Self {
        Self { worker, loops, task: Box::new(task), history: ActionHistory::default() }
    }

    /// Keeps the actions, and the state of `tree` at the beginning of a loop, in the file `path`. So another process
    /// that continues the run also knows what a failed or interrupted loop did.
    #[must_use]
    pub fn remembering(self, tree: WorkTree, path: impl Into<PathBuf>) -> Self {
        self.history.kept_in(tree, path.into());
        self
    }

    /// Passes the file's contents through `redact`, because commands may contain secrets.
    #[must_use]
    pub fn redacting(self, redact: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        self.history.redacting(redact);
        self
    }

    /// Calls `listener` with the agent's calls, as they happen.
    #[must_use]
    pub fn on_call(mut self, listener: CallListener) -> Self {
        self.worker.on_call(listener);
        self
    }

    /// Returns the actions of all loops, including those without an output.
    pub fn history(&self) -> ActionHistory {
        self.history.clone()
    }

    /// Returns the prompt of the iteration in this context, without running anything.
    ///
    /// # Errors
    /// Fails if `task` fails.
    pub fn prompt_in(&mut self, cx: &IterationContext<TaskOutput>) -> Result<String, WorkError> {
        self.history.turn(cx);
        let task = (self.task)()?;
        Ok(prompt::ExecutorPrompt { task: &task, loops: self.loops, known: &self.history.known() }.prompt(cx))
    }
}

#[async_trait]
impl<W: Worker> Iteration for TaskExecution<W> {
    type Output = TaskOutput;

    async fn run(&mut self, cx: IterationContext<TaskOutput>) -> Result<TaskOutput, WorkError> {
        self.history.turn(&cx);
        let mut doing = self.history.begin(&cx).await?;
        let worked = match self.prompt_in(&cx) {
            Ok(prompt) => self.worker.work(prompt, &mut doing.now, cx.part()).await,
            Err(error) => Err(error),
        };
        let HistorySummary { so_far, unreviewed, found } = doing.end();
        let words = worked?;
        cx.mark(OUTPUT_MARK, fingerprint(words.len() as u64, &[words.as_bytes()]));
        Ok(TaskOutput { words, actions: unreviewed, so_far, found_before: found })
    }
}

impl<W: fmt::Debug> fmt::Debug for TaskExecution<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskExecution")
            .field("worker", &self.worker)
            .field("loops", &self.loops)
            .finish_non_exhaustive()
    }
}
