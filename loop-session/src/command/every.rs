//! `/every`: a prompt that fires by the clock.

use async_trait::async_trait;
use loop_schedule::{Request, When};

use super::{About, Command, Repeated, Takes};
use crate::{InputError, Session};

pub(crate) struct Every;

const ABOUT: About = About {
    name: "every",
    aliases: &[],
    arguments: "[INTERVAL] PROMPT | /COMMAND",
    summary: "Say or do something by the clock, between what you type",
    help: "`/every 30m PROMPT`, `/every PROMPT every 2 hours`; without an interval it is every 10 minutes. What does not \
           come around evenly is rounded, and said. It fires between two turns, never in the middle of a reply, and \
           ends with the session; what came due several times meanwhile fires once. `/schedule` lists and ends such \
           jobs. For a pause between repetitions, and not the clock, there is `/loop`.",
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
