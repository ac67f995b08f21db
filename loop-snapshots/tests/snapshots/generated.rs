//! Laws for generated trees.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::{self, File, Permissions},
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
};

use loop_snapshots::{CaptureOptions, SnapshotId};
use proptest::{prelude::*, test_runner::TestRunner};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::tree::{Sandbox, Seen, clear, listing};

/// Names that programs treat as something else, twins in case, a newline, and bytes that are not UTF-8.
const NAMES: &[&[u8]] =
    &[b"a", b"A", b"b\nc", b"\xff\xfe", b"\xc3\xa9", b" ", b"-rf", b"..x", b"*", b"%s", b"d", b"'\"\\"];
const LINKS: &[&[u8]] = &[b"a", b"..", b"/etc/passwd", b"../../..", b"nowhere", b"\xff", b"."];
const FILE_MODES: &[u32] = &[0o644, 0o755, 0o600, 0o444, 0o4711 | 0o400, 0o2640, 0o777];
const FOLDER_MODES: &[u32] = &[0o755, 0o700, 0o1777, 0o555, 0o2750];

#[derive(Debug, Clone)]
pub(crate) enum Node {
    File(Vec<u8>, u32),
    Sparse(u64),
    Link(&'static [u8]),
    Fifo,
    /// A nested repository: its `.git` belongs to nobody else.
    Repository(Vec<u8>),
    Folder(BTreeMap<&'static [u8], Node>, u32),
}

fn node() -> impl Strategy<Value = Node> {
    let content = prop_oneof![
        Just(Vec::new()),
        prop::collection::vec(any::<u8>(), 1..40),
        any::<u8>().prop_map(|byte| vec![byte; 9000]),
    ];
    let leaf = prop_oneof![
        8 => (content, prop::sample::select(FILE_MODES)).prop_map(|(content, mode)| Node::File(content, mode)),
        1 => (1_u64..3_000_000).prop_map(Node::Sparse),
        3 => prop::sample::select(LINKS).prop_map(Node::Link),
        1 => Just(Node::Fifo),
        1 => prop::collection::vec(any::<u8>(), 0..9).prop_map(Node::Repository),
    ];
    leaf.prop_recursive(3, 24, 5, |node| {
        (
            prop::collection::btree_map(prop::sample::select(NAMES), node, 0..5),
            prop::sample::select(FOLDER_MODES),
        )
            .prop_map(|(entries, mode)| Node::Folder(entries, mode))
    })
}

pub(crate) fn tree() -> impl Strategy<Value = BTreeMap<&'static [u8], Node>> {
    prop::collection::btree_map(prop::sample::select(NAMES), node(), 0..6)
}

pub(crate) fn create(folder: &Path, entries: &BTreeMap<&'static [u8], Node>) {
    for (name, node) in entries {
        let path = folder.join(OsStr::from_bytes(name));
        let mode = |mode| fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        match node {
            Node::File(content, bits) => {
                fs::write(&path, content).unwrap();
                mode(*bits);
            }
            Node::Sparse(size) => File::create(&path).unwrap().set_len(*size).unwrap(),
            Node::Link(target) => symlink(OsStr::from_bytes(target), &path).unwrap(),
            Node::Fifo => mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap(),
            Node::Repository(content) => {
                fs::create_dir_all(path.join(".git/objects")).unwrap();
                fs::write(path.join(".git/HEAD"), content).unwrap();
                fs::write(path.join("tracked"), content).unwrap();
            }
            Node::Folder(entries, bits) => {
                fs::create_dir(&path).unwrap();
                create(&path, entries);
                mode(*bits);
            }
        }
    }
}

/// Whether nothing stores this path.
fn is_left_out(path: &Path, seen: &Seen) -> bool {
    matches!(seen, Seen::Special(_)) || path.iter().any(|name| name == ".git")
}

fn captured(listing: &BTreeMap<PathBuf, Seen>) -> BTreeMap<&Path, &Seen> {
    let all = listing.iter().map(|(path, seen)| (path.as_path(), seen));
    all.filter(|(path, seen)| !is_left_out(path, seen)).collect()
}

/// Compares the folder with the state that a restore was to bring back.
fn assert_restored(now: &BTreeMap<PathBuf, Seen>, target: &BTreeMap<PathBuf, Seen>, kept: &[PathBuf]) {
    let is_kept = |path: &Path| kept.iter().any(|kept| path.starts_with(kept) || kept.starts_with(path));
    let (now, target) = (captured(now), captured(target));
    for path in now.keys().chain(target.keys()) {
        assert!(is_kept(path) || now.get(path) == target.get(path), "{path:?} was not restored");
    }
}

fn restoring_returns_to_the_captured_tree(cases: u32) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let result = TestRunner::new(config).run(&(tree(), tree()), |(first, second)| {
        let mut sandbox = Sandbox::new();
        let folder = sandbox.folder();
        create(&folder, &first);
        let before = listing(&folder);
        let capture = sandbox.capture(0);
        let left_out: Vec<_> = capture.left_out.iter().map(|(path, _)| path.clone()).collect();
        for (path, seen) in &before {
            let is_listed = path.ancestors().any(|path| left_out.iter().any(|left_out| left_out == path));
            prop_assert_eq!(is_listed, is_left_out(path, seen), "{:?}", path);
        }
        clear(&folder);
        create(&folder, &second);
        let between = listing(&folder);
        let restored = sandbox.restore(0, &[]);
        let now = listing(&folder);
        let kept: Vec<_> = restored.kept.iter().map(|(path, _)| path.clone()).collect();
        assert_restored(&now, &before, &kept);
        for (path, seen) in between.iter().filter(|(path, seen)| is_left_out(path, seen)) {
            prop_assert_eq!(now.get(path), Some(seen), "{:?} was not captured, and changed", path);
        }
        if kept.is_empty() {
            // Then it is the same snapshot.
            prop_assert_eq!(captured(&now), captured(&before));
        }
        let undone = sandbox.undo();
        let kept: Vec<_> = undone.kept.into_iter().map(|(path, _)| path).collect();
        assert_restored(&listing(&folder), &between, &kept);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn restoring_returns_to_any_captured_tree() {
    restoring_returns_to_the_captured_tree(64);
}

#[test]
#[ignore = "takes minutes: a step of .ci/nightly"]
fn restoring_returns_to_any_of_many_captured_trees() {
    restoring_returns_to_the_captured_tree(10_000);
}

#[test]
fn a_capture_without_a_cache_has_the_same_root() {
    let config = ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() };
    let result = TestRunner::new(config).run(&(tree(), tree()), |(first, second)| {
        let mut sandbox = Sandbox::new();
        create(&sandbox.folder(), &first);
        sandbox.capture(0);
        clear(&sandbox.folder());
        create(&sandbox.folder(), &second);
        let incremental = sandbox.capture(1);
        let mut fresh =
            loop_snapshots::Store::open(&sandbox.dir.path().join("other"), &sandbox.folder()).unwrap();
        let fresh = fresh.capture(&SnapshotId::new("run", 0).unwrap(), &CaptureOptions::default()).unwrap();
        prop_assert_eq!(incremental.snapshot.root, fresh.snapshot.root);
        prop_assert_eq!(incremental.left_out, fresh.left_out);
        let changes = sandbox.store.diff_folder(&incremental.snapshot, &CaptureOptions::default()).unwrap();
        prop_assert!(changes.is_empty(), "{:?}", changes);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}
