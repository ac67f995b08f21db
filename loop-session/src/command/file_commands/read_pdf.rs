//! `/read-pdf`: shows the text of a PDF to the model.

use std::ops::RangeInclusive;

use async_trait::async_trait;
use loop_telemetry::words;
use serde_json::json;

use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session,
    pdf_pages::{self, MOST_COMMANDS, advised, first_and_last, page_count},
};

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
            [path, pages] => (path, Some(pdf_pages::parse(pages).ok_or_else(|| misused(pages))?)),
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
    let count =
        page_count(&info).ok_or_else(|| InputError::refused(format!("pdfinfo names no pages of {path}")))?;
    let mut text = String::new();
    let commands = first_and_last(&wanted.unwrap_or_else(|| vec![1..=count]), count);
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
    let report =
        session.call("run_command", &json!({ "command": line })).await.map_err(|error| match error {
            InputError::Refused(text) => InputError::refused(advised(text)),
            error => error,
        })?;
    match report.text.strip_suffix("(exit 0)") {
        Some(text) => Ok(text.to_owned()),
        None => Err(InputError::refused(report.text)),
    }
}
