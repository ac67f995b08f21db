//! The channel from tools to the person who typed a line, with the answers that hold for more than one action.
//!
//! Only somebody who knows the context can answer a question, so tools ask only during a person's own turn. Loops and
//! scheduled jobs may run at night, so their actions are refused instead. Tools can therefore reach the terminal only
//! while the session carries out a typed line that is not a loop. Commands have access to the session but never to the
//! terminal.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use loop_agents::tools::{Approval, ApprovalAnswer, ApprovalKind, ApprovalRequest};
use loop_guardrails::policy::{Permissions, WriteApproval, command::CommandPrefix};
use loop_manifest::settings::{CommandRule, KeepError, keep_command, keep_permissions};
use tokio::{
    sync::{
        mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
        oneshot,
    },
    time::Instant,
};

use crate::ApprovalQuestion;

/// The channel from a session's tools to the person, while it is open. Clones share the channel.
#[derive(Debug, Clone, Default)]
pub struct ApprovalChannel(Arc<Mutex<ChannelState>>);

#[derive(Debug, Default)]
struct ChannelState {
    asking: Option<UnboundedSender<ApprovalQuestion>>,
    /// Whether an agent of a run types the lines.
    is_in_run: bool,
    /// The entries that the person allowed, until the session adds them to its rules.
    granted: Vec<Grant>,
    /// Whether the person allowed all writes of the session.
    writes_freely: bool,
    approve_writes: WriteApproval,
    /// The time for which tools waited for the person's answers.
    waited: Duration,
    /// The user's settings file, and the folder of the session.
    kept_in: Option<(PathBuf, PathBuf)>,
}

/// An entry that a person allowed.
#[derive(Debug, Clone)]
pub(crate) struct Grant {
    pub(crate) entry: CommandPrefix,
    /// Whether it is stored, so that it outlives the session.
    pub(crate) is_kept: bool,
}

impl ApprovalChannel {
    /// Creates a closed channel. Answers that hold in later sessions are stored in this settings file, for this folder.
    /// `is_in_run` if an agent of a run opened the session: it can make a terminal and type there what a person would,
    /// so the channel stays closed.
    pub(crate) fn new(settings: Option<&Path>, folder: &Path, is_in_run: bool) -> Self {
        let kept_in = settings.map(|file| (file.to_owned(), folder.to_owned()));
        Self(Arc::new(Mutex::new(ChannelState { is_in_run, kept_in, ..ChannelState::default() })))
    }

    /// Opens the channel to a person. It closes when the receiver is dropped; while it is closed, tools are refused.
    /// In a session that a run started, it stays closed.
    pub fn open(&self) -> UnboundedReceiver<ApprovalQuestion> {
        let (asking, questions) = unbounded_channel();
        let mut state = self.state();
        state.asking = Some(asking).filter(|_| !state.is_in_run);
        drop(state);
        questions
    }

    /// Returns whether an agent of a run, and no person, types the lines.
    pub(crate) fn is_in_run(&self) -> bool {
        self.state().is_in_run
    }

    /// Returns whether somebody can be asked now.
    pub(crate) fn is_open(&self) -> bool {
        self.state().asking.as_ref().is_some_and(|asking| !asking.is_closed())
    }

    /// Returns the same channel for the tools of the person's own commands. A person who types a command needs no
    /// question about it.
    pub(crate) fn of_person(&self) -> PersonApproval {
        PersonApproval(self.clone())
    }

    pub(crate) fn set_approve_writes(&self, approve_writes: WriteApproval) {
        self.state().approve_writes = approve_writes;
    }

    /// Allows commands with these leading words from now on.
    pub(crate) fn grant(&self, entry: &CommandPrefix, is_kept: bool) {
        self.state().granted.push(Grant { entry: entry.clone(), is_kept });
    }

    /// Returns the entries that the person allowed since the last call.
    pub(crate) fn take_grants(&self) -> Vec<Grant> {
        std::mem::take(&mut self.state().granted)
    }

    /// Returns the time for which tools waited for the person's answers since the last call.
    pub(crate) fn take_waited(&self) -> Duration {
        std::mem::take(&mut self.state().waited)
    }

    /// Allows all writes from now on.
    pub(crate) fn grant_writes(&self) {
        self.state().writes_freely = true;
    }

    /// Notes that the person allowed one write, which may count for all.
    pub(crate) fn wrote_once(&self) {
        let mut state = self.state();
        state.writes_freely |= state.approve_writes == WriteApproval::Session;
    }

    /// Forgets the answers that held for the session.
    pub(crate) fn forget(&self) {
        let mut state = self.state();
        state.granted.clear();
        state.writes_freely = false;
    }

    /// Stores a rule for the folder in the user's settings. Returns their file.
    pub(crate) fn keep(&self, entry: &CommandPrefix, rule: CommandRule) -> Result<PathBuf, KeepError> {
        let (file, folder) = self.state().kept_in.clone().ok_or(KeepError::NoFile)?;
        keep_command(&file, &folder, entry, rule)?;
        Ok(file)
    }

    /// Stores permissions for the folder in the user's settings. Returns their file.
    pub(crate) fn keep_permissions(&self, permissions: &Permissions) -> Result<PathBuf, KeepError> {
        let (file, folder) = self.state().kept_in.clone().ok_or(KeepError::NoFile)?;
        keep_permissions(&file, &folder, permissions)?;
        Ok(file)
    }

    /// Returns whether an earlier answer allows this action.
    pub(crate) fn is_settled(&self, request: &ApprovalRequest) -> bool {
        let state = self.state();
        match &request.kind {
            ApprovalKind::Command { entry } => {
                // The proposal consists of the first words of the command, so a shorter entry covers both.
                state.granted.iter().any(|grant| grant.entry.allows(entry.words()))
            }
            ApprovalKind::Write => state.writes_freely,
            _ => false,
        }
    }

    fn state(&self) -> MutexGuard<'_, ChannelState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Approval for ApprovalChannel {
    async fn ask(&self, request: &ApprovalRequest) -> ApprovalAnswer {
        if self.is_settled(request) {
            return ApprovalAnswer::Yes;
        }
        let nobody = || {
            let why = if self.state().is_in_run {
                "a run started this session, so no person can be asked"
            } else {
                "this is repeated or scheduled, so nobody is asked"
            };
            ApprovalAnswer::No(match &request.kind {
                ApprovalKind::ShellLine => format!(
                    "{why}, and only a person can allow a line for a shell. Run its commands one by one, without a shell"
                ),
                ApprovalKind::Command { .. } | ApprovalKind::Pipeline { .. } => format!(
                    "{why}, and no rule of the user's allows it. Do without it, and tell the user in your reply that it \
                     did not run"
                ),
                _ => why.to_owned(),
            })
        };
        let asking = self.state().asking.clone();
        let (answer, answered) = oneshot::channel();
        let question = ApprovalQuestion::new(request.clone(), answer, self.clone());
        match asking.map(|asking| asking.send(question).is_ok()) {
            Some(true) => {
                let asked = Instant::now();
                let answer = answered.await.unwrap_or_else(|_| nobody());
                self.state().waited += asked.elapsed();
                answer
            }
            _ => nobody(),
        }
    }

    fn asks_before_writes(&self) -> bool {
        self.asks_before_lasting_changes() && !self.state().writes_freely
    }

    fn asks_before_lasting_changes(&self) -> bool {
        self.is_open() && self.state().approve_writes != WriteApproval::Never
    }
}

/// Asks the person about the actions of their own commands.
#[derive(Debug)]
pub(crate) struct PersonApproval(ApprovalChannel);

#[async_trait]
impl Approval for PersonApproval {
    async fn ask(&self, request: &ApprovalRequest) -> ApprovalAnswer {
        match &request.kind {
            ApprovalKind::Command { entry } => ApprovalAnswer::No(format!(
                "no rule allows it; `/allow {}` allows it in this session, and `!` before a command runs it as you would",
                shlex::try_quote(&entry.to_string()).unwrap_or_default()
            )),
            _ => self.0.ask(request).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::tests::silent;

    #[tokio::test]
    async fn nobody_is_asked_but_while_a_person_waits() {
        let approvals = ApprovalChannel::default();
        let (folder, waiting) = (tempfile::tempdir().expect("a folder"), approvals.clone());
        let workspace =
            loop_guardrails::policy::workspace::Workspace::open(folder.path(), Default::default());
        let tools = loop_agents::tools::Toolbox::standard(workspace.expect("a workspace")).approval(waiting);
        let call = serde_json::json!({ "path": "AGENTS.md", "content": "x\n" });
        assert!(tools.call("write_file", &call).await.text.contains("nobody is asked"));
        let mut questions = approvals.open();
        let answer = async { questions.recv().await?.answered(Some("yes"), &silent()) };
        let (report, _) = tokio::join!(tools.call("write_file", &call), answer);
        assert_eq!(report.text, "wrote 2 bytes to AGENTS.md");
        let answer = async {
            let again = questions.recv().await?.answered(Some(" yes"), &silent())?;
            again.answered(Some("not now"), &silent())
        };
        let (report, _) = tokio::join!(tools.call("write_file", &call), answer);
        assert!(report.text.contains("said no"), "{}", report.text);
        drop(questions);
        assert!(tools.call("write_file", &call).await.text.contains("nobody is asked"));
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_of_a_question_is_known() {
        let approvals = ApprovalChannel::default();
        let folder = tempfile::tempdir().expect("a folder");
        let workspace =
            loop_guardrails::policy::workspace::Workspace::open(folder.path(), Default::default());
        let tools = loop_agents::tools::Toolbox::standard(workspace.expect("a workspace"));
        let (tools, mut questions) = (tools.approval(approvals.clone()), approvals.open());
        let call = serde_json::json!({ "path": "AGENTS.md", "content": "x\n" });
        let answer = async {
            let question = questions.recv().await?;
            tokio::time::advance(Duration::from_secs(12)).await;
            question.answered(Some("yes"), &silent())
        };
        let (report, _) = tokio::join!(tools.call("write_file", &call), answer);
        assert_eq!(report.text, "wrote 2 bytes to AGENTS.md");
        let waited = approvals.take_waited();
        assert!((12..13).contains(&waited.as_secs()), "{waited:?}");
        assert_eq!(approvals.take_waited(), Duration::ZERO);
    }
}
