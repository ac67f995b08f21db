//! A tree in which a check cannot be fooled by the work that it judges.
//!
//! | what | where |
//! | --- | --- |
//! | which state a path comes from | `protection.rs` |
//! | the entries of the tree, from two states | `assembly.rs`, `moves.rs` |
//! | what no snapshot has: dependencies, `.git`, build output | `copies.rs` |
//! | the tree on disk | `mirror.rs`, `walk.rs` |
//! | absolute paths | `relocation.rs` |

mod assembly;
mod copies;
mod mirror;
mod moves;
mod protection;
mod relocation;
mod walk;

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
};

use self::{
    assembly::{Assembly, Listing, list},
    copies::{Copies, LARGEST_RELOCATED},
    mirror::Mirror,
    walk::{ByPath, FoundEntry},
};
pub use self::{
    protection::{Origin, PathFacts, Protection},
    relocation::Relocation,
};
use crate::{
    digest::Digest,
    disk::Disk,
    error::{AtPath as _, Error},
    ignore::Rules,
    record::Snapshot,
    store::Store,
    tree::{Entry, EntryKind, LeftOut},
};

/// A copy of a folder outside of it, in which a check judges one state of the folder.
///
/// Each [renewal](Self::renew) makes the tree equal to the judged state, except for the protected paths, which are those of
/// the first state. Files that no snapshot has, such as ignored dependencies and `.git`, are copied when the tree is
/// created, and are the same in each renewal.
///
/// Nothing of a check stays for the next one, but the build output that [`keep_built`](Self::keep_built) takes over. A file
/// whose content stays keeps its time stamp, so that build tools work as in a folder that people edit.
#[derive(Debug)]
pub struct SealedTree {
    mirror: Mirror,
    folder: PathBuf,
    first: Listing,
    relocated: ByPath<Vec<u8>>,
    protection: Box<dyn Protection>,
    relocation: Relocation,
    apart: Copies,
    built: Copies,
    wanted: ByPath<Wanted>,
}

/// The findings of a renewal in the judged state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Renewed {
    /// The protected paths that were changed or deleted. The tree has them as they were first.
    pub put_back: Vec<PathBuf>,
    /// The files of which a protected part was changed. The tree has that part as it was first.
    pub put_back_in_part: Vec<PathBuf>,
    /// The protected files that moved together with their folder. The tree has them at these new places.
    pub moved: Vec<PathBuf>,
    /// The new files at protected paths. The tree does not have them.
    pub left_out: Vec<PathBuf>,
    /// The entries that the judged state lists without their content, and the first state lacks: new ignored files, for
    /// example. The tree does not have them.
    pub missing: Vec<PathBuf>,
    /// Something other than the tree changed the kept build output, so it was deleted.
    pub has_dropped_build: bool,
}

/// An entry of the tree.
#[derive(Debug, Clone)]
enum Wanted {
    Folder { mode: u32 },
    Link { target: PathBuf },
    Stored { digest: Digest, mode: u32 },
    Merged { content: Vec<u8>, mode: u32 },
    Copy { from: PathBuf, entry: FoundEntry },
}

impl SealedTree {
    /// Makes the tree at `place`, or opens what an earlier process of the run left there. `first` is the state from which
    /// the protected paths come.
    ///
    /// Copies everything of the folder of `store` that `first` lists without its content: ignored files, repositories,
    /// secrets and large files. Build output of known kinds is not copied.
    ///
    /// # Errors
    /// [`Error::SealBroken`] if something changed the copies of an earlier process. [`Error::File`] or [`Error::Damaged`]
    /// if a file cannot be used.
    pub fn create(
        store: &mut Store,
        first: &Snapshot,
        place: &Path,
        protection: Box<dyn Protection>,
    ) -> Result<Self, Error> {
        Disk::default().create_folder(place)?;
        let place = fs::canonicalize(place).at(place)?;
        let folder = store.folder().to_owned();
        let listing = {
            let _lock = store.lock()?;
            list(&store.objects, first.root)?
        };
        let relocation = Relocation::new(&folder, place.join("tree"));
        let relocated = relocated(store, &listing, &*protection, &relocation)?;
        let (apart, built) = (place.join("apart"), place.join("built"));
        let copies = match fs::symlink_metadata(place.join("apart.list")) {
            Ok(_) => Copies::open(&apart)?,
            Err(_) => {
                for left in [&apart, &built].into_iter().filter(|left| fs::symlink_metadata(left).is_ok()) {
                    crate::FolderCopy::discard(left)?;
                }
                let mut copies = Copies::create(&apart)?;
                copies.add(&folder, to_copy(&listing, &folder, &*protection), &relocation)?;
                copies
            }
        };
        let output = match Copies::open(&built) {
            Ok(output) => output,
            // Build output can be made again.
            Err(_) => {
                if fs::symlink_metadata(&built).is_ok() {
                    crate::FolderCopy::discard(&built)?;
                }
                Copies::create(&built)?
            }
        };
        Ok(Self {
            mirror: Mirror::create(&place.join("tree"), !output.is_empty())?,
            folder,
            first: listing,
            relocated,
            protection,
            relocation,
            apart: copies,
            built: output,
            wanted: ByPath::new(),
        })
    }

    /// Returns the move of absolute paths from the folder to the tree.
    pub const fn relocation(&self) -> &Relocation {
        &self.relocation
    }

    /// Returns the tree.
    pub fn folder(&self) -> PathBuf {
        self.relocation.path(&self.folder)
    }

    /// Makes the tree that judges `state`.
    ///
    /// # Errors
    /// [`Error::SealBroken`] if something changed the copies of what no snapshot has. [`Error::File`] or
    /// [`Error::Damaged`] if a file cannot be used. The tree is no basis for a check then.
    pub fn renew(&mut self, store: &mut Store, state: &Snapshot) -> Result<Renewed, Error> {
        if let Some(path) = self.apart.changed()? {
            return Err(Error::SealBroken { path });
        }
        let has_dropped_build = self.built.changed()?.is_some();
        if has_dropped_build {
            self.built.clear()?;
        }
        let _lock = store.lock()?;
        let judged = list(&store.objects, state.root)?;
        let is_apart = |path: &Path| self.is_kept(path);
        let assembly = Assembly {
            objects: &store.objects,
            first: &self.first,
            relocated: &self.relocated,
            judged: &judged,
            protection: &*self.protection,
            relocation: &self.relocation,
            is_apart: &is_apart,
        };
        let (mut wanted, mut renewed) = assembly.assemble()?;
        for (path, copy) in self.built.wanted().chain(self.apart.wanted()) {
            // The folder above a copy is one of the state.
            if !matches!((wanted.get(&path), &copy), (Some(Wanted::Folder { .. }), Wanted::Folder { .. })) {
                wanted.insert(path, copy);
            }
        }
        self.mirror.renew(&wanted, &store.objects)?;
        let is_missing = |(path, entry): &(&OsString, &Entry)| {
            entry.left_out().is_some_and(|reason| reason != LeftOut::Repository && reason != LeftOut::Store)
                && !self.first.contains_key(*path)
                && !self.is_kept(Path::new(path))
                && self.protection.origin(Path::new(path), PathFacts::NEW) != Origin::Built
        };
        renewed.missing = judged.iter().filter(is_missing).map(|(path, _)| PathBuf::from(path)).collect();
        renewed.has_dropped_build = has_dropped_build;
        self.wanted = wanted;
        Ok(renewed)
    }

    /// Returns the protected paths that something has changed in the tree since the last renewal: a check that rewrites what
    /// it judges with proves nothing. A file with the same content as before does not count if it
    /// [may be rewritten](Protection::may_be_rewritten), or if it is one of the `touched` ones.
    ///
    /// # Errors
    /// [`Error::File`] if the tree cannot be read.
    pub fn tampered(&self, touched: &BTreeSet<PathBuf>) -> Result<Vec<PathBuf>, Error> {
        let mut changed = self.mirror.changed(&self.wanted, |path| self.is_first(path))?;
        changed.retain(|(path, is_same)| {
            !(*is_same && (touched.contains(path) || self.protection.may_be_rewritten(path)))
        });
        Ok(changed.into_iter().map(|(path, _)| path).collect())
    }

    /// Returns the protected files that something has written again with the same content since the last renewal, or whose
    /// mode it set, as a check does that begins with `chmod +x`.
    ///
    /// # Errors
    /// [`Error::File`] if the tree cannot be read.
    pub fn touched(&self) -> Result<BTreeSet<PathBuf>, Error> {
        let changed = self.mirror.changed(&self.wanted, |path| self.is_first(path))?;
        Ok(changed.into_iter().filter(|(_, is_same)| *is_same).map(|(path, _)| path).collect())
    }

    fn is_first(&self, path: &Path) -> bool {
        let is_known = self.first.contains_key(path.as_os_str());
        let facts = if is_known { PathFacts::KNOWN } else { PathFacts::NEW };
        self.protection.origin(path, facts) == Origin::First && !self.is_kept(path)
    }

    /// Returns a hash of the paths and the contents that the last renewal took from the two states. Modes do not count.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (path, wanted) in &self.wanted {
            match wanted {
                Wanted::Folder { .. } | Wanted::Copy { .. } => continue,
                Wanted::Link { target } => target.hash(&mut hasher),
                Wanted::Stored { digest, .. } => digest.to_string().hash(&mut hasher),
                Wanted::Merged { content, .. } => content.hash(&mut hasher),
            }
            path.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Returns whether a path is one of the copies.
    fn is_kept(&self, path: &Path) -> bool {
        self.apart.covers(path) || self.built.covers(path)
    }

    /// Takes over the build output that a check of the first state left in the tree, so that later checks need not build
    /// everything: what is ignored there, and what is [built](Origin::Built). Call this only if nothing that is judged has
    /// run in the tree yet.
    ///
    /// # Errors
    /// [`Error::File`] if a file cannot be copied.
    pub fn keep_built(&mut self, store: &mut Store) -> Result<(), Error> {
        let rules = ignored_by(store, &self.first)?;
        let added = self.mirror.added(&self.wanted)?;
        let tree = self.folder();
        let is_built = |path: &PathBuf| {
            self.protection.origin(path, PathFacts::NEW) == Origin::Built
                || is_ignored(&rules, path, tree.join(path).is_dir())
        };
        let built = added.into_iter().filter(|path| is_built(path) && !self.apart.covers(path)).collect();
        let unmoved = Relocation::new(&tree, &tree);
        self.built.add(&tree, built, &unmoved)
    }
}

/// Returns the protected texts in which there are paths into the folder, with paths into the tree in their place.
fn relocated(
    store: &mut Store,
    listing: &Listing,
    protection: &dyn Protection,
    relocation: &Relocation,
) -> Result<ByPath<Vec<u8>>, Error> {
    let (_lock, mut relocated) = (store.lock()?, ByPath::new());
    for (path, entry) in listing {
        let EntryKind::File { size, digest } = &entry.kind else { continue };
        let origin = protection.origin(Path::new(path), PathFacts::KNOWN);
        if *size <= LARGEST_RELOCATED && origin == Origin::First {
            let text = relocation.text(&store.objects.content(*digest)?);
            relocated.extend(text.map(|text| (path.clone(), text)));
        }
    }
    Ok(relocated)
}

/// Returns the paths to copy when the tree is created.
fn to_copy(listing: &Listing, folder: &Path, protection: &dyn Protection) -> Vec<PathBuf> {
    let is_there = |reason| {
        matches!(reason, LeftOut::Ignored | LeftOut::Repository | LeftOut::Secret | LeftOut::TooLarge)
    };
    let left_out = listing.iter().filter(|(_, entry)| entry.left_out().is_some_and(is_there));
    let is_built = |path: &Path| {
        protection.origin(path, PathFacts::KNOWN) == Origin::Built
            || folder.join(path).join("CACHEDIR.TAG").exists()
    };
    left_out.map(|(path, _)| PathBuf::from(path)).filter(|path| !is_built(path)).collect()
}

/// The patterns of each `.gitignore`, by its folder.
fn ignored_by(store: &mut Store, listing: &Listing) -> Result<BTreeMap<PathBuf, Rules>, Error> {
    let _lock = store.lock()?;
    let mut rules = BTreeMap::new();
    for (path, entry) in listing {
        let path = Path::new(path);
        if !path.ends_with(".gitignore") {
            continue;
        }
        if let Entry { kind: EntryKind::File { digest, .. }, .. } = entry {
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            rules.insert(folder, Rules::parse(&store.objects.content(*digest)?));
        }
    }
    Ok(rules)
}

fn is_ignored(rules: &BTreeMap<PathBuf, Rules>, path: &Path, is_folder: bool) -> bool {
    use std::os::unix::ffi::OsStrExt as _;
    let verdict = |folder: &Path| {
        let below = path.strip_prefix(folder).ok()?;
        rules.get(folder)?.verdict(below.as_os_str().as_bytes(), is_folder)
    };
    path.ancestors().skip(1).find_map(verdict).unwrap_or(false)
}
