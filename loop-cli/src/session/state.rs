//! What a session is made of.

use std::fmt;

use loop_agents::chat::{Attachment, Chat};
use loop_core::{CancellationToken, Usage};
use loop_session::{SessionHost, SessionLog, SessionOutput};
use loop_telemetry::{
    StateDir,
    transcript::{SessionInfo, SessionStore},
};

use super::no_model::NoModel;
use super::{
    jobs::SessionJobs,
    screen::{Pace, money},
    tools::Tools,
};
use crate::{clock, schedule::SchedulePlace, view};
use loop_manifest::{
    ExecutionContext,
    model::{Conversation, Model},
    settings::Settings,
};

/// A conversation, and all that a person does around it.
///
/// It has no way to ask anybody anything: the editor is elsewhere. What it does can be repeated without anybody there. Its
/// tools can ask while the line is done that a person typed, and are refused otherwise.
pub(crate) struct Session {
    pub(super) chat: Chat,
    /// Who answers; nobody if no model is there.
    pub(super) model: Option<Model>,
    /// `--model` said who.
    pub(super) is_model_named: bool,
    pub(super) tools: Tools,
    /// What fires by the clock.
    pub(super) jobs: SessionJobs,
    /// What `--system` said.
    pub(super) system: Option<String>,
    pub(super) settings: Settings,
    pub(super) place: ExecutionContext,
    pub(super) log: SessionLog,
    /// What goes along with the next prompt.
    pub(super) attachments: Vec<Attachment>,
    /// How long turns take.
    pub(super) pace: Pace,
    /// Turns that came to their end.
    pub(super) turns: u64,
    /// What they used, as far as it was reported.
    pub(super) usage: Usage,
    /// Why nobody answers, as long as nobody was told.
    pub(super) no_model: Option<anyhow::Error>,
    /// What was typed last, for the transcript.
    pub(super) line: String,
    /// Ends what is being done.
    stop: CancellationToken,
    /// Somebody left.
    is_over: bool,
}

/// Shows it at the terminal.
struct Terminal;

impl SessionOutput for Terminal {
    fn say(&self, text: &str) {
        view::say(text);
    }

    fn warn(&self, text: &str) {
        view::warning(text);
    }
}

/// Returns the host of the session: this terminal, the clock, and the known secrets.
fn host() -> SessionHost {
    SessionHost::new(Terminal).with_clock(clock::now).with_secrets(view::secrets)
}

/// A person ended what was being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub(crate) struct Interrupted;

impl Session {
    /// One that begins.
    ///
    /// # Errors
    /// A folder that cannot be worked in, and no state directory.
    pub(super) fn new(
        model: Option<Model>,
        Conversation { model: named, system, tools }: Conversation,
        settings: Settings,
        place: ExecutionContext,
    ) -> anyhow::Result<Self> {
        let tools = Tools::new(tools, &settings, &place)?;
        let state = StateDir::from_env_with(|name| place.variable(name))?;
        let asked = model.as_ref().map_or("", Model::asked);
        let info = SessionInfo::new(place.custody().run(), place.folder(), asked, clock::now());
        let info = info.redacted(&view::secrets());
        let chat = match &model {
            Some(model) => Chat::new(model.boxed(place.seed())),
            None => Chat::new(NoModel),
        };
        let schedule = SchedulePlace::of(place.folder().to_owned(), settings.user.tables.schedule.clone())?;
        let log = SessionLog::new(SessionStore::at(state.sessions()), info, host()).toolless(!tools.are_on);
        let mut session = Self {
            chat,
            model,
            is_model_named: named.is_some(),
            tools,
            jobs: SessionJobs::new(schedule)?,
            system,
            settings,
            place,
            log,
            attachments: Vec::new(),
            pace: Pace::default(),
            turns: 0,
            usage: Usage::unknown(),
            no_model: None,
            line: String::new(),
            stop: CancellationToken::new(),
            is_over: false,
        };
        session.renew_tools();
        Ok(session)
    }

    /// Says something to the person.
    pub(super) fn say(&self, text: &str) {
        view::say(text);
    }

    /// What the model is called in lines for people.
    pub(super) fn model_name(&self) -> &str {
        self.model.as_ref().map_or("no model", Model::id)
    }

    /// The session as it would be written in arguments.
    pub(super) fn conversation(&self) -> Conversation {
        let tools = if self.tools.are_on { self.tools.names.clone() } else { Vec::new() };
        let model = self.model.as_ref().map(|model| model.asked().to_owned());
        Conversation { model, system: self.system.clone(), tools: Some(tools) }
    }

    /// Makes the system prompt anew.
    pub(super) async fn renew_system(&mut self) {
        let prompt = self.system_prompt().await;
        self.chat.set_system(prompt);
    }

    /// What was used so far, in words.
    pub(super) fn used(&self) -> String {
        let tokens = self.usage.tokens().map(|tokens| view::text::count(tokens, "token"));
        let cost = self.usage.cost.map(money);
        let parts: Vec<_> = tokens.into_iter().chain(cost).collect();
        if parts.is_empty() { "unknown".to_owned() } else { parts.join(", ") }
    }

    /// Leaves the session when what is being done is done.
    pub(super) fn leave(&mut self) {
        self.is_over = true;
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Begins what was typed; the token ends it.
    pub(super) fn begin(&mut self, line: &str) -> CancellationToken {
        line.clone_into(&mut self.line);
        self.stop = CancellationToken::new();
        self.stop()
    }

    /// What ends what is being done.
    pub(super) fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("chat", &self.chat)
            .field("turns", &self.turns)
            .finish_non_exhaustive()
    }
}
