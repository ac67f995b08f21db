//! A control group for the processes of one run, where the system lets us create one.
//!
//! A process can drop the marks that it inherited, but it leaves a control group only by writing to the group's files.
//! So this process enters its own group before any command can run, and every process that it starts is born there. Its
//! watchdog stays outside.
//!
//! This requires version 2 of control groups, and a parent group that we may write to: a delegated subtree, as in a
//! user's systemd session, or root. Elsewhere there is no group, and only the marks help.

use std::{
    collections::HashSet,
    fs,
    io::{self, ErrorKind},
    path::{Component, Path, PathBuf},
    str::FromStr,
    thread,
    time::Instant,
};

use rustix::{
    fs::Access,
    process::{Pid, getpid},
};

use super::{
    kill::{BLIND_WAIT, KILL_TIME},
    proc::ProcessHandle,
};

/// The prefix of the group names. The run's name follows.
const PREFIX: &str = "loop-";

/// The number of levels of groups to search. The system allows more, but nobody nests them so deeply.
const DEPTH: usize = 16;

/// The control groups of this system, as this process sees them.
#[derive(Debug)]
pub(super) struct Hierarchy {
    mount: PathBuf,
    /// The folder of this process's group.
    pub(super) own: PathBuf,
}

impl Hierarchy {
    /// Returns `None` without version 2 of control groups.
    pub(super) fn of_system() -> Option<Self> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        Self::parse(&mounts, &fs::read_to_string("/proc/self/cgroup").ok()?)
    }

    /// Reads `proc_pid_mountinfo(5)` and `cgroups(7)`.
    pub(super) fn parse(mounts: &str, groups: &str) -> Option<Self> {
        let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
        Self::locate(mounts, own, |kind| kind.starts_with("cgroup2 "))
    }

    /// Like [`parse`](Self::parse), for the groups of version 1 that can freeze processes.
    pub(super) fn freezer(mounts: &str, groups: &str) -> Option<Self> {
        let is_freezer = |controllers: &str| controllers.split(',').any(|name| name == "freezer");
        let own = groups.lines().find_map(|line| {
            let (controllers, own) = line.split_once(':')?.1.split_once(':')?;
            is_freezer(controllers).then_some(own)
        })?;
        let is_meant = |kind: &str| kind.split(' ').nth(2).is_some_and(is_freezer);
        Self::locate(mounts, own, |kind| kind.starts_with("cgroup ") && is_meant(kind))
    }

    /// Finds the group `own` below the first mount of this kind: file system, source, and options.
    fn locate(mounts: &str, own: &str, is_meant: impl Fn(&str) -> bool) -> Option<Self> {
        let (root, mount) = mounts.lines().find_map(|line| {
            let (before, kind) = line.split_once(" - ")?;
            let mut fields = before.split(' ').skip(3);
            is_meant(kind).then_some((fields.next()?, fields.next()?))
        })?;
        let own = Path::new(own);
        let below = own.strip_prefix(root).ok()?;
        // A path that begins with ".." is outside of the part that is mounted here.
        let is_inside = below.components().all(|part| matches!(part, Component::Normal(_)));
        // Without the separator at the end that joining nothing adds.
        let own = Path::new(mount).join(below).components().collect();
        is_inside.then(|| Self { mount: PathBuf::from(mount), own })
    }

    /// Returns plain folders that look like groups.
    #[cfg(test)]
    pub(super) fn imitation(mount: &Path, own: &Path) -> Self {
        Self { mount: mount.to_owned(), own: own.to_owned() }
    }

    /// Returns the folders of the own group and of all groups around it.
    pub(super) fn around(&self) -> impl Iterator<Item = &Path> {
        self.own.ancestors().take_while(|group| group.starts_with(&self.mount))
    }

    /// Returns the groups of these runs, wherever they are.
    pub(super) fn groups_of(&self, runs: &[&str]) -> Vec<Cgroup> {
        let names = runs.iter().filter_map(|run| name_of(run)).collect();
        let mut found = Vec::new();
        find(&self.mount, &names, DEPTH, &mut found);
        found
    }
}

/// Finds groups with these names. It does not search inside of a match, because everything there belongs to that group.
fn find(folder: &Path, names: &HashSet<String>, depth: usize, found: &mut Vec<Cgroup>) {
    for child in children(folder) {
        let is_meant =
            child.file_name().and_then(|name| name.to_str()).is_some_and(|name| names.contains(name));
        match depth.checked_sub(1) {
            _ if is_meant => found.push(Cgroup(child)),
            Some(depth) => find(&child, names, depth, found),
            None => {}
        }
    }
}

/// Returns the groups in this group, or nothing if it is gone.
fn children(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}

/// Returns the group's name, or `None` if the run's name cannot be a folder's name.
pub(super) fn name_of(run: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (!run.is_empty() && run.len() <= 128 && run.bytes().all(is_plain)).then(|| format!("{PREFIX}{run}"))
}

/// Returns whether this process may create control groups, so that a [`Supervisor`](super::Supervisor) can use them.
pub fn has_control_groups() -> bool {
    Hierarchy::of_system().is_some_and(|hierarchy| {
        // Only an open file tells that no sandbox around this process forbids to write.
        let members = fs::File::options().write(true).open(hierarchy.own.join("cgroup.procs"));
        members.is_ok() && rustix::fs::access(&hierarchy.own, Access::WRITE_OK).is_ok()
    })
}

/// The group of a run. It exists until [`remove`](Self::remove).
#[derive(Debug)]
pub(super) struct Cgroup(PathBuf);

impl Cgroup {
    /// Creates the group of this run below our own, and enters it.
    ///
    /// # Errors
    /// Fails if the system does not allow such a group, or if it already exists. Then this process stays in its old
    /// group.
    pub(super) fn enter(hierarchy: &Hierarchy, run: &str) -> io::Result<Self> {
        let group = Self::create_in(&hierarchy.own, run)?;
        if let Err(error) = join(&group.0) {
            // The group is empty. If we cannot remove it, it does no harm.
            let _ = fs::remove_dir(&group.0);
            return Err(error);
        }
        Ok(group)
    }

    /// Creates the group of this run in a group.
    ///
    /// # Errors
    /// Fails if the system does not allow such a group, or if it already exists.
    pub(super) fn create_in(folder: &Path, run: &str) -> io::Result<Self> {
        let group = Self::below(folder, run)?;
        fs::create_dir(&group.0)?;
        Ok(group)
    }

    /// Returns whether this is the folder of the group of a run.
    pub(super) fn is_of_run(folder: &Path) -> bool {
        folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(PREFIX))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.0
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(super) fn below(folder: &Path, run: &str) -> io::Result<Self> {
        let name = name_of(run).ok_or_else(|| io::Error::from(ErrorKind::InvalidInput))?;
        Ok(Self(folder.join(name)))
    }

    /// Moves this process back to the parent of the group.
    pub(super) fn leave(&self) -> io::Result<()> {
        self.0.parent().map_or(Ok(()), join)
    }

    /// Takes hold of all members of the group and of the groups inside of it, except this process.
    pub(super) fn members(&self) -> Vec<ProcessHandle> {
        let own = getpid();
        let listed = |group: &Self| group.listed().into_iter().filter(|pid| *pid != own);
        let mut held: Vec<_> = listed(self).filter_map(ProcessHandle::held).collect();
        // If a process is still listed once we hold it, then we hold the right one.
        let still: HashSet<Pid> = listed(self).collect();
        held.retain(|found| still.contains(&found.pid));
        held
    }

    fn listed(&self) -> Vec<Pid> {
        let own = fs::read_to_string(self.0.join("cgroup.procs")).unwrap_or_default();
        // A process outside of our PID namespace has the number 0.
        let mut listed: Vec<_> =
            own.lines().filter_map(|line| i32::from_str(line).ok().and_then(Pid::from_raw)).collect();
        listed.extend(children(&self.0).into_iter().flat_map(|child| Self(child).listed()));
        listed
    }

    /// Kills all members at once, so that none of them can start another in between. Does nothing if this process is a
    /// member.
    pub(super) fn kill(&self) {
        if !self.listed().contains(&getpid()) {
            // Linux before 5.14 has no such file. The caller also kills the members one by one.
            let _ = fs::write(self.0.join("cgroup.kill"), "1");
        }
    }

    /// Removes the group when its last member is gone, and the groups inside of it. A group that cannot be removed is
    /// empty, or holds a process that we could not kill.
    pub(super) fn remove(&self) {
        children(&self.0).into_iter().for_each(|child| Self(child).remove());
        let deadline = Instant::now() + KILL_TIME;
        // A process dies a little before the kernel updates its group.
        while fs::remove_dir(&self.0).is_err_and(|error| error.kind() == ErrorKind::ResourceBusy)
            && self.listed().is_empty()
            && Instant::now() < deadline
        {
            thread::sleep(BLIND_WAIT);
        }
    }
}

/// Moves a child out of the group of a run, if this process is in one.
#[cfg(feature = "servers")]
pub(super) fn move_out(child: Pid) -> io::Result<()> {
    let own = Hierarchy::of_system().map(|hierarchy| hierarchy.own).filter(|own| Cgroup::is_of_run(own));
    let around = own.as_deref().and_then(Path::parent);
    around.map_or(Ok(()), |around| fs::write(around.join("cgroup.procs"), child.to_string()))
}

/// Moves this process into the group in this folder.
pub(super) fn join(folder: &Path) -> io::Result<()> {
    fs::write(folder.join("cgroup.procs"), "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "22 1 0:5 / /proc rw - proc proc rw\n\
        35 25 0:30 /user /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

    #[test]
    fn our_own_group_is_found_below_what_is_mounted() {
        let hierarchy = Hierarchy::parse(MOUNTS, "1:name=systemd:/x\n0::/user/app.slice/a.scope\n").unwrap();
        assert_eq!(hierarchy.own, Path::new("/sys/fs/cgroup/app.slice/a.scope"));
        let top = Hierarchy::parse(MOUNTS, "0::/user\n").unwrap();
        assert_eq!((top.own, top.mount), (PathBuf::from("/sys/fs/cgroup"), PathBuf::from("/sys/fs/cgroup")));
        for groups in ["0::/elsewhere\n", "0::/user/../x\n", "4:memory:/user\n", ""] {
            assert!(Hierarchy::parse(MOUNTS, groups).is_none(), "{groups}");
        }
        let v1 = "32 25 0:31 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n";
        let freezer = Hierarchy::freezer(v1, "6:cpu,freezer:/a/b\n0::/c\n").unwrap();
        let around: Vec<_> = freezer.around().collect();
        let below = Path::new("/sys/fs/cgroup/freezer");
        assert_eq!(around, [&below.join("a/b"), &below.join("a"), below]);
        assert!(Hierarchy::freezer(v1, "6:cpu:/a\n").is_none());
        assert!(
            Hierarchy::parse("35 25 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n", "0::/\n")
                .is_none()
        );
    }

    /// Creates a folder that looks like a hierarchy. Writing to it moves no process.
    fn imitation() -> (tempfile::TempDir, Hierarchy) {
        let mount = tempfile::tempdir().unwrap();
        let own = mount.path().join("user");
        fs::create_dir(&own).unwrap();
        let hierarchy = Hierarchy::imitation(mount.path(), &own);
        (mount, hierarchy)
    }

    #[test]
    fn a_process_enters_its_group_once() {
        let (_mount, hierarchy) = imitation();
        let group = Cgroup::enter(&hierarchy, "run-1").unwrap();
        let dir = hierarchy.own.join("loop-run-1");
        assert_eq!(group.0, dir);
        assert_eq!(fs::read_to_string(dir.join("cgroup.procs")).unwrap(), "0");
        assert_eq!(Cgroup::enter(&hierarchy, "run-1").unwrap_err().kind(), ErrorKind::AlreadyExists);
    }

    #[test]
    fn only_the_groups_of_the_runs_that_are_meant_are_found() {
        let (mount, hierarchy) = imitation();
        for group in ["loop-a/loop-b", "user/loop-c", "user/loop-d", "loop-ab", "x/y/z"] {
            fs::create_dir_all(mount.path().join(group)).unwrap();
        }
        let mut found: Vec<_> =
            hierarchy.groups_of(&["a", "b", "c", "../x", ""]).into_iter().map(|it| it.0).collect();
        found.sort();
        assert_eq!(found, [mount.path().join("loop-a"), mount.path().join("user/loop-c")]);
    }

    #[test]
    fn a_group_that_holds_us_is_not_killed() {
        let (_mount, hierarchy) = imitation();
        let group = Cgroup::enter(&hierarchy, "run-1").unwrap();
        let inner = group.0.join("loop-inner");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("cgroup.procs"), format!("0\n{}\n", std::process::id())).unwrap();
        assert!(group.members().is_empty());
        group.kill();
        assert!(!group.0.join("cgroup.kill").exists());
        fs::write(inner.join("cgroup.procs"), "").unwrap();
        group.kill();
        assert_eq!(fs::read_to_string(group.0.join("cgroup.kill")).unwrap(), "1");
    }

    #[test]
    fn where_no_group_can_be_made_there_is_none() {
        let (mount, _) = imitation();
        let nowhere = Hierarchy::imitation(mount.path(), &mount.path().join("nowhere"));
        assert!(Cgroup::enter(&nowhere, "run-1").is_err());
        assert!(nowhere.groups_of(&["run-1"]).is_empty());
    }
}
