//! Absolute paths into a folder that lead into its copy instead.

use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::{Path, PathBuf},
};

/// Moves paths from one folder to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    from: PathBuf,
    to: PathBuf,
}

impl Relocation {
    /// Moves paths that are in `from`, or are `from`, to `to`. Both are absolute.
    pub fn new(from: impl Into<PathBuf>, to: impl Into<PathBuf>) -> Self {
        Self { from: from.into(), to: to.into() }
    }

    /// Returns the path after the move. A path elsewhere stays.
    ///
    /// ```
    /// use std::path::Path;
    /// let moved = loop_snapshots::Relocation::new("/work/app", "/cache/tree");
    /// assert_eq!(moved.path(Path::new("/work/app/src")), Path::new("/cache/tree/src"));
    /// assert_eq!(moved.path(Path::new("/work/apple")), Path::new("/work/apple"));
    /// ```
    pub fn path(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.from) {
            Ok(rest) if rest.as_os_str().is_empty() => self.to.clone(),
            Ok(rest) => self.to.join(rest),
            Err(_) => path.to_owned(),
        }
    }

    /// Moves each path in a text, such as a list of paths or the first line of a script. Returns `None` if the text has no
    /// path of the folder.
    ///
    /// ```
    /// let moved = loop_snapshots::Relocation::new("/work/app", "/cache/tree");
    /// assert_eq!(moved.text(b"/work/app/bin:/usr/bin").as_deref(), Some(&b"/cache/tree/bin:/usr/bin"[..]));
    /// assert_eq!(moved.text(b"/work/apple"), None);
    /// ```
    pub fn text(&self, text: &[u8]) -> Option<Vec<u8>> {
        let from = self.from.as_os_str().as_bytes();
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.+~@".contains(byte) || *byte >= 0x80;
        let (mut moved, mut rest, mut has_moved) = (Vec::new(), text, false);
        while let Some(at) = find(rest, from) {
            let (before, after) = (&rest[..at], &rest[at + from.len()..]);
            // `/work/app` is neither in `/work/apple` nor in `/old/work/app`.
            let is_whole = !after.first().is_some_and(is_name) && !before.last().is_some_and(is_name);
            moved.extend(before);
            moved.extend(if is_whole { self.to.as_os_str().as_bytes() } else { from });
            has_moved |= is_whole;
            rest = after;
        }
        moved.extend(rest);
        has_moved.then_some(moved)
    }

    /// Moves each path in the value of a variable, or in a word of a command.
    pub fn word(&self, word: OsString) -> OsString {
        match self.text(word.as_bytes()) {
            Some(moved) => OsString::from_vec(moved),
            None => word,
        }
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}
