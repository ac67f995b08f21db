//! Tests of the limits, in plain folders and in the kernel's own groups.

use std::future::pending;

use super::*;
use crate::process::{Process, has_control_groups};

fn limits(processes: u64, memory: u64) -> ResourceLimits {
    ResourceLimits { processes: NonZeroU64::new(processes), memory: NonZeroU64::new(memory) }
}

/// Creates a plain folder that looks like groups. Writing to it moves no process.
fn imitation(controllers: &str, enabled: &str) -> (tempfile::TempDir, Hierarchy) {
    let mount = tempfile::tempdir().unwrap();
    let own = mount.path().join("user/scope");
    fs::create_dir_all(&own).unwrap();
    for folder in [mount.path(), &mount.path().join("user"), &own] {
        fs::write(folder.join("cgroup.controllers"), controllers).unwrap();
        fs::write(folder.join("cgroup.subtree_control"), enabled).unwrap();
    }
    let hierarchy = Hierarchy::imitation(mount.path(), &own);
    (mount, hierarchy)
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_command_is_born_in_a_group_with_the_limits_and_this_process_returns() {
    let (_mount, hierarchy) = imitation("cpu memory pids", "memory pids");
    let limited = LimitedGroup::create(&hierarchy, "run-1", limits(64, 1 << 30)).unwrap();
    let group = hierarchy.own.join("loop-run-1");
    assert_eq!(limited.group().folder(), group);
    assert_eq!(
        (read(group.join("pids.max")), read(group.join("memory.max"))),
        ("64".into(), "1073741824".into())
    );
    assert_eq!(read(group.join("memory.swap.max")), "0");
    let home = hierarchy.own.join("cgroup.procs");
    fs::remove_file(&home).unwrap();
    limited
        .inside(|| {
            assert!(!home.exists());
            assert_eq!(read(group.join("cgroup.procs")), "0");
            Ok(())
        })
        .unwrap();
    assert_eq!(read(home), "0");
    limited.set(limits(7, 0)).unwrap();
    assert_eq!((read(group.join("pids.max")), read(group.join("memory.max"))), ("7".into(), "max".into()));
}

#[test]
fn a_controller_is_enabled_only_where_it_is_off_and_only_if_it_is_needed() {
    let (_mount, hierarchy) = imitation("memory pids", "memory");
    LimitedGroup::create(&hierarchy, "run-1", limits(64, 1)).unwrap();
    assert_eq!(read(hierarchy.own.join("cgroup.subtree_control")), "+pids");
    let (_mount, hierarchy) = imitation("memory", "memory");
    LimitedGroup::create(&hierarchy, "run-1", limits(0, 1)).unwrap();
    assert_eq!(read(hierarchy.own.join("cgroup.subtree_control")), "memory");
    let missing = LimitedGroup::create(&hierarchy, "run-2", limits(64, 1)).unwrap_err();
    assert!(missing.to_string().contains("have no controller for pids."), "{missing}");
    assert!(!hierarchy.own.join("loop-run-2").exists());
}

#[test]
fn the_next_group_around_is_taken_unless_that_leaves_another_run() {
    for (own, taken) in [("user/scope", Some("user/loop-run-1")), ("loop-other", None)] {
        let (mount, _) = imitation("memory pids", "memory pids");
        let own = mount.path().join(own);
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("cgroup.subtree_control"), "").unwrap();
        fs::write(own.join("cgroup.controllers"), "").unwrap();
        let created = LimitedGroup::create(&Hierarchy::imitation(mount.path(), &own), "run-1", limits(9, 9));
        let created = created.ok().map(|limited| limited.group().folder().to_owned());
        assert_eq!(created, taken.map(|taken| mount.path().join(taken)));
    }
}

/// The kernel's own groups, even if they cannot count: commands are inside, and this process is not.
#[tokio::test]
async fn a_command_starts_in_the_group_of_the_kernel_and_ends_with_it() {
    if !has_control_groups() {
        return;
    }
    let hierarchy = Hierarchy::of_system().unwrap();
    let supervisor = Supervisor::new(format!("limited-{}", std::process::id()));
    let created = LimitedGroup::create(&hierarchy, supervisor.run(), ResourceLimits::default()).unwrap();
    let folder = created.group().folder().to_owned();
    *supervisor.limited() = Some(created);
    // The end of the command kills its process group, so it waits until the other process has left that.
    let line = "{ env -i setsid sh -c 'echo left; exec sleep 1000 >&- 2>&-' & } | head -n 1\n\
                grep ^0: /proc/self/cgroup";
    let output = Process::shell(line).supervisor(supervisor.clone()).run(pending(), |_, _| {}).await.unwrap();
    let shown = String::from_utf8_lossy(output.stdout.head()).into_owned();
    assert!(shown.trim_end().ends_with(supervisor.run()), "{shown}");
    assert!(!read("/proc/self/cgroup").contains(supervisor.run()));
    assert!(!read(folder.join("cgroup.procs")).is_empty(), "the process that left its session is inside");
    assert_eq!(supervisor.end_async().await, Vec::<u32>::new());
    assert!(!folder.exists());
}
