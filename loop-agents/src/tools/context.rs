//! The context of a tool call.

use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use loop_guardrails::policy::{
    command::CommandPrefix,
    workspace::{OpenedCommand, Workspace},
};

#[cfg(feature = "sandbox")]
use super::command_sandbox::ConfinedProgram;
use super::{
    Approval, ApprovalAnswer, ApprovalRequest, CommandRun, FileChange, Need, OriginalFiles, ProposedChange,
    ToolError, audit_record::AuditRecord, diff::visible_command, live_output::LiveOutput,
    pending_approval::PendingApproval,
};
use crate::process::Process;

/// The context of one call: the workspace, the settings of commands, and a log of the call's actions.
#[derive(Debug)]
pub struct ToolContext {
    workspace: Workspace,
    /// The workspace after a person's approval.
    approved: OnceLock<Workspace>,
    approval: Option<Arc<dyn Approval>>,
    /// Keeps files before the call changes them.
    originals: Option<OriginalFiles>,
    /// The template of every command, without its command line.
    process: Process,
    #[cfg(feature = "sandbox")]
    sandbox: Option<super::CommandSandbox>,
    record: AuditRecord,
    output: LiveOutput,
    effects: Mutex<CallEffects>,
    stop: SetOnDrop,
}

/// The actions of a call so far.
#[derive(Debug, Default)]
pub(super) struct CallEffects {
    pub(super) files: Vec<FileChange>,
    pub(super) commands: Vec<CommandRun>,
    pub(super) notes: Vec<String>,
    /// The parts of the sandbox that did not hold.
    pub(super) unenforced: Vec<String>,
    /// The entry that would have allowed the command.
    pub(super) refused: Option<CommandPrefix>,
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
        Self {
            workspace,
            approved,
            approval,
            originals: None,
            process,
            #[cfg(feature = "sandbox")]
            sandbox: None,
            record,
            output: LiveOutput::default(),
            effects,
            stop,
        }
    }

    #[cfg(feature = "sandbox")]
    pub(super) fn confining(self, sandbox: Option<super::CommandSandbox>) -> Self {
        Self { sandbox, ..self }
    }

    /// Puts a command into the sandbox of this toolbox, if there is one. Returns the reasons why a part of it does not
    /// hold.
    #[cfg(feature = "sandbox")]
    pub(super) async fn confined(
        &self,
        process: Process,
        opened: OpenedCommand,
    ) -> Result<(Process, OpenedCommand, Vec<String>), ToolError> {
        let Some(sandbox) = self.sandbox.clone() else { return without_sandbox(process, opened) };
        self.blocking(move |workspace, _| {
            let (process, missing) =
                sandbox.confine(process, ConfinedProgram::Command(&opened), workspace)?;
            Ok((process, opened, missing))
        })
        .await
    }

    #[cfg(not(feature = "sandbox"))]
    pub(super) async fn confined(
        &self,
        process: Process,
        opened: OpenedCommand,
    ) -> Result<(Process, OpenedCommand, Vec<String>), ToolError> {
        without_sandbox(process, opened)
    }

    /// Puts a program that a person chose into the sandbox of this toolbox, as [`confined`](Self::confined) does with a
    /// command.
    pub(crate) async fn confined_script(
        &self,
        process: Process,
    ) -> Result<(Process, Vec<String>), ToolError> {
        #[cfg(feature = "sandbox")]
        if let Some(sandbox) = self.sandbox.clone() {
            let kind = ConfinedProgram::Script;
            return self.blocking(move |workspace, _| sandbox.confine(process, kind, workspace)).await;
        }
        Ok((process, Vec::new()))
    }

    /// Puts a program that nobody chose into a sandbox in which it can only read. Returns `None` if none holds.
    pub(super) async fn confined_examiner(&self, process: Process) -> Option<Process> {
        #[cfg(feature = "sandbox")]
        if let Some(sandbox) = self.sandbox.clone() {
            let kind = ConfinedProgram::Examiner;
            let confined = self.blocking(move |workspace, _| sandbox.confine(process, kind, workspace)).await;
            return confined.ok().map(|(process, _)| process);
        }
        #[cfg(not(feature = "sandbox"))]
        drop(process);
        None
    }

    pub(super) fn showing(self, output: LiveOutput) -> Self {
        Self { output, ..self }
    }

    /// Shows output of a command, while it runs, to whoever watches the call.
    pub fn printed(&self, bytes: &[u8]) {
        self.output.push(bytes);
    }

    pub(super) fn keeping(self, originals: Option<OriginalFiles>) -> Self {
        Self { originals, ..self }
    }

    /// Keeps the file that the call is about to change.
    pub(super) async fn keep_original(&self, change: Option<ProposedChange>) -> Result<(), ToolError> {
        let path = change.as_ref().and_then(ProposedChange::path).map(str::to_owned);
        let (Some(originals), Some(path)) = (self.originals.clone(), path) else { return Ok(()) };
        self.blocking(move |workspace, _| {
            originals.keep(workspace, &path);
            Ok(())
        })
        .await
    }

    /// Checks whether the policy allows what the call needs and changes. Returns a question if a person must decide.
    pub(super) async fn judge(
        &self,
        needs: Vec<Need>,
        change: Option<ProposedChange>,
    ) -> Result<Option<PendingApproval>, ToolError> {
        let asks = self.approval.as_ref().is_some_and(|approval| match &change {
            Some(change) if change.is_lasting() => approval.asks_before_lasting_changes(),
            _ => approval.asks_before_writes(),
        });
        self.blocking(move |workspace, _| {
            let mut unapproved = None;
            for need in &needs {
                unapproved = need.question(workspace)?.or(unapproved);
            }
            // Computing the change may read files, so the needs must be allowed first.
            let (None, Some(change)) = (&unapproved, change) else { return Ok(unapproved) };
            let path = change.path().unwrap_or_default().to_owned();
            let question = asks.then(|| change.question(workspace));
            match change.refusal(workspace) {
                Some(refusal) => PendingApproval::of(refusal, &Need::write(path), workspace).map(Some),
                None => Ok(question),
            }
        })
        .await
    }

    /// Asks a person, and allows the call if they agree.
    pub(super) async fn ask(
        &self,
        question: PendingApproval,
        change: Option<ProposedChange>,
    ) -> Result<(), ToolError> {
        let Some(approval) = &self.approval else { return Err(self.refused(question)) };
        let (diff, shown) = match (question.line(), change) {
            (Some(line), _) => (Some(visible_command(line).into_owned()), None),
            (None, Some(change)) => self.blocking(move |workspace, _| change.shown(workspace)).await?,
            (None, None) => return Err(self.refused(question)),
        };
        let request = question.request(diff)?;
        match approval.ask(&request).await {
            ApprovalAnswer::Yes => {
                if let Some(shown) = shown {
                    self.blocking(move |workspace, _| shown.check(workspace)).await?;
                }
                if let Some(approved) = question.approved(&self.workspace) {
                    self.approved.get_or_init(|| approved);
                }
                Ok(())
            }
            ApprovalAnswer::No(why) => {
                let ApprovalRequest { action, .. } = request;
                let rule = question.rule().map(|rule| format!(". {rule}")).unwrap_or_default();
                self.effects().refused = question.entry().cloned();
                Err(ToolError::rejected(format!("{action} is not allowed: {why}{rule}")))
            }
        }
    }

    /// Refuses what a person would have to decide.
    fn refused(&self, question: PendingApproval) -> ToolError {
        self.effects().refused = question.entry().cloned();
        question.into()
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

    /// Records the parts of the sandbox that do not hold for a program of this call.
    pub(crate) fn lacks(&self, parts: Vec<String>) {
        let mut effects = self.effects();
        for part in parts {
            if !effects.unenforced.contains(&part) {
                effects.unenforced.push(part);
            }
        }
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

    /// Returns the files that the call has changed so far.
    pub(super) fn changed_files(&self) -> Vec<FileChange> {
        self.effects().files.clone()
    }

    pub(super) fn take_effects(&self) -> CallEffects {
        std::mem::take(&mut self.effects())
    }

    fn effects(&self) -> MutexGuard<'_, CallEffects> {
        // Nothing that panics runs under this lock.
        self.effects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a command that nothing confines, unless it is a line for a shell.
fn without_sandbox(
    process: Process,
    opened: OpenedCommand,
) -> Result<(Process, OpenedCommand, Vec<String>), ToolError> {
    if opened.command.is_in_shell() {
        return Err(ToolError::no_shell("these tools have no sandbox"));
    }
    Ok((process, opened, Vec::new()))
}
