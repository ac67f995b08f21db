//! The input lines of earlier sessions, without secrets.
//!
//! Each line of the file is one input, as JSON. So an input of several lines stays in one piece, and parallel sessions
//! can append to the file.

use std::{collections::VecDeque, fs, io::Write, path::PathBuf};

use reedline::{FileBackedHistory, History as _, HistoryItem};

use super::pastes::Pastes;
use loop_telemetry::own_file;

use crate::view;

/// The number of remembered inputs.
const REMEMBERED: usize = 1000;

/// The number of lines at which the file is shortened.
const KEPT: usize = 2 * REMEMBERED;

/// The file, if there is one.
#[derive(Debug)]
pub(super) struct InputHistory(Option<PathBuf>);

impl InputHistory {
    pub(super) fn open(path: Option<PathBuf>) -> Self {
        let lines = Self(path);
        let (read, damaged) = lines.read();
        if let (Some(path), 1..) = (&lines.0, damaged) {
            let damaged = view::text::count(damaged, "line");
            view::warning(&format!(
                "{damaged} of {} cannot be read: these inputs are forgotten",
                path.display()
            ));
        }
        lines.shorten(&read);
        lines
    }

    /// Returns the remembered inputs, for the editor, which adds new ones by itself. Long inputs have labels.
    pub(super) fn remembered(&self, pastes: &Pastes) -> FileBackedHistory {
        let mut history = FileBackedHistory::default();
        for line in self.read().0 {
            // An error in one entry does not affect the others.
            let _ = history.save(HistoryItem::from_command_line(pastes.folded(&line)));
        }
        history
    }

    /// Remembers one more input. A failure stays silent: the session warned about the file when it began.
    pub(super) fn append(&self, line: &str) {
        let Some(path) = self.0.as_ref().filter(|_| !line.trim().is_empty()) else { return };
        let clean = view::secrets().redact(line).into_owned();
        let json = serde_json::Value::from(clean).to_string() + "\n";
        let file = own_file::options().append(true).create(true).open(path);
        let _ = file.and_then(|mut file| file.write_all(json.as_bytes()));
    }

    /// Returns the last lines, and the number of lines that cannot be read, torn ones included.
    fn read(&self) -> (VecDeque<String>, u64) {
        let (mut lines, mut damaged) = (VecDeque::new(), 0);
        let Some(bytes) = self.0.as_ref().and_then(|path| own_file::read(path).ok()) else {
            return (lines, 0);
        };
        for line in bytes.split(|byte| *byte == b'\n') {
            let Ok(line) = serde_json::from_slice(line) else {
                damaged += u64::from(!line.is_empty());
                continue;
            };
            lines.push_back(line);
            if lines.len() > KEPT {
                lines.pop_front();
            }
        }
        (lines, damaged)
    }

    /// Shortens the file once it has far too many lines.
    fn shorten(&self, lines: &VecDeque<String>) {
        let Some(path) = self.0.as_ref().filter(|_| lines.len() >= KEPT) else { return };
        let kept = lines.iter().skip(lines.len() - REMEMBERED);
        let text: String =
            kept.map(|line| serde_json::Value::from(line.as_str()).to_string() + "\n").collect();
        let shorter = path.with_extension("new");
        let file = own_file::options().write(true).create(true).truncate(true).open(&shorter);
        let _ = file
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .and_then(|()| fs::rename(&shorter, path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_remembered_as_they_were_and_a_torn_one_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inputs");
        let lines = InputHistory::open(Some(path.clone()));
        for line in ["one", "two\nlines \u{e9}", " "] {
            lines.append(line);
        }
        fs::write(&path, fs::read_to_string(&path).unwrap() + "\"to\n\"three\"\n").unwrap();
        let (read, damaged) = lines.read();
        assert_eq!(read, ["one", "two\nlines \u{e9}", "three"]);
        assert_eq!(damaged, 1);
        assert_eq!(InputHistory::open(None).read(), (VecDeque::new(), 0));
    }

    #[test]
    fn a_long_file_is_made_shorter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inputs");
        let text: String = (0..KEPT).map(|number| format!("\"{number}\"\n")).collect();
        fs::write(&path, text).unwrap();
        let (lines, _) = InputHistory::open(Some(path)).read();
        assert_eq!((lines.len(), lines.back().cloned()), (REMEMBERED, Some((KEPT - 1).to_string())));
    }
}
