//! The location of the user's own settings.

use std::{
    ffi::OsString,
    fs,
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
