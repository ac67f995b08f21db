//! What a tool is given to work with.

use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use loop_guardrails::policy::{
    Denied, LocalPath,
    workspace::{Workspace, WorkspaceError},
};

use super::{
    Answer, Approval, ApprovalRequest, Change, CommandRun, FileChange, Need, ToolError, diff::visible,
    record::Record,
};
use crate::process::Process;

/// What one call is given: the workspace, the surroundings of commands, and a place to say what it did.
#[derive(Debug)]
pub struct ToolContext {
    workspace: Workspace,
    /// The same after a person's yes.
    approved: OnceLock<Workspace>,
    approval: Option<Arc<dyn Approval>>,
    /// A command without its line.
    process: Process,
    record: Record,
    deeds: Mutex<Deeds>,
    stop: StopOnDrop,
}

/// What only a person can allow.
#[derive(Debug)]
pub(super) struct Question {
    denied: Denied,
    /// The path as it was written, and where it leads.
    paths: Vec<LocalPath>,
}

impl Question {
    /// The question about what is refused, if a person can allow it; `path` is as it was written.
    fn of(refusal: WorkspaceError, path: Option<&str>, workspace: &Workspace) -> Result<Self, ToolError> {
        match refusal {
            WorkspaceError::Denied(denied) if denied.ruling.needs_approval.is_some() => {
                let written = path.and_then(|path| workspace.policy().local(path).ok());
                let paths = written.into_iter().chain(denied.ruling.needs_approval.clone()).collect();
                Ok(Self { denied, paths })
            }
            refusal => Err(refusal.into()),
        }
    }
}

/// What a call did so far.
#[derive(Debug, Default)]
pub(super) struct Deeds {
    pub(super) files: Vec<FileChange>,
    pub(super) commands: Vec<CommandRun>,
    pub(super) notes: Vec<String>,
}

/// Tells work on another thread that nobody waits for it any more.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Whether the call is over.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Debug, Default)]
struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

impl ToolContext {
    pub(super) fn new(
        workspace: Workspace,
        approval: Option<Arc<dyn Approval>>,
        process: Process,
        record: Record,
    ) -> Self {
        let (approved, deeds, stop) = (OnceLock::new(), Mutex::default(), StopOnDrop::default());
        Self { workspace, approved, approval, process, record, deeds, stop }
    }

    /// Whether the policy allows what the call needs and changes, or leaves it to a person.
    pub(super) async fn judge(
        &self,
        needs: Vec<Need>,
        change: Option<Change>,
    ) -> Result<Option<Question>, ToolError> {
        self.blocking(move |workspace, _| {
            let mut question = None;
            for need in &needs {
                if let Some(refusal) = need.refusal(workspace) {
                    question = Some(Question::of(refusal, need.path(), workspace)?);
                }
            }
            // Nothing is read to make the change before the needs are allowed.
            let (None, Some(change)) = (&question, change) else { return Ok(question) };
            let Some((path, refusal)) = change.refusal(workspace) else { return Ok(None) };
            Question::of(refusal, Some(&path), workspace).map(Some)
        })
        .await
    }

    /// Asks a person, and lets the call be made if they say yes.
    pub(super) async fn ask(
        &self,
        Question { denied, paths }: Question,
        change: Option<Change>,
    ) -> Result<(), ToolError> {
        let (Some(approval), Some(change)) = (&self.approval, change) else { return Err(denied.into()) };
        let diff = self.blocking(move |workspace, _| change.shown(workspace)).await?;
        let path = paths.last().map(ToString::to_string).unwrap_or_default();
        let Denied { action, ruling, .. } = denied;
        let [action, why] = [action, ruling.rule].map(|text| visible(&text).into_owned());
        let request = ApprovalRequest { action, path, why, diff };
        match approval.ask(&request).await {
            Answer::Yes => {
                self.approved.get_or_init(|| self.workspace.approving(paths));
                Ok(())
            }
            Answer::No(why) => {
                let ApprovalRequest { action, why: rule, .. } = request;
                Err(ToolError::rejected(format!("{action} is not allowed: {why}. {rule}")))
            }
        }
    }

    pub(super) fn record(&self) -> &Record {
        &self.record
    }

    /// The files that it may use.
    pub fn workspace(&self) -> &Workspace {
        self.approved.get().unwrap_or(&self.workspace)
    }

    /// A command with the environment, the folder and the custody that commands have here. Ask
    /// [`Workspace::check_command`] whether it may run.
    pub fn process(&self) -> Process {
        self.process.clone()
    }

    /// Says that a file was changed.
    pub fn changed(&self, path: &impl ToString, created: bool) {
        self.deeds().files.push(FileChange { path: path.to_string(), created });
    }

    /// Says that a command was run.
    pub fn ran(&self, command: CommandRun) {
        self.deeds().commands.push(command);
    }

    /// Says in which way the text is not what it was made of.
    pub fn note(&self, note: impl Into<String>) {
        self.deeds().notes.push(note.into());
    }

    /// Does work that blocks, on a thread that may. Long work looks at [`Stop`] now and then.
    ///
    /// # Errors
    /// [`ToolError`] that the work gives, or that it panicked.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    ///
    /// # Cancel safety
    /// Dropped, it leaves the work to its end, of which nobody hears; see [`Stop`].
    pub async fn blocking<T, W>(&self, work: W) -> Result<T, ToolError>
    where
        T: Send + 'static,
        W: FnOnce(&Workspace, &Stop) -> Result<T, ToolError> + Send + 'static,
    {
        let (workspace, stop) = (self.workspace().clone(), self.stop.0.clone());
        let work = tokio::task::spawn_blocking(move || work(&workspace, &stop));
        work.await.unwrap_or_else(|error| Err(ToolError::failed(format!("the tool broke down: {error}"))))
    }

    pub(super) fn take_deeds(&self) -> Deeds {
        std::mem::take(&mut self.deeds())
    }

    fn deeds(&self) -> MutexGuard<'_, Deeds> {
        // Nothing that panics runs under this lock.
        self.deeds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
