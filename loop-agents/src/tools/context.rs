//! The context of a tool call.

use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use loop_guardrails::policy::{
    DeniedAction, LocalPath,
    workspace::{Workspace, WorkspaceError},
};

use super::{
    Approval, ApprovalAnswer, ApprovalRequest, CommandRun, FileChange, Need, ProposedChange, ToolError,
    audit_record::AuditRecord, diff::visible,
};
use crate::process::Process;

/// The context of one call: the workspace, the settings of commands, and a log of the call's actions.
#[derive(Debug)]
pub struct ToolContext {
    workspace: Workspace,
    /// The workspace after a person's approval.
    approved: OnceLock<Workspace>,
    approval: Option<Arc<dyn Approval>>,
    /// The template of every command, without its command line.
    process: Process,
    record: AuditRecord,
    effects: Mutex<CallEffects>,
    stop: SetOnDrop,
}

/// A refused action that only a person can allow.
#[derive(Debug)]
pub(super) struct PendingApproval {
    denied: DeniedAction,
    /// The path as the caller wrote it, and the path to which it leads.
    paths: Vec<LocalPath>,
}

impl PendingApproval {
    /// Creates the question about a refusal, if a person can allow the action; `path` is as the caller wrote it.
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

/// The actions of a call so far.
#[derive(Debug, Default)]
pub(super) struct CallEffects {
    pub(super) files: Vec<FileChange>,
    pub(super) commands: Vec<CommandRun>,
    pub(super) notes: Vec<String>,
}

/// Tells work on another thread that its result is no longer needed.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Returns whether the call is over.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Debug, Default)]
struct SetOnDrop(StopFlag);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

impl ToolContext {
    pub(super) fn new(
        workspace: Workspace,
        approval: Option<Arc<dyn Approval>>,
        process: Process,
        record: AuditRecord,
    ) -> Self {
        let (approved, effects, stop) = (OnceLock::new(), Mutex::default(), SetOnDrop::default());
        Self { workspace, approved, approval, process, record, effects, stop }
    }

    /// Checks whether the policy allows what the call needs and changes. Returns a question if a person must decide.
    pub(super) async fn judge(
        &self,
        needs: Vec<Need>,
        change: Option<ProposedChange>,
    ) -> Result<Option<PendingApproval>, ToolError> {
        self.blocking(move |workspace, _| {
            let mut question = None;
            for need in &needs {
                if let Some(refusal) = need.refusal(workspace) {
                    question = Some(PendingApproval::of(refusal, need.path(), workspace)?);
                }
            }
            // Computing the change may read files, so the needs must be allowed first.
            let (None, Some(change)) = (&question, change) else { return Ok(question) };
            let Some((path, refusal)) = change.refusal(workspace) else { return Ok(None) };
            PendingApproval::of(refusal, Some(&path), workspace).map(Some)
        })
        .await
    }

    /// Asks a person, and allows the call if they agree.
    pub(super) async fn ask(
        &self,
        PendingApproval { denied, paths }: PendingApproval,
        change: Option<ProposedChange>,
    ) -> Result<(), ToolError> {
        let (Some(approval), Some(change)) = (&self.approval, change) else { return Err(denied.into()) };
        let diff = self.blocking(move |workspace, _| change.shown(workspace)).await?;
        let path = paths.last().map(ToString::to_string).unwrap_or_default();
        let DeniedAction { action, ruling, .. } = denied;
        let [action, why] = [action, ruling.rule].map(|text| visible(&text).into_owned());
        let request = ApprovalRequest { action, path, why, diff };
        match approval.ask(&request).await {
            ApprovalAnswer::Yes => {
                self.approved.get_or_init(|| self.workspace.approving(paths));
                Ok(())
            }
            ApprovalAnswer::No(why) => {
                let ApprovalRequest { action, why: rule, .. } = request;
                Err(ToolError::rejected(format!("{action} is not allowed: {why}. {rule}")))
            }
        }
    }

    pub(super) fn record(&self) -> &AuditRecord {
        &self.record
    }

    /// Returns the workspace, through which the call accesses files.
    pub fn workspace(&self) -> &Workspace {
        self.approved.get().unwrap_or(&self.workspace)
    }

    /// Returns a process with the environment, the folder and the supervisor of this toolbox's commands. Ask
    /// [`Workspace::check_command`] whether it may run.
    pub fn process(&self) -> Process {
        self.process.clone()
    }

    /// Records that the call changed a file.
    pub fn changed(&self, path: &impl ToString, created: bool) {
        self.effects().files.push(FileChange { path: path.to_string(), created });
    }

    /// Records that the call ran a command.
    pub fn ran(&self, command: CommandRun) {
        self.effects().commands.push(command);
    }

    /// Records how the text differs from its source.
    pub fn note(&self, note: impl Into<String>) {
        self.effects().notes.push(note.into());
    }

    /// Runs blocking work on a suitable thread. Long work should check [`StopFlag`] now and then.
    ///
    /// # Errors
    /// The work's own [`ToolError`], or one that reports its panic.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    ///
    /// # Cancel safety
    /// Dropping the future does not end the work, but discards its result; see [`StopFlag`].
    pub async fn blocking<T, W>(&self, work: W) -> Result<T, ToolError>
    where
        T: Send + 'static,
        W: FnOnce(&Workspace, &StopFlag) -> Result<T, ToolError> + Send + 'static,
    {
        let (workspace, stop) = (self.workspace().clone(), self.stop.0.clone());
        let work = tokio::task::spawn_blocking(move || work(&workspace, &stop));
        work.await.unwrap_or_else(|error| Err(ToolError::failed(format!("the tool crashed: {error}"))))
    }

    pub(super) fn take_effects(&self) -> CallEffects {
        std::mem::take(&mut self.effects())
    }

    fn effects(&self) -> MutexGuard<'_, CallEffects> {
        // Nothing that panics runs under this lock.
        self.effects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
