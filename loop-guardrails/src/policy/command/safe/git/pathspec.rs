//! Pathspecs for the shown and the hidden paths.

use crate::policy::{LocalPath, SecretFiles};

/// The most names to exclude one by one. For more names, patterns are shorter.
const MAX_NAMES: usize = 1000;

/// Excludes secrets in any folder.
pub(super) fn without(secrets: &SecretFiles) -> Vec<String> {
    let both = |name: &str| {
        [format!(":(exclude,glob,icase)**/{name}"), format!(":(exclude,glob,icase)**/{name}/**")]
    };
    secrets.rules().flat_map(|(name, _)| both(name)).collect()
}

/// Excludes the secrets among these names, which are relative to the work tree. If all names are known, this is faster
/// for git than one pattern for each possible name. Returns `None` if a name cannot be written as a pathspec.
pub(super) fn without_names(secrets: &SecretFiles, names: &[u8]) -> Option<Vec<String>> {
    let secret = secrets.among(names.split(|byte| *byte == 0).filter(|name| !name.is_empty()));
    let literal = |name| Some(format!(":(exclude,top,literal){}", std::str::from_utf8(name).ok()?));
    let written: Option<Vec<_>> = secret.into_iter().map(literal).collect();
    written.filter(|pathspecs| pathspecs.len() <= MAX_NAMES)
}

/// Selects these paths, or the whole workspace, without the hidden paths.
pub(super) fn of(shown: &[LocalPath], hidden: &[LocalPath]) -> Vec<String> {
    let literal = |path: &LocalPath, magic: &str| {
        // The root is a folder like any other, but git does not accept an empty literal pathspec.
        format!(":({magic}){path}")
    };
    let mut pathspecs: Vec<_> = shown.iter().map(|path| literal(path, "literal")).collect();
    if pathspecs.is_empty() {
        pathspecs.push(".".to_owned());
    }
    pathspecs.extend(hidden.iter().map(|path| literal(path, "exclude,literal")));
    pathspecs
}
