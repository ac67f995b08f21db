//! The growth of a store, and its bound.

use std::{
    fs,
    time::{Duration, SystemTime},
};

use loop_snapshots::{CaptureOptions, Error, SnapshotId};

use crate::tree::{Sandbox, id};

/// Some content of this size that no other number has.
fn content(number: u64, size: usize) -> Vec<u8> {
    number.to_le_bytes().iter().copied().cycle().take(size).collect()
}

#[test]
fn a_store_grows_by_at_most_twice_the_changed_bytes() {
    let mut sandbox = Sandbox::new();
    for number in 0..100 {
        sandbox.write(&format!("{}/{number}", number % 10), content(number, 8000));
    }
    sandbox.capture(0);
    let before = sandbox.store.size().unwrap();
    // Enough captures that packs are merged.
    for round in 1..=60 {
        for number in 0..10 {
            sandbox.write(&format!("{number}/{number}"), content(1000 * round + number, 8000));
        }
        sandbox.capture(round);
    }
    let grown = sandbox.store.size().unwrap() - before;
    assert!(grown < 2 * 60 * 10 * 8000, "{grown} bytes");
    assert!(fs::read_dir(sandbox.store.path().join("packs")).unwrap().count() < 45);
    sandbox.restore(7, &[]);
    assert_eq!(fs::read(sandbox.folder().join("3/3")).unwrap(), content(7003, 8000));
}

#[test]
fn the_oldest_ended_runs_go_first_then_the_middle_of_others() {
    let mut sandbox = Sandbox::new();
    let start = SystemTime::now();
    let mut time = 0;
    for (run, ended) in [("open", false), ("old", true), ("new", true)] {
        for number in 0..4 {
            time += 1;
            sandbox.write("a", content(time, 100_000));
            let options = CaptureOptions::default().now(start + Duration::from_secs(time));
            sandbox.store.capture(&SnapshotId::new(run, number).unwrap(), &options).unwrap();
        }
        if ended {
            sandbox.store.end_run(run).unwrap();
        }
    }
    assert_eq!(sandbox.store.keep_below(2_000_000).unwrap().runs, [] as [&str; 0]);
    let collected = sandbox.store.keep_below(1_000_000).unwrap();
    assert_eq!((collected.runs, collected.snapshots), (vec!["old".to_owned()], vec![]));
    assert!(collected.after < 1_000_000 && collected.before > 1_200_000);
    let collected = sandbox.store.keep_below(450_000).unwrap();
    assert_eq!(collected.runs, ["new"]);
    assert_eq!(collected.snapshots, [SnapshotId::new("open", 1).unwrap()]);
    let error = sandbox.store.keep_below(1000).unwrap_err();
    assert!(matches!(error, Error::Full { bound: 1000, .. }), "{error}");
    let runs = sandbox.store.runs().unwrap();
    let left: Vec<_> =
        runs.iter().flat_map(|run| &run.snapshots).map(|snapshot| snapshot.id.to_string()).collect();
    assert_eq!(left, ["open/0", "open/3"]);
    let plan = sandbox.store.plan_restore(&runs[0].snapshots[0].id, &[], &CaptureOptions::default()).unwrap();
    sandbox.store.restore(&plan).unwrap();
    assert_eq!(fs::read(sandbox.folder().join("a")).unwrap(), content(1, 100_000));
}

#[test]
fn a_dropped_run_makes_room() {
    let mut sandbox = Sandbox::new();
    sandbox.write("a", content(1, 100_000));
    sandbox.capture(0);
    fs::remove_file(sandbox.folder().join("a")).unwrap();
    let other = SnapshotId::new("other", 0).unwrap();
    sandbox.store.capture(&other, &CaptureOptions::default()).unwrap();
    sandbox.store.drop_run("run").unwrap();
    sandbox.store.drop_run("run").unwrap();
    let collected = sandbox.store.gc().unwrap();
    assert!(collected.before > 100_000 && collected.after < 5000, "{collected:?}");
    assert!(sandbox.store.snapshot(&id(0)).is_err() && sandbox.store.snapshot(&other).is_ok());
}
