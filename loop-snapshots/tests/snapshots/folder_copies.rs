//! Copies of a folder, and what takes its place.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use loop_snapshots::{Error, FolderCopy};
use proptest::{prelude::*, test_runner::TestRunner};
use tempfile::TempDir;

use crate::{
    generated::{create, tree},
    tree::{Seen, clear, listing},
};

/// A folder, and a path for its copy.
fn place() -> (TempDir, PathBuf, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let (folder, copy) = (dir.path().join("folder"), dir.path().join("copies/1"));
    fs::create_dir(&folder).unwrap();
    (dir, folder, copy)
}

fn all_but_special(folder: &Path) -> BTreeMap<PathBuf, Seen> {
    listing(folder).into_iter().filter(|(_, seen)| !matches!(seen, Seen::Special(_))).collect()
}

/// A copy equals its folder, whatever is in it, and the folder equals the copy after the copy was handed back. Pipes are
/// not copied, and nothing takes the place of one.
#[test]
fn a_copy_is_equal_and_can_take_the_place_of_its_folder() {
    let config = ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() };
    let result = TestRunner::new(config).run(&(tree(), tree()), |(first, second)| {
        let (_dir, folder, path) = place();
        create(&folder, &first);
        let copy = FolderCopy::create(&folder, &path).unwrap();
        let before = all_but_special(&folder);
        prop_assert_eq!(&all_but_special(&path), &before);
        // Another process continues with it.
        let list = path.with_extension("list");
        copy.store(&list).unwrap();
        let copy = FolderCopy::open(&folder, &path, &list).unwrap();
        prop_assert_eq!(copy.hand_back().unwrap(), 0);
        prop_assume!(before.len() == listing(&folder).len());
        clear(&path);
        create(&path, &second);
        copy.hand_back().unwrap();
        prop_assert_eq!(all_but_special(&folder), all_but_special(&path));
        FolderCopy::discard(&path).unwrap();
        prop_assert!(!path.exists());
        clear(&folder);
        Ok(())
    });
    result.unwrap();
}

#[test]
fn what_changed_in_both_is_not_overwritten() {
    let (_dir, folder, path) = place();
    for name in ["mine", "theirs", "both", "removed"] {
        fs::write(folder.join(name), "old").unwrap();
    }
    let copy = FolderCopy::create(&folder, &path).unwrap();
    for name in ["theirs", "both", "new"] {
        fs::write(path.join(name), "of the copy").unwrap();
    }
    fs::remove_file(path.join("removed")).unwrap();
    for name in ["mine", "both", "new", "removed", "only mine"] {
        fs::write(folder.join(name), "of the folder").unwrap();
    }
    let before = listing(&folder);
    let error = copy.hand_back().unwrap_err();
    let Error::ChangedMeanwhile { paths, .. } = &error else { panic!("{error}") };
    assert_eq!(*paths, ["both", "new", "removed"].map(PathBuf::from));
    assert!(
        error.to_string().ends_with("nothing was handed back: both, new, removed changed in both"),
        "{error}"
    );
    assert_eq!(listing(&folder), before);
}

/// `cp -p`, `tar -x` and reproducible builds set the old time.
#[test]
fn a_change_that_keeps_size_and_time_is_handed_back() {
    let (_dir, folder, path) = place();
    let old = fs::FileTimes::new().set_modified(std::time::SystemTime::UNIX_EPOCH);
    let write = |path: PathBuf, text: &str| {
        fs::write(&path, text).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_times(old).unwrap();
    };
    write(folder.join("changed"), "aaa");
    write(folder.join("touched"), "aaa");
    let list = path.with_extension("list");
    FolderCopy::create(&folder, &path).unwrap().store(&list).unwrap();
    // The kernel's clock of files has ticks.
    let made = fs::metadata(path.join("touched")).unwrap().ctime_nsec();
    while fs::metadata(path.join("changed")).unwrap().ctime_nsec() <= made {
        write(path.join("changed"), "bbb");
        write(path.join("touched"), "aaa");
    }
    assert_eq!(FolderCopy::open(&folder, &path, &list).unwrap().hand_back().unwrap(), 1);
    assert_eq!(fs::read_to_string(folder.join("changed")).unwrap(), "bbb");
}

#[test]
fn the_same_change_in_both_is_no_conflict() {
    let (_dir, folder, path) = place();
    fs::write(folder.join("notes"), "old").unwrap();
    let copy = FolderCopy::create(&folder, &path).unwrap();
    let large = "new".repeat(50_000);
    fs::write(path.join("notes"), &large).unwrap();
    fs::write(folder.join("notes"), large.replace("new", "own")).unwrap();
    assert!(matches!(copy.hand_back(), Err(Error::ChangedMeanwhile { .. })));
    fs::write(folder.join("notes"), &large).unwrap();
    assert_eq!(copy.hand_back().unwrap(), 1);
}

#[test]
fn what_only_the_folder_gained_stays() {
    let (_dir, folder, path) = place();
    fs::create_dir(folder.join("old")).unwrap();
    fs::write(folder.join("old/file"), "old").unwrap();
    let copy = FolderCopy::create(&folder, &path).unwrap();
    fs::remove_dir_all(path.join("old")).unwrap();
    fs::write(folder.join("old/mine"), "mine").unwrap();
    assert_eq!(copy.hand_back().unwrap(), 2);
    assert_eq!(listing(&folder).len(), 2);
    assert_eq!(fs::read_to_string(folder.join("old/mine")).unwrap(), "mine");
}

/// Otherwise the changes would end up where the link leads.
#[test]
fn a_link_that_took_the_place_of_a_folder_is_not_followed() {
    let (dir, folder, path) = place();
    let outside = dir.path().join("outside");
    for place in [&outside, &folder.join("d"), &folder.join("e")] {
        fs::create_dir(place).unwrap();
        fs::write(place.join("file"), "old").unwrap();
    }
    let copy = FolderCopy::create(&folder, &path).unwrap();
    fs::remove_file(path.join("d/file")).unwrap();
    fs::remove_dir_all(folder.join("d")).unwrap();
    symlink(&outside, folder.join("d")).unwrap();
    // The file is gone already.
    assert_eq!(copy.hand_back().unwrap(), 1);
    assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "old");
    fs::write(path.join("d/new"), "new").unwrap();
    fs::write(path.join("e/new"), "new").unwrap();
    fs::remove_dir_all(folder.join("e")).unwrap();
    let Err(Error::ChangedMeanwhile { paths, .. }) = copy.hand_back() else { panic!("it is handed back") };
    assert_eq!(paths, ["d", "e"].map(PathBuf::from));
    assert_eq!((listing(&outside).len(), folder.join("e").exists()), (1, false));
}

/// A process that dies in the middle leaves a part of the changes, a draft, and folders that are open.
#[test]
fn a_hand_back_that_was_cut_can_be_repeated() {
    let (_dir, folder, path) = place();
    let set_mode = |path: PathBuf, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    fs::create_dir(folder.join("closed")).unwrap();
    fs::write(folder.join("closed/file"), "old").unwrap();
    set_mode(folder.join("closed"), 0o555);
    let copy = FolderCopy::create(&folder, &path).unwrap();
    set_mode(path.join("closed"), 0o755);
    fs::write(path.join("closed/file"), "new").unwrap();
    set_mode(path.join("closed"), 0o555);
    fs::create_dir(path.join("added")).unwrap();
    fs::write(path.join("added/file"), "new").unwrap();
    set_mode(path.join("added"), 0o750);
    let whole = all_but_special(&path);
    // As far as the first process came.
    set_mode(folder.join("closed"), 0o755);
    fs::write(folder.join("closed/file"), "new").unwrap();
    fs::create_dir(folder.join("added")).unwrap();
    set_mode(folder.join("added"), 0o700);
    fs::write(folder.join("added/.loop-copy-0.draft"), "ne").unwrap();
    copy.hand_back().unwrap();
    assert_eq!(all_but_special(&folder), whole);
}

/// `git status` writes the index, and changes nothing that a person did.
#[test]
fn a_refreshed_index_of_git_is_no_conflict_unless_something_was_staged() {
    let (_dir, folder, path) = place();
    fs::create_dir_all(folder.join(".git/objects")).unwrap();
    for name in ["HEAD", "index"] {
        fs::write(folder.join(".git").join(name), "old").unwrap();
    }
    let copy = FolderCopy::create(&folder, &path).unwrap();
    fs::write(path.join(".git/index"), "with a commit").unwrap();
    fs::write(path.join(".git/HEAD"), "a commit").unwrap();
    fs::write(folder.join(".git/index"), "refreshed").unwrap();
    fs::write(folder.join(".git/objects/staged"), "").unwrap();
    let Err(Error::ChangedMeanwhile { paths, .. }) = copy.hand_back() else { panic!("it is handed back") };
    assert_eq!(paths, [PathBuf::from(".git/index")]);
    fs::remove_file(folder.join(".git/objects/staged")).unwrap();
    copy.hand_back().unwrap();
    assert_eq!(fs::read_to_string(folder.join(".git/index")).unwrap(), "with a commit");
}

#[test]
fn a_folder_that_gained_something_is_not_replaced_by_a_file() {
    let (_dir, folder, path) = place();
    fs::create_dir(folder.join("d")).unwrap();
    fs::write(folder.join("d/file"), "old").unwrap();
    let copy = FolderCopy::create(&folder, &path).unwrap();
    fs::write(path.join("added"), "new").unwrap();
    fs::remove_dir_all(path.join("d")).unwrap();
    fs::write(path.join("d"), "a file").unwrap();
    fs::write(folder.join("d/mine"), "mine").unwrap();
    let before = listing(&folder);
    let Err(Error::ChangedMeanwhile { paths, .. }) = copy.hand_back() else { panic!("it is handed back") };
    assert_eq!((paths, listing(&folder)), (vec![PathBuf::from("d/mine")], before));
    fs::remove_file(folder.join("d/mine")).unwrap();
    copy.hand_back().unwrap();
    assert_eq!(fs::read_to_string(folder.join("d")).unwrap(), "a file");
}

#[test]
fn a_copy_is_made_at_a_free_place_outside_of_the_folder() {
    let (_dir, folder, path) = place();
    fs::create_dir_all(&path).unwrap();
    assert!(FolderCopy::create(&folder, &path).is_err());
    let error = FolderCopy::create(&folder, &folder.join("in/it")).unwrap_err();
    assert!(
        matches!(&error, Error::File { source, .. } if source.to_string().contains("cannot be in the folder"))
    );
    assert!(!folder.join("in").exists());
}

#[test]
fn a_damaged_list_is_refused() {
    let (_dir, folder, path) = place();
    fs::write(folder.join("file"), "old").unwrap();
    let list = path.with_extension("list");
    FolderCopy::create(&folder, &path).unwrap().store(&list).unwrap();
    let stored = fs::read(&list).unwrap();
    for at in 0..stored.len() {
        let mut damaged = stored.clone();
        damaged[at] ^= 1;
        fs::write(&list, damaged).unwrap();
        let error = FolderCopy::open(&folder, &path, &list).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
    }
    fs::write(&list, &stored[..stored.len() - 1]).unwrap();
    assert!(FolderCopy::open(&folder, &path, &list).is_err());
}
