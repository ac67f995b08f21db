//! `/safemode`: which commands may run.

use async_trait::async_trait;
use loop_guardrails::policy::{Origin, Placed};

use super::{About, Command, Repeated, Takes};
use loop_telemetry::words::style::{WARN, paint};

use crate::{InputError, Session};

pub(crate) struct SafeMode;

const ABOUT: About = About {
    name: "safemode",
    aliases: &["safe"],
    arguments: "[on | off]",
    summary: "Let only known commands run, or all of them",
    help: "Off, commands are not looked at, in this session alone, until another is gone on with: they read what you can read, secrets as well. Which commands are known says `/security`.",
    takes: Takes::Words(&["on", "off"]),
};

#[async_trait]
impl Command for SafeMode {
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
            "" | "status" => {}
            "on" | "off" => {
                let mode = Placed::new(arguments == "on", Origin::line("/safemode", 1));
                session.change_policy(|policy| policy.safe_mode = Some(mode))?;
            }
            other => return Err(ABOUT.misused(format!("`{other}` is not known"))),
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
