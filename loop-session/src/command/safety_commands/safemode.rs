//! `/safemode`: shows or sets which commands may run.

use async_trait::async_trait;
use loop_guardrails::policy::{Origin, WithOrigin};

use loop_telemetry::words::style::{WARN, paint};

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session};

pub(in crate::command) struct SafeModeCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Safety,
    name: "safemode",
    aliases: &["safe"],
    arguments: "[on | off]",
    summary: "Run only known commands, or all",
    help: "When it is off, commands run unchecked in this session and can read everything that you can read, including \
           secrets. `/session continue` turns it on again. `/security` lists the known commands.",
    argument_kind: ArgumentKind::Words(&["on", "off"]),
};

#[async_trait]
impl Command for SafeModeCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn repeat_effect(&self, arguments: &str) -> RepeatEffect {
        match arguments {
            "on" | "off" => RepeatEffect::Rules,
            _ => RepeatEffect::Same,
        }
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        match arguments {
            "" | "status" => {}
            "on" | "off" => {
                let mode = WithOrigin::new(arguments == "on", Origin::line("/safemode", 1));
                session.change_policy(|policy| policy.safe_mode = Some(mode))?;
            }
            other => return Err(INFO.misused(format!("`{other}` is not known"))),
        }
        let state = if session.tools.are_unsafe() {
            paint(WARN, "safe mode is off: every command runs, with any arguments")
        } else {
            "safe mode is on: known commands run, with harmless options".to_owned()
        };
        session.say(&state);
        Ok(())
    }
}
