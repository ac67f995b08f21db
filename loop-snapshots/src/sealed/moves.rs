//! Protected files that moved together with their folder.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    assembly::Assembly,
    protection::{Origin, PathFacts},
};
use crate::{
    error::Error,
    tree::{Entry, EntryKind},
};

/// The folders of the first state that are at other places in the judged state, with their protected files.
#[derive(Debug, Default)]
pub(super) struct Moves {
    /// The folders at their first places.
    from: Vec<PathBuf>,
    /// The protected files at their new places.
    pub(super) files: Vec<PathBuf>,
}

impl Moves {
    /// Returns whether a path of the first state is in a folder that moved.
    pub(super) fn took(&self, path: &Path) -> bool {
        self.from.iter().any(|folder| path.starts_with(folder))
    }
}

impl Assembly<'_> {
    /// Finds the folders that moved: such a folder is gone, a new one has all its protected files, and some of the others.
    pub(super) fn moves(&self) -> Result<Moves, Error> {
        let mut moves = Moves::default();
        for (from, below) in self.gone() {
            if let Some(to) = self.place_of(&from, &below)? {
                moves.files.extend(below.iter().map(|path| to.join(path)));
                moves.from.push(from);
            }
        }
        moves.files.sort();
        Ok(moves)
    }

    /// Returns the folders that are gone, with the paths of their protected files from there. They do not judge themselves.
    fn gone(&self) -> BTreeMap<PathBuf, Vec<PathBuf>> {
        let mut folders: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for (key, entry) in self.first {
            let path = Path::new(key);
            let is_there = self.judged.contains_key(key) || entry.folder().is_some() || (self.is_apart)(path);
            if is_there || !self.is_protected(path) {
                continue;
            }
            let above = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
            let gone = above.take_while(|above| !self.judged.contains_key(above.as_os_str()));
            if let Some(from) = gone.last().filter(|from| !self.is_protected(from)) {
                let below = path.strip_prefix(from).unwrap_or(path).to_owned();
                folders.entry(from.to_owned()).or_default().push(below);
            }
        }
        folders
    }

    fn is_protected(&self, path: &Path) -> bool {
        self.protection.origin(path, PathFacts::KNOWN) == Origin::First
    }

    /// Returns the new place of a folder with these protected files.
    fn place_of(&self, from: &Path, below: &[PathBuf]) -> Result<Option<PathBuf>, Error> {
        let Some(sample) = below.first() else { return Ok(None) };
        let new = self.judged.keys().map(Path::new).filter(|path| path.ends_with(sample));
        let places = new.filter_map(|path| path.ancestors().nth(sample.iter().count()));
        for to in places.filter(|to| !to.as_os_str().is_empty() && !self.first.contains_key(to.as_os_str())) {
            if self.has_more_of(from, to) && self.has_all(from, to, below)? {
                return Ok(Some(to.to_owned()));
            }
        }
        Ok(None)
    }

    /// Returns whether a file that does not judge moved, too.
    fn has_more_of(&self, from: &Path, to: &Path) -> bool {
        self.first.iter().any(|(key, entry)| {
            let below = Path::new(key).strip_prefix(from).ok().filter(|_| entry.folder().is_none());
            below.is_some_and(|below| {
                !self.is_protected(Path::new(key)) && self.judged.contains_key(to.join(below).as_os_str())
            })
        })
    }

    fn has_all(&self, from: &Path, to: &Path, below: &[PathBuf]) -> Result<bool, Error> {
        for path in below {
            let entries =
                (self.first.get(from.join(path).as_os_str()), self.judged.get(to.join(path).as_os_str()));
            let (Some(first), Some(judged)) = entries else { return Ok(false) };
            let (Some(first), Some(judged)) = (self.content(first)?, self.content(judged)?) else {
                return Ok(false);
            };
            if !self.protection.may_move(from, to, path, (&first, &judged)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the content of a file; `None` for anything else.
    pub(super) fn content(&self, entry: &Entry) -> Result<Option<Vec<u8>>, Error> {
        match &entry.kind {
            EntryKind::File { digest, .. } => self.objects.content(*digest).map(Some),
            _ => Ok(None),
        }
    }
}
