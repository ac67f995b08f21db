//! The executing half of a loop: an iteration that works on a task.

use std::{fmt, path::PathBuf};

use async_trait::async_trait;
use loop_core::{Iteration, IterationContext, WorkError};
use serde::{Deserialize, Serialize};

use super::{
    Account, WorkTree, Worker,
    beginning::{Beginning, lost},
    brief, claims_complete, next_steps,
};
use crate::output::{OUTPUT_MARK, fingerprint};

/// What a loop of the executing agent left behind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Worked {
    /// The agent's last words.
    pub words: String,
    /// What it did in this loop.
    pub account: Account,
    /// What was done in all loops so far.
    pub so_far: Account,
}

impl Worked {
    /// Whether the agent says that all is done; see [`claims_complete`]. A command that fails claims nothing,
    /// whatever it said before.
    pub fn claims_complete(&self) -> bool {
        self.account.failure.is_none() && claims_complete(&self.words)
    }

    /// What the agent would do next, in its own words; see [`next_steps`].
    pub fn next_steps(&self) -> Vec<String> {
        next_steps(&self.words)
    }
}

type Task = dyn FnMut() -> Result<String, WorkError> + Send;

/// An iteration in which an agent works on a task: in the first loop it is told the whole task, in later ones also what
/// was done, what went wrong and what is left.
///
/// ```
/// use loop_agents::{chat::{Chat, ChatAgent, ScriptedModel}, review::{ChatWorker, TaskExecution}};
/// use loop_core::{Loop, Step, condition_fn};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = ScriptedModel::new().says("Nothing yet.\nSTATUS: INCOMPLETE").says("**STATUS: COMPLETE**");
/// let worker = ChatWorker::new(ChatAgent::new(Chat::new(model)));
/// let execution = TaskExecution::new(worker, 5, || Ok("Write a poem.".to_owned()));
/// let done = condition_fn(|step: &Step<_>, _| {
///     step.output().is_some_and(loop_agents::review::Worked::claims_complete)
/// });
/// let report = Loop::new(execution).until(done).at_most(5).run().await?;
/// assert_eq!(report.iterations(), 2);
/// # Ok(()) }
/// ```
pub struct TaskExecution<W> {
    worker: W,
    loops: u64,
    task: Box<Task>,
    /// Also what loops did that then failed, and so left nothing behind.
    so_far: Account,
    beginning: Option<Beginning>,
}

impl<W: Worker> TaskExecution<W> {
    /// An agent that works in at most `loops` loops on what `task` says each time.
    pub fn new(
        worker: W,
        loops: u64,
        task: impl FnMut() -> Result<String, WorkError> + Send + 'static,
    ) -> Self {
        Self { worker, loops, task: Box::new(task), so_far: Account::default(), beginning: None }
    }

    /// Keeps in the file `path` how `tree` was when a loop began. So the account of a loop that is cut off, and begins
    /// again in another process, has what was done before.
    #[must_use]
    pub fn remembering(mut self, tree: WorkTree, path: impl Into<PathBuf>) -> Self {
        self.beginning = Some(Beginning::new(tree, path.into()));
        self
    }

    /// The prompt of the iteration in this context; nothing is run.
    ///
    /// # Errors
    /// That of reading the task.
    pub fn prompt_in(&mut self, cx: &IterationContext<Worked>) -> Result<String, WorkError> {
        if let Some(worked) = cx.previous().and_then(|step| step.output()) {
            let mut so_far = worked.so_far.clone();
            so_far.absorb(&self.so_far);
            self.so_far = so_far;
        }
        let task = (self.task)()?;
        Ok(brief::Executing { task: &task, loops: self.loops, so_far: &self.so_far }.prompt(cx))
    }
}

#[async_trait]
impl<W: Worker> Iteration for TaskExecution<W> {
    type Output = Worked;

    async fn run(&mut self, cx: IterationContext<Worked>) -> Result<Worked, WorkError> {
        let prompt = self.prompt_in(&cx)?;
        let mut account = match &self.beginning {
            Some(beginning) => beginning.done_before(&cx).await?,
            None => lost(&cx),
        };
        let mut now = Account::default();
        let worked = self.worker.work(prompt, &mut now, cx.part()).await;
        account.absorb(&now);
        self.so_far.absorb(&account);
        let words = worked?;
        cx.mark(OUTPUT_MARK, fingerprint(words.len() as u64, &[words.as_bytes()]));
        Ok(Worked { words, account, so_far: self.so_far.clone() })
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
