//! The control groups of a run, as its watchdog finds them.

use std::io::{self, ErrorKind};

use super::cgroup::{Cgroup, Hierarchy, join, name_of};

/// The groups of the run that a watchdog process serves.
#[derive(Debug)]
pub(super) struct WatchedGroups {
    /// The system's groups, as the watchdog sees them.
    hierarchy: Hierarchy,
    run: String,
}

impl WatchedGroups {
    /// Leaves the group of the run if this process was started in it.
    ///
    /// # Errors
    /// This process cannot leave it.
    pub(super) fn of(mut hierarchy: Hierarchy, run: &str) -> io::Result<Self> {
        let name = name_of(run).ok_or_else(|| io::Error::from(ErrorKind::InvalidInput))?;
        if let Some(around) = hierarchy.own.parent().filter(|_| hierarchy.own.ends_with(&name)) {
            let around = around.to_owned();
            join(&around)?;
            hierarchy.own = around;
        }
        Ok(Self { hierarchy, run: run.to_owned() })
    }

    /// Returns the groups that the run has now. It may get another one later, which may be further outside.
    pub(super) fn now(&self) -> Vec<Cgroup> {
        let groups = self.hierarchy.around().filter_map(|folder| Cgroup::below(folder, &self.run).ok());
        groups.filter(|group| group.folder().is_dir()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn a_watchdog_leaves_the_group_of_its_run_and_finds_all_of_them() {
        let mount = tempfile::tempdir().unwrap();
        let own = mount.path().join("user");
        let (inner, outer) = (own.join("loop-run-1"), mount.path().join("loop-run-1"));
        fs::create_dir_all(&inner).unwrap();
        let watched =
            |own: &Path| WatchedGroups::of(Hierarchy::imitation(mount.path(), own), "run-1").unwrap();
        let found = |watched: &WatchedGroups| -> Vec<_> {
            watched.now().iter().map(|group| group.folder().to_owned()).collect()
        };
        assert_eq!(found(&watched(&own)), std::slice::from_ref(&inner));
        assert!(!own.join("cgroup.procs").exists());
        let inside = watched(&inner);
        assert_eq!(fs::read_to_string(own.join("cgroup.procs")).unwrap(), "0");
        fs::create_dir(&outer).unwrap();
        assert_eq!(found(&inside), [inner.clone(), outer.clone()]);
        fs::remove_dir(&inner).unwrap();
        assert_eq!(found(&inside), [outer]);
    }
}
