//! `/safemode`: shows or sets which commands may run.

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
    summary: "Run only known commands, or all",
    help: "When it is off, commands run unchecked in this session and can read everything that you can read, including \
           secrets. `/session continue` turns it on again. `/security` lists the known commands.",
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
