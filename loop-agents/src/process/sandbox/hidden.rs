//! Hidden files: which of them Landlock can leave out, and which have to be covered.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Returns the hidden paths that exist, without links, and without those that this process cannot read anyway.
pub(super) fn existing(hidden: &[PathBuf]) -> Vec<PathBuf> {
    let is_readable = |path: &PathBuf| match fs::metadata(path) {
        Ok(found) if found.is_dir() => fs::read_dir(path).is_ok(),
        Ok(_) => fs::File::open(path).is_ok(),
        Err(_) => false,
    };
    hidden.iter().filter_map(|path| path.canonicalize().ok()).filter(is_readable).collect()
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
    fn a_path_in_a_hidden_folder_is_not_allowed() {
        let mut paths = ReadablePaths::default();
        paths.add(Path::new("/etc/ssh/keys"), &[PathBuf::from("/etc/ssh")]).unwrap();
        assert_eq!(paths, ReadablePaths::default());
    }
}
