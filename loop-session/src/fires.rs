//! The results of fires.
//!
//! The store knows only the latest fire of each job, and forgets finished jobs. In the morning, people want to see
//! every fire of the night, together with its run.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use loop_schedule::{Fire, JobId, Slots, WithWarnings};
use loop_telemetry::{always_json, checksum, own_file, words};
use serde::{Deserialize, Serialize};

/// How many of the latest fires stay when the file is shortened. It is shortened at twice as many.
const KEPT: usize = 1_000;

/// The reason for the end of a fire that was a turn of a session.
const IN_SESSION: &str = "session_turn";

/// The result of a fire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FireResult {
    /// The job.
    pub job: JobId,
    /// The sequence number of the job's fire, from 1.
    pub number: u64,
    /// The slots that it covers; `None` if somebody requested the fire.
    pub slots: Option<Slots>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
    /// Its run; `None` if none began.
    pub run_id: Option<String>,
    /// Why the run stopped.
    pub stop_reason: Option<String>,
    /// The exit code as a shell shows it; `None` if nothing could start.
    pub exit_code: Option<i32>,
    /// The error, if there was one.
    pub error: Option<String>,
}

impl FireResult {
    /// Creates an entry for a fire that began at this time and is not over.
    pub fn begun(fire: &Fire, started_at: Timestamp) -> Self {
        Self {
            job: fire.job.id,
            number: fire.number,
            slots: fire.slots,
            started_at,
            ended_at: started_at,
            run_id: None,
            stop_reason: None,
            exit_code: None,
            error: None,
        }
    }

    /// Returns the entry of a fire that a session carried out as one of its turns. It has no run.
    pub fn ended_in_session(self, error: Option<String>, ended_at: Timestamp) -> Self {
        let exit_code = Some(i32::from(error.is_some()));
        Self { ended_at, stop_reason: Some(IN_SESSION.to_owned()), exit_code, error, ..self }
    }

    /// Returns whether the fire succeeded.
    pub fn succeeded(&self) -> bool {
        self.exit_code == Some(0) && self.error.is_none()
    }

    /// Describes the end in one or two words.
    pub fn word(&self) -> String {
        match (&self.stop_reason, self.exit_code) {
            (Some(_), Some(0)) if self.error.is_some() => "agent failed".to_owned(),
            (Some(reason), _) if reason == IN_SESSION => "done in a session".to_owned(),
            (Some(reason), _) => reason.clone(),
            (None, Some(code)) => format!("exit code {code}"),
            (None, None) => "not started".to_owned(),
        }
    }
}

/// A history that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FireHistoryError {
    /// The file cannot be read.
    #[error("{} cannot be read", path.display())]
    Read {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("{} cannot be written", path.display())]
    Write {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// A file with one line per fire.
///
/// ```
/// use loop_session::fires::FireHistory;
///
/// let folder = tempfile::tempdir()?;
/// let fires = FireHistory::in_folder(folder.path()).read()?.report(|warning| eprintln!("{warning}"));
/// assert!(fires.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct FireHistory {
    file: PathBuf,
}

impl FireHistory {
    /// Creates the history in the folder of a project's schedule. The file need not exist.
    pub fn in_folder(folder: &Path) -> Self {
        Self { file: folder.join("fires.jsonl") }
    }

    /// Returns all stored fires, oldest first, with a warning about unreadable lines.
    ///
    /// # Errors
    /// [`FireHistoryError::Read`] if the file exists and cannot be read, or is a link.
    pub fn read(&self) -> Result<WithWarnings<Vec<FireResult>, String>, FireHistoryError> {
        let bytes = self.bytes();
        let bytes = bytes.map_err(|source| FireHistoryError::Read { path: self.file.clone(), source })?;
        let (mut fires, mut damaged) = (Vec::new(), Vec::new());
        for (number, line) in (1_u64..).zip(lines_of(&bytes)) {
            match serde_json::from_slice(line).ok().filter(|_| checksum::fits(line)) {
                Some(result) => fires.push(result),
                None => damaged.push(number),
            }
        }
        let warning = damaged.first().map(|first| {
            format!(
                "{} of {} cannot be read, the first one is line {first}: these fires are missing from the history. A \
                 crash cuts the last line off; otherwise restore the file from a backup",
                words::count(damaged.len() as u64, "line"),
                self.file.display()
            )
        });
        Ok(WithWarnings::new(fires, warning.into_iter().collect()))
    }

    /// Returns the bytes of the file, which is never read through a link; empty if there is no file.
    fn bytes(&self) -> io::Result<Vec<u8>> {
        Ok(own_file::read_if_there(&self.file)?.unwrap_or_default())
    }

    /// Adds a fire. Only the holder of the right to fire may call this.
    ///
    /// # Errors
    /// [`FireHistoryError::Write`] if the file cannot be written, or is a link.
    pub fn add(&self, result: &FireResult) -> Result<(), FireHistoryError> {
        let added = self.make_room().and_then(|is_whole| {
            let end = if is_whole { "" } else { "\n" };
            let mut file = own_file::options().append(true).create(true).open(&self.file)?;
            file.write_all(format!("{end}{}", line(result)).as_bytes())
        });
        added.map_err(|source| FireHistoryError::Write { path: self.file.clone(), source })
    }

    /// Removes the oldest entries once the file is twice its minimum size. Returns whether the last line is complete:
    /// new entries must not become part of a torn line.
    fn make_room(&self) -> io::Result<bool> {
        let bytes = self.bytes()?;
        let is_whole = bytes.last().is_none_or(|last| *last == b'\n');
        let lines: Vec<_> = lines_of(&bytes).collect();
        if lines.len() < 2 * KEPT {
            return Ok(is_whole);
        }
        let mut kept = lines[lines.len() - KEPT..].join(&b'\n');
        kept.push(b'\n');
        let draft = self.file.with_extension("draft");
        own_file::options().write(true).create(true).truncate(true).open(&draft)?.write_all(&kept)?;
        fs::rename(draft, &self.file)?;
        Ok(true)
    }
}

/// Returns the lines that are not empty.
fn lines_of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn line(result: &FireResult) -> String {
    let json = always_json(serde_json::to_string(result));
    checksum::seal(&json) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(history: &FireHistory) -> (Vec<u64>, Vec<String>) {
        let mut warnings = Vec::new();
        let fires = history.read().expect("lines").report(|warning| warnings.push(warning));
        (fires.iter().map(|result| result.number).collect(), warnings)
    }

    #[test]
    fn the_last_fires_are_kept_and_a_torn_line_is_passed_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let history = FireHistory::in_folder(folder.path());
        assert_eq!(read(&history), (Vec::new(), Vec::new()));
        let now = Timestamp::UNIX_EPOCH;
        let result = |number| FireResult {
            job: JobId::from_bits(7),
            number,
            slots: None,
            started_at: now,
            ended_at: now,
            run_id: None,
            stop_reason: None,
            exit_code: Some(0),
            error: None,
        };
        let many: String = (1..=2 * KEPT as u64).map(|number| line(&result(number))).collect();
        fs::write(&history.file, many + "{\"job\": \"0000").expect("a file");
        history.add(&result(9_999)).expect("it is written");
        let (numbers, warnings) = read(&history);
        assert!(numbers.len() < KEPT + 2 && numbers.first() > Some(&(KEPT as u64)), "{numbers:?}");
        assert_eq!(numbers.last(), Some(&9_999));
        assert!(warnings.len() == 1 && warnings[0].contains("1 line of "), "{warnings:?}");
    }
}
