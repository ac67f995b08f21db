//! Files outside of the folder that change how a check judges.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::context::ExecutionContext;

/// Files in a home folder that configure test runners, or run before them.
const IN_HOME: &[&str] = &[
    ".cargo/config",
    ".cargo/config.toml",
    ".config/go/env",
    ".config/pip/pip.conf",
    ".gitconfig",
    ".npmrc",
    ".pdbrc",
    ".pytest.ini",
    ".yarnrc.yml",
];

/// Files that test runners look for in the folders above the one in which they run.
const ABOVE: &[&str] = &[
    ".cargo/config",
    ".cargo/config.toml",
    ".npmrc",
    ".pytest.ini",
    "Cargo.toml",
    "babel.config.js",
    "conftest.py",
    "go.mod",
    "go.work",
    "jest.config.js",
    "node_modules",
    "package.json",
    "pyproject.toml",
    "pytest.ini",
    "rust-toolchain",
    "rust-toolchain.toml",
    "setup.cfg",
    "tox.ini",
    "tsconfig.json",
];

/// The identity of a file: inode, size, and the times of its last changes. `None` is no file.
type Identity = Option<(u64, u64, (i64, i64), (i64, i64))>;

/// The state of the surroundings at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Surroundings {
    files: BTreeMap<PathBuf, Identity>,
    /// The program that each name on PATH starts.
    programs: BTreeMap<PathBuf, (PathBuf, Identity)>,
}

impl Surroundings {
    /// Looks at what matters to commands in `tree`. `cx` has the variables that they see.
    pub(super) fn of(tree: &Path, cx: &ExecutionContext) -> Self {
        let programs = programs(tree, cx);
        let home = cx.variable("HOME").map(PathBuf::from);
        let cargo = cx.variable("CARGO_HOME").map(PathBuf::from);
        let in_home = home.iter().flat_map(|home| IN_HOME.iter().map(|name| home.join(name)));
        let of_cargo = cargo.iter().flat_map(|cargo| ["config", "config.toml"].map(|name| cargo.join(name)));
        let above = tree.ancestors().skip(1).flat_map(|folder| ABOVE.iter().map(|name| folder.join(name)));
        let python = ["python3", "python"].into_iter().filter_map(|name| programs.get(Path::new(name)));
        let libraries = python.filter_map(|(python, _)| Some(python.parent()?.parent()?.join("lib")));
        let libraries = libraries.chain(home.iter().map(|home| home.join(".local/lib")));
        let packages = libraries.flat_map(|library| packages(&library));
        let files = in_home.chain(of_cargo).chain(above).chain(packages);
        let files = files.map(|path| (path.clone(), identity(&path))).collect();
        Self { files, programs }
    }

    /// Returns what is not as it was in `before`, in words.
    pub(super) fn change_since(&self, before: &Self) -> Option<String> {
        let changed = |(path, identity): (&PathBuf, &Identity)| {
            (before.files.get(path) != Some(identity)).then(|| path.display().to_string())
        };
        // New programs are welcome: what an agent installs hides no other one.
        let other = |(name, before): (&PathBuf, &(PathBuf, Identity))| {
            let now = self.programs.get(name);
            (now != Some(before)).then(|| format!("the program `{}`", name.display()))
        };
        let removed = before.files.keys().find(|path| !self.files.contains_key(*path));
        let removed = removed.map(|path| path.display().to_string());
        self.files.iter().find_map(changed).or_else(|| before.programs.iter().find_map(other)).or(removed)
    }
}

fn identity(path: &Path) -> Identity {
    let metadata = fs::metadata(path).ok()?;
    if metadata.is_dir() {
        // Programs write into their folders all the time.
        return Some((metadata.ino(), 0, (0, 0), (0, 0)));
    }
    let times = ((metadata.mtime(), metadata.mtime_nsec()), (metadata.ctime(), metadata.ctime_nsec()));
    Some((metadata.ino(), metadata.size(), times.0, times.1))
}

/// The files that Python reads at each start, below a folder with its libraries.
fn packages(lib: &Path) -> Vec<PathBuf> {
    let read = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found = Vec::new();
    for version in read(lib.to_owned()) {
        let packages = version.join("site-packages");
        found.extend(["sitecustomize.py", "usercustomize.py"].map(|name| packages.join(name)));
        found.extend(read(packages).filter(|path| path.extension() == Some(OsStr::new("pth"))));
    }
    found.sort();
    found
}

/// Returns the program that each name on PATH starts. Folders in the tree are protected themselves.
fn programs(tree: &Path, cx: &ExecutionContext) -> BTreeMap<PathBuf, (PathBuf, Identity)> {
    let mut programs = BTreeMap::new();
    let path = cx.variable("PATH").unwrap_or_default();
    for folder in
        std::env::split_paths(&path).filter(|folder| folder.is_absolute() && !folder.starts_with(tree))
    {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (name, place) = (PathBuf::from(entry.file_name()), entry.path());
            if name.to_str().is_some() && !programs.contains_key(&name) && is_program(&place) {
                let identity = identity(&place);
                programs.insert(name, (place, identity));
            }
        }
    }
    programs
}

fn is_program(place: &Path) -> bool {
    fs::metadata(place).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use loop_agents::process::Supervisor;

    use super::*;

    #[test]
    fn another_program_and_another_configuration_are_seen() {
        let dir = tempfile::tempdir().unwrap();
        let (home, early, late) =
            (dir.path().join("home"), dir.path().join("early"), dir.path().join("late"));
        let tree = home.join(".cache/tree");
        for folder in [&tree, &early, &late] {
            fs::create_dir_all(folder).unwrap();
        }
        let install = |folder: &Path| {
            fs::write(folder.join("pytest"), "#!/bin/sh\n").unwrap();
            fs::set_permissions(folder.join("pytest"), fs::Permissions::from_mode(0o755)).unwrap();
        };
        install(&late);
        let path = std::env::join_paths([&early, &late]).unwrap();
        let variables = [("HOME".into(), home.clone().into_os_string()), ("PATH".into(), path)];
        let cx = ExecutionContext::new(&tree, Supervisor::new("run-1")).unwrap().with_variables(variables);
        let look = || Surroundings::of(&tree, &cx);
        let first = look();
        assert_eq!(look().change_since(&first), None);
        install(&early);
        assert_eq!(look().change_since(&first).as_deref(), Some("the program `pytest`"));
        fs::remove_file(early.join("pytest")).unwrap();
        assert_eq!(look().change_since(&first), None);
        fs::write(home.join(".cache/conftest.py"), "").unwrap();
        assert_eq!(look().change_since(&first), Some(home.join(".cache/conftest.py").display().to_string()));
        fs::remove_file(home.join(".cache/conftest.py")).unwrap();
        fs::create_dir_all(home.join(".local/lib/python3.12/site-packages")).unwrap();
        fs::write(home.join(".local/lib/python3.12/site-packages/x.pth"), "").unwrap();
        assert!(look().change_since(&first).is_some());
    }
}
