//! The differences between two captured folders.

use std::{
    cmp::Ordering,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use similar::TextDiff;

use crate::{
    capture::{CaptureOptions, Scope},
    digest::Digest,
    error::Error,
    record::Snapshot,
    store::{Objects, Store},
    tree::{Entry, EntryKind},
};

/// Texts that are larger are not compared line by line.
const LARGEST_TEXT: u64 = 1 << 20;
/// After this time, a comparison settles for a difference that is longer than necessary.
const LONGEST_COMPARISON: Duration = Duration::from_millis(500);

/// An entry that differs between two states of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The path, relative to the folder.
    pub path: PathBuf,
    /// The entry in the first state, if it exists there.
    pub before: Option<Entry>,
    /// The entry in the second state, if it exists there.
    pub after: Option<Entry>,
}

/// The kind of a [`Change`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The entry exists only in the second state.
    Added,
    /// The entry exists only in the first state.
    Removed,
    /// The content, the target of a link, or the type differs.
    Modified,
    /// Only the permission bits differ.
    Mode,
}

impl Change {
    /// Returns the kind of the change.
    pub fn kind(&self) -> ChangeKind {
        match (&self.before, &self.after) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            (Some(before), Some(after)) if is_same_content(before, after) => ChangeKind::Mode,
            _ => ChangeKind::Modified,
        }
    }

    /// Returns whether the entry is a folder in each state in which it exists. Summaries count only the others.
    pub fn is_folder(&self) -> bool {
        [&self.before, &self.after].into_iter().flatten().all(|entry| entry.folder().is_some())
    }
}

/// Folders that differ below have the same content here: their entries are changes of their own.
fn is_same_content(before: &Entry, after: &Entry) -> bool {
    before.kind == after.kind || (before.folder().is_some() && after.folder().is_some())
}

/// Finds the changes between two stored folders, in the order of their paths, parents first.
pub(crate) fn changes(
    objects: &Objects,
    before: Digest,
    after: Digest,
    scope: &Scope,
) -> Result<Vec<Change>, Error> {
    let mut comparison = Comparison { objects, scope, path: PathBuf::new(), changes: Vec::new() };
    comparison.folders(Some(before), Some(after))?;
    Ok(comparison.changes)
}

struct Comparison<'a> {
    objects: &'a Objects,
    scope: &'a Scope,
    path: PathBuf,
    changes: Vec<Change>,
}

impl Comparison<'_> {
    fn folders(&mut self, before: Option<Digest>, after: Option<Digest>) -> Result<(), Error> {
        if before == after {
            return Ok(());
        }
        let entries =
            |digest: Option<Digest>| digest.map_or(Ok(Vec::new()), |digest| self.objects.entries(digest));
        let (mut before, mut after) =
            (entries(before)?.into_iter().peekable(), entries(after)?.into_iter().peekable());
        loop {
            let order = match (before.peek(), after.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(before), Some(after)) => before.name.cmp(&after.name),
            };
            let before = if order.is_le() { before.next() } else { None };
            let after = if order.is_ge() { after.next() } else { None };
            self.entry(before, after)?;
        }
    }

    fn entry(&mut self, before: Option<Entry>, after: Option<Entry>) -> Result<(), Error> {
        let Some(name) = before.as_ref().or(after.as_ref()).map(|entry| entry.name().to_owned()) else {
            return Ok(());
        };
        self.path.push(name);
        if self.scope.touches(&self.path) {
            let folder = |entry: &Option<Entry>| entry.as_ref().and_then(Entry::folder);
            let folders = (folder(&before), folder(&after));
            let differs = match (&before, &after) {
                (Some(before), Some(after)) => before.mode != after.mode || !is_same_content(before, after),
                _ => true,
            };
            // A folder above the scope is a change only if it must be created.
            if differs && (self.scope.contains(&self.path) || before.is_none()) {
                self.changes.push(Change { path: self.path.clone(), before, after });
            } else if !self.scope.contains(&self.path) && folders.0.is_none() {
                return Err(Error::Path {
                    path: self.path.clone(),
                    why: "it leads through a link or a file",
                });
            }
            self.folders(folders.0, folders.1)?;
        }
        self.path.pop();
        Ok(())
    }
}

/// The difference of two texts.
pub(crate) struct TextChange {
    pub(crate) diff: String,
    /// Whether the difference has the bytes of the texts, rather than `U+FFFD` for some of them.
    pub(crate) is_exact: bool,
}

impl Store {
    /// Lists the changes from one snapshot to another, in the order of their paths.
    ///
    /// # Errors
    /// Fails with [`Error::Damaged`] if a content is missing or changed.
    pub fn diff(&mut self, before: &Snapshot, after: &Snapshot) -> Result<Vec<Change>, Error> {
        let _lock = self.lock()?;
        changes(&self.objects, before.root, after.root, &Scope::default())
    }

    /// Lists the changes from one snapshot to another at these paths, and below them. Without paths, all changes.
    ///
    /// # Errors
    /// Fails like [`diff`](Self::diff), and with [`Error::Path`] if a path is absolute, or contains `..` or `.git`.
    pub fn diff_below(
        &mut self,
        before: &Snapshot,
        after: &Snapshot,
        paths: &[PathBuf],
    ) -> Result<Vec<Change>, Error> {
        let scope = Scope::new(paths)?;
        let mut changes = self.diff(before, after)?;
        changes.retain(|change| scope.contains(&change.path));
        Ok(changes)
    }

    /// Lists the changes from a snapshot to the folder as it is now.
    ///
    /// # Errors
    /// Fails like [`capture`](Store::capture), because the contents of the folder are stored for the comparison.
    pub fn diff_folder(&mut self, before: &Snapshot, options: &CaptureOptions) -> Result<Vec<Change>, Error> {
        let _lock = self.lock()?;
        let scan = self.scan(options)?;
        changes(&self.objects, before.root, scan.folder.digest, &Scope::default())
    }

    /// Returns the difference of two texts in the unified format, with three lines of context. Bytes that are not UTF-8
    /// appear as `U+FFFD`. Names are quoted as git quotes them.
    ///
    /// Returns `None` if an entry is no file, is larger than 1 MiB, or contains a NUL byte.
    ///
    /// # Errors
    /// Fails with [`Error::Damaged`] if a content is missing or changed.
    pub fn text_diff(&mut self, change: &Change) -> Result<Option<String>, Error> {
        Ok(self.text_change(change)?.map(|change| change.diff))
    }

    /// Compares two texts once, for people and for patches.
    pub(crate) fn text_change(&mut self, change: &Change) -> Result<Option<TextChange>, Error> {
        let _lock = self.lock()?;
        let (Some((before, is_before_exact)), Some((after, is_after_exact))) =
            (self.text(change.before.as_ref())?, self.text(change.after.as_ref())?)
        else {
            return Ok(None);
        };
        let header = |side: &str, entry: &Option<Entry>| match entry {
            Some(_) => beside(side, &change.path),
            None => "/dev/null".to_owned(),
        };
        let diff = TextDiff::configure().timeout(LONGEST_COMPARISON).diff_lines(&before, &after);
        let mut unified = diff.unified_diff();
        let unified = unified.header(&header("a/", &change.before), &header("b/", &change.after));
        let is_exact = is_before_exact && is_after_exact;
        Ok(Some(TextChange { diff: unified.to_string(), is_exact }))
    }

    /// Returns the content of a file, or the target of a link.
    ///
    /// # Errors
    /// Fails with [`Error::Damaged`] if the content is missing or changed, or if the entry has none.
    pub fn content(&mut self, entry: &Entry) -> Result<Vec<u8>, Error> {
        let _lock = self.lock()?;
        match &entry.kind {
            EntryKind::File { digest, .. } => self.objects.content(*digest),
            EntryKind::Link { target } => Ok(target.as_os_str().as_bytes().to_vec()),
            _ => Err(Error::damaged(&self.path, format!("{:?} has no content", entry.name()))),
        }
    }

    /// The text of a file, or an empty one for a missing entry, and whether it has the same bytes as the content.
    fn text(&self, entry: Option<&Entry>) -> Result<Option<(String, bool)>, Error> {
        let content = match entry.map(|entry| &entry.kind) {
            None => Vec::new(),
            Some(EntryKind::File { size, digest }) if *size <= LARGEST_TEXT => {
                self.objects.content(*digest)?
            }
            Some(_) => return Ok(None),
        };
        if content.contains(&0) {
            return Ok(None);
        }
        Ok(Some(match String::from_utf8(content) {
            Ok(text) => (text, true),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), false),
        }))
    }
}

/// A path in one line, as git writes it: in quotes, with escapes, if it contains quotes, backslashes, bytes that are not
/// UTF-8, or characters that are invisible or direct the terminal.
///
/// Source: the description of `core.quotePath` in git's documentation. Visible characters stay as with `false`.
pub(crate) fn shown(path: &Path) -> String {
    beside("", path)
}

/// As [`shown`], with a prefix within the quotes.
pub(crate) fn beside(prefix: &str, path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    let mut text = prefix.to_owned();
    for chunk in bytes.utf8_chunks() {
        for sign in chunk.valid().chars() {
            match sign {
                '"' | '\\' => text.extend(['\\', sign]),
                _ if is_plain(sign) => text.push(sign),
                _ => escape(sign.encode_utf8(&mut [0; 4]).as_bytes(), &mut text),
            }
        }
        escape(chunk.invalid(), &mut text);
    }
    if text.len() == prefix.len() + bytes.len() { text } else { format!("\"{text}\"") }
}

fn escape(bytes: &[u8], text: &mut String) {
    text.extend(bytes.iter().map(|byte| format!("\\{byte:03o}")));
}

/// Returns whether a character is visible, or adds to the one before it as accents do.
fn is_plain(sign: char) -> bool {
    // `escape_debug` escapes accents only where a text begins.
    sign == '\'' || format!("a{sign}").escape_debug().count() == 2
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn names_are_quoted_as_git_quotes_them() {
        for (name, quoted) in [
            (&b"a b/it's.txt"[..], "a b/it's.txt"),
            ("\u{fc}/cafe\u{301}/\u{65e5}.txt".as_bytes(), "\u{fc}/cafe\u{301}/\u{65e5}.txt"),
            (b"a\"b\\c", r#""a\"b\\c""#),
            (b"a\x1b[31m\n", r#""a\033[31m\012""#),
            (b"a\xc2\x9bb\xff", r#""a\302\233b\377""#),
            ("a\u{202e}txt.exe".as_bytes(), r#""a\342\200\256txt.exe""#),
            ("\u{2028}".as_bytes(), r#""\342\200\250""#),
        ] {
            assert_eq!(shown(Path::new(OsStr::from_bytes(name))), quoted);
        }
    }
}
