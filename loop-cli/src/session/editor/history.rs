//! The lines of former sessions, without secrets.
//!
//! One line of the file is one input, as JSON, so that inputs of several lines are one as well, and sessions side by
//! side can add theirs.

use std::{
    collections::VecDeque,
    fs::{self, File, OpenOptions},
    io::{BufRead, BufReader, Write},
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
};

use reedline::{FileBackedHistory, History as _, HistoryItem};

use crate::view;

/// How many inputs are remembered.
const REMEMBERED: usize = 1000;

/// How long the file may get, in lines, before it is made shorter.
const KEPT: usize = 2 * REMEMBERED;

/// The file, if there is one.
#[derive(Debug)]
pub(super) struct Lines(Option<PathBuf>);

impl Lines {
    pub(super) fn open(path: Option<PathBuf>) -> Self {
        let lines = Self(path);
        lines.shorten();
        lines
    }

    /// What is remembered, for the editor, which keeps what is added now by itself.
    pub(super) fn remembered(&self) -> FileBackedHistory {
        let mut history = FileBackedHistory::default();
        for line in self.read() {
            // Whatever is wrong with one of them, the others are there.
            let _ = history.save(HistoryItem::from_command_line(line));
        }
        history
    }

    /// Remembers one more. Somebody who cannot do without the file has been told when the session began.
    pub(super) fn append(&self, line: &str) {
        let Some(path) = self.0.as_ref().filter(|_| !line.trim().is_empty()) else { return };
        let clean = view::secrets().redact(line).into_owned();
        let json = serde_json::Value::from(clean).to_string() + "\n";
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
        let _ = file.and_then(|mut file| file.write_all(json.as_bytes()));
    }

    fn read(&self) -> VecDeque<String> {
        let mut lines = VecDeque::new();
        let Some(file) = self.0.as_ref().and_then(|path| File::open(path).ok()) else { return lines };
        for line in BufReader::new(file).lines().map_while(Result::ok) {
            // A torn line is nobody's.
            let Ok(line) = serde_json::from_str(&line) else { continue };
            lines.push_back(line);
            if lines.len() > KEPT {
                lines.pop_front();
            }
        }
        lines
    }

    /// Keeps the last ones, once there are far too many.
    fn shorten(&self) {
        let lines = self.read();
        let Some(path) = self.0.as_ref().filter(|_| lines.len() >= KEPT) else { return };
        let kept = lines.iter().skip(lines.len() - REMEMBERED);
        let text: String =
            kept.map(|line| serde_json::Value::from(line.as_str()).to_string() + "\n").collect();
        let shorter = path.with_extension("new");
        let _ = fs::write(&shorter, text).and_then(|()| fs::rename(&shorter, path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_remembered_as_they_were_and_a_torn_one_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inputs");
        let lines = Lines::open(Some(path.clone()));
        for line in ["one", "two\nlines \u{e9}", " "] {
            lines.append(line);
        }
        fs::write(&path, fs::read_to_string(&path).unwrap() + "\"to\n\"three\"\n").unwrap();
        assert_eq!(lines.read(), ["one", "two\nlines \u{e9}", "three"]);
        assert_eq!(Lines::open(None).read(), [""; 0]);
    }

    #[test]
    fn a_long_file_is_made_shorter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inputs");
        let text: String = (0..KEPT).map(|number| format!("\"{number}\"\n")).collect();
        fs::write(&path, text).unwrap();
        let lines = Lines::open(Some(path)).read();
        assert_eq!((lines.len(), lines.back().cloned()), (REMEMBERED, Some((KEPT - 1).to_string())));
    }
}
