//! Suggestions for the next step, each with the command that takes it.

use std::cell::OnceCell;

use loop_core::with_causes;
use loop_knowledge::{
    documents::{DocumentStore, Selection},
    notes::Notes,
};
use loop_telemetry::{
    RunStore, StateDir,
    transcript::{SessionEntry, SessionStore, UnreadableSession},
    words,
};
use serde::Serialize;

use super::status::{job_store, unreadable_sessions};
use crate::knowledge::WorkspaceKnowledge;

/// The most hints at once.
pub const MOST_HINTS: usize = 5;

/// The size of all transcripts from which on a hint names it, in bytes.
const LARGE_TRANSCRIPTS: u64 = 1 << 30;

/// A possible action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Hint {
    /// The reason for it.
    pub reason: String,
    /// The command.
    pub command: String,
}

impl Hint {
    fn new(reason: impl Into<String>, command: impl Into<String>) -> Self {
        Self { reason: reason.into(), command: command.into() }
    }
}

/// The state of the open session, for the hints in it.
#[derive(Debug, Clone, Copy)]
pub struct SessionFacts<'a> {
    /// Its id.
    pub id: &'a str,
    /// Whether it has a model whose window is unknown.
    pub lacks_window: bool,
    /// Whether all commands run without a question.
    pub is_unsafe: bool,
}

/// Returns the most useful hints first, at most [`MOST_HINTS`]. Blocks on the disk. `session` is the session in which they
/// are shown.
///
/// A source that cannot be read is a hint itself: `loop doctor` examines it.
pub fn hints(known: &WorkspaceKnowledge, state: &StateDir, session: Option<SessionFacts<'_>>) -> Vec<Hint> {
    let cx = Sources { known, state, session, sessions: OnceCell::new() };
    // Each is read only if the ones before it leave room.
    let sources: [fn(&_) -> Source; 10] = [
        Sources::unfinished_run,
        Sources::idle_jobs,
        |cx| Ok(cx.safe_mode()),
        Sources::proposals,
        |cx| Ok(cx.window()),
        Sources::empty_store,
        Sources::unmined,
        Sources::unreadable_sessions,
        Sources::large_transcripts,
        Sources::notes,
    ];
    let hint = |source: Source| {
        source.unwrap_or_else(|why| {
            Some(Hint::new(format!("stored data cannot be read: {why}"), "loop doctor"))
        })
    };
    sources.into_iter().filter_map(|source| hint(source(&cx))).take(MOST_HINTS).collect()
}

/// Where hints come from.
struct Sources<'a> {
    known: &'a WorkspaceKnowledge,
    state: &'a StateDir,
    session: Option<SessionFacts<'a>>,
    /// The stored sessions, which several sources read.
    sessions: OnceCell<Result<ListedSessions, String>>,
}

/// The sessions of all folders, and those that cannot be read.
type ListedSessions = (Vec<SessionEntry>, Vec<UnreadableSession>);

type Source = Result<Option<Hint>, String>;

impl Sources<'_> {
    /// Returns the command with this text, as it is written in a session or outside of it.
    fn command(&self, text: &str) -> String {
        if self.session.is_some() { format!("/{text}") } else { format!("loop {text}") }
    }

    fn unfinished_run(&self) -> Source {
        let runs = RunStore::at(self.state.runs().map_err(|error| with_causes(&error))?, |_| ());
        let run = runs.last_unfinished_in(self.known.root()).map_err(|error| with_causes(&error))?;
        Ok(run.map(|run| {
            Hint::new(
                format!("the run of `{}` was cut off and can be resumed", run.name),
                format!("loop resume {}", run.id),
            )
        }))
    }

    /// Jobs that nobody fires: an open session of the folder would.
    fn idle_jobs(&self) -> Source {
        let store = job_store(self.known, self.state)?;
        let jobs = store.read().map_err(|error| with_causes(&error))?.report(drop);
        let count = jobs.records().iter().filter(|record| !record.job.paused).count() as u64;
        if count == 0 || self.session.is_some() {
            return Ok(None);
        }
        let is_fired = store.is_firing().and_then(|firing| Ok(firing || store.has_open_session()?));
        let is_fired = is_fired.map_err(|error| with_causes(&error))?;
        let reason = format!("nothing fires {} of this folder", words::count(count, "job"));
        Ok((!is_fired).then(|| Hint::new(reason, "loop schedule run")))
    }

    fn safe_mode(&self) -> Option<Hint> {
        let is_unsafe = self.session.is_some_and(|session| session.is_unsafe);
        is_unsafe.then(|| Hint::new("safe mode is off, so every command runs", "/safemode on"))
    }

    fn proposals(&self) -> Source {
        if !self.has_database() {
            return Ok(None);
        }
        let mut memories = self.known.memories().map_err(|error| with_causes(&error))?;
        let proposed = memories.status().map_err(|error| with_causes(&error))?.proposed as u64;
        let reason = format!("{} waits for your review", words::count(proposed, "proposed memory"));
        let reason =
            if proposed > 1 { format!("{proposed} proposed memories wait for your review") } else { reason };
        Ok((proposed > 0).then(|| Hint::new(reason, self.command("memory list"))))
    }

    fn window(&self) -> Option<Hint> {
        let lacks_window = self.session.is_some_and(|session| session.lacks_window);
        let reason = "the window of the model is unknown, so nothing keeps the conversation below it";
        lacks_window.then(|| Hint::new(reason, "/inspect"))
    }

    fn empty_store(&self) -> Source {
        let folder = self.known.folder();
        let selection = Selection::load(folder).map_err(|error| with_causes(&error))?;
        let (Some(name), true) = (selection.store, selection.is_on) else { return Ok(None) };
        let mut store = DocumentStore::open(folder, &name).map_err(|error| with_causes(&error))?;
        let status = store.status().map_err(|error| with_causes(&error))?;
        let reason = format!("retrieval is on, and the store `{name}` is empty");
        Ok((status.sources == 0).then(|| Hint::new(reason, self.command("rag ingest ."))))
    }

    /// Reads the stored sessions once.
    fn sessions(&self) -> Result<&ListedSessions, String> {
        let read = || {
            let store = SessionStore::at(self.state.sessions().map_err(|error| with_causes(&error))?);
            store.list_from(self.known.root()).map_err(|error| with_causes(&error))
        };
        self.sessions.get_or_init(read).as_ref().map_err(String::clone)
    }

    fn unmined(&self) -> Source {
        let (sessions, _) = self.sessions()?;
        let current = self.session.map(|session| session.id);
        let here = sessions.iter().filter(|session| session.info.works_in(self.known.root()));
        let ended: Vec<_> = here.filter(|session| Some(&*session.info.id) != current).collect();
        if ended.is_empty() {
            return Ok(None);
        }
        let mined = match self.has_database() {
            true => {
                let memories = self.known.memories().map_err(|error| with_causes(&error))?;
                memories.mined_texts().map_err(|error| with_causes(&error))?
            }
            false => Default::default(),
        };
        let is_new = |id: &str| !mined.contains_key(&format!("session {id}"));
        let count = ended.iter().filter(|session| is_new(&session.info.id)).count() as u64;
        let reason = format!("{} not mined for memories yet", words::count(count, "session"));
        Ok((count > 0).then(|| Hint::new(reason, "loop memory mine")))
    }

    fn unreadable_sessions(&self) -> Source {
        let (_, unreadable) = self.sessions()?;
        unreadable_sessions(unreadable).map_or(Ok(None), Err)
    }

    fn large_transcripts(&self) -> Source {
        let (sessions, _) = self.sessions()?;
        let bytes = sessions.iter().map(|session| session.bytes).sum::<u64>();
        let reason = format!("transcripts of sessions take {}", words::bytes(bytes));
        Ok((bytes >= LARGE_TRANSCRIPTS).then(|| Hint::new(reason, "loop session rm --keep 20")))
    }

    fn notes(&self) -> Source {
        let observations = match self.has_database() {
            true => {
                let mut notes = Notes::open(self.known.folder(), self.known.secrets())
                    .map_err(|error| with_causes(&error))?;
                notes.status().map_err(|error| with_causes(&error))?.projects
            }
            false => 0,
        };
        let reason = "there are no notes on this folder";
        Ok((observations == 0).then(|| Hint::new(reason, self.command("kb project add NAME"))))
    }

    /// Whether anything is known about the folder. Without it, no file is created.
    fn has_database(&self) -> bool {
        self.known.folder().database().exists()
    }
}

/// Formats hints for people.
pub fn hint_page(hints: &[Hint]) -> String {
    if hints.is_empty() {
        return "there is nothing to suggest".to_owned();
    }
    let line = |hint: &Hint| format!("  {}\n    {}", hint.reason, hint.command);
    hints.iter().map(line).collect::<Vec<_>>().join("\n")
}
