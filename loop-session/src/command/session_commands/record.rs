//! `/record`: shows or sets whether the session is recorded.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session};

pub(in crate::command) struct RecordCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Session,
    name: "record",
    aliases: &[],
    arguments: "[on | off | status]",
    summary: "Show or set whether the session is recorded",
    help: "`off` removes the transcript of this session, and keeps nothing more of it, nor of what you type. A session \
           that was resumed keeps what was stored before; `/session rm ID` removes that. `on` stores the conversation so \
           far, and records again. Decisions about tools stay in the audit.",
    argument_kind: ArgumentKind::Words(&["on", "off", "status"]),
};

#[async_trait]
impl Command for RecordCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn repeat_effect(&self, arguments: &str) -> RepeatEffect {
        match arguments {
            "on" | "off" => RepeatEffect::Removes,
            _ => RepeatEffect::Same,
        }
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        match arguments {
            "" | "status" => {}
            "on" if session.is_recording() => {}
            "on" => session.start_recording()?,
            "off" if !session.is_recording() => {}
            "off" => {
                if session.stop_recording()? {
                    session.warn(&format!(
                        "what is stored of this session until now stays; `/session rm {}` removes it",
                        session.log.id()
                    ));
                } else {
                    session.say(
                        "what was recorded until now is removed; `/record on` stores the conversation again",
                    );
                }
            }
            other => return Err(INFO.misused(format!("`{other}` is not known"))),
        }
        let state = match session.is_recording() {
            true => format!("the session is recorded: {}", session.log.describe()),
            false => "nothing of this session is recorded".to_owned(),
        };
        session.say(&session.host().one_line(&state));
        Ok(())
    }
}
