//! `/safemode`: shows or sets which commands may run.

use async_trait::async_trait;
use loop_guardrails::policy::{Origin, WithOrigin};
use loop_manifest::settings::CommandRule;

use loop_telemetry::words::style::{WARN, paint};

use super::command_rules::change_rule;
use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session, split_word,
};

pub(in crate::command) struct SafeModeCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Safety,
    name: "safemode",
    aliases: &["safe"],
    arguments: "[on | off | allow COMMAND | deny COMMAND | reset]",
    summary: "Run only known commands, or all",
    help: "When it is off, commands run unchecked in this session and can read everything that you can read, including \
           secrets. `/session continue` turns it on again. `/security` lists the known commands. `allow` and `deny` \
           are `/allow` and `/deny`. `reset` restores the rules of the settings for commands, and asks about writes \
           again.",
    argument_kind: ArgumentKind::Words(&["on", "off", "allow", "deny", "reset"]),
};

#[async_trait]
impl Command for SafeModeCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn repeat_effect(&self, arguments: &str) -> RepeatEffect {
        match split_word(arguments).0 {
            "on" | "off" | "allow" | "deny" | "reset" => RepeatEffect::Rules,
            _ => RepeatEffect::Same,
        }
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        match split_word(arguments) {
            ("allow", command) => return change_rule(CommandRule::Allow, command, &INFO, session),
            ("deny", command) => return change_rule(CommandRule::Forbid, command, &INFO, session),
            ("" | "status", "") => {}
            ("reset", "") => session.reset_command_rules()?,
            ("on" | "off", "") => {
                let mode = WithOrigin::new(arguments == "on", Origin::Session(format!("/{}", INFO.name)));
                session.change_policy(|policy| policy.safe_mode = Some(mode))?;
            }
            _ => return Err(INFO.misused(format!("`{arguments}` is not known"))),
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
