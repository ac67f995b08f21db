//! `/session`: this one, and those of before.

use std::path::Path;

use anyhow::anyhow;
use async_trait::async_trait;
use jiff::Timestamp;
use loop_agents::chat::Message;
use loop_telemetry::transcript::{
    SessionEntry,
    export::{Speech, SpokenCall, SpokenFile, fountain, markdown},
};

use super::{About, Command, Takes};
use crate::{
    session::{Session as State, input::word},
    view::{
        columns::{self, Column},
        text,
    },
};

/// How many are listed.
const LISTED: usize = 20;

const COLUMNS: &[Column] = &[
    Column::words("session"),
    Column::words("name"),
    Column::words("last used"),
    Column::numbers("size"),
    Column::words("folder"),
];

pub(super) struct Session;

const ABOUT: About = About {
    name: "session",
    aliases: &[],
    arguments: "[list | show [ID] | continue [ID] | export FILE [ID]]",
    summary: "List sessions, show or export one, go on with one",
    help: "A session is named by its id, its beginning, or the name of `/rename`; without one it is this session, and \
           for `continue` the last one of this folder. `export` writes Markdown, or a Fountain screenplay if the file \
           is called `.spmd` or `.fountain`.",
    takes: Takes::Words(&["list", "show", "continue", "export"]),
};

#[async_trait]
impl Command for Session {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut State) -> anyhow::Result<()> {
        match word(arguments) {
            ("" | "list", "") => session.say(&list(session)?),
            ("show", id) => {
                let page = exported(session, id, Path::new(""))?;
                session.say(&text::printable(&page));
            }
            ("continue" | "use", id) => session.go_on_with(id)?,
            ("export", "") => return Err(ABOUT.misused("the file is missing")),
            ("export", rest) => {
                let (file, id) = word(rest);
                let page = exported(session, id, Path::new(file))?;
                let call = serde_json::json!({ "path": file, "content": page });
                let report = session.call("write_file", &call).await?;
                session.say(&report.text);
            }
            (other, _) => return Err(ABOUT.misused(format!("`{other}` is not known"))),
        }
        Ok(())
    }
}

fn list(session: &State) -> anyhow::Result<String> {
    let (sessions, now) = (session.log.store().list_from(&session.place.dir)?, Timestamp::now());
    if sessions.is_empty() {
        return Ok("there are no sessions yet".to_owned());
    }
    let rows: Vec<_> = sessions.iter().take(LISTED).map(|entry| row(entry, session, now)).collect();
    let more = sessions.len().saturating_sub(LISTED);
    let more = if more == 0 { String::new() } else { format!("\n… and {more} more") };
    Ok(columns::lines(COLUMNS, &rows).join("\n") + &more)
}

fn row(entry: &SessionEntry, session: &State, now: Timestamp) -> Vec<String> {
    let here = session.place.dir.to_string_lossy();
    let ago = now.duration_since(entry.last_used).unsigned_abs();
    let name =
        if entry.info.id == session.log.id() { "(this one)" } else { entry.name.as_deref().unwrap_or("-") };
    vec![
        entry.info.id.clone(),
        text::one_line(name),
        text::ago(ago),
        text::bytes(entry.bytes),
        if entry.info.folder == here { "this one".to_owned() } else { text::one_line(&entry.info.folder) },
    ]
}

/// A session as a text, of the kind that the file's name tells.
fn exported(session: &State, id: &str, file: &Path) -> anyhow::Result<String> {
    let id = match id {
        "" if !session.log.has_begun() => return Err(anyhow!("nothing was said yet")),
        "" => session.log.id().to_owned(),
        id => session.meant(id)?.info.id,
    };
    let entries = session.log.store().entries::<Message>(&id)?;
    let is_screenplay = file.extension().is_some_and(|ending| ending == "spmd" || ending == "fountain");
    Ok(if is_screenplay { fountain(&entries, speech) } else { markdown(&entries, speech) })
}

/// A message, for those who do not know what one is.
fn speech(message: &Message) -> Speech<'_> {
    let calls = message.calls().iter().map(|answered| SpokenCall {
        tool: &answered.call.name,
        arguments: &answered.call.arguments,
        result: &answered.result,
    });
    let files = message.attachments().iter().map(|attachment| SpokenFile {
        name: attachment.name.as_deref(),
        media_type: &attachment.media_type,
        bytes: attachment.bytes() as u64,
    });
    Speech {
        by_model: matches!(message, Message::Assistant { .. }),
        text: message.text(),
        calls: calls.collect(),
        files: files.collect(),
    }
}
