//! `/schedule`: manages the scheduled prompts.

use async_trait::async_trait;
use jiff::Timestamp;
use loop_schedule::{Cron, Expiry, JobId, Trigger, Zone, parse_time};

use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, Commands, InputError, RepeatEffect, Session,
    jobs::JobChange, split_word,
};

pub(in crate::command) struct ScheduleCommand;

const WORDS: &[&str] = &["list", "cron", "at", "pause", "resume", "fire", "delete"];

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Schedule,
    name: "schedule",
    aliases: &["jobs"],
    arguments: "[list] | cron EXPR PROMPT | at TIME PROMPT | pause | resume | fire | delete ID...",
    summary: "List, add and delete scheduled jobs",
    help: "`/schedule cron 0 9 * * 1-5 PROMPT` takes minute, hour, day of month, month and day of week, in digits; \
           `/schedule at 18:00 PROMPT` fires once. Such jobs end with the session, like those of `/every`. Use `loop \
           schedule` for jobs that outlive it.",
    argument_kind: ArgumentKind::Words(WORDS),
};

/// The requested action.
#[derive(Debug, PartialEq)]
enum ScheduleAction<'a> {
    List,
    Add { trigger: Trigger, prompt: &'a str },
    Change(JobChange, Vec<JobId>),
    Delete(Vec<JobId>),
}

#[async_trait]
impl Command for ScheduleCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn repeat_effect(&self, arguments: &str) -> RepeatEffect {
        match split_word(arguments).0 {
            "cron" | "at" => RepeatEffect::More,
            _ => RepeatEffect::Same,
        }
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let (jobs, now) = (session.jobs.clone(), session.host().now());
        let action =
            action(arguments, jobs.zone(), now, session.commands()).map_err(|why| INFO.misused(why))?;
        match action {
            ScheduleAction::List => session.say(&jobs.page(now)?),
            ScheduleAction::Add { trigger, prompt } => {
                session.accepts(prompt)?;
                session.say(&jobs.confirmation(&jobs.add(trigger, prompt, Expiry::Never)?));
            }
            ScheduleAction::Change(change, ids) => {
                for id in ids {
                    known(id, jobs.change(change, id))?;
                }
                session.say(&jobs.page(now)?);
            }
            ScheduleAction::Delete(ids) => {
                for id in ids {
                    known(id, jobs.delete(id)?)?;
                    session.say(&format!("{id} is deleted"));
                }
            }
        }
        Ok(())
    }
}

fn known(id: JobId, is_there: bool) -> Result<(), InputError> {
    let missing =
        || InputError::refused(format!("there is no job {id} in this session: `/schedule` lists them"));
    is_there.then_some(()).ok_or_else(missing)
}

/// Reads the arguments.
fn action<'a>(
    arguments: &'a str,
    zone: &Zone,
    now: Timestamp,
    commands: &Commands,
) -> Result<ScheduleAction<'a>, String> {
    let (action, rest) = split_word(arguments);
    Ok(match action {
        "" | "list" => ScheduleAction::List,
        "cron" => {
            let (expression, prompt) = expression(rest).ok_or("an expression has five fields")?;
            let expression = expression.parse::<Cron>().map_err(|error| error.to_string())?;
            ScheduleAction::Add {
                trigger: Trigger::Cron { expression, zone: zone.clone() },
                prompt: some(prompt, commands)?,
            }
        }
        "at" => {
            let (time, prompt) = split_word(rest);
            ScheduleAction::Add {
                trigger: Trigger::At {
                    time: parse_time(time, zone, now).map_err(|error| error.to_string())?,
                },
                prompt: some(prompt, commands)?,
            }
        }
        "pause" => ScheduleAction::Change(JobChange::Pause, ids(rest)?),
        "resume" => ScheduleAction::Change(JobChange::Resume, ids(rest)?),
        "fire" => ScheduleAction::Change(JobChange::Fire, ids(rest)?),
        "delete" => ScheduleAction::Delete(ids(rest)?),
        other => return Err(format!("`{other}` is not an action of /schedule")),
    })
}

/// Splits off the five fields of a cron expression, quoted or not.
fn expression(text: &str) -> Option<(&str, &str)> {
    if let Some(quote) = text.chars().next().filter(|first| matches!(first, '\'' | '"')) {
        let (expression, rest) = text[1..].split_once(quote)?;
        return Some((expression, rest.trim()));
    }
    let mut rest = text;
    for _ in 0..5 {
        let (field, behind) = split_word(rest);
        if field.is_empty() {
            return None;
        }
        rest = behind;
    }
    let (fields, _) = text.split_at(text.len() - rest.len());
    Some((fields.trim(), rest))
}

fn some<'a>(prompt: &'a str, commands: &Commands) -> Result<&'a str, String> {
    match commands.repeat_effect(prompt).refused("job") {
        Some(why) => Err(why),
        None if prompt.is_empty() => Err("the prompt is missing".to_owned()),
        None => Ok(prompt),
    }
}

fn ids(words: &str) -> Result<Vec<JobId>, String> {
    let id = |id: &str| id.parse::<JobId>().map_err(|error| format!("{id}: {error}"));
    let ids: Vec<_> = words.split_whitespace().map(id).collect();
    match ids.is_empty() {
        true => Err("an id is missing".to_owned()),
        false => ids.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &str) -> Result<ScheduleAction<'_>, String> {
        let now = "2026-03-02T12:00:00Z".parse().expect("a time");
        action(arguments, &Zone::utc(), now, &Commands::standard())
    }

    #[test]
    fn arguments_are_read() {
        assert_eq!(read("").unwrap(), ScheduleAction::List);
        for written in ["cron 0 9 * * 1-5  look  at it", "cron '0 9 * * 1-5' look  at it"] {
            let ScheduleAction::Add { trigger, prompt } = read(written).unwrap() else { panic!("{written}") };
            assert_eq!((trigger.describe().as_str(), prompt), ("Weekdays at 9:00 AM", "look  at it"));
        }
        let ScheduleAction::Add { trigger, prompt } = read("at 18:00 /git status").unwrap() else {
            panic!("at")
        };
        assert_eq!(trigger, Trigger::At { time: "2026-03-02T18:00:00Z".parse().unwrap() });
        assert_eq!(prompt, "/git status");
        let ids = vec![JobId::from_bits(0x1f0c_93aa), JobId::from_bits(7)];
        assert_eq!(read("delete 1f0c93aa 00000007").unwrap(), ScheduleAction::Delete(ids.clone()));
        assert_eq!(read("pause 1f0c93aa 00000007").unwrap(), ScheduleAction::Change(JobChange::Pause, ids));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (arguments, said) in [
            ("cron 0 9 * *", "five fields"),
            ("cron 0 9 * * 1-5", "the prompt is missing"),
            ("cron 0 9 31 2 * x y", ""),
            ("cron 0 9 * * mon look", "mon"),
            ("at 25:00 look", "not a time"),
            ("at 18:00", "the prompt is missing"),
            ("at 18:00 /exit", "leave the session"),
            ("cron * * * * * /loop 1s x", "create loops"),
            ("delete", "an id is missing"),
            ("delete nine", "nine"),
            ("dance", "`dance` is not an action"),
        ] {
            let Err(error) = read(arguments) else {
                assert!(said.is_empty(), "{arguments}");
                continue;
            };
            assert!(error.contains(said), "{arguments}: {error}");
        }
    }
}
