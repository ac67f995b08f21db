//! The scripts of skills to which the user agreed.
//!
//! A yes holds for one text of a script in one folder, so the store has the digest under the real path of the folder. It
//! is in the state directory, where no tool can write.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use loop_agents::skills::{SkillScript, digest_of};
use loop_telemetry::{Cache, StateDir, StateDirError, own_file};
use serde::{Deserialize, Serialize};

/// A script to which the user agreed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgreedScript {
    /// The skill.
    pub skill: String,
    /// The path of the script when the user agreed.
    pub path: String,
    /// The digest of its text.
    pub digest: String,
}

impl fmt::Display for AgreedScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {}  {}", self.skill, self.path, self.digest)
    }
}

/// A store of agreed scripts that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgreedScriptsError {
    /// It is damaged, or the system does not let it be read.
    #[error("{} cannot be read, so no script counts as agreed. Delete the file to be asked again", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// It cannot be written.
    #[error("{} cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// The length of the digest in the name of a store, in characters.
const ID_DIGITS: usize = 32;

/// The scripts to which the user agreed in one folder. All methods block on the disk.
#[derive(Debug, Clone)]
pub struct AgreedScripts {
    stores: PathBuf,
    folder: String,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    folder: String,
    scripts: Vec<AgreedScript>,
}

impl AgreedScripts {
    /// Opens those of the folder with this real path.
    ///
    /// # Errors
    /// The folder for them in the state directory is a link.
    pub fn of(state: &StateDir, folder: &Path) -> Result<Self, StateDirError> {
        Ok(Self { stores: state.skills()?, folder: folder.display().to_string() })
    }

    /// Returns all of them.
    ///
    /// # Errors
    /// The store is damaged or cannot be read. It must not look empty then: nobody would know that the answers are lost.
    pub fn all(&self) -> Result<Vec<AgreedScript>, AgreedScriptsError> {
        let path = self.path();
        let entry = load(&path)?;
        match entry {
            Some(entry) if entry.folder != self.folder => {
                let why = format!("it belongs to the folder {}", entry.folder);
                Err(AgreedScriptsError::Read { path, source: io::Error::other(why) })
            }
            entry => Ok(entry.map(|entry| entry.scripts).unwrap_or_default()),
        }
    }

    /// Returns whether the user agreed to this text.
    ///
    /// # Errors
    /// As [`all`](Self::all).
    pub fn contains(&self, digest: &str) -> Result<bool, AgreedScriptsError> {
        Ok(self.all()?.iter().any(|script| script.digest == digest))
    }

    /// Adds a script to which the user agreed just now.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn add(&self, skill: &str, script: &SkillScript) -> Result<(), AgreedScriptsError> {
        let (path, digest) = (script.path().to_owned(), script.digest().to_owned());
        let mut scripts = self.all()?;
        scripts.retain(|script| script.digest != digest);
        scripts.push(AgreedScript { skill: skill.to_owned(), path, digest });
        self.write(scripts)
    }

    /// Withdraws the agreement to all scripts of a skill, or to the one with this digest. Returns them.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn withdraw(&self, wanted: &str) -> Result<Vec<AgreedScript>, AgreedScriptsError> {
        let is_wanted = |script: &AgreedScript| script.skill == wanted || script.digest == wanted;
        let (withdrawn, kept): (Vec<_>, Vec<_>) = self.all()?.into_iter().partition(is_wanted);
        if !withdrawn.is_empty() {
            self.write(kept)?;
        }
        Ok(withdrawn)
    }

    fn write(&self, scripts: Vec<AgreedScript>) -> Result<(), AgreedScriptsError> {
        let entry = Entry { folder: self.folder.clone(), scripts };
        let bytes = serde_json::to_vec(&entry).map_err(io::Error::from);
        let written = bytes.and_then(|bytes| Cache::at(&self.stores).write(&self.id(), &bytes));
        written.map_err(|source| AgreedScriptsError::Write { path: self.path(), source })
    }

    /// Returns the id of the store, which is the same in all versions.
    fn id(&self) -> String {
        let digest = digest_of(self.folder.as_bytes());
        let digits: String = digest.chars().rev().take(ID_DIGITS).collect();
        format!("agreed-{digits}")
    }

    fn path(&self) -> PathBuf {
        self.stores.join(self.id()).with_extension("json")
    }
}

/// Reads the store in the file `path`; `None` if the file does not exist.
fn load(path: &Path) -> Result<Option<Entry>, AgreedScriptsError> {
    let entry = own_file::read_if_there(path)
        .and_then(|bytes| Ok(bytes.map(|bytes| serde_json::from_slice(&bytes)).transpose()?));
    entry.map_err(|source| AgreedScriptsError::Read { path: path.to_owned(), source })
}

/// Checks the store in the file `path`.
pub(crate) fn check(path: &Path) -> Result<(), AgreedScriptsError> {
    load(path).map(drop)
}
