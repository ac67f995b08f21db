//! Files that hold secrets, by their names.
//!
//! A model that may read a project reads `.env` in it sooner or later, by itself or because a page told
//! it to, and what it has read is in the next request to its vendor. A rule that one tool
//! keeps and the next one does not is none: a search prints what a read refuses. So the names are judged
//! here, and everything that opens a file asks.

use std::{fmt, str::FromStr};

use super::{LocalPath, Origin, Placed, Ruling};

/// The names that are refused, in capitals or not. See [`SecretFiles`].
const NAMES: &[&str] = &[
    ".env*",
    "*.env",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "id_*",
    "authorized_keys",
    ".netrc",
    "credentials*",
];

/// Half of a pair of keys that is meant to be shown: `id_rsa.pub`.
const PUBLIC: &str = ".pub";

/// The name of a file with at most one `*`, at its beginning or its end.
///
/// ```
/// use loop_guardrails::policy::FileName;
///
/// let name: FileName = "*.kdbx".parse()?;
/// assert!(name.matches("Passwords.KDBX"));
/// assert!("a/b".parse::<FileName>().is_err());
/// # Ok::<(), loop_guardrails::policy::InvalidFileName>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileName(String);

/// A text that names no files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no file: write a name without `/`, with one `*` at its beginning or its end at most")]
pub struct InvalidFileName(pub String);

impl FileName {
    /// Whether a file of this name is meant. Capitals do not count.
    pub fn matches(&self, name: &str) -> bool {
        matches(&self.0, &name.to_ascii_lowercase())
    }
}

impl FromStr for FileName {
    type Err = InvalidFileName;

    fn from_str(text: &str) -> Result<Self, InvalidFileName> {
        let rest = text.strip_prefix('*').or_else(|| text.strip_suffix('*')).unwrap_or(text);
        if rest.is_empty() || rest.contains(['*', '/', '\0']) {
            return Err(InvalidFileName(text.to_owned()));
        }
        Ok(Self(text.to_ascii_lowercase()))
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which files are secrets.
///
/// # Default
/// `.env*`, `*.env`, `*.pem`, `*.key`, `*.p12`, `*.pfx`, `id_*` (without `.pub` at its end),
/// `authorized_keys`, `.netrc` and `credentials*`, at any depth, in capitals or not. What lies in a folder
/// of such a name is a secret too.
///
/// ```
/// use loop_guardrails::policy::SecretFiles;
///
/// let secrets = SecretFiles::new();
/// assert!(secrets.rule_on(&"config/.env.local".parse()?).is_some());
/// assert!(secrets.rule_on(&"keys/id_rsa.pub".parse()?).is_none());
/// # Ok::<(), loop_guardrails::policy::OutsidePath>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecretFiles {
    more: Vec<Placed<FileName>>,
    shown: Vec<Placed<LocalPath>>,
}

impl SecretFiles {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes files of these names for secrets as well.
    #[must_use]
    pub fn also(mut self, names: impl IntoIterator<Item = Placed<FileName>>) -> Self {
        self.more.extend(names);
        self
    }

    /// Takes these paths, and what lies below them, for no secrets: `src/credentials.rs`.
    #[must_use]
    pub fn except(mut self, paths: impl IntoIterator<Item = Placed<LocalPath>>) -> Self {
        self.shown.extend(paths);
        self
    }

    /// The rule that makes a secret of `path`, if one does.
    pub fn rule_on(&self, path: &LocalPath) -> Option<Ruling> {
        if self.shown.iter().any(|shown| path.is_within(&shown.value)) {
            return None;
        }
        path.names().find_map(|name| self.rule_on_name(&name.to_ascii_lowercase()))
    }

    /// The names of secrets, and where they stand.
    pub fn rules(&self) -> impl Iterator<Item = (&str, &Origin)> {
        let built_in = NAMES.iter().map(|name| (*name, &Origin::BuiltIn));
        built_in.chain(self.more.iter().map(|name| (name.value.0.as_str(), &name.origin)))
    }

    /// The paths that are no secrets whatever their names are, and where they stand.
    pub fn exceptions(&self) -> &[Placed<LocalPath>] {
        &self.shown
    }

    /// Whether what is in this folder may be an exception.
    pub(super) fn has_exception_about(&self, folder: &LocalPath) -> bool {
        self.shown.iter().any(|shown| shown.value.is_within(folder) || folder.is_within(&shown.value))
    }

    fn rule_on_name(&self, name: &str) -> Option<Ruling> {
        let built_in = NAMES
            .iter()
            .find(|secret| matches(secret, name) && !(**secret == "id_*" && name.ends_with(PUBLIC)));
        let denied = |secret: &str, origin: &Origin| {
            Ruling::denied(
                format!("files named `{secret}` hold secrets; do without it, or ask the user"),
                origin,
            )
        };
        built_in.map(|secret| denied(secret, &Origin::BuiltIn)).or_else(|| {
            let more = self.more.iter().find(|more| matches(&more.value.0, name))?;
            Some(denied(&more.value.0, &more.origin))
        })
    }
}

/// Whether a pattern in small letters, which is known to be one, means a name in small letters.
fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (_, Some(beginning)) => name.starts_with(beginning),
        _ => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_secret(path: &str) -> bool {
        SecretFiles::new().rule_on(&path.parse().unwrap()).is_some()
    }

    #[test]
    fn every_name_is_refused_at_any_depth_and_in_capitals() {
        for name in NAMES {
            let name = name.replace('*', "x");
            for path in [name.clone(), format!("a/b/{name}"), name.to_uppercase(), format!("{name}/inside")] {
                assert!(is_secret(&path), "{path}");
            }
        }
    }

    #[test]
    fn what_only_sounds_alike_is_read() {
        for path in
            ["id_rsa.pub", "README.md", "environment.rs", "keys.rs", "src/identity.rs", "netrc", "pem"]
        {
            assert!(!is_secret(path), "{path}");
        }
    }

    #[test]
    fn names_can_be_added_and_paths_taken_out() {
        let origin = Origin::line("user.toml", 3);
        let secrets = SecretFiles::new()
            .also([Placed::new("*.kdbx".parse().unwrap(), origin.clone())])
            .except([Placed::new("src/credentials.rs".parse().unwrap(), origin.clone())]);
        let rule = |path: &str| secrets.rule_on(&path.parse().unwrap());
        assert_eq!(rule("a/My.KDBX").map(|rule| rule.origin), Some(origin));
        assert_eq!(rule("src/credentials.rs"), None);
        assert!(rule("src/credentials.json").is_some());
    }

    #[test]
    fn what_names_no_file_is_refused() {
        for text in ["", "*", "a*b", "**a", "a/b"] {
            assert!(text.parse::<FileName>().is_err(), "{text}");
        }
    }
}
