//! `/every`: schedules a prompt.

use async_trait::async_trait;
use loop_schedule::{Request, When};

use super::{About, Command, Repeated, Takes};
use crate::{InputError, Session};

pub(crate) struct Every;

const ABOUT: About = About {
    name: "every",
    aliases: &[],
    arguments: "[INTERVAL] PROMPT | /COMMAND",
    summary: "Schedule a prompt or a command",
    help: "`/every 30m PROMPT` or `/every PROMPT every 2 hours`; the default interval is 10 minutes. Uneven intervals \
           are rounded, with a warning. A job fires between two turns, never during a reply, and ends with the \
           session. If it was due several times meanwhile, it fires once. `/schedule` lists and deletes such jobs. \
           `/loop` repeats with a pause, independent of the clock.",
    takes: Takes::Commands,
};

#[async_trait]
impl Command for Every {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn repeated(&self, _: &str) -> Repeated {
        Repeated::More
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let request = Request::parse(arguments).map_err(|error| ABOUT.misused(error))?;
        if let Some(why) = session.repeated(request.prompt()).refused("job") {
            return Err(ABOUT.misused(why));
        }
        session.accepts(request.prompt())?;
        let jobs = &session.jobs;
        let when = When::Cron { expression: request.effective().cron(), zone: jobs.zone().clone() };
        let added = jobs.add(when, request.prompt())?;
        let warnings = request.warnings(jobs.numbers());
        let said = request.hint().map(ToString::to_string).into_iter();
        said.chain(warnings.iter().map(ToString::to_string)).for_each(|warning| session.warn(&warning));
        session.say(&added.text(jobs.zone(), session.host().now()));
        Ok(())
    }
}
