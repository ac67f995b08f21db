//! `/tools`: what the model can call.

use async_trait::async_trait;

use super::{About, Command, Repeated, Takes};
use crate::{InputError, Session};
use loop_manifest::ToolName;

pub(crate) struct Tools;

const ABOUT: About = About {
    name: "tools",
    aliases: &[],
    arguments: "[on | off]",
    summary: "Let the model call tools, or not",
    help: "Without a word: which ones it may call.",
    takes: Takes::Words(&["on", "off"]),
};

#[async_trait]
impl Command for Tools {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn repeated(&self, arguments: &str) -> Repeated {
        match arguments {
            "on" | "off" => Repeated::Rules,
            _ => Repeated::Same,
        }
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        match arguments {
            "" => {}
            "on" => session.allow_tools(true),
            "off" => session.allow_tools(false),
            other => return Err(ABOUT.misused(format!("`{other}` is not known"))),
        }
        let tools = &session.tools;
        let names: Vec<_> = tools.names.iter().map(ToolName::as_str).collect();
        session.say(&format!("tools are {}: {}", if tools.are_on { "on" } else { "off" }, names.join(", ")));
        Ok(())
    }
}
