//! Determines which parts of a workspace a program may read if it looks at many files at once.
//!
//! A permission check needs a path. A program that searches folders or histories does not announce its paths, so we
//! have to tell it beforehand which ones to exclude. If we cannot tell it, we refuse to run it.

use std::path::Path;

use super::{LocalPath, Origin, OutsidePath, Permissions, Ruling, Verb};

/// The read permissions, as parts of the workspace.
pub(crate) struct ReadScope<'a> {
    root: &'a Path,
    /// A read needs the permission of all of them.
    permissions: Vec<&'a Permissions>,
}

/// Converts a path as a person wrote it, relative to the root or absolute and below it.
pub(super) fn local(root: &Path, path: &str) -> Result<LocalPath, OutsidePath> {
    let path = Path::new(path);
    let is_rooted = !root.as_os_str().is_empty();
    LocalPath::new(path.strip_prefix(root).ok().filter(|_| is_rooted).unwrap_or(path))
}

impl<'a> ReadScope<'a> {
    pub(super) fn new(root: &'a Path, permissions: &'a [Permissions]) -> Self {
        Self { root, permissions: permissions.iter().filter(|rules| !rules.is_empty()).collect() }
    }

    /// Converts a path as a person wrote it.
    pub(super) fn local(&self, path: &str) -> Result<LocalPath, Ruling> {
        local(self.root, path).map_err(|outside| Ruling::denied(outside.to_string(), &Origin::BuiltIn))
    }

    /// Returns the topmost folders and files that may be read.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn roots(&self) -> Result<Vec<LocalPath>, Ruling> {
        let mut roots: Vec<LocalPath> = Vec::new();
        // A folder comes before its contents.
        for path in self.parts() {
            if self.refusal(&path).is_none() && !roots.iter().any(|root| path.is_within(root)) {
                roots.push(path);
            }
        }
        if roots.is_empty() {
            Err(self.refusal(&LocalPath::root()).unwrap_or_else(nothing))
        } else {
            Ok(roots)
        }
    }

    /// Returns the topmost folders and files within `shown` that may not be read.
    ///
    /// # Errors
    /// If a part of one of these may be read, so that the program cannot exclude it as a whole.
    pub(super) fn hidden_in(&self, shown: &[LocalPath]) -> Result<Vec<LocalPath>, Ruling> {
        let mut hidden: Vec<(LocalPath, Ruling)> = Vec::new();
        for path in self.parts().into_iter().filter(|path| shown.iter().any(|shown| path.is_within(shown))) {
            let around = hidden.iter().find(|(folder, _)| path.is_within(folder));
            match (around, self.refusal(&path)) {
                (None, Some(refusal)) => hidden.push((path, refusal)),
                (Some((folder, ruling)), None) => return Err(cannot_part(folder, &path, ruling)),
                _ => {}
            }
        }
        // One requested path can be inside a part that another one has to exclude.
        for path in shown {
            if let Some((folder, ruling)) = hidden.iter().find(|(folder, _)| path.is_within(folder)) {
                return Err(cannot_part(folder, path, ruling));
            }
        }
        Ok(hidden.into_iter().map(|(path, _)| path).collect())
    }

    /// Refuses a program that searches these folders if a file in them may not be read.
    ///
    /// # Errors
    /// The rule that withholds it.
    pub(super) fn refuse_hidden_in(&self, shown: &[LocalPath], program: &str) -> Result<(), Ruling> {
        let within = |path: &LocalPath| shown.iter().any(|shown| path.is_within(shown));
        let found =
            self.parts().into_iter().filter(within).find_map(|path| Some((self.refusal(&path)?, path)));
        let Some((ruling, path)) = found else { return Ok(()) };
        let rule = format!(
            "{}, and `{program}` would read it on its own; name folders that do not contain `{path}`",
            ruling.rule
        );
        Err(Ruling { rule, ..ruling })
    }

    /// Returns every path where permissions change, and the root. A folder comes before its contents.
    fn parts(&self) -> Vec<LocalPath> {
        let rules = self.permissions.iter().flat_map(|permissions| permissions.rules());
        let mut parts: Vec<_> = rules.map(|(path, _)| path.clone()).chain([LocalPath::root()]).collect();
        parts.sort();
        parts.dedup();
        parts
    }

    fn refusal(&self, path: &LocalPath) -> Option<Ruling> {
        let rulings = self.permissions.iter().map(|permissions| permissions.on(path, Verb::Read));
        rulings.into_iter().find(|ruling| !ruling.allowed)
    }
}

fn nothing() -> Ruling {
    Ruling::denied("no file here may be read", &Origin::BuiltIn)
}

fn cannot_part(folder: &LocalPath, path: &LocalPath, ruling: &Ruling) -> Ruling {
    let rule = format!(
        "`{folder}` may not be read, but `{path}` in it may, and one command cannot show both; name one path at \
         a time after `--`"
    );
    Ruling { rule, ..ruling.clone() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_path() -> impl Strategy<Value = LocalPath> {
        prop::collection::vec("[ab]", 0..4).prop_map(|names| names.join("/").parse().unwrap())
    }

    fn any_permissions() -> impl Strategy<Value = Permissions> {
        let verbs = prop::sample::subsequence(Verb::ALL.to_vec(), 0..=4);
        prop::collection::btree_map(any_path(), verbs, 0..5).prop_map(|rules| {
            let origin = Origin::BuiltIn;
            rules
                .into_iter()
                .fold(Permissions::new(), |all, (path, verbs)| all.with(path, verbs, origin.clone()))
        })
    }

    proptest! {
        /// A path that is shown and not hidden is readable, and a readable path is not hidden.
        #[test]
        fn what_is_shown_may_be_read(sets in prop::collection::vec(any_permissions(), 1..3), path in any_path()) {
            let scope = ReadScope::new(Path::new(""), &sets);
            if let Ok(shown) = scope.roots()
                && let Ok(hidden) = scope.hidden_in(&shown)
            {
                let is_in = |paths: &[LocalPath]| paths.iter().any(|it| path.is_within(it));
                let may = scope.refusal(&path).is_none();
                prop_assert_eq!(may, is_in(&shown) && !is_in(&hidden));
            }
        }
    }

    #[test]
    fn what_cannot_be_parted_is_refused() {
        let rules = |rules: &[(&str, bool)]| {
            rules.iter().fold(Permissions::new(), |all, (path, may)| {
                let verbs = if *may { vec![Verb::Read] } else { vec![] };
                all.with(path.parse().unwrap(), verbs, Origin::line("loop.toml", 3))
            })
        };
        let sets = [rules(&[("", true), ("a", false), ("a/b", true)])];
        let scope = ReadScope::new(Path::new(""), &sets);
        let shown = scope.roots().unwrap();
        let ruling = scope.hidden_in(&shown).unwrap_err();
        assert!(
            ruling.rule.contains("name one path at a time") && ruling.origin.to_string() == "loop.toml:3"
        );
        let only = ["a/b".parse().unwrap()];
        assert_eq!(scope.hidden_in(&only), Ok(Vec::new()));
        let none = [rules(&[("", false)])];
        assert!(ReadScope::new(Path::new(""), &none).roots().is_err());
    }
}
