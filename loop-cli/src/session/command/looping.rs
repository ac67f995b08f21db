//! `/loop`: again and again.
//!
//! It is what `loop every` is, inside of the session: the same machine repeats a line, and the line has the same
//! conversation, tools, rules and transcript as one that is typed.

use std::{num::NonZeroU64, time::Duration};

use async_trait::async_trait;
use loop_core::{Iteration, IterationContext, IterationError, WorkError};

use super::{About, Command, Takes};
use crate::{
    every::{self, Ends, Repetition, What},
    session::{Interrupted, Session, input::word, no_model},
    view,
};

pub(super) struct Loop;

const ABOUT: About = About {
    name: "loop",
    aliases: &[],
    arguments: "INTERVAL [--count N] PROMPT | /COMMAND",
    summary: "Say or do something again and again",
    help: "Ten times, unless `--count` says otherwise, and a hundred at most. The interval (`30s`, `5m`, `1h30m`; a bare \
           number is one of seconds) is the pause from the end of one to the start of the next. Ctrl+C ends the loop \
           wherever it is, and not the session. What goes wrong is said, and the loop goes on.",
    takes: Takes::Commands,
};

#[async_trait]
impl Command for Loop {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> anyhow::Result<()> {
        let Wanted { interval, count, line } = wanted(arguments)?;
        let what =
            What::Prompt { prompt: line.to_owned(), conversation: session.conversation(), fresh: false };
        if what.is_loop() {
            return Err(ABOUT.misused("a loop in a loop is none: repeat what it would repeat"));
        }
        let ends = Ends { count: Some(count), ..Ends::default() };
        let repetition = Repetition { interval, what, ends, errors: None };
        if let Some(exit) = repetition.what.exit_word() {
            session.say(&every::left(&repetition, exit));
            return Ok(());
        }
        if !line.starts_with(['/', '!']) && session.model.is_none() {
            return Err(no_model());
        }
        repeat(&repetition, line, session).await
    }
}

async fn repeat(repetition: &Repetition, line: &str, session: &mut Session) -> anyhow::Result<()> {
    let until = repetition.until()?;
    session.say(&every::plan(repetition));
    session.loop_begins(repetition);
    let stop = session.stop();
    let lines = every::Lines::new(repetition, |line| view::say(&line));
    let repeated = repetition.of(Repeated { line, session }, until.clone());
    let report = repeated.observe(lines).cancel_on(stop).run().await?;
    let over = every::over(repetition, &until, report.ending(), report.progress());
    session.loop_ended(until.finished(), report.reason().as_str());
    session.say(&over);
    Ok(())
}

/// One line of a session, as an iteration. It has the session, and nobody who could be asked.
struct Repeated<'a> {
    line: &'a str,
    session: &'a mut Session,
}

#[async_trait]
impl Iteration for Repeated<'_> {
    type Output = ();

    async fn run(&mut self, cx: IterationContext<()>) -> Result<(), IterationError> {
        tokio::select! {
            biased;
            () = cx.cancelled() => Err(WorkError::failed(Interrupted)),
            done = self.session.act(self.line) => done.map_err(|error| WorkError::failed(format!("{error:#}"))),
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
fn wanted(arguments: &str) -> anyhow::Result<Wanted<'_>> {
    let (first, rest) = word(arguments);
    if first.is_empty() {
        return Err(ABOUT.misused("what is to be repeated is missing"));
    }
    let interval = every::interval(first).map_err(|why| {
        ABOUT.misused(format!(
            "the interval `{first}`: {why}\n  a prompt without an interval is for /every, which schedules it (at a \
             shell: `loop schedule add`)"
        ))
    })?;
    let (count, line) = counted(rest)?;
    if line.is_empty() {
        return Err(ABOUT.misused("what is to be repeated is missing"));
    }
    Ok(Wanted { interval, count, line })
}

/// `[--count N] LINE`, or with a `=`.
fn counted(rest: &str) -> anyhow::Result<(NonZeroU64, &str)> {
    let (flag, after) = word(rest);
    let (number, line) = match flag.strip_prefix("--count") {
        Some("") => word(after),
        Some(number) if number.starts_with('=') => (&number[1..], after),
        _ => return Ok((every::default_count(), rest)),
    };
    match every::count(number) {
        Ok(count) => Ok((count, line)),
        Err(why) => Err(ABOUT.misused(format!("--count {number}: {why}"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::session::cases;

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
                        every::interval(expected["interval"].as_str().unwrap()).unwrap()
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
            ("5m --count", "--count : it has to be a whole number from 1 to 100"),
            ("5m --count=0 x", "--count 0: it has to be"),
        ] {
            let error = wanted(arguments).expect_err(arguments).to_string();
            assert!(error.contains(said) && error.contains("usage: /loop"), "{error}");
        }
    }

    #[test]
    fn a_line_stays_as_it_was_written() {
        let read = wanted("5m --count=3  say  \"a  b\"\n\nand c --count 2").unwrap();
        assert_eq!((read.count.get(), read.line), (3, "say  \"a  b\"\n\nand c --count 2"));
    }
}
