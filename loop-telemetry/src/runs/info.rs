//! The data about a run outside its journal.

use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::stored_folder::{self, StoredFolder, text};
use crate::{Record, Redactor, always_json, record::format};

/// The initial data of a run. It is written once, into `run.json` in the run's folder.
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
    /// Its id, which is the name of its folder: letters, digits, `-` and `_`. Ids that sort by time are best for lists.
    pub id: String,
    /// The loop's name.
    pub name: String,
    /// The folder in which it works. Bytes that are not UTF-8 are replaced.
    pub folder: String,
    /// A hash of the folder's original path, if `folder` is [without secrets](Self::redacted).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder_id: Option<String>,
    /// When it began, in whole milliseconds.
    #[serde(with = "format::millis")]
    pub started_at: Timestamp,
    /// The file that describes the loop, if one does.
    pub manifest: Option<RunManifest>,
    /// The files that the loop reads as parts of its description.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RunFile>,
    /// Facts about the loop that its manifest has for people and other programs, an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<serde_json::Value>,
}

/// A file as it was when a run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunFile {
    /// Its path, from the folder of the run. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// The SHA-256 digest of its content, in hexadecimal digits.
    pub digest: String,
}

impl RunFile {
    /// Describes a file with this content.
    ///
    /// ```
    /// use loop_telemetry::RunFile;
    /// assert!(RunFile::new("a.md", b"First.").has(b"First."));
    /// assert!(!RunFile::new("a.md", b"First.").has(b"Second."));
    /// ```
    pub fn new(path: impl AsRef<Path>, content: &[u8]) -> Self {
        Self { path: text(path.as_ref()), digest: digest(content) }
    }

    /// Returns whether the file still had this content.
    pub fn has(&self, content: &[u8]) -> bool {
        self.digest == digest(content)
    }
}

fn digest(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A manifest as it was when a run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunManifest {
    /// Its path. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// Its content, so that you can see later what has changed. With overrides, they are in it.
    pub text: String,
    /// The values from the command line that changed it, each as one word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<String>,
}

impl RunInfo {
    /// Creates the data of a run with this id and loop name, which works in this folder since then.
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
            folder_id: None,
            started_at: format::to_millis(started_at),
            manifest: None,
            files: Vec::new(),
            metadata: None,
        }
    }

    /// Adds the file that describes the loop. A manifest can contain secrets: pass the text without them.
    #[must_use]
    pub fn manifest(mut self, path: impl AsRef<Path>, text_of_it: impl Into<String>) -> Self {
        self.manifest =
            Some(RunManifest { path: text(path.as_ref()), text: text_of_it.into(), overrides: Vec::new() });
        self
    }

    /// Adds the files that the loop reads as parts of its description.
    #[must_use]
    pub fn files(self, files: Vec<RunFile>) -> Self {
        Self { files, ..self }
    }

    /// Adds the facts about the loop that its manifest has for people and other programs.
    #[must_use]
    pub fn metadata(self, metadata: Option<serde_json::Value>) -> Self {
        Self { metadata, ..self }
    }

    /// Adds the values from the command line that changed the manifest.
    #[must_use]
    pub fn overrides(mut self, overrides: Vec<String>) -> Self {
        if let Some(manifest) = &mut self.manifest {
            manifest.overrides = overrides;
        }
        self
    }

    /// Removes secrets from its texts: its name, its folder, its metadata, and those of its manifest.
    #[must_use]
    pub fn redacted(mut self, redactor: &Redactor) -> Self {
        self.folder_id = stored_folder::redact(&mut self.folder, redactor).or(self.folder_id);
        self.name = redactor.redact(&self.name).into_owned();
        self.files.iter_mut().for_each(|file| file.path = redactor.redact(&file.path).into_owned());
        self.metadata = self.metadata.map(|metadata| always_json(redactor.value(&metadata)));
        self.manifest = self.manifest.map(|manifest| RunManifest {
            path: redactor.redact(&manifest.path).into_owned(),
            text: redactor.redact(&manifest.text).into_owned(),
            overrides: manifest.overrides.iter().map(|word| redactor.redact(word).into_owned()).collect(),
        });
        self
    }

    /// Returns whether it works in this folder, even if its path here is without secrets.
    pub fn works_in(&self, folder: impl AsRef<Path>) -> bool {
        self.place().is_at(folder.as_ref())
    }

    /// Restores the true path of its folder, and of a manifest in that folder. Call this only for a folder in which it
    /// [works](Self::works_in).
    #[must_use]
    pub fn located_in(mut self, folder: impl AsRef<Path>) -> Self {
        if self.folder_id.take().is_none() {
            return self;
        }
        let folder = folder.as_ref();
        if let Some(manifest) = &mut self.manifest
            && let Ok(rest) = Path::new(&manifest.path).strip_prefix(&self.folder)
        {
            manifest.path = text(&folder.join(rest));
        }
        self.folder = text(folder);
        self
    }

    pub(super) fn place(&self) -> StoredFolder<'_> {
        StoredFolder { path: &self.folder, id: self.folder_id.as_deref() }
    }
}

/// A run in a list, from the index alone.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunEntry {
    /// Its id.
    pub id: String,
    /// The loop's name.
    pub name: String,
    /// The folder in which it works.
    pub folder: String,
    /// A hash of the folder's original path, if `folder` is without secrets.
    pub folder_id: Option<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// The path of the file that describes the loop, if there is one.
    pub manifest: Option<String>,
    /// How it ended most recently, with the totals at that time.
    pub last_ending: Option<Record>,
    /// Whether it began or was resumed and has not ended since: it is still running, or it died. See
    /// [`RunStore::is_alive`](super::RunStore::is_alive).
    pub is_open: bool,
}

impl RunEntry {
    /// Returns whether it works in this folder, even if its path here is without secrets.
    pub fn works_in(&self, folder: impl AsRef<Path>) -> bool {
        self.place().is_at(folder.as_ref())
    }

    pub(super) fn place(&self) -> StoredFolder<'_> {
        StoredFolder { path: &self.folder, id: self.folder_id.as_deref() }
    }
}
