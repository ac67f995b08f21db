//! Files outside of the folder that change how a check judges.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use loop_guardrails::policy::command::simple_commands;

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

/// What identifies a file: inode, size, and the times of its last changes. `None` is no file.
type Identity = Option<(u64, u64, (i64, i64), (i64, i64))>;

/// The state of the surroundings at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Surroundings {
    files: BTreeMap<PathBuf, Identity>,
    /// The file that each program of the command is.
    programs: BTreeMap<String, (Option<PathBuf>, Identity)>,
}

impl Surroundings {
    /// Looks at what matters to `command`, which runs in `tree`. `cx` has the variables that it sees.
    pub(super) fn of(command: &str, tree: &Path, cx: &ExecutionContext) -> Self {
        let mut files = BTreeMap::new();
        if let Some(home) = cx.variable("HOME").map(PathBuf::from) {
            let packages = python_packages(&home);
            for path in IN_HOME.iter().map(|name| home.join(name)).chain(packages) {
                files.insert(path.clone(), identity(&path));
            }
        }
        for folder in tree.ancestors().skip(1) {
            for path in ABOVE.iter().map(|name| folder.join(name)) {
                files.insert(path.clone(), identity(&path));
            }
        }
        let programs = simple_commands(command).into_iter().map(|found| found.program);
        let programs = programs.map(|program| {
            let place = place_of(&program, cx).filter(|place| !place.starts_with(tree));
            let identity = place.as_deref().and_then(identity);
            (program, (place, identity))
        });
        Self { files, programs: programs.collect() }
    }

    /// Returns what is not as it was in `before`, in words.
    pub(super) fn change_since(&self, before: &Self) -> Option<String> {
        let changed = |(path, identity): (&PathBuf, &Identity)| {
            (before.files.get(path) != Some(identity)).then(|| path.display().to_string())
        };
        let other = |(program, found): (&String, &(Option<PathBuf>, Identity))| {
            (before.programs.get(program) != Some(found)).then(|| format!("the program `{program}`"))
        };
        let removed = before.files.keys().find(|path| !self.files.contains_key(*path));
        let removed = removed.map(|path| path.display().to_string());
        self.files.iter().find_map(changed).or_else(|| self.programs.iter().find_map(other)).or(removed)
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

/// The files of the user's own Python packages that each start of Python reads.
fn python_packages(home: &Path) -> Vec<PathBuf> {
    let read = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found = Vec::new();
    for version in read(home.join(".local/lib")) {
        let packages = version.join("site-packages");
        found.extend(["sitecustomize.py", "usercustomize.py"].map(|name| packages.join(name)));
        found.extend(read(packages).filter(|path| path.extension() == Some(OsStr::new("pth"))));
    }
    found.sort();
    found
}

/// Returns the file that a name on PATH stands for.
fn place_of(program: &str, cx: &ExecutionContext) -> Option<PathBuf> {
    let path = cx.variable("PATH")?;
    let is_program = |place: &PathBuf| {
        fs::metadata(place).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(is_program)
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
        let look = || Surroundings::of("timeout 9 pytest -q", &tree, &cx);
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
