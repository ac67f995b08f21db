//! Files that hold secrets, by their names.
//!
//! A model that may read a project reads its `.env` sooner or later, by itself or because a page told it to, and the
//! content is then part of the next request to its vendor. A rule does not help if one tool enforces it and another
//! does not: a search would print a file that a read refuses. So this module judges the names, and all code that opens
//! a file asks it.

mod first_parts;
mod programs;
mod table;

use std::{fmt, str::FromStr};

use self::first_parts::FIRST_PARTS;
use super::{
    LocalPath, Origin, Ruling, WithOrigin,
    case_folding::{folded, folded_rule},
};

/// The suffix of the public half of a key pair: `id_rsa.pub`.
const PUBLIC: &str = ".pub";

/// The name of a file with at most one `*`, at its beginning or its end. It contains no characters that are special to
/// `git` and `rg` (`?`, `[`, `]`, `{`, `}`, `\`), because the rule must mean the same to them.
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

/// A text that is not a pattern for file names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not the name of a file: write a name without `/`, `?`, brackets, braces and `\\`, with one `*` at \
     its beginning or its end at most"
)]
pub struct InvalidFileName(pub String);

impl FileName {
    /// Returns whether the pattern matches this file name. Case does not matter, nor do other differences that a file
    /// system ignores.
    pub fn matches(&self, name: &str) -> bool {
        fits(&folded_rule(&self.0), &folded(name))
    }
}

impl FromStr for FileName {
    type Err = InvalidFileName;

    fn from_str(text: &str) -> Result<Self, InvalidFileName> {
        let rest = text.strip_prefix('*').or_else(|| text.strip_suffix('*')).unwrap_or(text);
        if rest.is_empty() || rest.contains(['*', '/', '\0', '?', '[', ']', '{', '}', '\\']) {
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

/// Decides which files are secrets.
///
/// # Default
/// Files in which people and programs keep credentials, at any depth, in capitals or not, with the copies that editors
/// make of them: `.env*`, keys and stores of keys (`*.pem`, `*.key`, `*.p12`, `*.jks`, `*.kdbx`), `id_*` (without
/// `.pub` at its end), `credentials*`, `google_creds.json`, `netrc`, `.npmrc`, `.pgpass`, `.docker/config.json`,
/// `.kube/config`, `*.tfstate`, shell histories, the `config` and the objects of a `.git` folder, and more:
/// [`rules`](Self::rules) lists them. Everything in a folder with such a name is a secret too.
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
    more: Vec<WithOrigin<FileName>>,
    shown: Vec<WithOrigin<LocalPath>>,
}

impl SecretFiles {
    /// Creates the default rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also treats files of these names as secrets.
    #[must_use]
    pub fn also(mut self, names: impl IntoIterator<Item = WithOrigin<FileName>>) -> Self {
        self.more.extend(names);
        self
    }

    /// Exempts these paths and everything below them: `src/credentials.rs`.
    #[must_use]
    pub fn except(mut self, paths: impl IntoIterator<Item = WithOrigin<LocalPath>>) -> Self {
        self.shown.extend(paths);
        self
    }

    /// Returns the rule that makes `path` a secret, if there is one.
    pub fn rule_on(&self, path: &LocalPath) -> Option<Ruling> {
        if self.shown.iter().any(|shown| path.is_within(&shown.value)) {
            return None;
        }
        let names: Vec<_> = path.names().map(|name| folded(&name)).collect();
        let rules = self.may_concern(&names).then(|| self.rules()).into_iter().flatten();
        let meant = rules.filter(|(rule, _)| is_meant(rule, &names));
        // A rule that a person wrote is more informative than a built-in one.
        let rule = meant.min_by_key(|(_, origin)| **origin == Origin::BuiltIn);
        let loose = || is_loose_object(&names).then_some(("objects/", &Origin::BuiltIn));
        rule.or_else(loose).map(|(rule, origin)| denied(rule, origin))
    }

    /// Returns the rules that may make files below these folders secrets, although their first parts name the folders
    /// and not the files: in the workspace `.aws`, the rule `.aws/config` is about `config`. The names are folded.
    ///
    /// A rule for a single name counts only if it begins with a dot: the folder `credentials-service` is a project.
    pub(super) fn reaching_below(&self, folders: &[String]) -> Vec<String> {
        let rules =
            self.rules().map(|(rule, _)| rule).filter(|rule| rule.contains('/') || rule.starts_with('.'));
        let begins_above = |rule: &&str| {
            let rule = folded_rule(rule);
            let rule = rule.strip_prefix("**/").unwrap_or(&rule);
            (0..folders.len()).any(|first| begins(rule, &folders[first..]))
        };
        rules.filter(begins_above).map(str::to_owned).collect()
    }

    /// Returns the one of these rules that makes `path`, below these folders, a secret.
    pub(super) fn rule_below(
        &self,
        rules: &[String],
        folders: &[String],
        path: &LocalPath,
    ) -> Option<Ruling> {
        if rules.is_empty() || self.shown.iter().any(|shown| path.is_within(&shown.value)) {
            return None;
        }
        let names: Vec<_> = folders.iter().cloned().chain(path.names().map(|name| folded(&name))).collect();
        rules.iter().find(|rule| is_meant(rule, &names)).map(|rule| denied(rule, &Origin::BuiltIn))
    }

    /// Returns those of these paths whose names are secret. This ignores exceptions, and replaces bytes that are not
    /// UTF-8 with U+FFFD.
    pub(crate) fn among<'a>(&self, paths: impl Iterator<Item = &'a [u8]>) -> Vec<&'a [u8]> {
        let is_secret = |path: &[u8]| {
            let path = folded(&String::from_utf8_lossy(path));
            let names: Vec<_> = path.split('/').map(str::to_owned).collect();
            let is_meant = || self.rules().any(|(rule, _)| is_meant(rule, &names));
            is_loose_object(&names) || self.may_concern(&names) && is_meant()
        };
        paths.filter(|path| is_secret(path)).collect()
    }

    /// Returns whether a rule may be about one of these names, which are folded. A look at each rule takes hundreds of
    /// times as long, and few names need it.
    fn may_concern(&self, names: &[String]) -> bool {
        let by_person = |name: &String| self.more.iter().any(|rule| fits(&folded_rule(&rule.value.0), name));
        names.iter().any(|name| FIRST_PARTS.match_any(name) || by_person(name))
    }

    /// Returns the names of secrets, in lower case, with their origins.
    ///
    /// Each is a name in which `*` matches any characters but `/`, or several such names with `/` between. The latter
    /// begin with `**/`, and a `**` within them matches any folders. So each can be handed on as it is: `**/RULE` and
    /// `**/RULE/**` are patterns of git (`:(glob,icase)`), and `RULE` one of `rg --iglob`, that mean the same files.
    pub fn rules(&self) -> impl Iterator<Item = (&str, &Origin)> {
        let built_in = table::RULES.iter().copied().flatten().map(|name| (*name, &Origin::BuiltIn));
        built_in.chain(self.more.iter().map(|name| (name.value.0.as_str(), &name.origin)))
    }

    /// Returns the paths that are never secrets, whatever their names, with their origins.
    pub fn exceptions(&self) -> &[WithOrigin<LocalPath>] {
        &self.shown
    }

    /// Returns whether a path in this folder may be an exception.
    pub(super) fn has_exception_about(&self, folder: &LocalPath) -> bool {
        self.shown.iter().any(|shown| shown.value.is_within(folder) || folder.is_within(&shown.value))
    }
}

fn denied(rule: &str, origin: &Origin) -> Ruling {
    let shown = rule.strip_prefix("**/").unwrap_or(rule);
    Ruling::denied(format!("files named `{shown}` hold secrets; work without it, or ask the user"), origin)
}

/// Returns whether the parts of a rule match all of these names, so that the rest of it may match a name below them.
fn begins(rule: &str, names: &[String]) -> bool {
    if let Some(rest) = rule.strip_prefix("**/") {
        return (0..=names.len()).any(|skipped| begins(rest, &names[skipped..]));
    }
    let Some((name, below)) = names.split_first() else { return true };
    match rule.split_once('/') {
        Some((part, rest)) => fits(part, name) && begins(rest, below),
        None => fits(rule, name),
    }
}

/// Returns whether a rule matches the file of these names, or a folder above it. The names are folded.
fn is_meant(rule: &str, names: &[String]) -> bool {
    let rule = &*folded_rule(rule);
    let has_public_half = table::WITH_PUBLIC_HALF.contains(&rule);
    if table::TRANSLATED.contains(&rule)
        && names.iter().any(|name| table::TRANSLATIONS.contains(&name.as_str()))
    {
        return false;
    }
    let rule = rule.strip_prefix("**/").unwrap_or(rule);
    (0..names.len()).any(|first| {
        let meant = meant(rule, &names[first..]);
        meant.is_some_and(|name| !(has_public_half && name.ends_with(PUBLIC)))
    })
}

/// Returns whether it is a loose git object: `objects/5d/0cf5…`, 40 or 64 digits together. A repository can have any
/// name, and no pattern can express this.
fn is_loose_object(names: &[String]) -> bool {
    let is_hash = |name: &str| name.bytes().all(|byte| byte.is_ascii_hexdigit());
    names.windows(3).any(|part| {
        part[0] == "objects"
            && part[1].len() == 2
            && matches!(part[2].len(), 38 | 62)
            && part[1..].iter().all(|name| is_hash(name))
    })
}

/// Returns the name that matches the last part of a rule, if its parts match the beginning of these names.
fn meant<'a>(rule: &str, names: &'a [String]) -> Option<&'a str> {
    if let Some(rest) = rule.strip_prefix("**/") {
        return (0..names.len()).find_map(|skipped| meant(rest, &names[skipped..]));
    }
    let (name, below) = names.split_first()?;
    match rule.split_once('/') {
        Some((part, rest)) if fits(part, name) => meant(rest, below),
        None if fits(rule, name) => Some(name),
        _ => None,
    }
}

/// Returns whether a pattern matches this name; `*` matches any characters. Both are lower-case.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((beginning, rest)) => name.strip_prefix(beginning).is_some_and(|name| fits_behind(rest, name)),
        None => name == pattern,
    }
}

/// Matches a pattern after a `*`. The first match leaves the most for the rest.
fn fits_behind(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((part, rest)) => name.find(part).is_some_and(|at| fits_behind(rest, &name[at + part.len()..])),
        None => name.ends_with(pattern),
    }
}

#[cfg(test)]
mod tests;
