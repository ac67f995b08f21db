//! `/every`: schedules a prompt.

use async_trait::async_trait;
use loop_schedule::JobRequest;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session};

pub(in crate::command) struct EveryCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Schedule,
    name: "every",
    aliases: &[],
    arguments: "[SCHEDULE] PROMPT | /COMMAND",
    summary: "Schedule a prompt or a command",
    help: "`/every 30m PROMPT`, `/every PROMPT every 2 hours`, `/every weekdays at 9:30 PROMPT`, `/every in 20 minutes \
           PROMPT`; without a schedule, the interval is 10 minutes. A job fires between two turns, never during a reply, and ends with the \
           session. If it was due several times meanwhile, it fires once. `/schedule` lists and deletes such jobs. \
           `/loop` repeats with a pause, independent of the clock.",
    argument_kind: ArgumentKind::Commands,
};

#[async_trait]
impl Command for EveryCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn repeat_effect(&self, _: &str) -> RepeatEffect {
        RepeatEffect::More
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let (jobs, now) = (&session.jobs, session.host().now());
        let request = JobRequest::parse_after_every(arguments, jobs.settings(), jobs.zone(), now);
        let request = request.map_err(|error| INFO.misused(error))?;
        if request.prompt.is_empty() {
            return Err(INFO.misused("there is no prompt"));
        }
        if let Some(why) = session.repeat_effect(&request.prompt).refused("job") {
            return Err(INFO.misused(why));
        }
        session.accepts(&request.prompt)?;
        let added = jobs.add(request.trigger, &request.prompt, request.expiry)?;
        request.notes.iter().for_each(|warning| session.warn(warning));
        session.say(&jobs.confirmation(&added));
        Ok(())
    }
}
