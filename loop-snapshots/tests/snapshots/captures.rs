//! Contents of a capture.

use std::{fs, os::unix::fs::symlink, path::Path, path::PathBuf, time::Duration};

use loop_snapshots::{CaptureOptions, ChangeKind, Error, LeftOut, Limits, SnapshotId, Store};

use crate::tree::{Sandbox, id, later};

#[test]
fn only_files_with_new_stat_data_are_read_again() {
    let mut sandbox = Sandbox::new();
    sandbox.write("a", "1");
    sandbox.write("b/c", "2");
    assert_eq!(sandbox.store.capture(&id(0), &later()).unwrap().files_read, 2);
    assert_eq!(sandbox.store.capture(&id(1), &later()).unwrap().files_read, 0);
    sandbox.write("b/c", "22");
    let capture = sandbox.store.capture(&id(2), &later()).unwrap();
    assert_eq!(capture.files_read, 1);
    assert_eq!(capture.snapshot.files, 2);
    assert_eq!(capture.snapshot.bytes, 3);
}

#[test]
fn a_change_within_one_tick_is_seen() {
    let mut sandbox = Sandbox::new();
    let path = sandbox.folder().join("a");
    for number in 0..50 {
        // The same size, the same inode, and mostly the same time stamps.
        fs::write(&path, format!("{number:02}")).unwrap();
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        sandbox.capture(2 * number);
        fs::write(&path, format!("{:02}", 99 - number)).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        let capture = sandbox.capture(2 * number + 1);
        let before = sandbox.store.snapshot(&id(2 * number)).unwrap();
        assert_eq!(sandbox.store.diff(&before, &capture.snapshot).unwrap().len(), 1, "round {number}");
    }
}

/// The test above cannot force two changes into one tick, but this shows that such files are read again.
#[test]
fn a_file_that_changed_within_a_tick_before_a_capture_is_read_by_the_next() {
    let mut sandbox = Sandbox::new();
    sandbox.write("a", "1");
    let modified = fs::metadata(sandbox.folder().join("a")).unwrap().modified().unwrap();
    let after = |millis| CaptureOptions::default().now(modified + Duration::from_millis(millis));
    let read = [(0, 100), (1, 400), (2, 60_000), (3, 60_000)]
        .map(|(number, millis)| sandbox.store.capture(&id(number), &after(millis)).unwrap().files_read);
    assert_eq!(read, [1, 1, 1, 0], "the third capture is the first that may trust its stat data");
}

#[test]
fn a_restored_modification_time_hides_no_change() {
    let mut sandbox = Sandbox::new();
    sandbox.write("a", "1");
    let path = sandbox.folder().join("a");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let first = sandbox.store.capture(&id(0), &later()).unwrap();
    fs::remove_file(&path).unwrap();
    sandbox.write("a", "2");
    fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    let second = sandbox.store.capture(&id(1), &later()).unwrap();
    assert_ne!(first.snapshot.root, second.snapshot.root);
}

#[test]
fn large_secret_ignored_and_special_files_are_listed() {
    let mut sandbox = Sandbox::new();
    sandbox.write("large", "12345678901");
    sandbox.write("deep/.env", "KEY=very secret value");
    sandbox.write("target/out", "x");
    sandbox.write("target/kept", "x");
    sandbox.write(".gitignore", "target\n");
    sandbox.write(".git/config", "x");
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.folder().join("socket")).unwrap();
    let options = CaptureOptions::default()
        .max_file(10)
        .with_tracked([PathBuf::from("target/kept")])
        .secrets(|path| path.file_name().is_some_and(|name| name == ".env"));
    let capture = sandbox.store.capture(&id(0), &options).unwrap();
    let listed: Vec<_> =
        capture.left_out.iter().map(|(path, reason)| (path.to_str().unwrap(), *reason)).collect();
    assert_eq!(
        listed,
        [
            (".git", LeftOut::Repository),
            ("deep/.env", LeftOut::Secret),
            ("large", LeftOut::TooLarge),
            ("socket", LeftOut::Special),
            ("target/out", LeftOut::Ignored),
        ]
    );
    for pack in fs::read_dir(sandbox.store.path().join("packs")).unwrap() {
        let content = fs::read(pack.unwrap().path()).unwrap();
        assert!(!content.windows(11).any(|bytes| bytes == b"very secret"), "the store contains a secret");
    }
    sandbox.write("deep/.env", "KEY=another");
    let changes = sandbox.store.diff_folder(&capture.snapshot, &options).unwrap();
    assert_eq!(changes.len(), 1, "the digest of a secret shows its change: {changes:?}");
    assert!(sandbox.store.text_diff(&changes[0]).unwrap().is_none());
    let all = sandbox.store.capture(&id(1), &options.with_ignored()).unwrap();
    assert!(!all.left_out.iter().any(|(path, _)| path.starts_with("target")));
}

#[test]
fn a_secret_that_stops_being_one_is_stored() {
    let mut sandbox = Sandbox::new();
    sandbox.write("key", "k");
    sandbox.store.capture(&id(0), &later().secrets(|path| path == Path::new("key"))).unwrap();
    sandbox.store.capture(&id(1), &later()).unwrap();
    sandbox.write("key", "changed");
    sandbox.restore(1, &[]);
    assert_eq!(sandbox.read("key"), "k");
}

#[test]
fn a_folder_above_a_limit_has_no_snapshot() {
    let mut sandbox = Sandbox::new();
    sandbox.write("a", "123");
    sandbox.write("b", "456");
    let wide = Limits::default();
    for limits in
        [Limits { files: 1, ..wide }, Limits { bytes: 5, ..wide }, Limits { time: Duration::ZERO, ..wide }]
    {
        let error = sandbox.store.capture(&id(0), &CaptureOptions::default().limits(limits)).unwrap_err();
        assert!(matches!(error, Error::OverLimit(_)), "{error}");
        assert!(matches!(sandbox.store.snapshot(&id(0)), Err(Error::NotFound(_))));
    }
    sandbox.store.capture(&id(0), &CaptureOptions::default().limits(wide)).unwrap();
}

#[test]
fn a_file_that_changes_while_others_are_read_is_captured_again() {
    let mut sandbox = Sandbox::new();
    sandbox.write("a", "1");
    sandbox.write("z", "1");
    let (path, rounds) = (sandbox.folder().join("a"), std::sync::atomic::AtomicUsize::new(0));
    // The look at `z` comes after `a` was read.
    let change = move |most: usize, seen: &Path| {
        let round =
            rounds.fetch_add(usize::from(seen == Path::new("z")), std::sync::atomic::Ordering::SeqCst);
        if seen == Path::new("z") && round < most {
            fs::write(&path, "x".repeat(round + 2)).unwrap();
        }
        false
    };
    let change = std::sync::Arc::new(change);
    let once = std::sync::Arc::clone(&change);
    let capture =
        sandbox.store.capture(&id(0), &CaptureOptions::default().secrets(move |path| once(1, path))).unwrap();
    assert_eq!(capture.snapshot.unsettled, [] as [PathBuf; 0]);
    assert_eq!(capture.snapshot.bytes, 3, "the second attempt captured the change");
    let always = CaptureOptions::default().secrets(move |path| change(usize::MAX, path));
    let capture = sandbox.store.capture(&id(1), &always).unwrap();
    assert_eq!(capture.snapshot.unsettled, [PathBuf::from("a")]);
    assert_eq!(sandbox.store.snapshot(&id(1)).unwrap(), capture.snapshot);
}

#[test]
fn a_link_to_the_folder_has_the_same_store() {
    let mut sandbox = Sandbox::new();
    sandbox.write("a", "1");
    sandbox.capture(0);
    let link = sandbox.dir.path().join("link");
    symlink(sandbox.folder(), &link).unwrap();
    let store = Store::open(&sandbox.state(), &link).unwrap();
    assert_eq!(store.snapshot(&id(0)).unwrap().files, 1);
}

#[test]
fn a_store_inside_the_folder_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "1").unwrap();
    let mut store = Store::open(&dir.path().join("state"), dir.path()).unwrap();
    let capture = store.capture(&id(0), &CaptureOptions::default()).unwrap();
    assert_eq!(capture.snapshot.files, 1);
    assert_eq!(capture.left_out.len(), 1);
    assert_eq!(capture.left_out[0].1, LeftOut::Store);
}

#[test]
fn siblings_in_one_repository_do_not_share_snapshots() {
    let sandbox = Sandbox::new();
    for name in ["one", "two"] {
        sandbox.write(&format!("{name}/a"), name);
        let mut store = Store::open(&sandbox.state(), &sandbox.folder().join(name)).unwrap();
        let capture = store.capture(&id(0), &CaptureOptions::default()).unwrap();
        assert_eq!(capture.snapshot.bytes, 3);
    }
    assert_eq!(fs::read_dir(sandbox.state()).unwrap().count(), 3);
}

#[test]
fn snapshots_never_change_and_names_are_plain() {
    let mut sandbox = Sandbox::new();
    sandbox.capture(0);
    let error = sandbox.store.capture(&id(0), &CaptureOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Exists(_)), "{error}");
    for name in ["", ".", "..", "a/b", "a b", &"x".repeat(129), "\u{e9}"] {
        assert!(SnapshotId::new(name, 0).is_err(), "{name:?}");
    }
}

#[test]
fn changes_have_kinds_and_text() {
    let mut sandbox = Sandbox::new();
    sandbox.write("changed", "one\ntwo\n");
    sandbox.write("removed", "x\n");
    sandbox.write("mode", "x\n");
    sandbox.write("binary", b"\0");
    let first = sandbox.capture(0).snapshot;
    sandbox.write("changed", "one\nthree\n");
    sandbox.write("binary", b"\0\0");
    sandbox.write("new/added", "new\n");
    fs::remove_file(sandbox.folder().join("removed")).unwrap();
    let mut permissions = fs::metadata(sandbox.folder().join("mode")).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o700);
    fs::set_permissions(sandbox.folder().join("mode"), permissions).unwrap();
    let second = sandbox.capture(1).snapshot;
    let changes = sandbox.store.diff(&first, &second).unwrap();
    let kinds: Vec<_> = changes.iter().map(|change| (change.path.to_str().unwrap(), change.kind())).collect();
    assert_eq!(
        kinds,
        [
            ("binary", ChangeKind::Modified),
            ("changed", ChangeKind::Modified),
            ("mode", ChangeKind::Mode),
            ("new", ChangeKind::Added),
            ("new/added", ChangeKind::Added),
            ("removed", ChangeKind::Removed),
        ]
    );
    assert!(changes[3].is_folder() && !changes[4].is_folder());
    assert_eq!(sandbox.store.text_diff(&changes[0]).unwrap(), None);
    let texts: Vec<_> = [1, 4, 5].map(|at| sandbox.store.text_diff(&changes[at]).unwrap().unwrap()).into();
    assert_eq!(texts[0], "--- a/changed\n+++ b/changed\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n");
    assert_eq!(texts[1], "--- /dev/null\n+++ b/new/added\n@@ -0,0 +1 @@\n+new\n");
    assert_eq!(texts[2], "--- a/removed\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
}
