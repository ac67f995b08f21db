//! `/read-pdf`: shows the text of a PDF to the model.

use std::ops::RangeInclusive;

use async_trait::async_trait;
use loop_telemetry::words;
use serde_json::json;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

/// The most pages that one command reads.
const PAGES: u32 = 20;

/// The most commands for one PDF, whose pages may be empty.
const MOST_COMMANDS: usize = 50;

/// The most bytes of text for the model, with room for a notice within 64 KiB.
const ROOM: usize = 63 << 10;

pub(in crate::command) struct ReadPdfCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "read-pdf",
    aliases: &[],
    arguments: "FILE [PAGES]",
    summary: "Show the text of a PDF to the model",
    help: "PAGES are `3`, `2-5` or `1,4-6`; by default all. The policy decides whether `pdfinfo` and `pdftotext` run: \
           `allow = [\"pdfinfo\", \"pdftotext\"]` under `[policy]` in your own settings allows them without a question.",
    argument_kind: ArgumentKind::Paths,
};

#[async_trait]
impl Command for ReadPdfCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let words = INFO.words(arguments)?;
        let (path, wanted) = match &words[..] {
            [path] => (path, None),
            [path, pages] => (path, Some(pages_of(pages).ok_or_else(|| misused(pages))?)),
            _ => return Err(INFO.misused("one file at a time, with its pages")),
        };
        let read = show(path, wanted, session).await?;
        session.say(&format!("read {read}"));
        Ok(())
    }
}

/// Shows pages of a PDF to the model, by default all, and returns a description for the person.
pub(super) async fn show(
    path: &str,
    wanted: Option<Vec<RangeInclusive<u32>>>,
    session: &mut Session,
) -> Result<String, InputError> {
    let (text, note) = read(path, wanted, session).await?;
    session.add_to_context(&format!("the PDF {path}"), &text);
    Ok(format!("{path}, {}{note}", words::bytes(text.len() as u64)))
}

fn misused(pages: &str) -> InputError {
    INFO.misused(format!("`{pages}` are not pages: write `3`, `2-5` or `1,4-6`"))
}

/// Reads pages of a PDF. Returns the text, and a note about missing parts.
async fn read(
    path: &str,
    wanted: Option<Vec<RangeInclusive<u32>>>,
    session: &mut Session,
) -> Result<(String, String), InputError> {
    // A name that begins with `-` would be an option.
    let named = if path.starts_with('/') { path.to_owned() } else { format!("./{path}") };
    let file = shlex::try_quote(&named).map_err(|error| InputError::refused(error.to_string()))?;
    let info = call(&format!("pdfinfo {file}"), session).await?;
    let count = info.lines().find_map(|line| line.strip_prefix("Pages:")?.trim().parse::<u32>().ok());
    let count = count.filter(|count| *count > 0);
    let count = count.ok_or_else(|| InputError::refused(format!("pdfinfo names no pages of {path}")))?;
    let mut text = String::new();
    let commands = commands(&wanted.unwrap_or_else(|| vec![1..=count]), count);
    if commands.is_empty() {
        return Err(InputError::refused(format!(
            "{path} has only {}",
            words::count(u64::from(count), "page")
        )));
    }
    for (number, (first, last)) in commands.iter().enumerate() {
        if number == MOST_COMMANDS || text.len() > ROOM {
            return Ok(cut(text, &format!("cut before page {first}")));
        }
        text.push_str(&call(&format!("pdftotext -f {first} -l {last} {file} -"), session).await?);
    }
    if text.len() > ROOM { Ok(cut(text, "cut: the pages have more text")) } else { Ok((text, String::new())) }
}

fn cut(mut text: String, note: &str) -> (String, String) {
    text.truncate(text.floor_char_boundary(ROOM));
    (format!("{text}\n[... {note} ...]"), format!("; {note}"))
}

/// Runs a program of poppler under the policy, and returns its output.
async fn call(line: &str, session: &mut Session) -> Result<String, InputError> {
    let report = session.call("run_command", &json!({ "command": line })).await.map_err(|error| match error {
        InputError::Refused(text) if text.contains("cannot find the program") => InputError::refused(format!(
            "{text}: install poppler (the package `poppler-utils` of Debian, Ubuntu and Fedora, `poppler` elsewhere)"
        )),
        error => error,
    })?;
    match report.text.strip_suffix("(exit 0)") {
        Some(text) => Ok(text.to_owned()),
        None => Err(InputError::refused(report.text)),
    }
}

/// Parses `3`, `2-5` and `1,4-6`.
fn pages_of(text: &str) -> Option<Vec<RangeInclusive<u32>>> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse().ok()?);
        (1..=last).contains(&first).then_some(first..=last)
    };
    text.split(',').map(range).collect()
}

/// Splits ranges into the first and the last page of each command.
fn commands(ranges: &[RangeInclusive<u32>], count: u32) -> Vec<(u32, u32)> {
    let split = |range: &RangeInclusive<u32>| {
        let last = count.min(*range.end());
        (*range.start()..=last)
            .step_by(PAGES as usize)
            .map(move |first| (first, last.min(first.saturating_add(PAGES - 1))))
    };
    ranges.iter().flat_map(split).take(MOST_COMMANDS + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read_twenty_at_a_time() {
        let read = |pages: &str, count| pages_of(pages).map(|ranges| commands(&ranges, count));
        assert_eq!(read("3", 9), Some(vec![(3, 3)]));
        assert_eq!(read("1,4-6", 5), Some(vec![(1, 1), (4, 5)]));
        assert_eq!(read("2-45", 100), Some(vec![(2, 21), (22, 41), (42, 45)]));
        assert_eq!(read("7", 5), Some(vec![]));
        assert_eq!(read("1-4294967295", u32::MAX).map(|commands| commands.len()), Some(51));
        for wrong in ["", "0", "5-2", "a", "1,,2", "1-", "-3", "4294967296"] {
            assert_eq!(read(wrong, 9), None, "{wrong}");
        }
    }
}
