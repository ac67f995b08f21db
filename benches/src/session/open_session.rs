//! A session in this process, whose output nobody reads.

use std::{
    ffi::OsString,
    fs,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;
use loop_agents::{
    chat::{Message, TurnEvent},
    process::Supervisor,
};
use loop_core::{CancellationToken, Usage};
use loop_manifest::{
    ExecutionContext,
    model::{ConversationOptions, Model},
    settings::Settings,
};
use loop_session::{Activity, ActivityView, Session, SessionHost, SessionOutput, StartModel};
use loop_telemetry::transcript::{ConversationChange, SessionInfo, SessionStore, TranscriptEntry};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::{TurnTimes, server::ReplyServer};

/// The model of the sessions.
const MODEL: &str = "openai:scripted";

/// The id of the long transcript.
const LONG: &str = "long";

/// A session, with the folders that it uses.
pub(super) struct OpenSession {
    folder: TempDir,
    runtime: Runtime,
    session: Option<Session>,
    first_token: FirstToken,
}

/// The time of the first token of the current turn.
#[derive(Clone, Default)]
struct FirstToken(Arc<Mutex<Option<Instant>>>);

impl SessionOutput for FirstToken {
    fn say(&self, _: &str) {}

    fn warn(&self, _: &str) {}

    fn show(&self, _: Activity) -> Box<dyn ActivityView> {
        Box::new(self.clone())
    }
}

impl ActivityView for FirstToken {
    fn on_event(&mut self, event: TurnEvent<'_>) {
        if matches!(event, TurnEvent::Delta(_)) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now);
        }
    }
}

impl OpenSession {
    /// Opens a session with the models of this server.
    pub(super) fn talking_to(server: &ReplyServer) -> Result<Self> {
        let mut opened = Self::closed()?;
        let url = format!("http://{}/v1", server.address);
        opened.session = Some(opened.open(&url, None)?);
        Ok(opened)
    }

    /// Stores a session with this number of messages, to be resumed.
    pub(super) fn with_transcript(messages: usize) -> Result<Self> {
        let opened = Self::closed()?;
        let info = SessionInfo::new(LONG, opened.folder.path(), MODEL, Timestamp::now());
        let store = SessionStore::at(opened.state().join("sessions"));
        let mut transcript = store.begin(&info, Timestamp::now)?;
        for turn in 0..messages / 2 {
            let prompt = Message::user(format!("Question {turn}: what does the next function do, and why?"));
            let reply = Message::assistant(format!("Answer {turn}. {}", "It adds two numbers. ".repeat(20)));
            let model = MODEL.to_owned();
            transcript.append(&TranscriptEntry::Asked { prompt: prompt.clone(), model: model.clone() })?;
            let change = ConversationChange { kept: turn * 2, messages: vec![prompt, reply] };
            let usage = Usage::unknown();
            transcript.append(&TranscriptEntry::Answered { change, usage, model })?;
        }
        transcript.append(&TranscriptEntry::Ended)?;
        Ok(opened)
    }

    /// Starts a session that resumes the stored one, and returns the time that this takes.
    pub(super) fn resume(&self) -> Result<Duration> {
        let begun = Instant::now();
        let mut session = self.open("http://127.0.0.1:1/v1", Some(LONG))?;
        let time = begun.elapsed();
        session.end();
        Ok(time)
    }

    /// Parses the lines of the stored session, and returns the time that this takes.
    pub(super) fn parse_lines(&self) -> Result<Duration> {
        let begun = Instant::now();
        let text = fs::read_to_string(self.state().join("sessions").join(LONG).with_extension("jsonl"))?;
        let lines = text.lines().map(serde_json::from_str::<serde_json::Value>);
        let lines = lines.collect::<Result<Vec<_>, _>>()?;
        ensure!(lines.len() > 1, "the transcript is empty");
        Ok(begun.elapsed())
    }

    /// Sends a prompt in a new conversation, and waits for the whole reply.
    pub(super) fn turn(&mut self) -> Result<TurnTimes> {
        let session = self.session.as_mut().context("no session is open")?;
        *self.first_token.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.runtime.block_on(session.run_line("/clear", CancellationToken::new()))?;
        let begun = Instant::now();
        self.runtime.block_on(session.run_line("Hello?", CancellationToken::new()))?;
        let whole = begun.elapsed();
        let first = *self.first_token.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(TurnTimes { first: first.context("the reply has no token")? - begun, whole })
    }

    fn closed() -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let first_token = FirstToken::default();
        Ok(Self { folder: tempfile::tempdir()?, runtime, session: None, first_token })
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn open(&self, url: &str, resumed: Option<&str>) -> Result<Session> {
        let variables = [
            ("LOOP_HOME", self.state().into_os_string()),
            ("OPENAI_BASE_URL", url.into()),
            ("OPENAI_API_KEY", "none".into()),
        ];
        let variables = variables.map(|(name, value)| (OsString::from(name), value));
        let run = format!("bench-{}", Timestamp::now().as_nanosecond());
        let cx = ExecutionContext::new(self.folder.path(), Supervisor::new(run))?.with_variables(variables);
        let (options, settings) = (
            ConversationOptions { tools: Some(Vec::new()), ..ConversationOptions::default() },
            Settings::default(),
        );
        // The session asks the server of a model that it chooses itself.
        let model = StartModel::Chosen(Box::new(Model::choose(Some(MODEL), &settings, cx.variables())?));
        let host = SessionHost::new(self.first_token.clone());
        let mut session = Session::open_with(model, options, settings, cx, host)?;
        self.runtime.block_on(session.start(resumed))?;
        Ok(session)
    }
}
