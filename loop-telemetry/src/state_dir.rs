//! Finds the folder for state that belongs to no project.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

/// The folder for records and runs: `$LOOP_HOME`, else `$XDG_STATE_HOME/loop`, else `~/.local/state/loop`.
///
/// The folder itself may be a link, because people keep their state on another disk. Its subfolders may not: a link
/// that somebody else put there would decide which jobs, runs and decisions are read, and where they are written.
///
/// ```
/// use loop_telemetry::StateDir;
/// let dir = StateDir::from_env_with(|name| (name == "HOME").then(|| "/home/ann".into()))?;
/// assert_eq!(dir.path(), std::path::Path::new("/home/ann/.local/state/loop"));
/// // In a program: StateDir::from_env_with(|name| std::env::var_os(name))
/// # Ok::<(), loop_telemetry::StateDirError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDir(PathBuf);

impl StateDir {
    /// Finds the folder with a function that looks up environment variables. Creates nothing.
    ///
    /// An empty variable counts as unset. So does a relative `XDG_STATE_HOME`, because its specification says so.
    /// `LOOP_HOME` may be relative.
    ///
    /// # Errors
    /// [`StateDirError::Unset`] if none of the three variables is set.
    pub fn from_env_with(mut lookup: impl FnMut(&str) -> Option<OsString>) -> Result<Self, StateDirError> {
        let mut set = |name| lookup(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        set("LOOP_HOME")
            .or_else(|| set("XDG_STATE_HOME").filter(|path| path.is_absolute()).map(|path| path.join("loop")))
            .or_else(|| set("HOME").map(|path| path.join(".local/state/loop")))
            .map(Self)
            .ok_or(StateDirError::Unset)
    }

    /// Returns the folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the file of the telemetry records.
    pub fn telemetry(&self) -> PathBuf {
        self.0.join("telemetry.jsonl")
    }

    /// Returns the folder of the runs, for [`RunStore::at`](crate::RunStore::at).
    ///
    /// # Errors
    /// [`StateDirError::NotPlain`] if it is a link or a file.
    pub fn runs(&self) -> Result<PathBuf, StateDirError> {
        self.folder("runs")
    }

    /// Returns the folder of the sessions, for [`SessionStore::at`](crate::transcript::SessionStore::at).
    ///
    /// # Errors
    /// [`StateDirError::NotPlain`] if it is a link or a file.
    pub fn sessions(&self) -> Result<PathBuf, StateDirError> {
        self.folder("sessions")
    }

    /// Returns the folder of all schedules. Each project folder has a subfolder for its jobs.
    ///
    /// # Errors
    /// [`StateDirError::NotPlain`] if it is a link or a file.
    pub fn schedules(&self) -> Result<PathBuf, StateDirError> {
        self.folder("schedule")
    }

    /// Returns the folder of the audit, which records the decisions about tools' actions.
    ///
    /// # Errors
    /// [`StateDirError::NotPlain`] if it is a link or a file.
    pub fn audit(&self) -> Result<PathBuf, StateDirError> {
        self.folder("audit")
    }

    /// Returns the folder of the facts about models, for [`Cache::at`](crate::Cache::at).
    ///
    /// # Errors
    /// [`StateDirError::NotPlain`] if it is a link or a file.
    pub fn models(&self) -> Result<PathBuf, StateDirError> {
        self.folder("models")
    }

    /// Returns the folder of the snapshots. Each project folder has a store of its own in it.
    ///
    /// # Errors
    /// [`StateDirError::NotPlain`] if it is a link or a file.
    pub fn snapshots(&self) -> Result<PathBuf, StateDirError> {
        self.folder("snapshots")
    }

    /// Returns the folder of the assays that are not complete. Each of them has a subfolder for its journals and copies.
    ///
    /// # Errors
    /// [`StateDirError::NotPlain`] if it is a link or a file.
    pub fn assays(&self) -> Result<PathBuf, StateDirError> {
        self.folder("assays")
    }

    /// Returns the folder of the scripts of skills to which the user agreed, for [`Cache::at`](crate::Cache::at).
    ///
    /// # Errors
    /// [`StateDirError::NotPlain`] if it is a link or a file.
    pub fn skills(&self) -> Result<PathBuf, StateDirError> {
        self.folder("skills")
    }

    /// Returns the folder of the files that say where model servers of this user are.
    ///
    /// # Errors
    /// [`StateDirError::NotPlain`] if it is a link or a file.
    pub fn servers(&self) -> Result<PathBuf, StateDirError> {
        self.folder("servers")
    }

    /// Returns the folder of the debug logs, for [`DebugLog::create`](crate::DebugLog::create).
    ///
    /// # Errors
    /// [`StateDirError::NotPlain`] if it is a link or a file.
    pub fn logs(&self) -> Result<PathBuf, StateDirError> {
        self.folder("logs")
    }

    /// Returns the folder of what is known about workspaces. Each has a folder of its own in it.
    ///
    /// # Errors
    /// [`StateDirError::NotPlain`] if it is a link or a file.
    pub fn knowledge(&self) -> Result<PathBuf, StateDirError> {
        self.folder("knowledge")
    }

    /// Returns a subfolder that does not exist yet, or that is a folder.
    fn folder(&self, name: &str) -> Result<PathBuf, StateDirError> {
        let path = self.0.join(name);
        match path.symlink_metadata() {
            Ok(found) if found.is_dir() => Ok(path),
            Ok(_) => Err(StateDirError::NotPlain { path }),
            // The state directory itself may be missing or not be a folder. The code that creates files in it reports
            // that.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(path)
            }
            Err(source) => Err(StateDirError::File { path, source }),
        }
    }
}

/// The reason why the state directory, or one of its subfolders, is not usable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateDirError {
    /// No environment variable names a folder for state.
    #[error(
        "there is no state directory: set LOOP_HOME to a folder, because neither XDG_STATE_HOME nor HOME names one"
    )]
    Unset,
    /// The subfolder is not a plain folder: a link could lead anywhere.
    #[error(
        "{0} is a link, or not the folder that belongs there. Nothing is read or written through it, because \
         somebody else could choose where it leads. Put the real one in its place, or move it away: mv {1} {2}",
        path.display(), quoted(path, ""), quoted(path, ".moved")
    )]
    NotPlain {
        /// The subfolder.
        path: PathBuf,
    },
    /// The system does not show what the subfolder is.
    #[error("{} cannot be used (check that you may read and write it)", path.display())]
    File {
        /// The subfolder.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
}

/// Returns a path with a suffix, quoted as a word of a shell.
fn quoted(path: &Path, suffix: &str) -> String {
    format!("'{}{suffix}'", path.to_string_lossy().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(vars: &[(&str, &str)]) -> Option<PathBuf> {
        let lookup = |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).into());
        StateDir::from_env_with(lookup).ok().map(|dir| dir.0)
    }

    #[test]
    fn the_first_variable_that_says_where_counts() {
        let home = ("HOME", "/home/ann");
        let xdg = ("XDG_STATE_HOME", "/state");
        assert_eq!(found(&[home, xdg, ("LOOP_HOME", "/l")]), Some("/l".into()));
        assert_eq!(found(&[home, xdg]), Some("/state/loop".into()));
        assert_eq!(found(&[home]), Some("/home/ann/.local/state/loop".into()));
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn what_says_nothing_is_passed_over() {
        let home = ("HOME", "/home/ann");
        let fallback = Some("/home/ann/.local/state/loop".into());
        assert_eq!(found(&[home, ("LOOP_HOME", ""), ("XDG_STATE_HOME", "")]), fallback);
        assert_eq!(found(&[home, ("XDG_STATE_HOME", "state")]), fallback);
        assert_eq!(found(&[("HOME", "")]), None);
    }
}
