//! `/tools`: lists the tools of the model, and turns them on or off.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session};
use loop_manifest::ToolName;

pub(in crate::command) struct ToolsCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Model,
    name: "tools",
    aliases: &[],
    arguments: "[on | off]",
    summary: "Turn the model's tools on or off",
    help: "Without an argument, the command lists the tools.",
    argument_kind: ArgumentKind::Words(&["on", "off"]),
};

#[async_trait]
impl Command for ToolsCommand {
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
            "" => {}
            "on" => session.allow_tools(true),
            "off" => session.allow_tools(false),
            other => return Err(INFO.misused(format!("`{other}` is not known"))),
        }
        let tools = &session.tools;
        let names: Vec<_> = tools.names.iter().map(ToolName::as_str).collect();
        session.say(&format!("tools are {}: {}", if tools.are_on { "on" } else { "off" }, names.join(", ")));
        Ok(())
    }
}
