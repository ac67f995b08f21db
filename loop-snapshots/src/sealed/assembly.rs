//! The content of a sealed tree, from two states of a folder.

use std::path::{Path, PathBuf};

use super::{
    Renewed, Wanted,
    protection::{Origin, PathFacts, Protection},
    relocation::Relocation,
    walk::ByPath,
};
use crate::{
    error::Error,
    store::Objects,
    tree::{Entry, EntryKind},
};

/// The entries of a state of a folder.
pub(super) type Listing = ByPath<Entry>;

/// Lists everything in a stored folder.
pub(super) fn list(objects: &Objects, root: crate::Digest) -> Result<Listing, Error> {
    let (mut listing, mut folders) = (Listing::new(), vec![(PathBuf::new(), root)]);
    while let Some((folder, digest)) = folders.pop() {
        for entry in objects.entries(digest)? {
            let path = folder.join(entry.name());
            folders.extend(entry.folder().map(|digest| (path.clone(), digest)));
            listing.insert(path.into_os_string(), entry);
        }
    }
    Ok(listing)
}

/// Puts two states together.
pub(super) struct Assembly<'a> {
    pub(super) objects: &'a Objects,
    pub(super) first: &'a Listing,
    pub(super) judged: &'a Listing,
    pub(super) protection: &'a dyn Protection,
    pub(super) relocation: &'a Relocation,
    /// Protected texts with paths into the folder, which lead into the tree instead.
    pub(super) relocated: &'a ByPath<Vec<u8>>,
    /// Whether a path comes from neither state.
    pub(super) is_apart: &'a dyn Fn(&Path) -> bool,
}

impl Assembly<'_> {
    /// Returns the entries of the tree, and what differs in the judged state.
    pub(super) fn assemble(&self) -> Result<(ByPath<Wanted>, Renewed), Error> {
        let (mut wanted, mut renewed) = (ByPath::new(), Renewed::default());
        let moves = self.moves()?;
        for (key, entry) in self.judged {
            let (path, first) = (Path::new(key), self.first.get(key));
            if (self.is_apart)(path) {
                continue;
            }
            let has_moved = moves.files.binary_search_by(|file| file.as_path().cmp(path)).is_ok();
            let origin = self.protection.origin(path, self.facts(path, first, entry));
            match if has_moved { Origin::Judged } else { origin } {
                Origin::Judged => {
                    if let Some(content) = self.wanted(entry) {
                        self.make_room(path, &mut wanted);
                        wanted.insert(key.clone(), content);
                    }
                }
                Origin::Merged => self.merge(path, first, entry, &mut wanted, &mut renewed)?,
                Origin::First if first.is_none() && entry.folder().is_none() => {
                    renewed.left_out.push(path.to_owned());
                }
                Origin::First | Origin::Built => {}
            }
        }
        for (key, entry) in self.first {
            let (path, judged) = (Path::new(key), self.judged.get(key));
            if (self.is_apart)(path) || moves.took(path) {
                continue;
            }
            let is_protected = match self.protection.origin(path, PathFacts::KNOWN) {
                Origin::First => true,
                Origin::Merged => judged.is_none(),
                Origin::Judged | Origin::Built => false,
            };
            let relocated = || {
                let content = self.relocated.get(key)?.clone();
                Some(Wanted::Merged { content, mode: entry.mode })
            };
            if let Some(content) = relocated().or_else(|| self.wanted(entry)).filter(|_| is_protected) {
                if !judged.is_some_and(|judged| is_same(entry, judged)) {
                    renewed.put_back.push(path.to_owned());
                }
                self.make_room(path, &mut wanted);
                wanted.insert(key.clone(), content);
            }
        }
        renewed.put_back.sort();
        renewed.put_back.dedup();
        renewed.moved = moves.files;
        Ok((wanted, renewed))
    }

    fn facts(&self, path: &Path, first: Option<&Entry>, judged: &Entry) -> PathFacts {
        let above = path.parent().filter(|above| !above.as_os_str().is_empty());
        let is_folder =
            |above: &Path| self.first.get(above.as_os_str()).is_some_and(|entry| entry.folder().is_some());
        PathFacts {
            is_new: first.is_none(),
            is_link: matches!(judged.kind, EntryKind::Link { .. }),
            is_in_known_folder: above.is_none_or(is_folder),
        }
    }

    fn wanted(&self, entry: &Entry) -> Option<Wanted> {
        Some(match &entry.kind {
            EntryKind::File { digest, .. } => Wanted::Stored { digest: *digest, mode: entry.mode },
            EntryKind::Link { target } => Wanted::Link { target: self.relocation.path(target) },
            EntryKind::Folder { .. } => Wanted::Folder { mode: entry.mode },
            EntryKind::LeftOut { .. } => return None,
        })
    }

    fn merge(
        &self,
        path: &Path,
        first: Option<&Entry>,
        judged: &Entry,
        wanted: &mut ByPath<Wanted>,
        renewed: &mut Renewed,
    ) -> Result<(), Error> {
        let before = first.map(|first| self.content(first)).transpose()?.flatten();
        let Some(now) = self.content(judged)? else {
            // A link in the place of a file.
            let first = first.and_then(|first| self.wanted(first));
            renewed.put_back.push(path.to_owned());
            wanted.extend(first.map(|first| (path.into(), first)));
            return Ok(());
        };
        if before.as_deref() == Some(&*now) {
            wanted.extend(self.wanted(judged).map(|judged| (path.into(), judged)));
            return Ok(());
        }
        let merged = self.protection.merge(path, before.as_deref(), &now);
        let unchanged =
            before.as_deref().and_then(|before| self.protection.merge(path, Some(before), before));
        let as_judged = self.protection.merge(path, Some(&now), &now);
        let content = match (merged, before) {
            // Nothing but the protected part differs.
            (Some(merged), Some(before)) if unchanged.as_deref() == Some(&*merged) => {
                renewed.put_back.push(path.to_owned());
                Some(before)
            }
            (None, before) => {
                renewed.put_back.push(path.to_owned());
                before
            }
            // Nothing of the protected part differs.
            (merged, _) if merged == as_judged => Some(now),
            (merged, _) => {
                renewed.put_back_in_part.push(path.to_owned());
                merged
            }
        };
        let mode = judged.mode;
        wanted.extend(content.map(|content| (path.into(), Wanted::Merged { content, mode })));
        Ok(())
    }

    /// Makes each path above `path` a folder.
    fn make_room(&self, path: &Path, wanted: &mut ByPath<Wanted>) {
        for above in path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
            if !matches!(wanted.get(above.as_os_str()), Some(Wanted::Folder { .. })) {
                let known = self.judged.get(above.as_os_str()).filter(|entry| entry.folder().is_some());
                let known = known.or_else(|| self.first.get(above.as_os_str()));
                let mode = known.map_or(0o755, |folder| folder.mode);
                wanted.insert(above.into(), Wanted::Folder { mode });
            }
        }
    }
}

fn is_same(first: &Entry, judged: &Entry) -> bool {
    let are_folders = first.folder().is_some() && judged.folder().is_some();
    first.mode == judged.mode && (are_folders || first.kind == judged.kind)
}
