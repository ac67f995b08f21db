//! Changes in lines of text, for people.

use std::{fmt, path::PathBuf};

use crate::{
    diff::{Change, ChangeKind, beside, shown},
    error::Error,
    restore::{KeptReason, RESTORE, RestorePlan},
    store::Store,
    tree::LeftOut,
};

/// The number of files by the kind of their change. Folders are not counted.
///
/// ```
/// use loop_snapshots::ChangeSummary;
///
/// assert_eq!(ChangeSummary::of(&[]).to_string(), "no files changed");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangeSummary {
    /// New files.
    pub added: usize,
    /// Removed files.
    pub removed: usize,
    /// Files with another content or another mode.
    pub modified: usize,
}

impl ChangeSummary {
    /// Counts the files among these changes.
    pub fn of(changes: &[Change]) -> Self {
        let mut summary = Self::default();
        for change in changes.iter().filter(|change| !change.is_folder()) {
            match change.kind() {
                ChangeKind::Added => summary.added += 1,
                ChangeKind::Removed => summary.removed += 1,
                ChangeKind::Modified | ChangeKind::Mode => summary.modified += 1,
            }
        }
        summary
    }

    /// Returns the number of files.
    pub fn files(&self) -> usize {
        self.added + self.removed + self.modified
    }
}

/// Writes, for example, `3 files changed: 1 added, 2 modified`.
impl fmt::Display for ChangeSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [(self.added, "added"), (self.removed, "removed"), (self.modified, "modified")];
        let parts: Vec<_> = parts.iter().filter(|(count, _)| *count > 0).collect();
        match (self.files(), parts.as_slice()) {
            (0, _) => f.write_str("no files changed"),
            (1, [(_, word)]) => write!(f, "1 file {word}"),
            (files, [(_, word)]) => write!(f, "{files} files {word}"),
            (files, parts) => {
                let words: Vec<_> = parts.iter().map(|(count, word)| format!("{count} {word}")).collect();
                write!(f, "{files} files changed: {}", words.join(", "))
            }
        }
    }
}

impl Change {
    /// Returns a line like `M src/main.rs`: `A` for added, `D` for removed, `M` for another content, `m` for another
    /// mode. A folder ends with `/`. Names with control characters or other invisible ones are quoted as git quotes them.
    pub fn line(&self) -> String {
        let sign = match self.kind() {
            ChangeKind::Added => 'A',
            ChangeKind::Removed => 'D',
            ChangeKind::Modified => 'M',
            ChangeKind::Mode => 'm',
        };
        format!("{sign} {}{}", shown(&self.path), if self.is_folder() { "/" } else { "" })
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLarge => "it is larger than captures store",
            Self::Special => "it is not a regular file",
            Self::Unreadable => "it cannot be read",
            Self::Secret => "its name belongs to a secret",
            Self::Ignored => "a .gitignore names it",
            Self::Repository => "it is a repository",
            Self::Store => "it contains the snapshots",
            Self::TooDeep => "it is more than 256 folders deep",
        })
    }
}

impl fmt::Display for KeptReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotCaptured(reason) | Self::NotInSnapshot(reason) => reason.fmt(f),
            Self::ChangedMeanwhile => f.write_str("it changed during the restore"),
            Self::NotEmpty => f.write_str("it contains files that were not removed"),
        }
    }
}

impl RestorePlan {
    fn is_undo(&self) -> bool {
        self.snapshot.id.run.starts_with(RESTORE)
    }

    /// Lists the changes of the plan, one per line; then the edited paths, and those that stay as they are.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<_> = self.changes.iter().map(|change| format!("  {}", change.line())).collect();
        // An undo returns to the edits, and overwrites only what the restore made.
        if !self.edited_after.is_empty() && !self.is_undo() {
            lines.push("edited after the run, and overwritten:".to_owned());
            lines.extend(self.edited_after.iter().map(|path| format!("  {}", shown(path))));
        }
        lines.extend(kept_lines(&self.kept));
        lines
    }
}

/// Lists paths that stay as they are, each with the reason. Paths that no snapshot covers are not worth a line.
pub(crate) fn kept_lines(kept: &[(PathBuf, KeptReason)]) -> Vec<String> {
    let is_usual = |reason: &KeptReason| {
        let (KeptReason::NotCaptured(left_out) | KeptReason::NotInSnapshot(left_out)) = reason else {
            return false;
        };
        matches!(left_out, LeftOut::Ignored | LeftOut::Repository | LeftOut::Store)
    };
    let kept: Vec<_> = kept.iter().filter(|(_, reason)| !is_usual(reason)).collect();
    let heading = (!kept.is_empty()).then(|| "stays as it is:".to_owned());
    let lines = kept.into_iter().map(|(path, reason)| format!("  {} ({reason})", shown(path)));
    heading.into_iter().chain(lines).collect()
}

impl crate::restore::Restored {
    /// Lists the paths that differ but stayed as they are, each with the reason.
    pub fn kept_lines(&self) -> Vec<String> {
        kept_lines(&self.kept)
    }
}

impl Store {
    /// Returns the difference of these changes for people, in the unified format. A file that has no text difference has
    /// one line instead. Bytes that are not UTF-8 appear as `U+FFFD`: [`exact_patch`](Self::exact_patch) is for programs.
    ///
    /// # Errors
    /// Fails with [`Error::Damaged`] if a content is missing or changed.
    pub fn patch(&mut self, changes: &[Change]) -> Result<String, Error> {
        let mut patch = String::new();
        for change in changes.iter().filter(|change| !change.is_folder()) {
            patch.push_str(&header(change));
            match self.text_change(change)? {
                Some(text) => patch.push_str(&text.diff),
                None => patch.push_str(&format!("{} (no text)\n", change.line())),
            }
        }
        Ok(patch)
    }

    /// Returns the difference of these changes as a patch that `git apply` reads, and that has the same bytes as the
    /// files.
    ///
    /// # Errors
    /// Fails with [`Error::NoPatch`] for a link, or a file that is no UTF-8 text of at most 1 MiB. Fails with [`Error::Damaged`] if a content is missing or changed.
    pub fn exact_patch(&mut self, changes: &[Change]) -> Result<String, Error> {
        let mut patch = String::new();
        for change in changes.iter().filter(|change| !change.is_folder()) {
            let text = self.text_change(change)?.filter(|text| text.is_exact);
            let text = text.ok_or_else(|| Error::NoPatch(change.path.clone()))?;
            patch.push_str(&header(change));
            patch.push_str(&text.diff);
        }
        Ok(patch)
    }
}

fn header(change: &Change) -> String {
    let (before, after) = (beside("a/", &change.path), beside("b/", &change.path));
    format!("diff --git {before} {after}\n{}", mode_lines(change))
}

/// The lines of git's extended header for new and removed files, and for another mode.
fn mode_lines(change: &Change) -> String {
    let mode = |entry: &crate::Entry| if entry.mode & 0o100 == 0 { "100644" } else { "100755" };
    match (&change.before, &change.after) {
        (None, Some(after)) => format!("new file mode {}\n", mode(after)),
        (Some(before), None) => format!("deleted file mode {}\n", mode(before)),
        (Some(before), Some(after)) if mode(before) != mode(after) => {
            format!("old mode {}\nnew mode {}\n", mode(before), mode(after))
        }
        _ => String::new(),
    }
}
