//! Reads a file, or some of its lines.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read as _},
};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Need, StopFlag, Tool, ToolContext, ToolError, size_limits};
use crate::output::{ELLIPSIS, garbled, garbled_note, whole_chars};

/// How many bytes of a file decide whether it is text.
pub(super) const SNIFFED_BYTES: usize = 8 * 1024;

/// Reads a text file, or some of its lines.
///
/// ```
/// # use loop_agents::tools::Toolbox;
/// # use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let tools = Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default())?);
/// std::fs::write(folder.path().join("poem"), "one\ntwo\nthree\n")?;
/// let call = serde_json::json!({ "path": "poem", "first_line": 2, "lines": 1 });
/// assert_eq!(tools.call("read_file", &call).await.text, "two\n");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadFile;

/// The arguments of `read_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFileArguments {
    /// The file, relative to the workspace.
    path: String,
    /// The first line to read, from 1.
    #[schemars(range(min = 1))]
    first_line: Option<u64>,
    /// The number of lines to read. Default: all that fit.
    #[schemars(range(min = 1))]
    lines: Option<u64>,
}

#[async_trait]
impl Tool for ReadFile {
    type Arguments = ReadFileArguments;

    fn name(&self) -> &'static str {
        "read_file"
    }

    fn description(&self) -> &'static str {
        "Reads a text file, or some of its lines, at most 63 KiB per call. If it leaves something out, it \
         names the line at which to continue."
    }

    fn needs(&self, arguments: &ReadFileArguments) -> Vec<Need> {
        vec![Need::read(&arguments.path)]
    }

    async fn call(&self, arguments: ReadFileArguments, cx: &ToolContext) -> Result<String, ToolError> {
        let read = cx.blocking(move |workspace, stop| {
            let opened = workspace.read(&arguments.path)?;
            let mut file = BufReader::new(opened.file);
            let is_text =
                is_text(&mut file).map_err(|error| ToolError::io("read", &arguments.path, &error))?;
            if !is_text {
                return Err(ToolError::failed(format!(
                    "`{}` is not text: it has {} bytes, some of which are NUL",
                    opened.path, opened.bytes
                )));
            }
            let first = arguments.first_line.unwrap_or(1);
            let end = arguments.lines.map_or(u64::MAX, |lines| first.saturating_add(lines));
            RequestedLines { first, end, at: 1, text: Vec::new() }
                .read(&mut file, stop)
                .map_err(|error| ToolError::io("read", &arguments.path, &error))
        });
        let ReadResult { text, notes } = read.await?;
        notes.into_iter().for_each(|note| cx.note(note));
        Ok(text)
    }
}

/// Returns whether the beginning of a file looks like text.
pub(super) fn is_text(file: &mut BufReader<impl io::Read>) -> io::Result<bool> {
    let start = file.fill_buf()?;
    Ok(!start[..start.len().min(SNIFFED_BYTES)].contains(&0))
}

/// The result of reading.
#[derive(Debug, Default)]
struct ReadResult {
    text: String,
    /// How the text differs from the file.
    notes: Vec<String>,
}

/// The requested lines, as far as there is room.
struct RequestedLines {
    first: u64,
    /// The line after the last requested one.
    end: u64,
    /// The current line.
    at: u64,
    text: Vec<u8>,
}

impl RequestedLines {
    fn read(mut self, file: &mut impl BufRead, stop: &StopFlag) -> io::Result<ReadResult> {
        while self.at < self.end && !stop.is_set() {
            let buffer = file.fill_buf()?;
            if buffer.is_empty() {
                return Ok(self.whole());
            }
            let length = buffer.iter().position(|byte| *byte == b'\n').map_or(buffer.len(), |end| end + 1);
            let (piece, ends) = (&buffer[..length], buffer[length - 1] == b'\n');
            if self.at >= self.first {
                if self.text.len() + length > size_limits::ROOM {
                    self.text.extend_from_slice(&piece[..size_limits::ROOM - self.text.len()]);
                    return Ok(self.cut());
                }
                self.text.extend_from_slice(piece);
            }
            self.at += u64::from(ends);
            file.consume(length);
        }
        Ok(self.whole())
    }

    fn whole(self) -> ReadResult {
        if self.text.is_empty() && self.at < self.first {
            let text = size_limits::notice(&format!("the file has {} lines", self.at - 1));
            return ReadResult { text, notes: Vec::new() };
        }
        shown(&self.text, None)
    }

    /// Returns the part that fits: whole lines, or the beginning of a line that is longer than all the room.
    fn cut(mut self) -> ReadResult {
        let at = self.at;
        if let Some(end) = self.text.iter().rposition(|byte| *byte == b'\n') {
            self.text.truncate(end + 1);
            let notice = format!("cut here: continue with first_line = {at}");
            return shown(&self.text, Some((notice, format!("cut before line {at}"))));
        }
        let what = format!("line {at} is longer than {} bytes", size_limits::ROOM);
        let text = [whole_chars(&self.text), ELLIPSIS.as_bytes()].concat();
        shown(&text, Some((format!("cut here: {what}"), format!("cut: {what}"))))
    }
}

/// Returns the text with notices for the model and notes for a person. They report why the text is cut, and that some
/// of it is not valid text.
fn shown(bytes: &[u8], cut: Option<(String, String)>) -> ReadResult {
    let mut read = ReadResult { text: String::from_utf8_lossy(bytes).into_owned(), notes: Vec::new() };
    let garbled = garbled_note(garbled(bytes)).map(|note| (note.clone(), note));
    for (notice, note) in garbled.into_iter().chain(cut) {
        if !read.text.ends_with('\n') {
            read.text.push('\n');
        }
        read.text.push_str(&size_limits::notice(&notice));
        read.notes.push(note);
    }
    read
}

/// Returns all the text of a file, if it is UTF-8 and has at most `most` bytes.
pub(super) fn whole(file: File, path: &str, most: usize) -> Result<String, ToolError> {
    let mut text = String::new();
    let read = file.take(most as u64 + 1).read_to_string(&mut text);
    read.map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => ToolError::failed(format!("`{path}` is no text (UTF-8)")),
        _ => ToolError::io("read", path, &error),
    })?;
    if text.len() > most {
        return Err(ToolError::failed(format!("`{path}` is larger than {most} bytes")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, first: u64, end: u64, buffer: usize) -> String {
        let lines = RequestedLines { first, end, at: 1, text: Vec::new() };
        lines.read(&mut BufReader::with_capacity(buffer, text.as_bytes()), &StopFlag::default()).unwrap().text
    }

    #[test]
    fn bytes_that_are_no_text_are_counted() {
        let lines = || RequestedLines { first: 1, end: u64::MAX, at: 1, text: Vec::new() };
        let read = |bytes: &[u8]| lines().read(&mut BufReader::new(bytes), &StopFlag::default()).unwrap();
        let ReadResult { text, notes } = read(b"caf\xe9 \xff");
        let note = "2 bytes are not UTF-8, and show as U+FFFD";
        assert_eq!(text, format!("caf\u{fffd} \u{fffd}\n[... {note} ...]"));
        assert_eq!(notes, [note]);
        assert!(read("\u{fffd}\n".as_bytes()).notes.is_empty());
        let long = [b"\xff\n".repeat(20_000), b"x\n".repeat(20_000)].concat();
        let ReadResult { text, notes } = read(&long);
        assert_eq!(notes, ["20000 bytes are not UTF-8, and show as U+FFFD", "cut before line 32257"]);
        assert!(text.ends_with("first_line = 32257 ...]"), "{}", &text[text.len() - 100..]);
    }

    proptest! {
        #[test]
        fn the_lines_are_those_of_the_file_however_it_is_read(
            text in "[aé\n]{1,60}", first in 1u64..8, count in 1u64..8, buffer in 1usize..20,
        ) {
            let all: Vec<_> = text.split_inclusive('\n').collect();
            let expected: String = all.iter().skip(first as usize - 1).take(count as usize).copied().collect();
            let found = read(&text, first, first + count, buffer);
            if expected.is_empty() {
                prop_assert!(found.is_empty() || found.contains("the file has"), "{}", found);
            } else {
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn a_long_file_is_read_in_parts_that_make_the_whole(width in 1usize..3000, count in 1u64..300) {
            let text = format!("{}\n", "x".repeat(width)).repeat(count as usize);
            let (mut whole, mut first) = (String::new(), 1);
            loop {
                let part = read(&text, first, u64::MAX, 8192);
                prop_assert!(part.len() <= size_limits::MAX_OUTPUT_BYTES);
                let Some((lines, notice)) = part.split_once("[... cut here: continue with first_line = ") else {
                    whole.push_str(&part);
                    break;
                };
                whole.push_str(lines);
                first = notice.trim_end_matches(" ...]").parse().unwrap();
            }
            prop_assert_eq!(whole, text);
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_on_a_character() {
        let text = read(&"–".repeat(50_000), 1, u64::MAX, 8192);
        assert!(text.len() <= size_limits::MAX_OUTPUT_BYTES && text.contains("line 1 is longer than"));
        assert!(!text.contains(char::REPLACEMENT_CHARACTER));
    }
}
