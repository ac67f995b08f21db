//! The user's own settings file: its location, and how it is replaced.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

/// The user's file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UserFile {
    pub(super) path: PathBuf,
    /// True if the user named the file, so that it must exist.
    pub(super) is_named: bool,
}

/// `$LOOP_CONFIG`, else `$XDG_CONFIG_HOME/loop/loop.toml`, else `~/.config/loop/loop.toml`; none if no variable
/// says where. A variable that is empty counts as not set, and so does a relative `XDG_CONFIG_HOME`, as its
/// specification wants it.
pub(super) fn of_user(mut lookup: impl FnMut(&str) -> Option<OsString>) -> Option<UserFile> {
    let mut set = |name| lookup(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = set("LOOP_CONFIG") {
        return Some(UserFile { path, is_named: true });
    }
    let folder = set("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let folder = folder.or_else(|| set("HOME").map(|home| home.join(".config")))?;
    Some(UserFile { path: folder.join("loop/loop.toml"), is_named: false })
}

/// The absolute path, without links as far as it exists.
pub(super) fn resolved(path: &Path) -> PathBuf {
    // The empty path is the current folder.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = path.ancestors().find_map(|ancestor| Some((ancestor, fs::canonicalize(ancestor).ok()?)));
    match there {
        Some((ancestor, settled)) => match path.strip_prefix(ancestor) {
            Ok(rest) if !rest.as_os_str().is_empty() => settled.join(rest),
            _ => settled,
        },
        None => path,
    }
}

/// Waits until no other process changes a file in the folder of this one. The lock is on the folder, because the file
/// itself is replaced. Dropping the result ends the lock, and so does the end of the process.
pub(super) fn lock_folder(path: &Path) -> io::Result<File> {
    let folder = folder_of(path);
    fs::create_dir_all(folder)?;
    let folder = File::open(folder)?;
    match folder.lock() {
        // Some network file systems have no locks. A person's answer is worth more than this rare conflict.
        Err(error) if error.kind() != ErrorKind::Unsupported => Err(error),
        _ => Ok(folder),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Replaces a file atomically. A new one is for its owner alone.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = folder.join(format!(".{name}.draft-{}", std::process::id()));
    let written = write_draft(&draft, path, bytes).and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // Report the first error, not the one of this attempt to clean up.
        let _ = fs::remove_file(&draft);
    }
    written
}

fn write_draft(draft: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(draft)?;
    if let Ok(existing) = fs::metadata(path) {
        file.set_permissions(existing.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(vars: &[(&str, &str)]) -> Option<(String, bool)> {
        let file = of_user(|name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))?;
        Some((file.path.display().to_string(), file.is_named))
    }

    #[test]
    fn the_first_variable_that_says_where_counts() {
        let home = ("HOME", "/home/ann");
        let of_home = Some(("/home/ann/.config/loop/loop.toml".to_owned(), false));
        assert_eq!(found(&[home, ("LOOP_CONFIG", "my.toml")]), Some(("my.toml".to_owned(), true)));
        assert_eq!(found(&[home, ("XDG_CONFIG_HOME", "/c")]), Some(("/c/loop/loop.toml".to_owned(), false)));
        assert_eq!(found(&[home, ("XDG_CONFIG_HOME", "c"), ("LOOP_CONFIG", "")]), of_home);
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn a_path_is_settled_through_links_also_if_it_is_not_there_yet() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("a path");
        fs::create_dir(root.join("dotfiles")).expect("a folder");
        std::os::unix::fs::symlink("dotfiles", root.join(".config")).expect("a link");
        assert_eq!(resolved(&root.join(".config/loop/loop.toml")), root.join("dotfiles/loop/loop.toml"));
        assert_eq!(resolved(&root.join(".config")), root.join("dotfiles"));
    }
}
