//! `/session`: manages this session and earlier ones.

use std::{iter, path::Path};

use async_trait::async_trait;
use jiff::Timestamp;
use loop_agents::chat::Message;
use loop_core::with_causes;
use loop_telemetry::transcript::{
    SessionEntry, UnreadableSession,
    export::{ExportedCall, ExportedFile, ExportedMessage, fountain, markdown},
};

use loop_telemetry::words::{
    self,
    table::{self, Column},
};

use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session, SessionHost,
    split_word,
};

/// The number of sessions listed.
const LISTED: usize = 20;

const COLUMNS: &[Column] = &[
    Column::words("session"),
    Column::words("name"),
    Column::words("last used"),
    Column::numbers("size"),
    Column::words("folder"),
];

pub(in crate::command) struct SessionCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Session,
    name: "session",
    aliases: &[],
    arguments: "[list | show [ID] | continue [ID] | export FILE [ID] [--force]]",
    summary: "List, show, export or continue sessions",
    help: "Name a session by its id, the beginning of its id, or its `/rename` name. The default is this session; for \
           `continue`, the last one of this folder. `export` writes Markdown, or a Fountain screenplay if the file \
           name ends in `.spmd` or `.fountain`; `md` or `fountain` alone names the file after the session. It replaces \
           an existing file only with `--force`.",
    argument_kind: ArgumentKind::Words(&["list", "show", "continue", "export"]),
};

#[async_trait]
impl Command for SessionCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn repeat_effect(&self, arguments: &str) -> RepeatEffect {
        match split_word(arguments).0 {
            "continue" | "use" => RepeatEffect::Elsewhere,
            _ => RepeatEffect::Same,
        }
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        match split_word(arguments) {
            ("" | "list", "") => session.say(&list(session)?),
            ("show", id) => {
                let page = exported(session, id, Path::new(""))?;
                session.say(&session.host().printable(&page));
            }
            ("continue" | "use", id) => session.resume(id)?,
            ("export", rest) => {
                let said = export(rest, session).await?;
                session.say(&said);
            }
            (other, _) => return Err(INFO.misused(format!("`{other}` is not known"))),
        }
        Ok(())
    }
}

fn list(session: &Session) -> Result<String, InputError> {
    let (sessions, unreadable) = session.log.store().list_from(session.context.execution.folder())?;
    let now = session.host().now();
    if sessions.is_empty() && unreadable.is_empty() {
        return Ok("there are no sessions yet".to_owned());
    }
    let rows: Vec<_> = sessions.iter().take(LISTED).map(|entry| row(entry, session, now)).collect();
    let more = sessions.len().saturating_sub(LISTED);
    let more = if more == 0 { String::new() } else { format!("\n… and {more} more") };
    let table = if rows.is_empty() { String::new() } else { table::lines(COLUMNS, &rows).join("\n") + &more };
    let unreadable = unreadable.iter().map(|it| unread(it, session.host(), now));
    Ok(iter::once(table).filter(|table| !table.is_empty()).chain(unreadable).collect::<Vec<_>>().join("\n"))
}

/// Describes a session that cannot be read, and why.
fn unread(session: &UnreadableSession, host: &SessionHost, now: Timestamp) -> String {
    let ago = words::ago(now.duration_since(session.last_used).unsigned_abs());
    let name = session.name.as_deref().map(|name| format!(" ({})", host.one_line(name))).unwrap_or_default();
    let id = host.one_line(&session.id);
    format!("{id}{name}, {ago}, cannot be read: {}", host.printable(&with_causes(&session.why)))
}

fn row(entry: &SessionEntry, session: &Session, now: Timestamp) -> Vec<String> {
    let ago = now.duration_since(entry.last_used).unsigned_abs();
    let name =
        if entry.info.id == session.log.id() { "(this one)" } else { entry.name.as_deref().unwrap_or("-") };
    vec![
        entry.info.id.clone(),
        session.host().one_line(name),
        words::ago(ago),
        words::bytes(entry.bytes),
        if entry.info.works_in(session.context.execution.folder()) {
            "this one".to_owned()
        } else {
            session.host().one_line(&entry.info.folder)
        },
    ]
}

/// Names that are file formats rather than files.
const KINDS: [(&str, &str); 4] =
    [("md", "md"), ("markdown", "md"), ("fountain", "fountain"), ("spmd", "spmd")];

/// Runs `export` with `FILE [ID] [--force]`, and returns the text for the person.
async fn export(arguments: &str, session: &mut Session) -> Result<String, InputError> {
    let mut words = INFO.words(arguments)?;
    let all = words.len();
    words.retain(|word| word != "--force");
    let is_forced = words.len() < all;
    let (file, id) = match &words[..] {
        [] => return Err(INFO.misused("the file is missing")),
        [flag, ..] if flag.starts_with("--") => {
            return Err(INFO.misused(format!("there is no option {flag}")));
        }
        [file, id @ ..] => (file.clone(), id.join(" ")),
    };
    let kind = KINDS.into_iter().find(|(kind, _)| *kind == file);
    let file = kind.map_or(file, |(_, ending)| format!("{}.{ending}", called(session, &id)));
    let page = exported(session, &id, Path::new(&file))?;
    match is_forced {
        true => session.write(&file, &page).await,
        false => session.write_new(&file, &page).await,
    }
}

/// Returns the session's name in a form that fits a file name.
fn called(session: &Session, id: &str) -> String {
    let id = if id.is_empty() { session.log.id() } else { id };
    let found = session.find_session(id).ok();
    let name = found.map_or_else(|| id.to_owned(), |entry| entry.name.unwrap_or(entry.info.id));
    let fits = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_');
    let name: String = name.chars().map(|sign| if fits(sign) { sign } else { '-' }).collect();
    format!("session-{name}")
}

/// Returns a session as text, in the format that the file's name implies.
fn exported(session: &Session, id: &str, file: &Path) -> Result<String, InputError> {
    let id = match id {
        "" if !session.log.has_begun() => return Err(InputError::refused("nothing has been said yet")),
        "" => session.log.id().to_owned(),
        id => session.find_session(id)?.info.id,
    };
    let entries = session.log.store().entries::<Message>(&id)?;
    let is_screenplay = file.extension().is_some_and(|ending| ending == "spmd" || ending == "fountain");
    Ok(if is_screenplay {
        fountain(&entries, exported_message)
    } else {
        markdown(&entries, exported_message)
    })
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
