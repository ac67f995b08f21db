//! Removes the folders of usage files whose owners were killed before they could remove them.

use std::{
    fs::{self, DirEntry, File},
    io,
    os::unix::fs::MetadataExt,
    path::Path,
    time::Duration,
};

use super::read_state::open;

/// The prefix of the folders' names.
pub(super) const PREFIX: &str = "loop-usage-";

/// A file in the folder that its owner keeps locked while it lives.
const CLAIM: &str = "claim";

/// A younger folder may be one that another process is just creating.
const LEAST_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Claims the folder until the returned file is dropped. The system also releases the lock when the owner dies.
pub(super) fn claim(folder: &Path) -> io::Result<File> {
    let file = File::create_new(folder.join(CLAIM))?;
    // Where files cannot be locked, `remove` removes nothing.
    let _ = file.try_lock();
    Ok(file)
}

/// Removes the folders in `parent` that have no owner. A folder that cannot be removed stays, and does no harm.
pub(super) fn remove(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let named = |entry: &DirEntry| entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
    for entry in entries.flatten().filter(named) {
        if is_stray(&entry, LEAST_AGE) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns true if this is a folder of the same user, at least this old, and without an owner.
fn is_stray(entry: &DirEntry, least_age: Duration) -> bool {
    // This does not follow links, because a link is never ours.
    let Ok(metadata) = entry.metadata() else { return false };
    let age = metadata.modified().ok().and_then(|time| time.elapsed().ok());
    let is_own = metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw();
    is_own
        && age.is_some_and(|age| age >= least_age)
        && open(&entry.path().join(CLAIM)).is_ok_and(|claim| claim.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    fn strays(parent: &Path, least_age: Duration) -> usize {
        let entries = fs::read_dir(parent).expect("a folder").flatten();
        entries.filter(|entry| is_stray(entry, least_age)).count()
    }

    #[test]
    fn a_folder_is_stray_once_its_owner_is_gone_and_it_is_old() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path().join(format!("{PREFIX}x"));
        fs::create_dir(&folder).expect("a folder");
        let owner = claim(&folder).expect("a lock");
        assert_eq!(strays(parent.path(), Duration::ZERO), 0);
        drop(owner);
        assert_eq!(strays(parent.path(), LEAST_AGE), 0);
        assert_eq!(strays(parent.path(), Duration::ZERO), 1);
        remove(parent.path());
        assert!(folder.exists(), "it is not a day old");
    }

    #[test]
    fn a_pipe_in_the_place_of_a_claim_blocks_nobody() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path().join(format!("{PREFIX}x"));
        fs::create_dir(&folder).expect("a folder");
        mknodat(CWD, folder.join(CLAIM), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
        assert_eq!(strays(parent.path(), Duration::ZERO), 0);
    }

    #[test]
    fn a_stray_folder_is_removed_and_others_are_not() {
        let parent = tempfile::tempdir().expect("a folder");
        let old = std::time::SystemTime::now() - 2 * LEAST_AGE;
        let make = |name: &str, is_claimed: bool| {
            let folder = parent.path().join(name);
            fs::create_dir(&folder).expect("a folder");
            if is_claimed {
                drop(claim(&folder).expect("a lock"));
            }
            File::open(&folder).and_then(|folder| folder.set_modified(old)).expect("a time");
            folder
        };
        let (stray, other, unknown) =
            (make("loop-usage-a", true), make("other", true), make("loop-usage-b", false));
        remove(parent.path());
        assert_eq!((stray.exists(), other.exists(), unknown.exists()), (false, true, true));
    }
}
