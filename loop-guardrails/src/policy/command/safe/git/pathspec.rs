//! Pathspecs for the shown and the hidden paths.

use crate::policy::{LocalPath, SecretFiles, case_folding::FOLDED_SIGNS};

/// The most names to exclude one by one. For more names, patterns are shorter.
const MAX_NAMES: usize = 1000;

/// The lengths of hashes in digits.
const HASHES: [usize; 2] = [40, 64];

/// The most folders of two digits in which git sorts notes. With four it would sort billions.
const MAX_FOLDERS: usize = 4;

/// Excludes secrets in any folder, and notes.
pub(super) fn without(secrets: &SecretFiles) -> Vec<String> {
    let both = |name: &str| {
        [format!(":(exclude,glob,icase)**/{name}"), format!(":(exclude,glob,icase)**/{name}/**")]
    };
    let named = secrets.rules().flat_map(|(name, _)| both(name));
    let digits = |count: usize| "[0-9a-f]".repeat(count);
    let note = |hash: usize, folders: usize| {
        format!(":(exclude,top,glob){}{}", (digits(2) + "/").repeat(folders), digits(hash - 2 * folders))
    };
    let notes = HASHES.into_iter().flat_map(|hash| (0..=MAX_FOLDERS).map(move |folders| note(hash, folders)));
    let folded = FOLDED_SIGNS.into_iter().flat_map(|sign| both(&format!("*{sign}*")));
    let objects =
        HASHES.map(|hash| format!(":(exclude,glob,icase)**/objects/{}/{}", digits(2), digits(hash - 2)));
    named.chain(notes).chain(objects).chain(folded).collect()
}

/// Excludes the secrets and the notes among these names, which are relative to the work tree. If all names are known,
/// this is faster for git than one pattern for each possible name. Returns `None` if a name cannot be written as a
/// pathspec.
pub(super) fn without_names(secrets: &SecretFiles, names: &[u8]) -> Option<Vec<String>> {
    let names = || names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let secret = secrets.among(names()).into_iter().chain(names().filter(|name| is_note(name)));
    let literal = |name| Some(format!(":(exclude,top,literal){}", std::str::from_utf8(name).ok()?));
    let written: Option<Vec<_>> = secret.map(literal).collect();
    written.filter(|pathspecs| pathspecs.len() <= MAX_NAMES)
}

/// Returns whether this can be the path of a note. Its name is the hash of the commit that it is about, and not that of
/// a file. So its content could be a secret, and no rule would recognise it.
pub(super) fn is_note(path: &[u8]) -> bool {
    let digits = path.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
    HASHES.contains(&digits) && path.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'/')
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
