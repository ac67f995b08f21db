//! Thaws control groups that somebody froze.
//!
//! A frozen process does not run, and no signal but SIGKILL reaches it. An agent with a writable part of the control
//! groups can leave the run's group, and freeze it with the run's own process inside.

use std::{
    fs::{self, Permissions},
    io::{self, ErrorKind},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use rustix::process::Pid;

use super::cgroup::Hierarchy;

/// How to see and how to end the freezing of a group: two files, and the text for the second.
type Switch = (&'static str, &'static str, &'static str);

/// Version 2 of control groups.
const UNIFIED: Switch = ("cgroup.freeze", "cgroup.freeze", "0");

/// Version 1, where only root can usually freeze groups.
const FREEZER: Switch = ("freezer.self_freezing", "freezer.state", "THAWED");

/// Finds and thaws frozen groups.
#[derive(Debug)]
pub(super) struct Freezer {
    /// The mounts of this process. A long list costs a millisecond, so it is read once.
    mounts: String,
}

impl Freezer {
    pub(super) fn of_system() -> Self {
        Self { mounts: fs::read_to_string("/proc/self/mountinfo").unwrap_or_default() }
    }

    /// Thaws all control groups around this process. Returns true if one of them was frozen.
    pub(super) fn thaw(&self, pid: Pid) -> bool {
        let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
        let both = [
            (Hierarchy::parse(&self.mounts, &groups), UNIFIED),
            (Hierarchy::freezer(&self.mounts, &groups), FREEZER),
        ];
        let thawed =
            both.iter().filter_map(|(hierarchy, switch)| Some(thaw_around(hierarchy.as_ref()?, *switch)));
        thawed.filter(|is_thawed| *is_thawed).count() > 0
    }
}

fn thaw_around(hierarchy: &Hierarchy, switch: Switch) -> bool {
    hierarchy.around().filter(|group| thaw_group(group, switch).unwrap_or(false)).count() > 0
}

/// Thaws one group. Returns true if it was frozen.
fn thaw_group(group: &Path, (seen, switch, thawed): Switch) -> io::Result<bool> {
    let frozen = match fs::read_to_string(group.join(seen)) {
        // The one who froze it may also have locked its files.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            fs::set_permissions(group, Permissions::from_mode(0o755))?;
            fs::set_permissions(group.join(seen), Permissions::from_mode(0o644))?;
            fs::read_to_string(group.join(seen))?
        }
        read => read?,
    };
    let is_frozen = frozen.trim_end() == "1";
    if is_frozen && fs::write(group.join(switch), thawed).is_err() {
        fs::set_permissions(group.join(switch), Permissions::from_mode(0o644))?;
        fs::write(group.join(switch), thawed)?;
    }
    Ok(is_frozen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_thawed_if_it_is_frozen_even_if_its_files_are_locked() {
        let group = tempfile::tempdir().unwrap();
        let file = group.path().join("cgroup.freeze");
        assert!(thaw_group(group.path(), UNIFIED).is_err());
        for (begins, is_frozen) in [("0\n", false), ("1\n", true)] {
            for (of_folder, of_file) in [(0o755, 0o644), (0o755, 0o000), (0o755, 0o444), (0o000, 0o000)] {
                fs::write(&file, begins).unwrap();
                fs::set_permissions(&file, Permissions::from_mode(of_file)).unwrap();
                fs::set_permissions(group.path(), Permissions::from_mode(of_folder)).unwrap();
                assert_eq!(thaw_group(group.path(), UNIFIED).unwrap(), is_frozen);
                fs::set_permissions(group.path(), Permissions::from_mode(0o755)).unwrap();
                fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
                assert_eq!(fs::read_to_string(&file).unwrap().trim_end(), "0");
            }
        }
    }
}
