//! `/loop`: repeats a line.
//!
//! This is `loop every` inside a session. The same machine repeats a line, and the repeated line has the same
//! conversation, tools, rules and transcript as a typed one.

use std::{num::NonZeroU64, time::Duration};

use async_trait::async_trait;
use loop_core::{Iteration, IterationContext, IterationError, WorkError};

use crate::{
    Activity, ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session, UserInput,
    repeat::{self, EndConditions, RepeatedWork, Repetition, RepetitionArgumentError, RepetitionReporter},
    split_word,
};
use loop_core::with_causes;
use loop_manifest::{closest, duration::DurationError};

pub(in crate::command) struct LoopCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Schedule,
    name: "loop",
    aliases: &[],
    arguments: "INTERVAL [--count N] PROMPT | /COMMAND",
    summary: "Repeat a prompt or a command",
    help: "A loop has 10 iterations unless you give `--count`, and at most 100. The interval (`30s`, `5m`, `1h30m`; a \
           number alone means seconds) is the pause between the end of one iteration and the start of the next. \
           Ctrl+C, `/exit` and Ctrl+D end the loop, not the session. After an error the loop continues. Write `--` \
           before a prompt that begins with `--`.",
    argument_kind: ArgumentKind::Commands,
};

#[async_trait]
impl Command for LoopCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn repeat_effect(&self, _: &str) -> RepeatEffect {
        RepeatEffect::More
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let LoopArguments { interval, count, line } = loop_arguments(arguments)?;
        let what = RepeatedWork::Prompt {
            prompt: line.to_owned(),
            conversation: session.conversation(),
            fresh: false,
        };
        let ends = EndConditions { count: Some(count), ..EndConditions::default() };
        let repetition = Repetition::new(interval, what, ends);
        let comes = session.repeat_effect(line);
        if comes == RepeatEffect::End {
            session.say(&repeat::exit_summary(&repetition, line));
            return Ok(());
        }
        if let Some(why) = comes.refused("loop") {
            return Err(INFO.misused(why));
        }
        session.accepts(line)?;
        repeat(&repetition, line, session).await
    }
}

/// Returns whether a line begins a loop. A loop runs unattended, even though a person started it.
pub fn is_loop(line: &str) -> bool {
    matches!(UserInput::of(line), UserInput::Command { name, .. } if name.eq_ignore_ascii_case(INFO.name))
}

async fn repeat(repetition: &Repetition, line: &str, session: &mut Session) -> Result<(), InputError> {
    let until = repetition.until()?;
    session.say(&repeat::plan(repetition));
    session.record_loop_start(repetition);
    let (stop, host) = (session.stop(), session.host().clone());
    let shown = host.clone();
    let lines = RepetitionReporter::new(repetition, move |line| host.say(&line));
    // The queue of typed lines is a part of it.
    let lines = lines.show_waits(move |time| {
        shown.show(Activity {
            model: String::new(),
            doing: "waiting for the next iteration".to_owned(),
            mean_duration: Some(time),
            context: None,
        })
    });
    let repeated = repetition.compose(LineIteration { line, session }, until.clone());
    let report = repeated.observe(lines).cancel_on(stop).run().await?;
    let over = repeat::summary(repetition, &until, report.ending(), report.progress());
    session.record_loop_end(until.finished(), report.ending().name());
    session.say(&over);
    Ok(())
}

/// One line of a session, as an iteration. It has the session, but no channel to a person.
struct LineIteration<'a> {
    line: &'a str,
    session: &'a mut Session,
}

#[async_trait]
impl Iteration for LineIteration<'_> {
    type Output = ();

    async fn run(&mut self, cx: IterationContext<()>) -> Result<(), IterationError> {
        tokio::select! {
            biased;
            // This branch comes first: an interrupted line still records how far it came.
            done = self.session.run_nested_line(self.line) => done.map_err(|error| WorkError::failed(with_causes(&error))),
            () = cx.cancelled() => Err(WorkError::failed(InputError::Interrupted)),
        }
    }
}

/// The line to repeat, and how to repeat it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LoopArguments<'a> {
    interval: Duration,
    count: NonZeroU64,
    line: &'a str,
}

/// Reads the arguments. Options are valid only right after the interval: in a prompt they are words.
fn loop_arguments(arguments: &str) -> Result<LoopArguments<'_>, InputError> {
    let (first, rest) = split_word(arguments);
    if first.is_empty() {
        return Err(INFO.misused("the prompt or command is missing"));
    }
    let interval = repeat::interval(first).map_err(|why| no_interval(first, &why))?;
    one_word(first, rest)?;
    let (count, line) = options(rest)?;
    if line.is_empty() {
        return Err(INFO.misused("the prompt or command is missing"));
    }
    Ok(LoopArguments { interval, count: count.unwrap_or(repeat::DEFAULT_COUNT), line })
}

/// Rejects an interval written as two words, such as `5 m`. A bare number is an interval in seconds.
fn one_word(first: &str, rest: &str) -> Result<(), InputError> {
    let (unit, _) = split_word(rest);
    let is_unit = UNITS.contains(&&*unit.to_lowercase()) && first.bytes().all(|byte| byte.is_ascii_digit());
    if is_unit {
        let first = format!("{first} {unit}");
        let one = first.replace(' ', "");
        return Err(INFO.misused(format!("the interval `{first}` is one word: `{one}`")));
    }
    Ok(())
}

/// Units that somebody may separate from the number in an interval.
const UNITS: [&str; 5] = ["ms", "s", "m", "h", "d"];

fn no_interval(written: &str, why: &RepetitionArgumentError) -> InputError {
    let hint = match why {
        _ if written.starts_with("--") => "\n  the interval comes before the options",
        // The text is not a malformed interval but the start of something else.
        RepetitionArgumentError::Interval(DurationError::Unreadable) => {
            "\n  a prompt without an interval is for /every, which schedules it (at a shell: `loop schedule add`)"
        }
        _ => "",
    };
    INFO.misused(format!("the interval `{written}`: {why}{hint}"))
}

/// The only option.
const COUNT: &str = "--count";

/// Reads `[--count N] [--] LINE`; `--count=N` works too. Text that looks like an unknown option is an error, because it
/// was hardly meant as part of a prompt.
fn options(mut rest: &str) -> Result<(Option<NonZeroU64>, &str), InputError> {
    let mut count = None;
    loop {
        let (first, behind) = split_word(rest);
        match first.split_once('=').map_or((first, None), |(flag, value)| (flag, Some(value))) {
            ("--", None) => return Ok((count, behind)),
            (COUNT, _) if count.is_some() => {
                return Err(INFO.misused(format!("{COUNT} appears twice{AS_A_PROMPT}")));
            }
            (COUNT, value) => {
                let (number, line) = value.map_or_else(|| split_word(behind), |value| (value, behind));
                if number.is_empty() {
                    return Err(INFO.misused(format!("the number after {COUNT} is missing")));
                }
                let why = |why| INFO.misused(format!("{COUNT} {number}: {why}"));
                count = Some(repeat::count(number).map_err(why)?);
                rest = line;
            }
            (flag, _) if flag.starts_with("--") => {
                let meant = closest(flag, [COUNT], |flag| flag);
                let meant = meant.map(|meant| format!(" (did you mean {meant}?)")).unwrap_or_default();
                return Err(INFO.misused(format!("there is no option {flag}{meant}{AS_A_PROMPT}")));
            }
            _ => return Ok((count, rest)),
        }
    }
}

const AS_A_PROMPT: &str = "; a prompt that begins like this goes after `--`, as in `/loop 30s -- --count`";

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::test_cases;

    /// Known inputs that this session rejects as mistakes.
    const OTHERWISE: [&str; 2] = ["5m --count", "5m --count=3 hi"];

    #[test]
    fn arguments_are_read_as_people_know_them() {
        let mut seen = 0;
        for (input, expected) in test_cases::of_repetitions("parseLoopArgs") {
            let words: Vec<_> = input.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
            let text = words.join(" ");
            if OTHERWISE.contains(&text.as_str()) || words.first() == Some(&"") {
                continue;
            }
            let read = loop_arguments(&text);
            match (&expected["rest"], &read) {
                (Value::String(rest), Ok(read)) => {
                    assert_eq!(
                        (read.line, read.count.get()),
                        (&rest[..], expected["count"].as_u64().unwrap())
                    );
                    assert_eq!(
                        read.interval,
                        repeat::interval(expected["interval"].as_str().unwrap()).unwrap()
                    );
                }
                (Value::Null, Err(error)) => {
                    assert!(error.to_string().contains("usage: /loop INTERVAL"), "{error}");
                }
                _ => panic!("{text}: {read:?}"),
            }
            seen += 1;
        }
        assert_eq!(seen, 11);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (arguments, said) in [
            ("", "the prompt or command is missing"),
            ("5m", "the prompt or command is missing"),
            ("check the build", "the interval `check`: write it like 30s"),
            ("check the build", "/every"),
            ("0 x", "it has to be more than zero"),
            ("10000000000000 x", "too long"),
            ("5m --count", "the number after --count is missing"),
            ("5 m hi", "the interval `5 m` is one word: `5m`"),
            ("5m --count=0 x", "--count 0: it has to be"),
            (
                "1s --cuont 2 hi",
                "there is no option --cuont (did you mean --count?); a prompt that begins like this",
            ),
            ("1s --verbose hi", "there is no option --verbose; a prompt"),
            ("1s --count 2 --count 3 hi", "--count appears twice; a prompt"),
            ("1s --count 2 --", "the prompt or command is missing"),
            ("--count 3 5m hi", "the interval comes before the options"),
        ] {
            let error = loop_arguments(arguments).expect_err(arguments).to_string();
            assert!(error.contains(said) && error.contains("usage: /loop"), "{error}");
        }
    }

    #[test]
    fn only_what_is_no_interval_at_all_names_the_schedules() {
        for wrong in ["0s x", "-5m x", "10000000000000 x", "--count 3 5m x"] {
            let error = loop_arguments(wrong).expect_err(wrong).to_string();
            assert!(!error.contains("/every"), "{error}");
        }
    }

    #[test]
    fn what_looks_like_an_option_can_be_said() {
        for (arguments, count, line) in [
            ("1s -- --cuont 2", 10, "--cuont 2"),
            ("1s --count 2 -- --count 3", 2, "--count 3"),
            ("1s -v", 10, "-v"),
            ("1s hi --cuont 2", 10, "hi --cuont 2"),
            ("5 mice", 10, "mice"),
        ] {
            let read = loop_arguments(arguments).unwrap();
            assert_eq!((read.count.get(), read.line), (count, line), "{arguments}");
        }
    }

    #[test]
    fn a_line_stays_as_it_was_written() {
        let read = loop_arguments("5m --count=3  say  \"a  b\"\n\nand c --count 2").unwrap();
        assert_eq!((read.count.get(), read.line), (3, "say  \"a  b\"\n\nand c --count 2"));
    }
}
