//! What became of each fire.
//!
//! The store knows the latest fire of each job and forgets a job that is over. Somebody who asks in the morning
//! what the night has done wants all of them, with the runs that they were.

use std::{
    fs, io,
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use anyhow::Context;
use jiff::Timestamp;
use loop_schedule::{Fire, JobId, Slots};
use serde::{Deserialize, Serialize};

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

    /// All that are kept, the oldest first. A line that cannot be read is passed over: it was cut off.
    pub(crate) fn read(&self) -> anyhow::Result<Vec<Fired>> {
        match fs::read_to_string(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            text => {
                let text = text.with_context(|| format!("{} cannot be read", self.file.display()))?;
                Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
            }
        }
    }

    /// Adds one. Only who has the right to fire does.
    pub(crate) fn add(&self, fired: &Fired) -> anyhow::Result<()> {
        let added = self.make_room().and_then(|()| {
            let mut file = fs::OpenOptions::new().append(true).create(true).mode(0o600).open(&self.file)?;
            file.write_all(line(fired).as_bytes())
        });
        added.with_context(|| format!("{} cannot be written", self.file.display()))
    }

    /// Forgets the oldest ones, if there are twice as many as are kept.
    fn make_room(&self) -> io::Result<()> {
        let text = match fs::read_to_string(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            text => text?,
        };
        let lines: Vec<_> = text.lines().collect();
        if lines.len() < 2 * KEPT {
            return Ok(());
        }
        let kept = lines[lines.len() - KEPT..].join("\n") + "\n";
        let draft = self.file.with_extension("draft");
        fs::write(&draft, kept)?;
        fs::rename(draft, &self.file)
    }
}

fn line(fired: &Fired) -> String {
    let json = serde_json::to_string(fired).unwrap_or_else(|error| unreachable!("a fire is JSON: {error}"));
    json + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_fires_are_kept_and_a_torn_line_is_passed_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let history = History::in_folder(folder.path());
        assert_eq!(history.read().expect("none yet"), []);
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
        let numbers: Vec<_> = history.read().expect("lines").iter().map(|fired| fired.number).collect();
        assert!(numbers.len() < KEPT + 2 && numbers.first() > Some(&(KEPT as u64)), "{numbers:?}");
    }
}
