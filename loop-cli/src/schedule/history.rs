//! What became of each fire.
//!
//! The store knows the latest fire of each job and forgets a job that is over. Somebody who asks in the morning
//! what the night has done wants all of them, with the runs that they were.

use std::{
    fs, io,
    io::{Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use anyhow::Context;
use jiff::Timestamp;
use loop_schedule::{Fire, JobId, Loaded, Slots};
use loop_telemetry::{always_json, checksum};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::command::{Failure, OrFail};
use crate::view::text;

/// So many fires are kept at least, and twice as many at most.
const KEPT: usize = 1_000;

/// A fire that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Fired {
    pub(crate) job: JobId,
    /// The job's how manieth fire it was, from 1.
    pub(crate) number: u64,
    /// The slots that it stood for; `None` if somebody asked for it.
    pub(crate) slots: Option<Slots>,
    pub(crate) started_at: Timestamp,
    pub(crate) ended_at: Timestamp,
    /// The run that it was; `None` if none began.
    pub(crate) run_id: Option<String>,
    /// Why that stopped.
    pub(crate) stop_reason: Option<String>,
    /// As a shell shows it; `None` if nothing could be started.
    pub(crate) exit_code: Option<i32>,
    /// What went wrong, if something did.
    pub(crate) error: Option<String>,
}

impl Fired {
    /// A fire that began then and is not over.
    pub(crate) fn begun(fire: &Fire, started_at: Timestamp) -> Self {
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

    /// Whether all went well.
    pub(crate) fn is_good(&self) -> bool {
        self.exit_code == Some(0) && self.error.is_none()
    }

    /// How it ended, in a word or two.
    pub(crate) fn word(&self) -> String {
        match (&self.stop_reason, self.exit_code) {
            (Some(_), Some(0)) if self.error.is_some() => "agent failed".to_owned(),
            (Some(reason), _) => reason.clone(),
            (None, Some(code)) => format!("exit code {code}"),
            (None, None) => "not started".to_owned(),
        }
    }
}

/// A file with one line a fire.
#[derive(Debug, Clone)]
pub(crate) struct History {
    file: PathBuf,
}

impl History {
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { file: folder.join("fires.jsonl") }
    }

    /// All that are kept, the oldest first, with a warning about lines that cannot be read.
    pub(crate) fn read(&self) -> Result<Loaded<Vec<Fired>, String>, Failure> {
        let bytes = self.bytes().or_setup(|| format!("{} cannot be read", self.file.display()))?;
        let (mut fires, mut damaged) = (Vec::new(), Vec::new());
        for (number, line) in (1_u64..).zip(lines_of(&bytes)) {
            match serde_json::from_slice(line).ok().filter(|_| checksum::fits(line)) {
                Some(fired) => fires.push(fired),
                None => damaged.push(number),
            }
        }
        let warning = damaged.first().map(|first| {
            format!(
                "{} of {} cannot be read, the first one is line {first}: these fires are missing from the history. A \
                 crash cuts the last line off; otherwise restore the file from a backup",
                text::count(damaged.len() as u64, "line"),
                self.file.display()
            )
        });
        Ok(Loaded::new(fires, warning.into_iter().collect()))
    }

    /// What is in the file, never read through a link; nothing without a file.
    fn bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match own().read(true).open(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            file => drop(file?.read_to_end(&mut bytes)?),
        }
        Ok(bytes)
    }

    /// Adds one. Only who has the right to fire does.
    pub(crate) fn add(&self, fired: &Fired) -> anyhow::Result<()> {
        let added = self.make_room().and_then(|is_whole| {
            let end = if is_whole { "" } else { "\n" };
            let mut file = own().append(true).create(true).open(&self.file)?;
            file.write_all(format!("{end}{}", line(fired)).as_bytes())
        });
        added.with_context(|| format!("{} cannot be written", self.file.display()))
    }

    /// Forgets the oldest ones, if there are twice as many as are kept. Gives whether the last line is whole, or was cut
    /// off: what is added must not become a part of it.
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
        own().write(true).create(true).truncate(true).open(&draft)?.write_all(&kept)?;
        fs::rename(draft, &self.file)?;
        Ok(true)
    }
}

/// The lines that are not empty.
fn lines_of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

/// How to open a file that is its owner's alone, and neither a link nor a pipe to wait for.
fn own() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.mode(0o600).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    options
}

fn line(fired: &Fired) -> String {
    let json = always_json(serde_json::to_string(fired));
    checksum::seal(&json) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(history: &History) -> (Vec<u64>, Vec<String>) {
        let mut warnings = Vec::new();
        let fires = history.read().expect("lines").report(|warning| warnings.push(warning));
        (fires.iter().map(|fired| fired.number).collect(), warnings)
    }

    #[test]
    fn the_last_fires_are_kept_and_a_torn_line_is_passed_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let history = History::in_folder(folder.path());
        assert_eq!(read(&history), (Vec::new(), Vec::new()));
        let now = Timestamp::UNIX_EPOCH;
        let fired = |number| Fired {
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
        let many: String = (1..=2 * KEPT as u64).map(|number| line(&fired(number))).collect();
        fs::write(&history.file, many + "{\"job\": \"0000").expect("a file");
        history.add(&fired(9_999)).expect("it is written");
        let (numbers, warnings) = read(&history);
        assert!(numbers.len() < KEPT + 2 && numbers.first() > Some(&(KEPT as u64)), "{numbers:?}");
        assert_eq!(numbers.last(), Some(&9_999));
        assert!(warnings.len() == 1 && warnings[0].contains("1 line of "), "{warnings:?}");
    }
}
