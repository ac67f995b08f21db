//! Finds the folder for state that belongs to no project.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The folder for records and runs: `$LOOP_HOME`, else `$XDG_STATE_HOME/loop`, else `~/.local/state/loop`.
///
/// ```
/// use loop_telemetry::StateDir;
/// let dir = StateDir::from_env_with(|name| (name == "HOME").then(|| "/home/ann".into()))?;
/// assert_eq!(dir.path(), std::path::Path::new("/home/ann/.local/state/loop"));
/// // In a program: StateDir::from_env_with(|name| std::env::var_os(name))
/// # Ok::<(), loop_telemetry::NoStateDir>(())
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
    /// [`NoStateDir`] if none of the three variables is set.
    pub fn from_env_with(mut lookup: impl FnMut(&str) -> Option<OsString>) -> Result<Self, NoStateDir> {
        let mut set = |name| lookup(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        set("LOOP_HOME")
            .or_else(|| set("XDG_STATE_HOME").filter(|path| path.is_absolute()).map(|path| path.join("loop")))
            .or_else(|| set("HOME").map(|path| path.join(".local/state/loop")))
            .map(Self)
            .ok_or(NoStateDir)
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
    pub fn runs(&self) -> PathBuf {
        self.0.join("runs")
    }

    /// Returns the folder of the sessions, for [`SessionStore::at`](crate::transcript::SessionStore::at).
    pub fn sessions(&self) -> PathBuf {
        self.0.join("sessions")
    }

    /// Returns the folder of all schedules. Each project folder has a subfolder for its jobs.
    pub fn schedules(&self) -> PathBuf {
        self.0.join("schedule")
    }

    /// Returns the folder of the audit, which records the decisions about tools' actions.
    pub fn audit(&self) -> PathBuf {
        self.0.join("audit")
    }
}

/// No environment variable names a folder for state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no state directory: set LOOP_HOME to a folder, because neither XDG_STATE_HOME nor HOME names one"
)]
pub struct NoStateDir;

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
