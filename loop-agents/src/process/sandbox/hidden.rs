//! Hidden files: which of them Landlock can leave out, and which have to be covered.

use std::{
    fs,
    io::{self, ErrorKind},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use loop_guardrails::policy::workspace::is_closed;
use rustix::process::geteuid;

/// Returns the hidden paths that exist, without links, and without those that no program of this user can read. Also
/// returns the paths that could not be looked for, with the reason: something that stays readable may be there.
pub(super) fn existing(hidden: &[PathBuf]) -> (Vec<PathBuf>, Vec<String>) {
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    for path in hidden {
        match path.canonicalize() {
            Ok(path) if is_closed(&path) => {}
            Ok(path) => found.push(path),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) if error.kind() == ErrorKind::PermissionDenied && is_in_closed_folder(path) => {}
            Err(error) => unknown.push(format!("cannot look for {}, to hide it: {error}", path.display())),
        }
    }
    (found, unknown)
}

/// Returns whether the folder that ends the search for `path` is closed.
fn is_in_closed_folder(path: &Path) -> bool {
    path.ancestors().skip(1).find(|above| above.symlink_metadata().is_ok()).is_some_and(is_closed)
}

/// The settings of the system. Some contain keys and passwords.
const SETTINGS: &str = "/etc";

/// Returns the files of [`SETTINGS`] that only root may read, if these paths contain it, and those that could not be looked
/// for. A path that is named itself is not among them. Another user than root cannot read them anyway.
pub(super) fn of_root_only(named: &[PathBuf]) -> (Vec<PathBuf>, Vec<String>) {
    let settings = Path::new(SETTINGS);
    if !is_hidden(settings, named) || !geteuid().is_root() {
        return (Vec::new(), Vec::new());
    }
    let (mut closed, unknown) = closed_to_others(settings);
    closed.retain(|path| !named.iter().any(|named| named.starts_with(path)));
    (closed, unknown)
}

/// Returns the files and folders below `folder` that only their owner and group may read, and those that could not be
/// looked for, with the reason. Links are not followed.
fn closed_to_others(folder: &Path) -> (Vec<PathBuf>, Vec<String>) {
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let listed = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        for entry in listed.unwrap_or_else(|error| {
            unknown.push(format!("cannot look for files in {}, to hide them: {error}", folder.display()));
            Vec::new()
        }) {
            // Most entries of `/etc` are links. To ask for the mode of each would take longer than the rest.
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                continue;
            }
            // A file that disappears meanwhile needs no cover.
            let Ok(metadata) = entry.metadata() else { continue };
            let (is_folder, mode) = (metadata.is_dir(), metadata.permissions().mode());
            let needed = if is_folder { 0o001 } else { 0o004 };
            if mode & needed == 0 {
                found.push(entry.path());
            } else if is_folder {
                folders.push(entry.path());
            }
        }
    }
    (found, unknown)
}

/// Returns whether one of the hidden paths is this path or above it.
pub(super) fn is_hidden(path: &Path, hidden: &[PathBuf]) -> bool {
    hidden.iter().any(|hidden| path.starts_with(hidden))
}

/// The paths to allow so that everything in `folder` but the hidden paths can be read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ReadablePaths {
    /// Folders whose names can be listed.
    pub(super) listed: Vec<PathBuf>,
    /// Files and folders that can be read with everything below them.
    pub(super) whole: Vec<PathBuf>,
}

impl ReadablePaths {
    /// Adds `path`, which has no links in it. A folder with a hidden path below it is allowed entry by entry, because
    /// Landlock cannot take back what a folder allows.
    ///
    /// # Errors
    /// Fails if such a folder cannot be listed.
    pub(super) fn add(&mut self, path: &Path, hidden: &[PathBuf]) -> io::Result<()> {
        if is_hidden(path, hidden) {
            return Ok(());
        }
        if !hidden.iter().any(|hidden| hidden.starts_with(path)) {
            self.whole.push(path.to_owned());
            return Ok(());
        }
        self.listed.push(path.to_owned());
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            // A link leads to a file that has its own place. Its target counts, not the link.
            if !entry.file_type()?.is_symlink() {
                self.add(&entry.path(), hidden)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_others_may_not_read_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("open/closed")).unwrap();
        for (name, mode) in
            [("plain", 0o644), ("key", 0o640), ("open/own", 0o600), ("open/closed/any", 0o644)]
        {
            fs::write(root.join(name), "").unwrap();
            fs::set_permissions(root.join(name), PermissionsExt::from_mode(mode)).unwrap();
        }
        fs::set_permissions(root.join("open/closed"), PermissionsExt::from_mode(0o700)).unwrap();
        std::os::unix::fs::symlink("key", root.join("link")).unwrap();
        let (mut found, unknown) = closed_to_others(&root);
        found.sort();
        assert_eq!(found, ["key", "open/closed", "open/own"].map(|name| root.join(name)));
        assert_eq!(unknown, Vec::<String>::new());
        assert_eq!(closed_to_others(&root.join("missing")).1.len(), 1);
    }

    #[test]
    fn a_folder_with_a_hidden_file_is_allowed_entry_by_entry() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["a/x", "b/secret", "b/plain"] {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), "").unwrap();
        }
        std::os::unix::fs::symlink(root.join("b/secret"), root.join("a-link")).unwrap();
        let mut paths = ReadablePaths::default();
        paths.add(&root, &[root.join("b/secret")]).unwrap();
        paths.whole.sort();
        assert_eq!(paths.whole, [root.join("a"), root.join("b/plain")]);
        assert_eq!(paths.listed, [root.clone(), root.join("b")]);
    }

    #[test]
    fn a_path_that_cannot_be_looked_for_is_not_taken_for_missing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::write(root.join("file"), "").unwrap();
        std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
        let hidden = ["file", "missing", "file/below", "loop", "loop/below"].map(|name| root.join(name));
        let too_long = root.join("x".repeat(300));
        let (found, unknown) = existing(&[&hidden[..], &[too_long]].concat());
        assert_eq!(found, [root.join("file")]);
        assert_eq!(unknown.len(), 3);
        assert!(unknown[0].starts_with(&format!("cannot look for {}", hidden[3].display())), "{unknown:?}");
    }

    #[test]
    fn a_file_that_its_owner_closed_is_hidden_because_it_can_be_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().canonicalize().unwrap().join("file");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, PermissionsExt::from_mode(0o000)).unwrap();
        assert_eq!(existing(std::slice::from_ref(&file)), (vec![file.clone()], Vec::new()));
    }

    #[test]
    fn a_path_in_a_hidden_folder_is_not_allowed() {
        let mut paths = ReadablePaths::default();
        paths.add(Path::new("/etc/ssh/keys"), &[PathBuf::from("/etc/ssh")]).unwrap();
        assert_eq!(paths, ReadablePaths::default());
    }
}
