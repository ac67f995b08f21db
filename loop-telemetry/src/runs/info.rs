//! What is known of a run without its journal.

use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Record, record::format};

/// What a run was begun with. Written once, into `run.json` in the run's folder.
///
/// ```
/// use loop_telemetry::RunInfo;
/// let began = "2026-01-31T09:30:00Z".parse()?;
/// let info = RunInfo::new("r-1", "greet", "/home/ann/project", began).manifest("greet.yaml", "goal: hello\n");
/// assert_eq!(info.folder, "/home/ann/project");
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunInfo {
    /// Its id, which names its folder: letters, digits, `-` and `_`. Ids that sort by time list best.
    pub id: String,
    /// The loop's name.
    pub name: String,
    /// The folder in which it works. Bytes that are no text are replaced.
    pub folder: String,
    /// When it began, in whole milliseconds.
    #[serde(with = "format::millis")]
    pub started_at: Timestamp,
    /// The file that describes the loop, if one does.
    pub manifest: Option<RunManifest>,
}

/// A manifest as it was when a run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunManifest {
    /// Where it is. Bytes that are no text are replaced.
    pub path: String,
    /// What was in it: who resumes the run can be shown what changed.
    pub text: String,
}

impl RunInfo {
    /// A run with this id, of the loop with this name, that works in this folder since then.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        folder: impl AsRef<Path>,
        started_at: Timestamp,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            folder: text(folder.as_ref()),
            started_at: format::to_millis(started_at),
            manifest: None,
        }
    }

    /// With the file that describes the loop. A manifest can hold secrets: give the text without them.
    #[must_use]
    pub fn manifest(mut self, path: impl AsRef<Path>, text_of_it: impl Into<String>) -> Self {
        self.manifest = Some(RunManifest { path: text(path.as_ref()), text: text_of_it.into() });
        self
    }
}

/// A path as it is recorded.
pub(super) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A run as it is listed: from the index alone.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunEntry {
    /// Its id.
    pub id: String,
    /// The loop's name.
    pub name: String,
    /// The folder in which it works.
    pub folder: String,
    /// When it began.
    pub started_at: Timestamp,
    /// Where the file is that describes the loop, if one does.
    pub manifest: Option<String>,
    /// How it ended last, with the totals of then.
    pub last_ending: Option<Record>,
    /// It began, or was taken up again, and has not ended since: it is still going, or it died. See
    /// [`RunStore::is_alive`](super::RunStore::is_alive).
    pub is_open: bool,
}
