//! `/session`: manages this session and earlier ones.

use std::path::Path;

use async_trait::async_trait;

use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session, split_word,
    stored_sessions::{self, SessionList, TextFormat},
};

pub(in crate::command) struct SessionCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Session,
    name: "session",
    aliases: &[],
    arguments: "[list | show [ID] | continue [ID] | export FILE [ID] [--force] | replay [ID] | rm ID]",
    summary: "List, show, export, continue, replay or remove sessions",
    help: "Name a session by its id, the beginning of its id, or its `/rename` name. The default is this session; for \
           `continue`, the last one of this folder. `export` writes Markdown, or a Fountain screenplay if the file \
           name ends in `.spmd` or `.fountain`; `md` or `fountain` alone names the file after the session. It replaces \
           an existing file only with `--force`. `replay` is `/replay`.",
    argument_kind: ArgumentKind::Words(&["list", "show", "continue", "export", "replay", "rm"]),
};

#[async_trait]
impl Command for SessionCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn repeat_effect(&self, arguments: &str) -> RepeatEffect {
        match split_word(arguments).0 {
            "continue" | "use" => RepeatEffect::Elsewhere,
            "rm" => RepeatEffect::Removes,
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
            ("continue" | "use", id) => {
                session.resume(id)?;
            }
            ("replay", rest) => super::replay::replay(rest, session).await?,
            ("rm", "") => return Err(INFO.misused("the session to remove is missing")),
            ("rm", wanted) => {
                let id = session.find_session(wanted)?.info.id;
                if id == session.log.id() && session.is_recording() {
                    return Err(InputError::refused("this is that session: `/record off` removes it"));
                }
                session.log.store().remove(&id)?;
                session.say(&format!("removed {id}"));
            }
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
    let folder = session.context.execution.folder();
    let list = SessionList::new(session.log.store(), folder, session.host());
    let list = list.current(session.log.id()).columns(session.host().columns());
    Ok(list.table()?.map_or_else(|| "there are no sessions yet".to_owned(), |table| table.text))
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
    let format = TextFormat::of(file);
    Ok(stored_sessions::text(session.log.store(), &id, format)?)
}
