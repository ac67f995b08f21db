//! `loop session`: lists, prints and removes stored sessions.

use std::{env, process::ExitCode};

use loop_session::stored_sessions::{self, SessionList, TextFormat};
use loop_telemetry::{
    JournalError, StateDir,
    transcript::{SessionEntry, SessionError, SessionStore, TimedEntry, TranscriptEntry},
};
use serde::Serialize;
use serde_json::Value;

use super::{Failure, environment, runs::json, usage};
use crate::{
    args::{ListSessionsArgs, RmSessionsArgs, SessionCommand, ShowSessionArgs},
    exit, session,
    view::{self, text},
};

const NONE_HERE: &str =
    "there are no stored sessions of this folder\n  `loop session list --all` lists those of other folders";

pub(crate) fn exec(command: &SessionCommand) -> Result<ExitCode, Failure> {
    let store = SessionStore::at(StateDir::from_env_with(|name| env::var_os(name))?.sessions()?);
    match command {
        SessionCommand::List(args) => list(&store, args)?,
        SessionCommand::Show(args) => show(&store, args)?,
        SessionCommand::Rm(args) => rm(&store, args)?,
    }
    Ok(ExitCode::from(exit::OK))
}

fn list(store: &SessionStore, args: &ListSessionsArgs) -> Result<(), Failure> {
    if args.json {
        for session in of_folder(store, args.all)? {
            if !view::print_json(&json(&SessionJson::of(&session)))? {
                break;
            }
            warn_of(store, &session.info.id);
        }
        return Ok(());
    }
    let (here, host) = (environment::dir(None)?, session::listing_host());
    let listed = SessionList::new(store, &here, &host).local(!args.all);
    match listed.table()? {
        Some(table) => {
            view::print(&table.text)?;
            table.ids.iter().for_each(|id| warn_of(store, id));
        }
        None if args.all => view::say("there are no stored sessions"),
        None => view::say(NONE_HERE),
    }
    Ok(())
}

/// Warns of a session in a list whose end is missing.
fn warn_of(store: &SessionStore, id: &str) {
    if let Some(warning) = stored_sessions::warning(store, id) {
        view::warning(&format!("{id}: {warning}"));
    }
}

fn show(store: &SessionStore, args: &ShowSessionArgs) -> Result<(), Failure> {
    let id = match &args.session {
        Some(wanted) => store.find(wanted)?.info.id,
        None => last(store)?,
    };
    if args.json {
        for TimedEntry { time, entry } in store.entries::<Value>(&id)? {
            let line = EntryJson { time: format!("{time:.3}"), entry: &entry };
            if !view::print_json(&json(&line))? {
                break;
            }
        }
    } else {
        let page = stored_sessions::text(store, &id, TextFormat::Markdown)?;
        view::print(text::printable(&page).trim_end())?;
    }
    if let Some(warning) = stored_sessions::warning(store, &id) {
        view::warning(&warning);
    }
    Ok(())
}

/// Returns the id of the last used session of this folder.
fn last(store: &SessionStore) -> Result<String, Failure> {
    let last = of_folder(store, false)?.into_iter().next();
    last.map(|session| session.info.id).ok_or_else(|| usage!("{NONE_HERE}"))
}

/// Returns the readable sessions of this folder, or of all, the last used first.
fn of_folder(store: &SessionStore, everywhere: bool) -> Result<Vec<SessionEntry>, Failure> {
    let (mut sessions, here) = (store.list()?, environment::dir(None)?);
    sessions.retain(|session| everywhere || session.info.works_in(&here));
    Ok(sessions)
}

/// Removes sessions. It finds all of them before it removes any: a typo in the last name then removes nothing.
fn rm(store: &SessionStore, args: &RmSessionsArgs) -> Result<(), Failure> {
    let ids: Vec<String> = match args.keep {
        Some(keep) => {
            of_folder(store, false)?.into_iter().skip(keep).map(|session| session.info.id).collect()
        }
        None => args.sessions.iter().map(|wanted| id_of(store, wanted)).collect::<Result<_, _>>()?,
    };
    let mut removed: Vec<&str> = Vec::new();
    for id in &ids {
        if removed.contains(&id.as_str()) {
            continue;
        }
        match store.remove(id) {
            // An open session is no old one.
            Err(SessionError::File(JournalError::InUse { .. })) if args.keep.is_some() => continue,
            done => done?,
        }
        removed.push(id);
        view::print_or_warn(&format!("removed {id}"));
    }
    Ok(())
}

/// Returns the id of a session, also if its file is damaged: the user can then name it by its whole id.
fn id_of(store: &SessionStore, wanted: &str) -> Result<String, Failure> {
    match store.find(wanted) {
        Ok(session) => Ok(session.info.id),
        Err(_) if store.contains(wanted) => Ok(wanted.to_owned()),
        Err(error) => Err(error.into()),
    }
}

/// An entry of a session for programs.
#[derive(Debug, Serialize)]
struct EntryJson<'a> {
    time: String,
    /// One key, the kind of the entry, with its facts.
    entry: &'a TranscriptEntry<Value>,
}

/// A session for programs.
#[derive(Debug, Serialize)]
struct SessionJson<'a> {
    session: &'a str,
    name: Option<&'a str>,
    folder: &'a str,
    /// The first model.
    model: &'a str,
    started_at: String,
    last_used_at: String,
    bytes: u64,
}

impl<'a> SessionJson<'a> {
    fn of(entry: &'a SessionEntry) -> Self {
        Self {
            session: &entry.info.id,
            name: entry.name.as_deref(),
            folder: &entry.info.folder,
            model: &entry.info.model,
            started_at: format!("{:.3}", entry.info.started_at),
            last_used_at: format!("{:.3}", entry.last_used),
            bytes: entry.bytes,
        }
    }
}
