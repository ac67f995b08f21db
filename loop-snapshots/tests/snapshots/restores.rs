//! Restores, and what they leave alone.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use loop_snapshots::{CaptureOptions, Error, KeptReason, LeftOut, SnapshotId, Store};

use crate::tree::{Sandbox, id, later, listing};

#[test]
fn a_named_path_alone_is_restored_and_undone() {
    let mut sandbox = Sandbox::new();
    for path in ["a", "b/c", "b/d"] {
        sandbox.write(path, "old");
    }
    sandbox.capture(0);
    for path in ["a", "b/c", "b/d"] {
        sandbox.write(path, "new");
    }
    let restored = sandbox.restore(0, &["b//c/"]);
    assert_eq!(restored.changes.len(), 1);
    assert_eq!(["a", "b/c", "b/d"].map(|path| sandbox.read(path)), ["new", "old", "new"]);
    let undo = sandbox.store.snapshot(&restored.undo).unwrap();
    assert_eq!(undo.scope, [PathBuf::from("b/c")], "only the named path was captured");
    sandbox.write("a", "newest");
    sandbox.undo();
    assert_eq!(["a", "b/c", "b/d"].map(|path| sandbox.read(path)), ["newest", "new", "new"]);
    sandbox.undo();
    assert_eq!(["a", "b/c", "b/d"].map(|path| sandbox.read(path)), ["newest", "old", "new"]);
}

#[test]
fn a_removed_folder_comes_back_for_one_of_its_files() {
    let mut sandbox = Sandbox::new();
    sandbox.write("a/b/c", "1");
    sandbox.write("a/other", "1");
    fs::set_permissions(sandbox.folder().join("a"), Permissions::from_mode(0o750)).unwrap();
    sandbox.capture(0);
    fs::remove_dir_all(sandbox.folder().join("a")).unwrap();
    sandbox.restore(0, &["a/b/c"]);
    let mode = fs::metadata(sandbox.folder().join("a")).unwrap().permissions().mode();
    assert_eq!((sandbox.read("a/b/c").as_str(), mode & 0o7777), ("1", 0o750));
    assert!(!sandbox.folder().join("a/other").exists());
}

#[test]
fn no_restore_leads_through_a_link_or_out_of_the_folder() {
    let mut sandbox = Sandbox::new();
    sandbox.write("a/b", "1");
    sandbox.capture(0);
    let outside = sandbox.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("b"), "theirs").unwrap();
    fs::remove_dir_all(sandbox.folder().join("a")).unwrap();
    symlink(&outside, sandbox.folder().join("a")).unwrap();
    let mut plan = |path: &str| sandbox.store.plan_restore(&id(0), &[PathBuf::from(path)], &later());
    for path in ["a/b", "../outside/b", "/etc/passwd", "", ".git/config", "a/../b"] {
        assert!(matches!(plan(path), Err(Error::Path { .. })), "{path:?}");
    }
    sandbox.restore(0, &["a"]);
    assert_eq!(sandbox.read("a/b"), "1", "the link itself was replaced by the folder");
    assert_eq!(fs::read_to_string(outside.join("b")).unwrap(), "theirs");
    sandbox.undo();
    assert_eq!(fs::read_link(sandbox.folder().join("a")).unwrap(), outside);
}

#[test]
fn a_content_that_was_not_captured_is_never_replaced_or_removed() {
    let mut sandbox = Sandbox::new();
    sandbox.write("grown", "small");
    sandbox.write("folder/a", "1");
    sandbox.capture(0);
    sandbox.write("grown", "too large to be captured");
    sandbox.write("large/new", "also too large");
    fs::remove_dir_all(sandbox.folder().join("folder")).unwrap();
    sandbox.write("folder", "too large for a place");
    let options = CaptureOptions::default().max_file(10);
    let plan = sandbox.store.plan_restore(&id(0), &[], &options).unwrap();
    let restored = sandbox.store.restore(&plan).unwrap();
    let large = KeptReason::NotCaptured(LeftOut::TooLarge);
    let expected = [
        ("folder", large),
        ("grown", large),
        ("large/new", large),
        ("folder/a", large),
        ("large", KeptReason::NotEmpty),
    ];
    let kept: Vec<_> = restored.kept.iter().map(|(path, reason)| (path.to_str().unwrap(), *reason)).collect();
    assert_eq!(kept, expected);
    assert_eq!(sandbox.read("grown"), "too large to be captured");
    assert_eq!(sandbox.read("large/new"), "also too large");
    assert_eq!(restored.changes, []);
}

#[test]
fn a_file_of_which_the_snapshot_has_no_content_stays() {
    let mut sandbox = Sandbox::new();
    sandbox.write("a", "too large once");
    sandbox.store.capture(&id(0), &CaptureOptions::default().max_file(3)).unwrap();
    sandbox.write("a", "now");
    let restored = sandbox.restore(0, &[]);
    assert_eq!(restored.kept, [(PathBuf::from("a"), KeptReason::NotInSnapshot(LeftOut::TooLarge))]);
    assert_eq!(sandbox.read("a"), "now");
}

#[test]
fn edits_after_the_run_are_named() {
    let mut sandbox = Sandbox::new();
    sandbox.write("agent", "0");
    sandbox.write("person", "0");
    sandbox.capture(0);
    sandbox.write("agent", "1");
    sandbox.capture(1);
    sandbox.write("person", "edited");
    let plan = sandbox.store.plan_restore(&id(0), &[], &CaptureOptions::default()).unwrap();
    assert_eq!(plan.changes.len(), 2);
    assert_eq!(plan.edited_after, [PathBuf::from("person")]);
}

#[test]
fn a_plan_of_a_folder_that_changed_is_refused() {
    let mut sandbox = Sandbox::new();
    sandbox.write("a", "0");
    sandbox.capture(0);
    sandbox.write("a", "1");
    let plan = sandbox.store.plan_restore(&id(0), &[], &CaptureOptions::default()).unwrap();
    sandbox.write("a", "2");
    assert!(matches!(sandbox.store.restore(&plan), Err(Error::PlanOutdated)));
    assert_eq!(sandbox.read("a"), "2");
    assert!(matches!(sandbox.store.plan_undo(&later()), Err(Error::NothingToUndo)));
}

#[test]
fn a_file_named_like_a_draft_survives() {
    let mut sandbox = Sandbox::new();
    sandbox.write("a", "0");
    sandbox.capture(0);
    sandbox.write("a", "1");
    sandbox.write(".loop-restore-0.draft", "theirs");
    sandbox.restore(0, &["a"]);
    assert_eq!(sandbox.read(".loop-restore-0.draft"), "theirs");
    assert_eq!(fs::read_dir(sandbox.folder()).unwrap().count(), 2);
}

#[test]
fn a_path_that_a_partial_snapshot_does_not_cover_is_refused() {
    let mut sandbox = Sandbox::new();
    sandbox.write("a", "0");
    sandbox.write("b", "0");
    sandbox.capture(0);
    sandbox.write("a", "1");
    let undo = sandbox.restore(0, &["a"]).undo;
    let plan = sandbox.store.plan_restore(&undo, &[PathBuf::from("b")], &later());
    assert!(matches!(plan, Err(Error::Path { .. })));
}

#[test]
fn a_snapshot_that_is_missing_is_named() {
    let mut sandbox = Sandbox::new();
    let missing = SnapshotId::new("nobody", 3).unwrap();
    let error = sandbox.store.plan_restore(&missing, &[], &later()).unwrap_err();
    assert_eq!(error.to_string(), "there is no snapshot nobody/3: list the snapshots to see which there are");
}

/// Changes each byte of each file of a store in turn, at some distance.
#[test]
fn a_damaged_store_restores_nothing_wrong() {
    let mut sandbox = Sandbox::new();
    sandbox.write("a", "the old content");
    sandbox.write("b/c", "another");
    sandbox.capture(0);
    sandbox.write("a", "new");
    sandbox.write("b/c", "new");
    let before = listing(&sandbox.folder());
    let files: Vec<_> =
        listing(sandbox.store.path()).into_keys().filter(|path| path.extension().is_some()).collect();
    assert_eq!(files.len(), 3, "a list, a pack and a record: {files:?}");
    for file in files {
        let path = sandbox.store.path().join(&file);
        let good = fs::read(&path).unwrap();
        let cut = good[..good.len() - 1].to_vec();
        let flipped = (0..good.len()).map(|at| {
            let mut bytes = good.clone();
            bytes[at] ^= 0x10;
            bytes
        });
        for bad in flipped.chain([cut, Vec::new()]) {
            fs::write(&path, &bad).unwrap();
            assert_harmless(&sandbox, &file);
            assert_eq!(listing(&sandbox.folder()), before, "nothing changed");
        }
        fs::remove_file(&path).unwrap();
        assert_harmless(&sandbox, &file);
        fs::write(&path, &good).unwrap();
    }
    let mut store = Store::recreate(&sandbox.state(), &sandbox.folder()).unwrap();
    assert_eq!(store.runs().unwrap(), []);
    store.capture(&id(0), &CaptureOptions::default()).unwrap();
}

/// A plan either fails, or shows the true contents.
fn assert_harmless(sandbox: &Sandbox, file: &Path) {
    let mut store = match Store::open(&sandbox.state(), &sandbox.folder()) {
        Ok(store) => store,
        Err(error) => {
            assert!(matches!(error, Error::Damaged { .. }), "{file:?}: {error}");
            return;
        }
    };
    let Ok(snapshot) = store.snapshot(&id(0)) else { return };
    let Ok(changes) = store.diff_folder(&snapshot, &CaptureOptions::default()) else { return };
    assert_eq!(changes.len(), 2, "{file:?}");
    for change in changes {
        if let Ok(text) = store.text_diff(&change) {
            let text = text.unwrap();
            assert!(text.contains("-the old content") || text.contains("-another"), "{file:?}: {text}");
        }
    }
}
