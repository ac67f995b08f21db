//! `/loop`: repeats a line.
//!
//! This is `loop every` inside a session. The same machine repeats a line, and the repeated line has the same
//! conversation, tools, rules and transcript as a typed one.

use std::{num::NonZeroU64, time::Duration};

use async_trait::async_trait;
use loop_core::{Iteration, IterationContext, IterationError, WorkError};

use super::{About, Command, Repeated, Takes};
use crate::{
    Input, InputError, Session,
    repeat::{self, Ends, RepeatedWork, Repetition, RepetitionLines, RhythmError},
    word,
};
use loop_core::with_causes;
use loop_manifest::{closest, duration::DurationError};

pub(crate) struct Loop;

const ABOUT: About = About {
    name: "loop",
    aliases: &[],
    arguments: "INTERVAL [--count N] PROMPT | /COMMAND",
    summary: "Repeat a prompt or a command",
    help: "A loop has 10 iterations unless you give `--count`, and at most 100. The interval (`30s`, `5m`, `1h30m`; a \
           number alone means seconds) is the pause between the end of one iteration and the start of the next. \
           Ctrl+C, `/exit` and Ctrl+D end the loop, not the session. After an error the loop continues. Write `--` \
           before a prompt that begins with `--`.",
    takes: Takes::Commands,
};

#[async_trait]
impl Command for Loop {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn repeated(&self, _: &str) -> Repeated {
        Repeated::More
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let Wanted { interval, count, line } = wanted(arguments)?;
        let what = RepeatedWork::Prompt {
            prompt: line.to_owned(),
            conversation: session.conversation(),
            fresh: false,
        };
        let ends = Ends { count: Some(count), ..Ends::default() };
        let repetition = Repetition::new(interval, what, ends);
        let comes = session.repeated(line);
        if comes == Repeated::End {
            session.say(&repeat::left(&repetition, line));
            return Ok(());
        }
        if let Some(why) = comes.refused("loop") {
            return Err(ABOUT.misused(why));
        }
        session.accepts(line)?;
        repeat(&repetition, line, session).await
    }
}

/// Returns whether a line begins a loop. A loop runs unattended, even though a person started it.
pub fn is_loop(line: &str) -> bool {
    matches!(Input::of(line), Input::Command { name, .. } if name.eq_ignore_ascii_case(ABOUT.name))
}

async fn repeat(repetition: &Repetition, line: &str, session: &mut Session) -> Result<(), InputError> {
    let until = repetition.until()?;
    session.say(&repeat::plan(repetition));
    session.loop_begins(repetition);
    let (stop, host) = (session.stop(), session.host().clone());
    let lines = RepetitionLines::new(repetition, move |line| host.say(&line));
    let repeated = repetition.compose(Line { line, session }, until.clone());
    let report = repeated.observe(lines).cancel_on(stop).run().await?;
    let over = repeat::over(repetition, &until, report.ending(), report.progress());
    session.loop_ended(until.finished(), report.ending().name());
    session.say(&over);
    Ok(())
}

/// One line of a session, as an iteration. It has the session, but no channel to a person.
struct Line<'a> {
    line: &'a str,
    session: &'a mut Session,
}

#[async_trait]
impl Iteration for Line<'_> {
    type Output = ();

    async fn run(&mut self, cx: IterationContext<()>) -> Result<(), IterationError> {
        tokio::select! {
            biased;
            // This branch comes first: an interrupted line still records how far it came.
            done = self.session.perform(self.line) => done.map_err(|error| WorkError::failed(with_causes(&error))),
            () = cx.cancelled() => Err(WorkError::failed(InputError::Interrupted)),
        }
    }
}

/// The line to repeat, and how to repeat it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wanted<'a> {
    interval: Duration,
    count: NonZeroU64,
    line: &'a str,
}

/// Reads the arguments. Options are valid only right after the interval: in a prompt they are words.
fn wanted(arguments: &str) -> Result<Wanted<'_>, InputError> {
    let (first, rest) = word(arguments);
    if first.is_empty() {
        return Err(ABOUT.misused("what is to be repeated is missing"));
    }
    let interval = repeat::interval(first).map_err(|why| no_interval(first, &why))?;
    one_word(first, rest)?;
    let (count, line) = options(rest)?;
    if line.is_empty() {
        return Err(ABOUT.misused("what is to be repeated is missing"));
    }
    Ok(Wanted { interval, count: count.unwrap_or(repeat::DEFAULT_COUNT), line })
}

/// Rejects an interval written as two words, such as `5 m`. A bare number is an interval in seconds.
fn one_word(first: &str, rest: &str) -> Result<(), InputError> {
    let (unit, _) = word(rest);
    let is_unit = UNITS.contains(&&*unit.to_lowercase()) && first.bytes().all(|byte| byte.is_ascii_digit());
    if is_unit {
        let first = format!("{first} {unit}");
        let one = first.replace(' ', "");
        return Err(ABOUT.misused(format!("the interval `{first}` is one word: `{one}`")));
    }
    Ok(())
}

/// Units that somebody may separate from the number in an interval.
const UNITS: [&str; 5] = ["ms", "s", "m", "h", "d"];

fn no_interval(written: &str, why: &RhythmError) -> InputError {
    let hint = match why {
        _ if written.starts_with("--") => "\n  the interval stands before the options",
        // The text is not a malformed interval but the start of something else.
        RhythmError::Interval(DurationError::Unreadable) => {
            "\n  a prompt without an interval is for /every, which schedules it (at a shell: `loop schedule add`)"
        }
        _ => "",
    };
    ABOUT.misused(format!("the interval `{written}`: {why}{hint}"))
}

/// The only option.
const COUNT: &str = "--count";

/// Reads `[--count N] [--] LINE`; `--count=N` works too. Text that looks like an unknown option is an error, because it
/// was hardly meant as part of a prompt.
fn options(mut rest: &str) -> Result<(Option<NonZeroU64>, &str), InputError> {
    let mut count = None;
    loop {
        let (first, behind) = word(rest);
        match first.split_once('=').map_or((first, None), |(flag, value)| (flag, Some(value))) {
            ("--", None) => return Ok((count, behind)),
            (COUNT, _) if count.is_some() => {
                return Err(ABOUT.misused(format!("{COUNT} stands here twice{AS_A_PROMPT}")));
            }
            (COUNT, value) => {
                let (number, line) = value.map_or_else(|| word(behind), |value| (value, behind));
                if number.is_empty() {
                    return Err(ABOUT.misused(format!("{COUNT} what? The number is missing")));
                }
                let why = |why| ABOUT.misused(format!("{COUNT} {number}: {why}"));
                count = Some(repeat::count(number).map_err(why)?);
                rest = line;
            }
            (flag, _) if flag.starts_with("--") => {
                let meant = closest(flag, [COUNT], |flag| flag);
                let meant = meant.map(|meant| format!(" (did you mean {meant}?)")).unwrap_or_default();
                return Err(ABOUT.misused(format!("there is no option {flag}{meant}{AS_A_PROMPT}")));
            }
            _ => return Ok((count, rest)),
        }
    }
}

const AS_A_PROMPT: &str = "; a prompt that begins so stands behind `--`, as in `/loop 30s -- --count`";

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::cases;

    /// Known inputs that this session rejects as mistakes.
    const OTHERWISE: [&str; 2] = ["5m --count", "5m --count=3 hi"];

    #[test]
    fn arguments_are_read_as_people_know_them() {
        let mut seen = 0;
        for (input, expected) in cases::of_repetitions("parseLoopArgs") {
            let words: Vec<_> = input.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
            let text = words.join(" ");
            if OTHERWISE.contains(&text.as_str()) || words.first() == Some(&"") {
                continue;
            }
            let read = wanted(&text);
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
            ("", "what is to be repeated is missing"),
            ("5m", "what is to be repeated is missing"),
            ("check the build", "the interval `check`: write it like 30s"),
            ("check the build", "/every"),
            ("0 x", "it has to be more than nothing"),
            ("10000000000000 x", "too long"),
            ("5m --count", "--count what? The number is missing"),
            ("5 m hi", "the interval `5 m` is one word: `5m`"),
            ("5m --count=0 x", "--count 0: it has to be"),
            (
                "1s --cuont 2 hi",
                "there is no option --cuont (did you mean --count?); a prompt that begins so",
            ),
            ("1s --verbose hi", "there is no option --verbose; a prompt"),
            ("1s --count 2 --count 3 hi", "--count stands here twice; a prompt"),
            ("1s --count 2 --", "what is to be repeated is missing"),
            ("--count 3 5m hi", "the interval stands before the options"),
        ] {
            let error = wanted(arguments).expect_err(arguments).to_string();
            assert!(error.contains(said) && error.contains("usage: /loop"), "{error}");
        }
    }

    #[test]
    fn only_what_is_no_interval_at_all_is_told_of_schedules() {
        for wrong in ["0s x", "-5m x", "10000000000000 x", "--count 3 5m x"] {
            let error = wanted(wrong).expect_err(wrong).to_string();
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
            let read = wanted(arguments).unwrap();
            assert_eq!((read.count.get(), read.line), (count, line), "{arguments}");
        }
    }

    #[test]
    fn a_line_stays_as_it_was_written() {
        let read = wanted("5m --count=3  say  \"a  b\"\n\nand c --count 2").unwrap();
        assert_eq!((read.count.get(), read.line), (3, "say  \"a  b\"\n\nand c --count 2"));
    }
}
