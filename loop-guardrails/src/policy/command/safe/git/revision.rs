//! Parses revisions, in the forms that we and git read alike.
//!
//! Git finds the path in `REVISION:path` after the first colon outside braces, and braces may contain almost anything:
//! dates, searches, nested braces. If we split at another colon, we judge a different path than git opens. So we allow
//! only a plain word in braces, and no colon in a path.

use super::built_in;
use crate::policy::{LocalPath, Ruling, case_folding::folded};

/// The revision that git uses if a command names none, in a form that git can only read as a commit. An attacker can
/// write the hash of a file or of a folder into `.git/HEAD`.
pub(super) const HEAD: &str = "HEAD^{commit}";

/// The target of a revision.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RevisionTarget {
    /// Commits: one, a range, or all but those. The form leaves git only this reading.
    Commits(String),
    /// A file or a folder in a commit or, with `:`, in the index.
    Object {
        /// The commit before the path's colon, in a form that git can only read as a commit: in a folder's own tree,
        /// files have other names. For the index it is empty or a stage, `:0`.
        revision: String,
        path: LocalPath,
    },
}

/// Parses one word.
///
/// # Errors
/// If a word has another form, or a path leads out.
pub(super) fn read(word: &str) -> Result<RevisionTarget, Ruling> {
    if let Some(named) = object(word)? {
        return Ok(named);
    }
    let commits = match word.find("..") {
        Some(at) => {
            let (from, to) = word.split_at(at);
            let dots = if to.starts_with("...") { "..." } else { ".." };
            let to = &to[dots.len()..];
            let end = |text: &str| if text.is_empty() { Some(HEAD.to_owned()) } else { commit(text) };
            end(from).zip(end(to)).map(|(from, to)| format!("{from}{dots}{to}"))
        }
        None => match word.strip_prefix('^') {
            Some(rest) => commit(rest).map(|commit| format!("^{commit}")),
            None => parents(word).or_else(|| commit(word)),
        },
    };
    commits.map(RevisionTarget::Commits).ok_or_else(|| not_understood(word))
}

/// Returns how many trees git compares for such a word, at most. Three means any number.
pub(super) fn trees(commits: &str) -> usize {
    match commits {
        // Two commits can have several merge bases.
        _ if commits.contains("...") => 3,
        _ if commits.contains("..") => 2,
        // Otherwise these are the parents of one commit.
        _ if commits.ends_with("^{commit}") => 1,
        _ => 3,
    }
}

fn not_understood(word: &str) -> Ruling {
    built_in(format!(
        "`{word}` is not a supported revision: give a branch, a tag, a hash, `HEAD~2`, `HEAD@{{1}}`, `A..B` or \
         `HEAD:path`, and put paths after `--`"
    ))
}

/// Parses `REVISION:path`, `:path` and `:0:path`.
fn object(word: &str) -> Result<Option<RevisionTarget>, Ruling> {
    let staged = (0..4).map(|stage| format!(":{stage}:")).find(|stage| word.starts_with(stage.as_str()));
    let (revision, path) = match &staged {
        Some(stage) => (&stage[..2], &word[stage.len()..]),
        None => match word.split_once(':') {
            Some(parts) => parts,
            None => return Ok(None),
        },
    };
    let is_index = staged.is_some() || revision.is_empty();
    let known = if is_index { Some(revision.to_owned()) } else { commit(revision) };
    // `:/text` and `:!path` are searches and pathspecs.
    let is_search = revision.is_empty() && path.starts_with(['/', '!', '^', '(']);
    let is_path = !path.contains(':') && !is_search;
    let revision = known.filter(|_| is_path).ok_or_else(|| not_understood(word))?;
    let path = LocalPath::new(path).map_err(|error| built_in(error.to_string()))?;
    Ok(Some(RevisionTarget::Object { revision, path }))
}

/// Parses all parents of a commit, or a commit without them: `HEAD^@`, `HEAD^!`, `HEAD^-1`. Git reads these as commits.
fn parents(word: &str) -> Option<String> {
    let (base, ending) = word.rsplit_once('^')?;
    let is_ending = ["@", "!"].contains(&ending)
        || ending.strip_prefix('-').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    (is_ending && commit(base).is_some()).then(|| word.to_owned())
}

/// Parses a name with its suffixes, and writes it in a form that git can only read as a commit. The hash of a file, or
/// a tag of one, would show the file without its name.
fn commit(text: &str) -> Option<String> {
    let ends = text.find(['^', '~']).into_iter().chain(text.find("@{")).min().unwrap_or(text.len());
    let (name, mut rest) = text.split_at(ends);
    if !(is_name(name) || (name.is_empty() && rest.starts_with("@{"))) {
        return None;
    }
    while !rest.is_empty() {
        rest = step(rest)?;
    }
    Some(format!("{text}^{{commit}}"))
}

/// Returns the text after `~2`, `^`, `^{commit}` or `@{1}`.
fn step(rest: &str) -> Option<&str> {
    if let Some(inner) = rest.strip_prefix("@{") {
        let (word, rest) = inner.split_once('}')?;
        let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "._-".contains(sign);
        return (!word.is_empty() && word.chars().all(is_plain)).then_some(rest);
    }
    if let Some(inner) = rest.strip_prefix("^{") {
        let (word, rest) = inner.split_once('}')?;
        return ["", "commit", "tag"].contains(&word).then_some(rest);
    }
    let rest = rest.strip_prefix(['^', '~'])?;
    Some(rest.trim_start_matches(|sign: char| sign.is_ascii_digit()))
}

/// Returns whether the text can be the name of a ref, or a hash.
pub(super) fn is_name(text: &str) -> bool {
    let is_sign =
        |sign: char| !(sign.is_control() || sign.is_whitespace() || "^~:?*[\\{}\"'`$".contains(sign));
    !text.is_empty()
        && !text.starts_with(['-', '/'])
        && !text.contains("..")
        && text.chars().all(is_sign)
        && !is_in_other_folder(text)
}

/// Folders in a repository that contain no refs. The workspace does not vet all of them, and git opens `.git/NAME`
/// before `.git/refs/heads/NAME`, whatever file that is.
const OTHER_FOLDERS: &[&str] = &[
    "annex",
    "branches",
    "fsmonitor--daemon",
    "hooks",
    "info",
    "lfs",
    "logs",
    "modules",
    "objects",
    "reftable",
];

/// Returns whether git could open a file in such a folder to read this ref. Names are folded as file systems do it.
fn is_in_other_folder(name: &str) -> bool {
    let parts: Vec<_> = name.split('/').filter(|part| !part.is_empty() && *part != ".").map(folded).collect();
    // Refs of another work tree.
    let own = match parts.first().map(String::as_str) {
        Some("main-worktree") => &parts[1..],
        Some("worktrees") => parts.get(2..).unwrap_or_default(),
        _ => &parts[..],
    };
    own.len() > 1 && OTHER_FOLDERS.contains(&own[0].as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn commits(word: &str) -> String {
        match read(word) {
            Ok(RevisionTarget::Commits(commits)) => commits,
            other => panic!("{word}: {other:?}"),
        }
    }

    #[test]
    fn the_usual_forms_are_commits() {
        for (word, expected) in [
            ("HEAD", "HEAD^{commit}"),
            ("@", "@^{commit}"),
            ("origin/main~3^2", "origin/main~3^2^{commit}"),
            ("v1.0-3-gabc^{}", "v1.0-3-gabc^{}^{commit}"),
            ("main@{1}", "main@{1}^{commit}"),
            ("@{upstream}", "@{upstream}^{commit}"),
            ("HEAD@{2.days.ago}", "HEAD@{2.days.ago}^{commit}"),
            ("main..HEAD", "main^{commit}..HEAD^{commit}"),
            ("main...", "main^{commit}...HEAD^{commit}"),
            ("..main", "HEAD^{commit}..main^{commit}"),
            ("^main", "^main^{commit}"),
            ("HEAD^!", "HEAD^!"),
            ("HEAD^-1", "HEAD^-1"),
        ] {
            assert_eq!(commits(word), expected);
        }
    }

    #[test]
    fn a_path_begins_behind_the_only_colon() {
        for (word, revision, path) in [
            ("HEAD~1:src/../a", "HEAD~1^{commit}", "a"),
            (":a", "", "a"),
            (":2:a", ":2", "a"),
            ("HEAD@{1}:x", "HEAD@{1}^{commit}", "x"),
            ("HEAD:", "HEAD^{commit}", "."),
        ] {
            let expected =
                RevisionTarget::Object { revision: revision.to_owned(), path: path.parse().unwrap() };
            assert_eq!(read(word), Ok(expected), "{word}");
        }
    }

    #[test]
    fn what_git_reads_in_another_way_is_refused() {
        for word in [
            "HEAD^{/.*|x:y}:.env.local",
            "HEAD@{10:00}:top.txt",
            "HEAD^{/x}",
            ":/fix",
            ":(top)x",
            ":!x",
            "a:b:c",
            "HEAD:a:b",
            "HEAD@{1}}:x",
            "HEAD@{{}:x",
            "HEAD^{tree}",
            "HEAD^{blob}",
            "HEAD:../x",
            "HEAD:/etc/passwd",
            "a..b..c:d",
            "HEAD:a..HEAD:b",
            "-p",
            "",
            "a b",
        ] {
            assert!(read(word).is_err(), "{word}: {:?}", read(word));
        }
    }

    proptest! {
        /// We split where git does: at the first colon outside braces.
        #[test]
        fn the_cut_is_gits(word in "(HEAD|a|\\^|~|@|\\{|\\}|:|/|1|\\.|x){1,12}") {
            let mut depth = 0_u32;
            let cut = word.char_indices().find(|(_, sign)| {
                match sign {
                    '{' => depth += 1,
                    '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0 && *sign == ':'
            });
            if let Ok(RevisionTarget::Object { revision, path }) = read(&word) {
                // A stage is followed by a second colon.
                let cut = cut.map(|(at, _)| at + if revision.starts_with(':') { revision.len() } else { 0 });
                let behind = &word[cut.unwrap() + 1..];
                prop_assert_eq!(LocalPath::new(behind), Ok(path));
            }
        }
    }
}
