//! Stored sessions, as texts for people.
//!
//! ```
//! use loop_session::stored_sessions::{self, TextFormat};
//! use loop_telemetry::transcript::SessionStore;
//!
//! # let state = tempfile::tempdir()?;
//! let store = SessionStore::at(state.path().join("sessions"));
//! assert!(stored_sessions::text(&store, "s-1", TextFormat::Markdown).is_err());
//! assert_eq!(TextFormat::of("talk.fountain"), TextFormat::Fountain);
//! # Ok::<(), std::io::Error>(())
//! ```

use std::path::Path;

use jiff::Timestamp;
use loop_agents::chat::Message;
use loop_core::with_causes;
use loop_telemetry::{
    transcript::{
        MissingEnd, SessionEntry, SessionError, SessionStore, UnreadableSession,
        export::{ExportedCall, ExportedFile, ExportedMessage, fountain, markdown},
    },
    words::{
        self,
        table::{self, Column},
    },
};

use crate::SessionHost;

/// The number of sessions listed.
const LISTED: usize = 20;

const COLUMNS: &[Column] = &[
    Column::words("session"),
    Column::words("name"),
    Column::words("last used"),
    Column::numbers("size"),
    Column::words("folder"),
];

/// The format of a session's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextFormat {
    /// Markdown.
    #[default]
    Markdown,
    /// A Fountain screenplay.
    Fountain,
}

impl TextFormat {
    /// Returns the format that a file's name implies: Fountain for `.spmd` and `.fountain`, else Markdown.
    pub fn of(file: impl AsRef<Path>) -> Self {
        let ending = file.as_ref().extension();
        let is_screenplay = ending.is_some_and(|ending| ending == "spmd" || ending == "fountain");
        if is_screenplay { Self::Fountain } else { Self::Markdown }
    }
}

/// Returns a session as text. The text comes from a model: make it [printable](SessionHost::printable) before you show
/// it.
///
/// # Errors
/// There is no session with this id, or it cannot be read.
pub fn text(store: &SessionStore, id: &str, format: TextFormat) -> Result<String, SessionError> {
    let entries = store.entries::<Message>(id)?;
    Ok(match format {
        TextFormat::Fountain => fountain(&entries, exported_message),
        TextFormat::Markdown => markdown(&entries, exported_message),
    })
}

/// Returns a warning about a session whose end is missing: its process was killed, or somebody cut its file. Returns
/// `None` if nothing is missing, or if it cannot be read.
pub fn warning(store: &SessionStore, id: &str) -> Option<String> {
    let missing = store.missing_end(id).ok()??;
    Some(end_warning(missing, "not shown"))
}

/// Describes the missing end of a session. `torn` tells what happens to an incomplete entry.
pub(crate) fn end_warning(missing: MissingEnd, torn: &str) -> String {
    match missing {
        MissingEnd::Torn(bytes) => {
            let bytes = words::count(bytes, "byte");
            format!("the last entry of the session is incomplete: its {bytes} are {torn}")
        }
        _ => "the last messages of the session may be missing: it was killed, or its file was cut".to_owned(),
    }
}

/// A table of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionTable {
    /// Its lines.
    pub text: String,
    /// The ids of the sessions in it.
    pub ids: Vec<String>,
}

/// A list of the last used sessions, as a table.
///
/// # Default
/// The sessions of all folders, those of `folder` first.
#[derive(Debug)]
pub struct SessionList<'a> {
    store: &'a SessionStore,
    folder: &'a Path,
    host: &'a SessionHost,
    current: Option<&'a str>,
    is_local: bool,
    columns: Option<usize>,
}

impl<'a> SessionList<'a> {
    /// Creates the list, as seen from this folder.
    pub fn new(store: &'a SessionStore, folder: &'a Path, host: &'a SessionHost) -> Self {
        Self { store, folder, host, current: None, is_local: false, columns: None }
    }

    /// Marks the session with this id as the current one.
    #[must_use]
    pub fn current(self, id: &'a str) -> Self {
        Self { current: Some(id), ..self }
    }

    /// Shortens ids to a beginning that names one session, and folders and names, if the lines have more columns than
    /// this otherwise. Default: nothing is shortened.
    #[must_use]
    pub fn columns(self, columns: usize) -> Self {
        Self { columns: Some(columns), ..self }
    }

    /// Leaves out the sessions of other folders.
    #[must_use]
    pub fn local(self, is_local: bool) -> Self {
        Self { is_local, ..self }
    }

    /// Returns the table, and a line for each session that cannot be read. Returns `None` if there are no sessions.
    ///
    /// # Errors
    /// The folder of the store cannot be read.
    pub fn table(&self) -> Result<Option<SessionTable>, SessionError> {
        let (mut sessions, unreadable) = self.store.list_from(self.folder)?;
        sessions.retain(|entry| !self.is_local || entry.info.works_in(self.folder));
        let mut rows: Vec<_> = sessions.iter().take(LISTED).map(|entry| self.row(entry)).collect();
        if let Some(columns) = self.columns {
            let ids: Vec<_> = sessions.iter().map(|entry| entry.info.id.as_str()).collect();
            shorten(&mut rows, &ids, columns);
        }
        let mut lines = if rows.is_empty() { Vec::new() } else { table::lines(COLUMNS, &rows) };
        if let Some(more) = sessions.len().checked_sub(LISTED).filter(|more| *more > 0) {
            lines.push(format!("… and {more} more"));
        }
        lines.extend(unreadable.iter().map(|session| unread(session, self.host)));
        let ids = sessions.into_iter().take(LISTED).map(|entry| entry.info.id).collect();
        Ok((!lines.is_empty()).then(|| SessionTable { text: lines.join("\n"), ids }))
    }

    /// Returns the beginning of the first prompt of a session without a name, in quotation marks.
    fn first_prompt(&self, id: &str) -> Option<String> {
        let prompt = self.store.first_prompt::<Message>(id)?;
        let line = prompt.text().lines().find(|line| !line.trim().is_empty())?;
        Some(format!("\"{}\"", words::cut(line.trim(), PROMPT_COLUMNS)))
    }

    fn row(&self, entry: &SessionEntry) -> Vec<String> {
        let is_current = self.current == Some(entry.info.id.as_str());
        let name = match &entry.name {
            _ if is_current => "(this one)".to_owned(),
            Some(name) => name.clone(),
            None => self.first_prompt(&entry.info.id).unwrap_or_else(|| "-".to_owned()),
        };
        let is_here = entry.info.works_in(self.folder);
        vec![
            entry.info.id.clone(),
            self.host.one_line(&name),
            ago(entry.last_used, self.host),
            words::bytes(entry.bytes),
            if is_here { "this one".to_owned() } else { self.host.one_line(&entry.info.folder) },
        ]
    }
}

/// The most columns of the first prompt of a session.
const PROMPT_COLUMNS: usize = 40;

/// The places of the cells that can be shortened, and how many columns they keep.
const SHORTENED: [(usize, usize); 2] = [(4, 16), (1, 12)];

/// The least length of a shortened id.
const LEAST_ID: usize = 13;

/// Shortens the cells of rows that are too wide: ids first, then folders, then names.
fn shorten(rows: &mut [Vec<String>], ids: &[&str], columns: usize) {
    let excess = |rows: &[Vec<String>]| {
        let lines = table::lines(COLUMNS, rows);
        lines.iter().map(|line| words::width(line)).max().unwrap_or(0).saturating_sub(columns)
    };
    if excess(rows) == 0 {
        return;
    }
    let is_clear = |length: &usize| {
        let mut beginnings: Vec<_> = ids.iter().map(|id| id.get(..*length).unwrap_or(id)).collect();
        beginnings.sort_unstable();
        beginnings.windows(2).all(|pair| pair[0] != pair[1])
    };
    let longest = ids.iter().map(|id| id.len()).max().unwrap_or(0);
    if let Some(length) = (LEAST_ID..longest).find(is_clear) {
        rows.iter_mut().for_each(|row| row[0] = row[0].chars().take(length).collect());
    }
    for (place, least) in SHORTENED {
        let longest = rows.iter().map(|row| words::width(&row[place])).max().unwrap_or(0);
        let most = longest.saturating_sub(excess(rows)).max(least);
        rows.iter_mut().for_each(|row| row[place] = words::cut(&row[place], most));
    }
}

fn ago(time: Timestamp, host: &SessionHost) -> String {
    words::ago(host.now().duration_since(time).unsigned_abs())
}

/// Describes a session that cannot be read, and why.
fn unread(session: &UnreadableSession, host: &SessionHost) -> String {
    let ago = ago(session.last_used, host);
    let name = session.name.as_deref().map(|name| format!(" ({})", host.one_line(name))).unwrap_or_default();
    let id = host.one_line(&session.id);
    format!("{id}{name}, {ago}, cannot be read: {}", host.printable(&with_causes(&session.why)))
}

/// Converts a message to the form that exporters understand.
fn exported_message(message: &Message) -> ExportedMessage<'_> {
    let calls = message.calls().iter().map(|answered| ExportedCall {
        tool: &answered.call.name,
        arguments: &answered.call.arguments,
        result: &answered.result,
    });
    let files = message.attachments().iter().map(|attachment| ExportedFile {
        name: attachment.name.as_deref(),
        media_type: &attachment.media_type,
        bytes: attachment.bytes() as u64,
    });
    ExportedMessage {
        by_model: matches!(message, Message::Assistant { .. }),
        text: message.text(),
        calls: calls.collect(),
        files: files.collect(),
    }
}
