//! The parts of a session.

use std::{fmt, time::Duration};

use loop_agents::chat::{Attachment, Chat};
use loop_core::{CancellationToken, Usage, with_causes};
use loop_manifest::{
    ExecutionContext,
    model::{ConversationOptions, Model, ModelChoiceError},
    settings::Settings,
};
use loop_schedule::{DISABLE_VARIABLE, ProjectJobs, is_disabled};
use loop_telemetry::{
    StateDir,
    transcript::{SessionInfo, SessionStore},
    words::style::{DIM, paint},
};

use super::{
    folder_changes::FolderBaseline, models::reach, no_model::new_chat, tools::SessionTools,
    turn_durations::TurnDurations,
};
use crate::{
    Activity, ActivityView, ApprovalChannel, Commands, InputError, OpenError, SessionHost, TranscriptWriter,
    jobs::SessionJobs,
};

/// A conversation with a model, together with everything that a person does around it: commands, tools, files, repeats,
/// jobs and the transcript.
///
/// A front end passes in the lines that a person types, and shows the session's [output](crate::SessionOutput). The
/// session itself never asks a question, so a line can repeat at night. Only its tools can ask, while a front end keeps
/// the channel to the person [open](crate::ApprovalChannel::open).
pub struct Session {
    pub(crate) dialogue: Dialogue,
    pub(crate) tools: SessionTools,
    pub(crate) jobs: SessionJobs,
    pub(crate) log: TranscriptWriter,
    pub(crate) baseline: FolderBaseline,
    pub(crate) context: SessionContext,
    commands: Commands,
    current: CurrentLine,
}

/// The conversation with the model.
pub(crate) struct Dialogue {
    pub(crate) chat: Chat,
    /// The current model; `None` if there is none.
    pub(crate) model: Option<Model>,
    /// The reason for a missing model, until the person sees it.
    no_model: Option<ModelChoiceError>,
    /// True if the person named the model when the session began.
    pub(crate) is_model_named: bool,
    /// The person's own system prompt, if there is one.
    pub(crate) system: Option<String>,
    /// The attachments of the next prompt.
    pub(crate) attachments: Vec<Attachment>,
    /// The durations of recent turns.
    pub(crate) turn_durations: TurnDurations,
    /// The number of turns with a reply.
    pub(crate) turns: u64,
    /// The reported usage of these turns.
    pub(crate) usage: Usage,
    /// True if the last turn had no known cost, and the person has read that.
    pub(crate) told_unknown_cost: bool,
    /// True if the person has read that retrieval uses full text alone.
    pub(crate) told_full_text: bool,
    /// True until a prompt was the query for the memories at the beginning of the conversation.
    pub(crate) needs_memories: bool,
    /// The number of items that recall has put into conversations.
    pub(crate) recalled: u64,
}

/// The model with which a session starts.
#[derive(Debug)]
pub enum StartModel {
    /// The session chooses it.
    Choose,
    /// It is chosen already.
    Chosen(Box<Model>),
    /// There is none, for this reason, which the session reports.
    Declined(ModelChoiceError),
}

/// The surroundings of the session.
pub(crate) struct SessionContext {
    pub(crate) settings: Settings,
    pub(crate) execution: ExecutionContext,
    pub(crate) host: SessionHost,
}

/// The current line.
#[derive(Default)]
struct CurrentLine {
    /// As it was typed, for the transcript.
    text: String,
    /// Cancels the line.
    stop: CancellationToken,
    /// True if the person left.
    is_over: bool,
}

impl Session {
    /// Opens a session in the folder of `execution`, with the [standard commands](Commands::standard). It stores its
    /// transcript, its audit log and its jobs in the [`StateDir`] that the variables of `execution` name.
    ///
    /// The session begins even without a model, unless `conversation` names one: the transcript of an earlier session
    /// may name a usable model. The server of a named model has to answer within two seconds.
    ///
    /// # Errors
    /// The named model or the folder is not usable, or there is no place for state.
    pub fn open(
        conversation: ConversationOptions,
        settings: Settings,
        execution: ExecutionContext,
        host: SessionHost,
    ) -> Result<Self, OpenError> {
        Self::open_with(StartModel::Choose, conversation, settings, execution, host)
    }

    /// Opens a session as [`open`](Self::open) does, with a choice of the model that a person has made.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_with(
        start: StartModel,
        conversation: ConversationOptions,
        mut settings: Settings,
        execution: ExecutionContext,
        host: SessionHost,
    ) -> Result<Self, OpenError> {
        let host = host.with_secrets_in(execution.variables());
        settings.user.tables.policy.allow.extend(conversation.allowed());
        let ConversationOptions { model: named, system, tools, .. } = conversation;
        let state = StateDir::from_env_with(|name| execution.variable(name))?;
        let sessions = state.sessions()?;
        let chosen = match start {
            StartModel::Choose => Model::choose(named.as_deref(), &settings, execution.variables()),
            StartModel::Chosen(model) => Ok(*model),
            StartModel::Declined(why) => Err(why),
        };
        let (model, no_model) = match chosen {
            Ok(model) => {
                if named.is_some() {
                    reach(&model, &host)?;
                }
                let model = model.learn(&execution, false);
                model.remember(&execution);
                (Some(model), None)
            }
            Err(why) if named.is_none() => (None, Some(why)),
            Err(why) => return Err(why.into()),
        };
        let tools = SessionTools::new(tools, &settings, &execution)?;
        let asked = model.as_ref().map_or("", Model::asked);
        let info = SessionInfo::new(execution.supervisor().run(), execution.folder(), asked, host.now());
        let info = info.redacted(&host.secrets());
        let chat = new_chat(model.as_ref(), &settings, &execution);
        let jobs = SessionJobs::new(project_jobs(&state, &settings, &execution, &host)?, host.clone())?;
        let is_disabled = is_disabled(execution.variable(DISABLE_VARIABLE).as_deref());
        let log =
            TranscriptWriter::new(SessionStore::at(sessions), info, host.clone()).toolless(!tools.are_on);
        let mut session = Self {
            dialogue: Dialogue {
                chat,
                model,
                no_model,
                is_model_named: named.is_some(),
                system,
                attachments: Vec::new(),
                turn_durations: TurnDurations::default(),
                turns: 0,
                usage: Usage::unknown(),
                told_unknown_cost: false,
                told_full_text: false,
                needs_memories: true,
                recalled: 0,
            },
            tools,
            jobs: jobs.disabled(is_disabled),
            log,
            baseline: FolderBaseline::new(&execution),
            context: SessionContext { settings, execution, host },
            commands: Commands::standard(),
            current: CurrentLine::default(),
        };
        session.rebuild_tools();
        Ok(session)
    }

    /// Replaces the commands.
    #[must_use]
    pub fn with_commands(self, commands: Commands) -> Self {
        Self { commands, ..self }
    }

    /// Starts the session: builds the system prompt, resumes the session that `resumed` names (see `/session
    /// continue`), and greets the person.
    ///
    /// # Errors
    /// The named session cannot be resumed.
    pub async fn start(&mut self, resumed: Option<&str>) -> Result<(), InputError> {
        self.watch_folder();
        self.rebuild_system_prompt().await;
        let mut recent = Vec::new();
        if let Some(wanted) = resumed {
            recent = self.resume(wanted)?;
            if self.tools.are_asked {
                self.allow_tools(true);
            }
        }
        if let Some(why) = self.dialogue.no_model.take().filter(|_| self.dialogue.model.is_none()) {
            self.warn(&with_causes(&why));
        }
        if let Some(reason) = self.dialogue.model.as_ref().and_then(Model::reason) {
            self.say(&paint(DIM, reason));
        }
        self.report_skills();
        let tools = if self.tools.are_on { "with tools" } else { "without tools" };
        let folder = self.context.execution.folder().display();
        self.say(&paint(DIM, format_args!("{}, {tools}, in {folder} · /help", self.model_name())));
        self.show_last_exchange(recent);
        Ok(())
    }

    /// Shows a text to the person.
    pub fn say(&self, text: &str) {
        self.context.host.say(text);
    }

    /// Shows a warning to the person.
    pub fn warn(&self, text: &str) {
        self.context.host.warn(text);
    }

    /// Returns the program around the session.
    pub const fn host(&self) -> &SessionHost {
        &self.context.host
    }

    /// Returns the commands of the session.
    pub const fn commands(&self) -> &Commands {
        &self.commands
    }

    /// Returns the jobs that fire between two lines.
    pub const fn jobs(&self) -> &SessionJobs {
        &self.jobs
    }

    /// Returns the channel from tools to the person. While a front end keeps it open, tools ask; otherwise actions that
    /// need approval are refused.
    pub const fn approvals(&self) -> &ApprovalChannel {
        &self.tools.approvals
    }

    /// Returns whether every command may run, with any arguments (`/safemode off`).
    pub fn is_unsafe(&self) -> bool {
        self.tools.are_unsafe()
    }

    /// Returns the name of the model, for display.
    pub fn model_name(&self) -> &str {
        self.dialogue.model.as_ref().map_or("no model", Model::id)
    }

    /// Returns the size of the model's window in tokens, if it is known.
    pub fn context_window(&self) -> Option<u64> {
        self.dialogue.model.as_ref().and_then(Model::window)
    }

    /// Returns whether a command has ended the session.
    pub const fn is_over(&self) -> bool {
        self.current.is_over
    }

    /// Ends the session after the current line.
    pub fn leave(&mut self) {
        self.current.is_over = true;
    }

    /// Returns the current setup of the conversation.
    pub(crate) fn conversation(&self) -> ConversationOptions {
        let tools = if self.tools.are_on { self.tools.names.clone() } else { Vec::new() };
        let model = self.dialogue.model.as_ref().map(|model| model.asked().to_owned());
        let (system, tools) = (self.dialogue.system.clone(), Some(tools));
        ConversationOptions { model, system, tools, ..ConversationOptions::default() }
    }

    /// Rebuilds the system prompt.
    pub(crate) async fn rebuild_system_prompt(&mut self) {
        let prompt = self.system_prompt().await;
        self.dialogue.chat.set_system(prompt);
    }

    /// Begins a line, which `stop` cancels.
    pub(crate) fn begin(&mut self, line: &str, stop: CancellationToken) {
        line.clone_into(&mut self.current.text);
        self.current.stop = stop;
        // The turn of a skill may have been dropped.
        self.widen_tools();
    }

    /// Returns the token that cancels the current line.
    pub(crate) fn stop(&self) -> CancellationToken {
        self.current.stop.clone()
    }

    /// Returns the line as it was typed.
    pub(crate) fn line(&self) -> &str {
        &self.current.text
    }

    /// Begins to show a model's turn, or a tool call if `model` is empty.
    pub(crate) fn show(
        &self,
        model: &str,
        doing: String,
        mean_duration: Option<Duration>,
        context: Option<String>,
    ) -> Box<dyn ActivityView> {
        self.context.host.show(Activity { model: model.to_owned(), doing, mean_duration, context })
    }
}

/// Returns the jobs of the folder, which outlive sessions.
fn project_jobs(
    state: &StateDir,
    settings: &Settings,
    execution: &ExecutionContext,
    host: &SessionHost,
) -> Result<ProjectJobs, OpenError> {
    let redact = |path: &str| host.secrets().redact(path).into_owned();
    let numbers = settings.user.tables.schedule.clone();
    let jobs = ProjectJobs::open(&state.schedules()?, execution.folder().to_owned(), numbers, redact)?;
    let host = host.clone();
    Ok(jobs.on_warning(move |warning| host.warn(warning)))
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("chat", &self.dialogue.chat)
            .field("turns", &self.dialogue.turns)
            .finish_non_exhaustive()
    }
}
