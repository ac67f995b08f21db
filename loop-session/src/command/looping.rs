//! `/loop`: again and again.
//!
//! It is what `loop every` is, inside of the session: the same machine repeats a line, and the line has the same
//! conversation, tools, rules and transcript as one that is typed.

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
    summary: "Say or do something again and again",
    help: "Ten times, unless `--count` says otherwise, and a hundred at most. The interval (`30s`, `5m`, `1h30m`; a bare \
           number is one of seconds) is the pause from the end of one to the start of the next. Ctrl+C, `/exit` and \
           Ctrl+D end the loop wherever it is, and not the session. What goes wrong is said, and the loop goes on. A \
           prompt that begins with `--` stands behind a `--` of its own.",
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

/// Returns whether a line begins a loop. A loop is done without a person, although one began it.
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

/// One line of a session, as an iteration. It has the session, and nobody who could be asked.
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
            // At first: what is ended writes down how far it came.
            done = self.session.perform(self.line) => done.map_err(|error| WorkError::failed(with_causes(&error))),
            () = cx.cancelled() => Err(WorkError::failed(InputError::Interrupted)),
        }
    }
}

/// What is to be repeated, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wanted<'a> {
    interval: Duration,
    count: NonZeroU64,
    line: &'a str,
}

/// Reads the arguments. Options stand behind the interval alone: in a prompt they are words.
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

/// A number of seconds is an interval, and `5 m` is one that was written in two words.
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

/// What stands behind a number in an interval, where somebody would part them.
const UNITS: [&str; 5] = ["ms", "s", "m", "h", "d"];

fn no_interval(written: &str, why: &RhythmError) -> InputError {
    let hint = match why {
        _ if written.starts_with("--") => "\n  the interval stands before the options",
        // It is no mistake in an interval, but the beginning of something else.
        RhythmError::Interval(DurationError::Unreadable) => {
            "\n  a prompt without an interval is for /every, which schedules it (at a shell: `loop schedule add`)"
        }
        _ => "",
    };
    ABOUT.misused(format!("the interval `{written}`: {why}{hint}"))
}

/// The one option that there is.
const COUNT: &str = "--count";

/// `[--count N] [--] LINE`, or with a `=`. What looks like an option and is none was hardly meant to be said.
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

    /// What people know is otherwise here: what was a slip is said to be one.
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
