//! The tree of one run, and the states that it judges.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

use loop_agents::process::sandbox::SANDBOX_PREFIX;
use loop_snapshots::{Error, FolderCopy, Renewed, SealedTree, SnapshotId};
use serde::{Deserialize, Serialize};

use super::{floor::TestsRun, named::NamedPaths, protected::ProtectedPaths, surroundings::Surroundings};
use crate::{
    context::{ExecutionContext, sealed_place},
    snapshots::{FolderSnapshots, SnapshotError},
};

/// Files that say what a project depends on.
const DEPENDENCIES: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "Gemfile",
    "Gemfile.lock",
    "Pipfile.lock",
    "bun.lock",
    "composer.lock",
    "go.mod",
    "go.sum",
    "mix.lock",
    "package-lock.json",
    "package.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pyproject.toml",
    "requirements.txt",
    "uv.lock",
    "yarn.lock",
];

fn in_file(path: &Path) -> impl FnOnce(io::Error) -> Error {
    |source| Error::File { path: path.to_owned(), source }
}

/// A sealed tree with the store behind it.
#[derive(Debug)]
pub(super) struct RunTree {
    tree: SealedTree,
    place: PathBuf,
}

/// The facts about a state before it is judged.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    pub(super) renewed: Renewed,
    /// The files about dependencies that differ from the first state.
    pub(super) dependencies: Vec<PathBuf>,
    /// Those of them for which the tree has what was installed when the run began.
    pub(super) with_old_ones: Vec<PathBuf>,
}

impl RunTree {
    /// Makes the tree at `place` for the run, or opens it if an earlier process of the run made it. Captures the state before
    /// the first iteration if that has not happened yet.
    ///
    /// # Errors
    /// Fails if the copies of an earlier process are gone or changed, and if a file cannot be used.
    pub(super) fn open(
        folder: &FolderSnapshots,
        run: &str,
        place: &Path,
        is_first: bool,
        protected: ProtectedPaths,
    ) -> Result<Self, SnapshotError> {
        if !is_first && !place.join("apart.list").exists() {
            let source = io::Error::new(io::ErrorKind::NotFound, "they are gone; begin a new run");
            return Err(Error::File { path: place.to_owned(), source }.into());
        }
        if is_first && !folder.has(run, 0)? {
            folder.capture(run, 0)?;
        }
        let mut store = folder.store()?;
        let first = store.snapshot(&SnapshotId::new(run, 0)?)?;
        let tree = SealedTree::create(&mut store, &first, place, Box::new(protected))?;
        let opened = Self { tree, place: place.to_owned() };
        opened.empty_temporary()?;
        Ok(opened)
    }

    /// Returns the tree.
    pub(super) const fn tree(&self) -> &SealedTree {
        &self.tree
    }

    /// Makes the tree that judges the state after this iteration.
    ///
    /// # Errors
    /// Fails if the state was not captured, or if a file cannot be used.
    pub(super) fn prepare(
        &mut self,
        folder: &FolderSnapshots,
        run: &str,
        number: u64,
    ) -> Result<Prepared, SnapshotError> {
        if !folder.has(run, number)? {
            folder.capture(run, number)?;
        }
        self.empty_temporary()?;
        let mut store = folder.store()?;
        let state = store.snapshot(&SnapshotId::new(run, number)?)?;
        let renewed = self.tree.renew(&mut store, &state)?;
        let changes = if number == 0 { Vec::new() } else { folder.changes(run, (0, number), &[])? };
        let dependencies: Vec<_> = changes
            .into_iter()
            .map(|change| change.path)
            .filter(|path| is_about_dependencies(path))
            .collect();
        let is_installed = |path: &&PathBuf| self.has_installed_beside(path);
        let with_old_ones = dependencies.iter().filter(is_installed).cloned().collect();
        Ok(Prepared { renewed, dependencies, with_old_ones })
    }

    /// Returns the folder for temporary files of the check. Nobody else's caches are in it.
    pub(super) fn temporary(&self) -> PathBuf {
        self.tree.folder().with_file_name("tmp")
    }

    fn empty_temporary(&self) -> Result<(), SnapshotError> {
        let path = self.temporary();
        let names = fs::create_dir_all(&path).and_then(|()| fs::read_dir(&path)).map_err(in_file(&path))?;
        for entry in names {
            let entry = entry.map_err(in_file(&path))?;
            let path = entry.path();
            let is_folder = entry.file_type().map_err(in_file(&path))?.is_dir();
            let is_of_sandbox = entry.file_name().as_encoded_bytes().starts_with(SANDBOX_PREFIX.as_bytes());
            if !is_folder {
                fs::remove_file(&path).map_err(in_file(&path))?;
            } else if is_of_sandbox && path.join("tmp").is_dir() {
                // The command with this sandbox exists already, and expects its folder.
                let inner = path.join("tmp");
                FolderCopy::discard(&inner)?;
                fs::create_dir(&inner).map_err(in_file(&inner))?;
            } else {
                FolderCopy::discard(&path)?;
            }
        }
        Ok(())
    }

    /// Returns whether the tree has what was installed for the folder of this file.
    fn has_installed_beside(&self, path: &Path) -> bool {
        let folder = self.place.join("apart").join(path.parent().unwrap_or(Path::new("")));
        ["node_modules", ".venv", "venv", "vendor"].iter().any(|name| folder.join(name).exists())
    }

    /// Takes over what the check of the first state built.
    pub(super) fn keep_built(&mut self, folder: &FolderSnapshots) -> Result<(), SnapshotError> {
        let mut store = folder.store()?;
        Ok(self.tree.keep_built(&mut store)?)
    }

    /// Returns the protected paths that a check or the setup changed in the tree. `touched` are those that the first check
    /// wrote again.
    pub(super) fn tampered(&self, touched: &BTreeSet<PathBuf>) -> Result<Vec<PathBuf>, SnapshotError> {
        Ok(self.tree.tampered(touched)?)
    }

    /// Returns the protected paths that a check wrote again, or whose mode it set.
    pub(super) fn touched(&self) -> Result<BTreeSet<PathBuf>, SnapshotError> {
        Ok(self.tree.touched()?)
    }
}

/// The facts from the first check, for an execution that continues the run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SealNotes {
    pub(super) named: NamedPaths,
    pub(super) surroundings: Surroundings,
    pub(super) tests: Option<TestsRun>,
    /// The protected files that the first check wrote again with the same content, or whose mode it set.
    #[serde(default)]
    pub(super) touched: BTreeSet<PathBuf>,
}

impl SealNotes {
    /// Reads what an earlier process of the run noted at `place`.
    ///
    /// # Errors
    /// There are no notes.
    pub(super) fn read(place: &Path) -> Result<Self, SnapshotError> {
        let path = notes_file(place);
        let notes =
            fs::read(&path).and_then(|notes| serde_json::from_slice(&notes).map_err(io::Error::other));
        notes.map_err(|error| {
            let why = format!("{error}; it has the notes of the first check, so begin a new run");
            Error::File { path, source: io::Error::new(error.kind(), why) }.into()
        })
    }

    /// Notes this for later processes of the run.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write(&self, place: &Path) -> Result<(), SnapshotError> {
        let path = notes_file(place);
        let notes = serde_json::to_vec(self).map_err(io::Error::other);
        let written = notes.and_then(|notes| fs::write(&path, notes));
        Ok(written.map_err(|source| Error::File { path, source })?)
    }
}

fn notes_file(place: &Path) -> PathBuf {
    place.join("notes.json")
}

/// Puts paths of the folder back to the state before the first iteration.
///
/// # Errors
/// Fails if a file cannot be written.
pub(super) fn put_back(folder: &FolderSnapshots, run: &str, paths: &[PathBuf]) -> Result<(), SnapshotError> {
    if paths.is_empty() {
        return Ok(());
    }
    let paths = topmost(paths);
    make_room(folder.folder(), &paths)?;
    let restore = |paths: &[PathBuf]| {
        let plan = folder.plan_restore(run, 0, paths)?;
        if plan.is_empty() { Ok(()) } else { plan.carry_out().map(|_| ()) }
    };
    let restored = restore(&paths);
    if !matches!(restored, Err(SnapshotError::Store(Error::Path { .. }))) {
        return restored;
    }
    // Nothing in an ignored folder can be restored.
    let ignoring: BTreeSet<_> = paths
        .iter()
        .flat_map(|path| path.ancestors().skip(1))
        .map(|above| above.join(".gitignore"))
        .collect();
    let is_there = |path: &PathBuf| fs::symlink_metadata(folder.folder().join(path)).is_ok();
    restore(&ignoring.into_iter().filter(is_there).collect::<Vec<_>>())?;
    restore(&paths)
}

/// Removes links and files in the places of folders. The snapshot that is judged has them.
fn make_room(folder: &Path, paths: &[PathBuf]) -> Result<(), SnapshotError> {
    let above = |path: &PathBuf| path.ancestors().skip(1).map(Path::to_owned).collect::<BTreeSet<_>>();
    for place in paths.iter().flat_map(above).filter(|above| !above.as_os_str().is_empty()) {
        let place = folder.join(place);
        if fs::symlink_metadata(&place).is_ok_and(|found| !found.is_dir()) {
            fs::remove_file(&place).map_err(in_file(&place))?;
        }
    }
    Ok(())
}

/// Writes the merged files of the tree into the folder. The version of the agent is in the snapshot that is judged.
///
/// # Errors
/// Fails if a file cannot be written.
pub(super) fn put_back_parts(folder: &Path, tree: &Path, paths: &[PathBuf]) -> Result<(), SnapshotError> {
    for path in paths {
        let (to, draft) = (folder.join(path), folder.join(path).with_file_name(".package.json.loop"));
        let mode = fs::symlink_metadata(&to).map(|found| found.permissions());
        let written = mode.and_then(|mode| {
            fs::copy(tree.join(path), &draft)?;
            fs::set_permissions(&draft, mode)?;
            fs::rename(&draft, &to)
        });
        written.map_err(|source| Error::File { path: to, source })?;
    }
    Ok(())
}

/// Leaves out what is below another path of the list, which is sorted.
pub(super) fn topmost(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut topmost: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !topmost.last().is_some_and(|last| path.starts_with(last)) {
            topmost.push(path.clone());
        }
    }
    topmost
}

fn is_about_dependencies(path: &Path) -> bool {
    path.file_name().and_then(OsStr::to_str).is_some_and(|name| DEPENDENCIES.contains(&name))
}

/// The folder for the tree of the run of this context; `None` if there is no place for copies.
pub(super) fn place(cx: &ExecutionContext) -> Option<PathBuf> {
    cx.copies().map(|copies| sealed_place(&copies))
}
