//! What is shown, in git's words.

use crate::policy::{LocalPath, SecretFiles};

/// Leaves out secrets, in whichever folder.
pub(super) fn without(secrets: &SecretFiles) -> Vec<String> {
    let both = |name: &str| {
        [format!(":(exclude,glob,icase)**/{name}"), format!(":(exclude,glob,icase)**/{name}/**")]
    };
    secrets.rules().flat_map(|(name, _)| both(name)).collect()
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
