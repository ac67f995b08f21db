//! What is shown, in git's words.

use crate::policy::{LocalPath, SecretFiles};

/// So many names are left out one by one; if there are more, patterns are shorter.
const MAX_NAMES: usize = 1000;

/// Leaves out secrets, in whichever folder.
pub(super) fn without(secrets: &SecretFiles) -> Vec<String> {
    let both = |name: &str| {
        [format!(":(exclude,glob,icase)**/{name}"), format!(":(exclude,glob,icase)**/{name}/**")]
    };
    secrets.rules().flat_map(|(name, _)| both(name)).collect()
}

/// Leaves out those of these names, relative to the work tree, that are secrets: where all names are known, git is quicker
/// than with a pattern for each name that could be. `None` if one cannot be written.
pub(super) fn without_names(secrets: &SecretFiles, names: &[u8]) -> Option<Vec<String>> {
    let secret = secrets.among(names.split(|byte| *byte == 0).filter(|name| !name.is_empty()));
    let literal = |name| Some(format!(":(exclude,top,literal){}", std::str::from_utf8(name).ok()?));
    let written: Option<Vec<_>> = secret.into_iter().map(literal).collect();
    written.filter(|pathspecs| pathspecs.len() <= MAX_NAMES)
}

/// Shows these paths, or the whole workspace, but not what is hidden.
pub(super) fn of(shown: &[LocalPath], hidden: &[LocalPath]) -> Vec<String> {
    let literal = |path: &LocalPath, magic: &str| {
        // The root is a folder like any other, but an empty literal is not a pathspec.
        format!(":({magic}){path}")
    };
    let mut pathspecs: Vec<_> = shown.iter().map(|path| literal(path, "literal")).collect();
    if pathspecs.is_empty() {
        pathspecs.push(".".to_owned());
    }
    pathspecs.extend(hidden.iter().map(|path| literal(path, "exclude,literal")));
    pathspecs
}
