//! Normalised paths below a workspace's root, for comparison with rules.

use std::{
    fmt,
    path::{Component, Path, PathBuf},
    str::FromStr,
};

use super::case_folding::folded;

/// A path below a root, without `.`, `..`, a leading `/` or doubled separators. It is empty for the root itself.
///
/// If a rule for `secrets/` is compared with the text that a person typed, `./secrets` evades it. So rules and paths
/// are both normalised first. This only looks at the text and follows no links.
///
/// ```
/// use loop_guardrails::policy::LocalPath;
///
/// let path: LocalPath = "./src//gen/../main.rs".parse()?;
/// assert_eq!(path.to_string(), "src/main.rs");
/// assert!("src/../../etc/passwd".parse::<LocalPath>().is_err());
/// # Ok::<(), loop_guardrails::policy::OutsidePath>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalPath(PathBuf);

/// A path that does not stay below the root.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is outside of the workspace: give a path below its root, such as `src/main.rs`", .0.display())]
pub struct OutsidePath(pub PathBuf);

impl LocalPath {
    /// Returns the root itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// Normalises a path.
    ///
    /// # Errors
    /// [`OutsidePath`] if it is absolute, or climbs above the root.
    pub fn new(path: impl AsRef<Path>) -> Result<Self, OutsidePath> {
        let path = path.as_ref();
        let outside = || OutsidePath(path.to_owned());
        let mut local = PathBuf::new();
        for part in path.components() {
            match part {
                Component::CurDir => {}
                Component::Normal(name) => local.push(name),
                Component::ParentDir => {
                    if !local.pop() {
                        return Err(outside());
                    }
                }
                Component::RootDir | Component::Prefix(_) => return Err(outside()),
            }
        }
        Ok(Self(local))
    }

    /// Returns the path, which is empty for the root.
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// Returns whether it is the root.
    pub fn is_root(&self) -> bool {
        self.0.as_os_str().is_empty()
    }

    /// Returns whether it is `other`, or lies below it.
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }

    /// Returns the path of an entry in this folder.
    ///
    /// # Errors
    /// [`OutsidePath`] if `path` is absolute, or climbs above the root.
    pub fn join(&self, path: impl AsRef<Path>) -> Result<Self, OutsidePath> {
        Self::new(self.0.join(path))
    }

    /// Returns the components from the root. Bytes that are not UTF-8 appear as U+FFFD.
    pub(super) fn names(&self) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
        self.0.iter().map(|name| name.to_string_lossy())
    }

    /// Returns whether a case-insensitive file system treats both as the same path.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        self.names().map(|name| folded(&name)).eq(other.names().map(|name| folded(&name)))
    }

    /// Returns whether a case-insensitive file system finds this path in the folder, or treats both as the same path.
    pub(super) fn is_alike_below(&self, folder: &Self) -> bool {
        let mut names = self.names();
        folder.names().all(|above| names.next().is_some_and(|name| folded(&name) == folded(&above)))
    }

    /// Returns the number of components.
    pub(super) fn depth(&self) -> usize {
        self.0.iter().count()
    }
}

impl FromStr for LocalPath {
    type Err = OutsidePath;

    fn from_str(text: &str) -> Result<Self, OutsidePath> {
        Self::new(text)
    }
}

impl fmt::Display for LocalPath {
    /// Writes the root as `.`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() { f.write_str(".") } else { write!(f, "{}", self.0.display()) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_normal_stays_and_never_climbs(text in "(\\.|\\.\\.|/|[a-c]|//){0,12}") {
            if let Ok(path) = text.parse::<LocalPath>() {
                prop_assert!(path.as_path().components().all(|part| matches!(part, Component::Normal(_))));
                prop_assert_eq!(LocalPath::new(path.as_path()), Ok(path.clone()));
                prop_assert!(path.is_within(&LocalPath::root()));
                prop_assert_eq!(path.is_root(), path.depth() == 0);
            }
        }
    }

    #[test]
    fn what_leads_out_is_refused() {
        for text in ["/etc/passwd", "..", "../x", "a/../..", "./.."] {
            assert!(text.parse::<LocalPath>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_name_that_begins_alike_is_not_within() {
        let path: LocalPath = "secrets2/x".parse().unwrap();
        assert!(!path.is_within(&"secrets/".parse().unwrap()));
    }
}
