//! The scripts of skills to which the user agreed.
//!
//! A yes holds for one text of a script in one folder, so the store has the digest under the real path of the folder. It
//! is in the state directory, where no tool can write.

use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::Path,
};

use loop_agents::skills::SkillScript;
use loop_telemetry::{Cache, StateDir, StateDirError};
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

/// The scripts to which the user agreed in one folder. All methods block on the disk.
#[derive(Debug, Clone)]
pub struct AgreedScripts {
    cache: Cache,
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
        Ok(Self { cache: Cache::at(state.skills()?), folder: folder.display().to_string() })
    }

    /// Returns all of them. A damaged store counts as empty, so that the user is asked again.
    pub fn all(&self) -> Vec<AgreedScript> {
        let entry = || serde_json::from_slice::<Entry>(&self.cache.read(&self.id())?).ok();
        // Two folders could have the same id.
        entry().filter(|entry| entry.folder == self.folder).map(|entry| entry.scripts).unwrap_or_default()
    }

    /// Returns whether the user agreed to this text.
    pub fn contains(&self, digest: &str) -> bool {
        self.all().iter().any(|script| script.digest == digest)
    }

    /// Adds a script to which the user agreed just now.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn add(&self, skill: &str, script: &SkillScript) -> io::Result<()> {
        let (path, digest) = (script.path().to_owned(), script.digest().to_owned());
        let mut scripts = self.all();
        scripts.retain(|script| script.digest != digest);
        scripts.push(AgreedScript { skill: skill.to_owned(), path, digest });
        self.write(scripts)
    }

    /// Withdraws the agreement to all scripts of a skill, or to the one with this digest. Returns them.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn withdraw(&self, wanted: &str) -> io::Result<Vec<AgreedScript>> {
        let is_wanted = |script: &AgreedScript| script.skill == wanted || script.digest == wanted;
        let (withdrawn, kept): (Vec<_>, Vec<_>) = self.all().into_iter().partition(is_wanted);
        if !withdrawn.is_empty() {
            self.write(kept)?;
        }
        Ok(withdrawn)
    }

    fn write(&self, scripts: Vec<AgreedScript>) -> io::Result<()> {
        let entry = Entry { folder: self.folder.clone(), scripts };
        self.cache.write(&self.id(), &serde_json::to_vec(&entry)?)
    }

    fn id(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.folder.hash(&mut hasher);
        format!("agreed-{:016x}", hasher.finish())
    }
}
