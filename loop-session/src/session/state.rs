//! The parts of a session.

use std::{ffi::OsStr, fmt, time::Duration};

use loop_agents::chat::{Attachment, Chat};
use loop_core::{CancellationToken, Usage};
use loop_manifest::{
    ExecutionContext,
    model::{Conversation, Model, ModelChoiceError},
    settings::Settings,
};
use loop_schedule::{DISABLE_VARIABLE, ProjectJobs, is_disabled};
use loop_telemetry::{
    StateDir,
    transcript::{SessionInfo, SessionStore},
    words::{
        self,
        style::{DIM, paint},
    },
};

use super::{no_model::NoModel, pace::Pace, statistics::money, tools::Tools};
use crate::{
    Approvals, Commands, InputError, OpenError, SessionHost, SessionLog, Work, WorkView, jobs::SessionJobs,
};

/// A conversation with a model, and everything that a person does around it: commands, tools, files, repeats, jobs and
/// the transcript.
///
/// A front end gives it the lines that a person types, and shows what it [says](crate::SessionOutput). The session itself asks
/// nobody anything, so a line can be repeated at night. Only its tools can ask, while a front end has
/// [opened](crate::Approvals::open) the way to a person.
pub struct Session {
    pub(crate) dialogue: Dialogue,
    pub(crate) tools: Tools,
    pub(crate) jobs: SessionJobs,
    pub(crate) log: SessionLog,
    pub(crate) context: Context,
    commands: Commands,
    current: CurrentLine,
}

/// The conversation with the model.
pub(crate) struct Dialogue {
    pub(crate) chat: Chat,
    /// The model that answers; `None` if there is none.
    pub(crate) model: Option<Model>,
    /// Why there is no model, until the person is told.
    no_model: Option<ModelChoiceError>,
    /// Whether the person named the model when the session began.
    pub(crate) is_model_named: bool,
    /// The system prompt of the person's own, if there is one.
    pub(crate) system: Option<String>,
    /// These go along with the next prompt.
    pub(crate) attachments: Vec<Attachment>,
    /// The times of the last turns.
    pub(crate) pace: Pace,
    /// The number of turns with a reply.
    pub(crate) turns: u64,
    /// Their usage, as far as it was reported.
    pub(crate) usage: Usage,
}

/// The surroundings of the session.
pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) execution: ExecutionContext,
    pub(crate) host: SessionHost,
}

/// The line that is carried out.
#[derive(Default)]
struct CurrentLine {
    /// As it was typed, for the transcript.
    text: String,
    /// Ends it.
    stop: CancellationToken,
    /// Whether the person left.
    is_over: bool,
}

impl Session {
    /// Opens a session in the folder of `execution`, with the [standard commands](Commands::standard). Its transcript,
    /// its audit and its jobs are kept in the [`StateDir`] that the variables of `execution` name.
    ///
    /// Without a model the session begins nevertheless, unless `conversation` names one: the transcript of an earlier
    /// session may name a model that can answer.
    ///
    /// # Errors
    /// The model that is named cannot be asked, the folder cannot be worked in, or there is no place for state.
    pub fn open(
        conversation: Conversation,
        settings: Settings,
        execution: ExecutionContext,
        host: SessionHost,
    ) -> Result<Self, OpenError> {
        let host = host.with_secrets_in(execution.variables());
        let Conversation { model: named, system, tools, .. } = conversation;
        let chosen = Model::choose(named.as_deref(), &settings, execution.variables());
        let (model, no_model) = match chosen {
            Ok(model) => (Some(model), None),
            Err(why) if named.is_none() => (None, Some(why)),
            Err(why) => return Err(why.into()),
        };
        let tools = Tools::new(tools, &settings, &execution)?;
        let state = StateDir::from_env_with(|name| execution.variable(name))?;
        let asked = model.as_ref().map_or("", Model::asked);
        let info = SessionInfo::new(execution.custody().run(), execution.folder(), asked, host.now());
        let info = info.redacted(&host.secrets());
        let chat = match &model {
            Some(model) => Chat::new(model.boxed(execution.seed())),
            None => Chat::new(NoModel),
        };
        let jobs = SessionJobs::new(project_jobs(&state, &settings, &execution, &host)?, host.clone())?;
        let is_disabled = is_disabled(execution.variable(DISABLE_VARIABLE).as_deref().map(OsStr::new));
        let log =
            SessionLog::new(SessionStore::at(state.sessions()), info, host.clone()).toolless(!tools.are_on);
        let mut session = Self {
            dialogue: Dialogue {
                chat,
                model,
                no_model,
                is_model_named: named.is_some(),
                system,
                attachments: Vec::new(),
                pace: Pace::default(),
                turns: 0,
                usage: Usage::unknown(),
            },
            tools,
            jobs: jobs.disabled(is_disabled),
            log,
            context: Context { settings, execution, host },
            commands: Commands::standard(),
            current: CurrentLine::default(),
        };
        session.renew_tools();
        Ok(session)
    }

    /// Replaces the commands.
    #[must_use]
    pub fn with_commands(self, commands: Commands) -> Self {
        Self { commands, ..self }
    }

    /// Begins the session: makes the system prompt, goes on with the session that `resumed` names (see
    /// `/session continue`), and greets the person.
    ///
    /// # Errors
    /// That session cannot be gone on with.
    pub async fn start(&mut self, resumed: Option<&str>) -> Result<(), InputError> {
        self.renew_system().await;
        if let Some(wanted) = resumed {
            self.go_on_with(wanted)?;
            if self.tools.are_asked {
                self.allow_tools(true);
            }
        }
        if let Some(why) = self.dialogue.no_model.take().filter(|_| self.dialogue.model.is_none()) {
            self.warn(&loop_core::with_causes(&why));
        }
        let tools = if self.tools.are_on { "with tools" } else { "without tools" };
        let folder = self.context.execution.folder().display();
        self.say(&paint(DIM, format_args!("{}, {tools}, in {folder} · /help", self.model_name())));
        Ok(())
    }

    /// Ends the transcript. A front end calls this when the person has left.
    pub fn end(&mut self) {
        self.log.end();
    }

    /// Shows a text to the person.
    pub fn say(&self, text: &str) {
        self.context.host.say(text);
    }

    /// Shows a warning to the person.
    pub fn warn(&self, text: &str) {
        self.context.host.warn(text);
    }

    /// The program around the session.
    pub const fn host(&self) -> &SessionHost {
        &self.context.host
    }

    /// The commands of the session.
    pub const fn commands(&self) -> &Commands {
        &self.commands
    }

    /// The jobs that fire between two lines.
    pub const fn jobs(&self) -> &SessionJobs {
        &self.jobs
    }

    /// The way from tools to the person. While a front end has it open, tools ask; otherwise they are refused what needs
    /// a yes.
    pub const fn approvals(&self) -> &Approvals {
        &self.tools.approvals
    }

    /// Returns whether every command runs, with any arguments (`/safemode off`).
    pub fn is_unsafe(&self) -> bool {
        self.tools.are_unsafe()
    }

    /// Returns the name of the model for lines that a person reads.
    pub fn model_name(&self) -> &str {
        self.dialogue.model.as_ref().map_or("no model", Model::id)
    }

    /// Returns whether a command has ended the session.
    pub const fn is_over(&self) -> bool {
        self.current.is_over
    }

    /// Ends the session after this line.
    pub fn leave(&mut self) {
        self.current.is_over = true;
    }

    /// Returns the setup of the conversation as it is now.
    pub(crate) fn conversation(&self) -> Conversation {
        let tools = if self.tools.are_on { self.tools.names.clone() } else { Vec::new() };
        let model = self.dialogue.model.as_ref().map(|model| model.asked().to_owned());
        Conversation { model, system: self.dialogue.system.clone(), tools: Some(tools) }
    }

    /// Makes the system prompt anew.
    pub(crate) async fn renew_system(&mut self) {
        let prompt = self.system_prompt().await;
        self.dialogue.chat.set_system(prompt);
    }

    /// Returns the usage so far in words.
    pub(crate) fn used(&self) -> String {
        let tokens = self.dialogue.usage.tokens().map(|tokens| words::count(tokens, "token"));
        let cost = self.dialogue.usage.cost.map(money);
        let parts: Vec<_> = tokens.into_iter().chain(cost).collect();
        if parts.is_empty() { "unknown".to_owned() } else { parts.join(", ") }
    }

    /// Begins to carry out a line that `stop` ends.
    pub(crate) fn begin(&mut self, line: &str, stop: CancellationToken) {
        line.clone_into(&mut self.current.text);
        self.current.stop = stop;
    }

    /// Returns the token that ends the current line.
    pub(crate) fn stop(&self) -> CancellationToken {
        self.current.stop.clone()
    }

    /// Returns the line as it was typed.
    pub(crate) fn line(&self) -> &str {
        &self.current.text
    }

    /// Begins to show a turn of a model, or a call of a tool if `model` is empty.
    pub(crate) fn show(
        &self,
        model: &str,
        doing: String,
        usual: Option<Duration>,
        context: Option<String>,
    ) -> Box<dyn WorkView> {
        self.context.host.show(Work { model: model.to_owned(), doing, usual, context })
    }
}

/// Returns the jobs of the folder, which outlive sessions.
fn project_jobs(
    state: &StateDir,
    settings: &Settings,
    execution: &ExecutionContext,
    host: &SessionHost,
) -> Result<ProjectJobs, OpenError> {
    let secrets = host.secrets();
    let redact = |path: &str| secrets.redact(path).into_owned();
    let numbers = settings.user.tables.schedule.clone();
    let jobs = ProjectJobs::open(&state.schedules(), execution.folder().to_owned(), numbers, redact)?;
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
