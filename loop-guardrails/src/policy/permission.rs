//! Permissions by path.
//!
//! A permission is only as good as the code that checks it. If you can write "delete" in the settings but no code
//! checks it, you rely on a lock that does not exist. So there are four verbs, and the code checks each of them: see
//! [`Verb`].

use std::{collections::BTreeMap, fmt, str::FromStr};

use super::{LocalPath, Origin, Ruling, WithOrigin};

/// An action on a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// Reads a file, lists a folder, or looks at its size and times.
    Read,
    /// Creates or changes a file or a folder.
    Write,
    /// Runs a command in this folder, or a program at this path.
    Exec,
    /// Removes a file or a folder, or moves it away.
    Delete,
}

impl Verb {
    /// All verbs.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Exec, Self::Delete];

    /// Returns the word for it in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Exec => "exec",
            Self::Delete => "delete",
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that is not a [`Verb`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a permission: write read, write, exec or delete")]
pub struct UnknownVerb(pub String);

impl FromStr for Verb {
    type Err = UnknownVerb;

    fn from_str(text: &str) -> Result<Self, UnknownVerb> {
        Self::ALL.into_iter().find(|verb| verb.as_str() == text).ok_or_else(|| UnknownVerb(text.to_owned()))
    }
}

/// Permissions by path prefix. Only the longest matching prefix decides, and it inherits nothing from shorter ones. If
/// none matches, everything is denied.
///
/// # Default
/// Everything is allowed everywhere, until you add the first rule.
///
/// ```
/// use loop_guardrails::policy::{Origin, Permissions, Verb};
///
/// let permissions = Permissions::new()
///     .with("src/".parse()?, [Verb::Read], Origin::line("loop.toml", 4))
///     .with("src/gen/".parse()?, [Verb::Read, Verb::Write], Origin::line("loop.toml", 5));
/// let may = |path: &str, verb| permissions.on(&path.parse().unwrap(), verb).allowed;
/// assert!(may("src/gen/a.rs", Verb::Write) && !may("src/a.rs", Verb::Write));
/// assert!(!may("README.md", Verb::Read));
/// # Ok::<(), loop_guardrails::policy::OutsidePath>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions(BTreeMap<LocalPath, WithOrigin<Vec<Verb>>>);

impl Permissions {
    /// Allows everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a rule for a path and everything below it. A later rule for the same path replaces it.
    #[must_use]
    pub fn with(mut self, prefix: LocalPath, verbs: impl IntoIterator<Item = Verb>, origin: Origin) -> Self {
        self.0.insert(prefix, WithOrigin::new(verbs.into_iter().collect(), origin));
        self
    }

    /// Returns whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the rules, in the order of their paths.
    pub fn rules(&self) -> impl Iterator<Item = (&LocalPath, &WithOrigin<Vec<Verb>>)> {
        self.0.iter()
    }

    /// Returns whether there is a rule for a path below this folder.
    pub(super) fn has_below(&self, folder: &LocalPath) -> bool {
        self.0.keys().any(|prefix| prefix != folder && prefix.is_within(folder))
    }

    /// Decides about this action on a path.
    pub fn on(&self, path: &LocalPath, verb: Verb) -> Ruling {
        if self.is_empty() {
            return Ruling::allowed("no permissions are set", &Origin::BuiltIn);
        }
        let fitting = self.0.iter().filter(|(prefix, _)| path.is_within(prefix));
        let Some((prefix, rule)) = fitting.max_by_key(|(prefix, _)| prefix.depth()) else {
            // The origin of another rule is the next best place to look.
            let origin = self.0.values().next().map_or(&Origin::BuiltIn, |rule| &rule.origin);
            return Ruling::denied("no permission is set for this path, but others are", origin);
        };
        let verbs: Vec<_> = rule.value.iter().map(|verb| verb.as_str()).collect();
        let text = match &verbs[..] {
            [] => format!("`{prefix}` has no permissions"),
            verbs => format!("the permissions of `{prefix}` are [{}]", verbs.join(", ")),
        };
        if rule.value.contains(&verb) {
            Ruling::allowed(text, &rule.origin)
        } else {
            let lacks = if verbs.is_empty() { String::new() } else { format!(", without {verb}") };
            Ruling::denied(text + &lacks, &rule.origin)
        }
    }
}

/// Adds rules, each in place of the one for the same path.
impl<'a> Extend<(&'a LocalPath, &'a WithOrigin<Vec<Verb>>)> for Permissions {
    fn extend<T: IntoIterator<Item = (&'a LocalPath, &'a WithOrigin<Vec<Verb>>)>>(&mut self, rules: T) {
        self.0.extend(rules.into_iter().map(|(path, verbs)| (path.clone(), verbs.clone())));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_path() -> impl Strategy<Value = LocalPath> {
        prop::collection::vec("[ab]", 0..4).prop_map(|names| names.join("/").parse().unwrap())
    }

    fn any_verbs() -> impl Strategy<Value = Vec<Verb>> {
        prop::sample::subsequence(Verb::ALL.to_vec(), 0..=4)
    }

    proptest! {
        #[test]
        fn the_longest_rule_that_fits_decides_alone(
            rules in prop::collection::btree_map(any_path(), any_verbs(), 1..6),
            path in any_path(),
        ) {
            let permissions = rules.iter().fold(Permissions::new(), |all, (path, verbs)| {
                all.with(path.clone(), verbs.clone(), Origin::BuiltIn)
            });
            let ancestors = path.as_path().ancestors().map(|path| LocalPath::new(path).unwrap());
            let decides = ancestors.into_iter().find_map(|path| rules.get(&path));
            for verb in Verb::ALL {
                let expected = decides.is_some_and(|verbs| verbs.contains(&verb));
                prop_assert_eq!(permissions.on(&path, verb).allowed, expected);
            }
        }
    }

    #[test]
    fn a_rule_is_not_dodged_by_another_way_to_write_the_path() {
        let permissions = Permissions::new().with(LocalPath::root(), Verb::ALL, Origin::BuiltIn).with(
            "secrets/".parse().unwrap(),
            [],
            Origin::line("loop.toml", 2),
        );
        for path in ["secrets/x", "./secrets/x", "secrets//x", "a/../secrets/x", "secrets"] {
            let ruling = permissions.on(&path.parse().unwrap(), Verb::Read);
            assert_eq!(
                (ruling.allowed, ruling.origin.to_string().as_str()),
                (false, "loop.toml:2"),
                "{path}"
            );
        }
    }

    #[test]
    fn verbs_are_read_as_they_are_written() {
        for verb in Verb::ALL {
            assert_eq!(verb.to_string().parse(), Ok(verb));
        }
        assert!("execute".parse::<Verb>().unwrap_err().to_string().contains("read, write, exec or delete"));
    }
}
