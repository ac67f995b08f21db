//! Sealed trees: what they contain, whatever happened to them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use loop_snapshots::{Origin, PathFacts, Protection, Relocation, SealedTree};
use proptest::prelude::*;

use crate::{
    generated::{Node, create, tree},
    tree::{Sandbox, Seen, clear, id, listing},
};

/// Protects everything with one of these names, and what is below it.
#[derive(Debug)]
struct Names(&'static [&'static str]);

impl Names {
    fn covers(&self, path: &Path) -> bool {
        path.iter().any(|step| self.0.iter().any(|name| step == *name))
    }
}

impl Protection for Names {
    fn origin(&self, path: &Path, _: PathFacts) -> Origin {
        match self.covers(path) {
            true => Origin::First,
            false if path.ends_with("merged") => Origin::Merged,
            false if path.starts_with("built") => Origin::Built,
            false => Origin::Judged,
        }
    }

    fn may_be_rewritten(&self, path: &Path) -> bool {
        path.ends_with("data")
    }

    fn merge(&self, _: &Path, first: Option<&[u8]>, judged: &[u8]) -> Option<Vec<u8>> {
        let (first, judged) = (first.unwrap_or_default().first(), judged.get(1..).unwrap_or_default());
        Some(first.into_iter().chain(judged).copied().collect())
    }
}

fn sealed(sandbox: &mut Sandbox, names: &'static [&'static str]) -> SealedTree {
    let first = sandbox.capture(0).snapshot;
    let place = sandbox.dir.path().join("sealed");
    SealedTree::create(&mut sandbox.store, &first, &place, Box::new(Names(names))).unwrap()
}

/// Leaves out what a sealed tree never has.
fn plain(entries: BTreeMap<&'static [u8], Node>) -> BTreeMap<&'static [u8], Node> {
    let node = |node| match node {
        Node::Folder(entries, mode) => Some(Node::Folder(plain(entries), mode)),
        Node::Repository(_) | Node::Fifo => None,
        node => Some(node),
    };
    entries.into_iter().filter_map(|(name, entry)| Some((name, node(entry)?))).collect()
}

/// The tree that the documentation promises.
fn expected(
    first: &BTreeMap<PathBuf, Seen>,
    judged: &BTreeMap<PathBuf, Seen>,
    names: &Names,
) -> BTreeMap<PathBuf, Seen> {
    let mut tree = judged.clone();
    tree.retain(|path, _| !names.covers(path));
    for (path, seen) in first.iter().filter(|(path, _)| names.covers(path)) {
        for above in path.ancestors().skip(1).filter(|above| *above != Path::new("")) {
            if !matches!(tree.get(above), Some(Seen::Folder(_))) {
                tree.insert(above.to_owned(), first[above].clone());
            }
        }
        tree.insert(path.clone(), seen.clone());
    }
    tree
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_sealed_tree_is_the_judged_state_with_the_first_protected_paths(
        first in tree().prop_map(plain), judged in tree().prop_map(plain), mess in tree(),
    ) {
        const PROTECTED: &[&str] = &["a", "d"];
        let mut sandbox = Sandbox::new();
        let folder = sandbox.folder();
        create(&folder, &first);
        let first = listing(&folder);
        let mut sealed = sealed(&mut sandbox, PROTECTED);
        clear(&folder);
        create(&folder, &judged);
        let judged = listing(&folder);
        let (start, state) =
            (sandbox.store.snapshot(&id(0)).unwrap(), sandbox.capture(1).snapshot);
        let tree = sealed.folder();
        let expected = expected(&first, &judged, &Names(PROTECTED));
        let renewed = sealed.renew(&mut sandbox.store, &state).unwrap();
        prop_assert_eq!(listing(&tree), expected.clone());
        let differs = |path: &Path| first.get(path) != judged.get(path);
        for path in &renewed.put_back {
            prop_assert!(Names(PROTECTED).covers(path) && differs(path), "{:?}", path);
        }
        // Whatever a check does in the tree, the next one does not see it.
        clear(&tree);
        create(&tree, &mess);
        sealed.renew(&mut sandbox.store, &start).unwrap();
        prop_assert_eq!(listing(&tree), first);
        sealed.renew(&mut sandbox.store, &state).unwrap();
        prop_assert_eq!(listing(&tree), expected);
    }
}

#[test]
fn a_file_that_is_written_again_with_the_same_content_counts_unless_it_may_be() {
    let mut sandbox = Sandbox::new();
    for path in ["test/code", "test/data", "test/other"] {
        sandbox.write(path, "one");
    }
    let mut sealed = sealed(&mut sandbox, &["test"]);
    let first = sandbox.store.snapshot(&id(0)).unwrap();
    sealed.renew(&mut sandbox.store, &first).unwrap();
    let write = |path: &str, text: &str| fs::write(sealed.folder().join(path), text).unwrap();
    let (none, both) = (BTreeSet::new(), ["test/code", "test/data"].map(PathBuf::from).into());
    assert_eq!(sealed.touched().unwrap(), none);
    ["test/code", "test/data"].iter().for_each(|path| write(path, "one"));
    assert_eq!(sealed.touched().unwrap(), both);
    assert_eq!(sealed.tampered(&none).unwrap(), [PathBuf::from("test/code")]);
    assert_eq!(sealed.tampered(&both).unwrap(), Vec::<PathBuf>::new());
    ["test/code", "test/data"].iter().for_each(|path| write(path, "two"));
    assert_eq!(sealed.touched().unwrap(), none);
    assert_eq!(sealed.tampered(&both).unwrap(), ["test/code", "test/data"].map(PathBuf::from));
}

#[test]
fn a_change_that_keeps_size_and_time_does_not_stay() {
    let mut sandbox = Sandbox::new();
    sandbox.write("code", "one");
    let mut sealed = sealed(&mut sandbox, &[]);
    let first = sandbox.store.snapshot(&id(0)).unwrap();
    sealed.renew(&mut sandbox.store, &first).unwrap();
    let file = sealed.folder().join("code");
    let modified = fs::metadata(&file).unwrap().modified().unwrap();
    fs::write(&file, "two").unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
    sealed.renew(&mut sandbox.store, &first).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "one");
    // Build tools see no change.
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), modified);
    sandbox.write("code", "two");
    let second = sandbox.capture(1).snapshot;
    sealed.renew(&mut sandbox.store, &second).unwrap();
    assert!(fs::metadata(&file).unwrap().modified().unwrap() > modified);
}

#[test]
fn a_part_of_a_file_can_be_the_first_one() {
    let mut sandbox = Sandbox::new();
    sandbox.write("merged", "1 one");
    let mut sealed = sealed(&mut sandbox, &[]);
    for (number, content, expected, is_in_part) in
        [(1, "1 two", "1 two", false), (2, "2 two", "1 two", true), (3, "2 one", "1 one", false)]
    {
        sandbox.write("merged", content);
        let state = sandbox.capture(number).snapshot;
        let renewed = sealed.renew(&mut sandbox.store, &state).unwrap();
        assert_eq!(fs::read_to_string(sealed.folder().join("merged")).unwrap(), expected);
        assert_eq!(!renewed.put_back_in_part.is_empty(), is_in_part, "{content}");
        // Where nothing but the protected part differs, the whole file can be put back.
        assert_eq!(!renewed.put_back.is_empty(), number == 3, "{content}");
    }
}

#[test]
fn what_a_first_check_builds_is_kept_and_what_it_leaves_is_not() {
    let mut sandbox = Sandbox::new();
    sandbox.write(".gitignore", "out/\n");
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    let mut sealed = sealed(&mut sandbox, &[]);
    let (first, tree) = (sandbox.store.snapshot(&id(0)).unwrap(), sealed.folder());
    sealed.renew(&mut sandbox.store, &first).unwrap();
    for name in ["out/object", "built/object", "left"] {
        fs::create_dir_all(tree.join(name).parent().unwrap()).unwrap();
        fs::write(tree.join(name), "made").unwrap();
    }
    sealed.keep_built(&mut sandbox.store).unwrap();
    fs::write(tree.join("out/object"), "changed").unwrap();
    sandbox.write("out/object", "of the agent");
    sandbox.write("built/object", "of the agent");
    let state = sandbox.capture(1).snapshot;
    assert!(!sealed.renew(&mut sandbox.store, &state).unwrap().has_dropped_build);
    let read = |name: &str| fs::read_to_string(tree.join(name)).ok();
    assert_eq!(
        [read("out/object"), read("built/object"), read("left")],
        [Some("made".into()), Some("made".into()), None]
    );
    // Something else than a check writes there.
    fs::write(sandbox.dir.path().join("sealed/built/out/object"), "bad").unwrap();
    assert!(sealed.renew(&mut sandbox.store, &state).unwrap().has_dropped_build);
    assert_eq!(read("out/object"), None);
}

#[test]
fn absolute_paths_lead_into_the_tree() {
    let mut sandbox = Sandbox::new();
    let folder = sandbox.folder().canonicalize().unwrap();
    sandbox.write(".gitignore", ".venv\n");
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    sandbox.write(".venv/bin/tool", format!("#!{}/.venv/bin/python\n", folder.display()));
    std::os::unix::fs::symlink(folder.join("code"), sandbox.folder().join("link")).unwrap();
    let mut sealed = sealed(&mut sandbox, &[]);
    let first = sandbox.store.snapshot(&id(0)).unwrap();
    sealed.renew(&mut sandbox.store, &first).unwrap();
    let tree = sealed.folder();
    let tool = fs::read_to_string(tree.join(".venv/bin/tool")).unwrap();
    assert_eq!(tool, format!("#!{}/.venv/bin/python\n", tree.display()));
    assert_eq!(fs::read_link(tree.join("link")).unwrap(), tree.join("code"));
    assert_eq!(*sealed.relocation(), Relocation::new(&folder, &tree));
}

#[test]
fn changed_copies_of_dependencies_are_refused() {
    let mut sandbox = Sandbox::new();
    sandbox.write(".gitignore", "node_modules\n");
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    sandbox.write("node_modules/tool", "good");
    let mut sealed = sealed(&mut sandbox, &[]);
    let first = sandbox.store.snapshot(&id(0)).unwrap();
    sealed.renew(&mut sandbox.store, &first).unwrap();
    fs::write(sandbox.dir.path().join("sealed/apart/node_modules/tool"), "evil").unwrap();
    let error = sealed.renew(&mut sandbox.store, &first).unwrap_err();
    assert!(error.to_string().contains("is not as it was when it was copied"), "{error}");
    let place = sandbox.dir.path().join("sealed");
    let opened = SealedTree::create(&mut sandbox.store, &first, &place, Box::new(Names(&[])));
    assert!(opened.is_err());
}

#[test]
fn a_tree_that_became_a_link_is_left_alone() {
    let mut sandbox = Sandbox::new();
    sandbox.write("code", "one");
    let mut sealed = sealed(&mut sandbox, &[]);
    let first = sandbox.store.snapshot(&id(0)).unwrap();
    sealed.renew(&mut sandbox.store, &first).unwrap();
    let precious = sandbox.dir.path().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("file"), "").unwrap();
    fs::remove_dir_all(sealed.folder()).unwrap();
    std::os::unix::fs::symlink(&precious, sealed.folder()).unwrap();
    assert!(sealed.renew(&mut sandbox.store, &first).is_err());
    assert!(precious.join("file").exists());
}

/// Protects files with the name `test`, which may move.
#[derive(Debug)]
struct Moving;

impl Protection for Moving {
    fn origin(&self, path: &Path, _: PathFacts) -> Origin {
        if path.ends_with("test") { Origin::First } else { Origin::Judged }
    }

    fn merge(&self, _: &Path, _: Option<&[u8]>, _: &[u8]) -> Option<Vec<u8>> {
        None
    }

    fn may_move(&self, _: &Path, _: &Path, _: &Path, (first, judged): (&[u8], &[u8])) -> bool {
        first == judged
    }
}

#[test]
fn protected_files_move_only_with_their_whole_folder() {
    for (judged, moved) in [
        (&[("b/a/code", "c"), ("b/a/test", "t"), ("b/a/x/test", "t")][..], true),
        (&[("b/a/code", "new"), ("b/a/test", "t"), ("b/a/x/test", "t"), ("b/a/y/test", "more")], true),
        (&[("b/a/code", "c"), ("b/a/test", "t")], false),
        (&[("b/a/code", "c"), ("b/a/test", "other"), ("b/a/x/test", "t")], false),
        (&[("b/a/test", "t"), ("b/a/x/test", "t")], false),
        (&[("a/code", "c"), ("b/a/code", "c"), ("b/a/test", "t"), ("b/a/x/test", "t")], false),
        (&[("old/code", "c"), ("old/test", "t"), ("old/x/test", "t")], false),
    ] {
        let mut sandbox = Sandbox::new();
        for (path, text) in [("a/code", "c"), ("a/test", "t"), ("a/x/test", "t"), ("old/a", "")] {
            sandbox.write(path, text);
        }
        let first = sandbox.capture(0).snapshot;
        let place = sandbox.dir.path().join("sealed");
        let mut sealed = SealedTree::create(&mut sandbox.store, &first, &place, Box::new(Moving)).unwrap();
        clear(&sandbox.folder());
        judged.iter().for_each(|(path, text)| sandbox.write(path, text));
        let state = sandbox.capture(1).snapshot;
        let renewed = sealed.renew(&mut sandbox.store, &state).unwrap();
        let has = |path: &str| sealed.folder().join(path).exists();
        assert_eq!(!renewed.moved.is_empty(), moved, "{judged:?}");
        assert_eq!((has("b/a/x/test"), has("a/x/test")), (moved, !moved), "{judged:?}");
        assert!(renewed.put_back.is_empty() == moved && !has("b/a/y/test"), "{judged:?}: {renewed:?}");
        assert_eq!(sealed.tampered(&BTreeSet::new()).unwrap(), Vec::<PathBuf>::new());
    }
}
