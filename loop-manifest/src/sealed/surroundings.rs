//! Files outside of the folder that change how a check judges.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{conventions::CONFIGURATION, patterns::Patterns};
use crate::context::ExecutionContext;

/// Files in a home folder that configure test runners and other tools, or run before them.
const IN_HOME: &[&str] = &[
    ".cargo/config",
    ".cargo/config.toml",
    ".config/flake8",
    ".config/git/attributes",
    ".config/git/config",
    ".config/go/env",
    ".config/mypy/config",
    ".config/pip/pip.conf",
    ".config/pycodestyle",
    ".config/pylintrc",
    ".config/ruff/.ruff.toml",
    ".config/ruff/pyproject.toml",
    ".config/ruff/ruff.toml",
    ".config/rustfmt/.rustfmt.toml",
    ".config/rustfmt/rustfmt.toml",
    ".gitconfig",
    ".pdbrc",
    ".pip/pip.conf",
    ".rustup/settings.toml",
];

/// Files of shells in a home folder, which a login or a terminal reads.
const OF_SHELLS: &[&str] =
    &[".bash_login", ".bash_profile", ".bashrc", ".profile", ".zlogin", ".zprofile", ".zshenv", ".zshrc"];

/// Files that tools look for in the folders above the one in which they run, beside the configuration of tests.
const ABOVE: &[&str] = &[
    ".cargo/config",
    ".envrc",
    ".justfile",
    "Cargo.toml",
    "Justfile",
    "Rakefile",
    "Taskfile.y*ml",
    "go.mod",
    "go.work",
    "justfile",
    "node_modules",
    "package.json",
    "pyproject.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
];

/// The identity of a file: inode, size, and the times of its last changes. `None` is no file.
type Identity = Option<(u64, u64, (i64, i64), (i64, i64))>;

/// The place that each name leads to, with its identity.
type Found = BTreeMap<PathBuf, (PathBuf, Identity)>;

/// The state of the surroundings at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Surroundings {
    files: BTreeMap<PathBuf, Identity>,
    /// The program that each name on PATH starts.
    programs: Found,
    /// The module of each name among the installed packages of Python, of which those of the user come first.
    #[serde(default)]
    modules: Found,
}

impl Surroundings {
    /// Looks at what matters to the command `line` in `tree`. `cx` has the variables that it sees.
    pub(super) fn of(tree: &Path, line: &str, cx: &ExecutionContext) -> Self {
        let programs = programs(tree, cx);
        let variable = |name| cx.variable(name).map(PathBuf::from);
        let home = variable("HOME");
        let config = variable("XDG_CONFIG_HOME");
        let of_shells = if starts_as_login(line) { OF_SHELLS } else { &[] };
        let in_home =
            home.iter().flat_map(|home| IN_HOME.iter().chain(of_shells).map(|name| home.join(name)));
        let in_config = config.iter().flat_map(|config| {
            IN_HOME.iter().filter_map(|name| name.strip_prefix(".config/")).map(|name| config.join(name))
        });
        let cargo = variable("CARGO_HOME");
        let of_cargo = cargo.iter().flat_map(|cargo| ["config", "config.toml"].map(|name| cargo.join(name)));
        let of_rustup = variable("RUSTUP_HOME").map(|rustup| rustup.join("settings.toml"));
        let above = tree.ancestors().skip(1).chain(home.as_deref()).flat_map(configuration_in);
        let python = ["python3", "python"].into_iter().filter_map(|name| programs.get(Path::new(name)));
        let libraries: Vec<_> =
            python.filter_map(|(python, _)| Some(python.parent()?.parent()?.join("lib"))).collect();
        let of_user = home.iter().map(|home| home.join(".local/lib"));
        let packages =
            libraries.iter().cloned().chain(of_user.clone()).flat_map(|library| packages(&library));
        let files = in_home.chain(in_config).chain(of_cargo).chain(of_rustup).chain(above).chain(packages);
        let files = files.map(|path| (path.clone(), identity(&path))).collect();
        let mut modules = BTreeMap::new();
        for (library, is_of_user) in of_user
            .map(|library| (library, true))
            .chain(libraries.into_iter().map(|library| (library, false)))
        {
            add_modules(&library, is_of_user, &mut modules);
        }
        Self { files, programs, modules }
    }

    /// Returns what is not as it was in `before`, in words.
    pub(super) fn change_since(&self, before: &Self) -> Option<String> {
        let changed = |(path, identity): (&PathBuf, &Identity)| {
            (before.files.get(path).copied().flatten() != *identity).then(|| path.display().to_string())
        };
        // New programs are welcome: what an agent installs hides no other one.
        let other = |kind: &'static str, now: &Found, before: &Found| {
            let changed = before.iter().find(|(name, before)| now.get(*name) != Some(before));
            changed.map(|(name, _)| format!("the {kind} `{}`", name.display()))
        };
        let is_gone =
            |(path, identity): &(&PathBuf, &Identity)| identity.is_some() && !self.files.contains_key(*path);
        let removed = before.files.iter().find(is_gone).map(|(path, _)| path);
        let removed = removed.map(|path| path.display().to_string());
        let changed = self.files.iter().find_map(changed);
        let changed = changed.or_else(|| other("program", &self.programs, &before.programs));
        changed.or_else(|| other("module of Python", &self.modules, &before.modules)).or(removed)
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

/// Returns the files of a folder that configure tests and tools, and those that could.
fn configuration_in(folder: &Path) -> Vec<PathBuf> {
    let (names, paths): (Vec<_>, Vec<_>) =
        CONFIGURATION.iter().chain(ABOVE).copied().partition(|name| !name.contains('/'));
    let (known, patterns): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| !name.contains('*'));
    let patterns = Patterns::of(patterns);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let matching = entries.filter(|name| patterns.decide(Path::new(name)) == Some(true));
    let matching: Vec<_> = matching.map(|name| folder.join(name)).collect();
    known.into_iter().chain(paths).map(|name| folder.join(name)).chain(matching).collect()
}

/// Adds the modules at the top of the installed packages below a folder with libraries. Somebody can update those of the
/// system, so that only their places count.
fn add_modules(library: &Path, is_of_user: bool, modules: &mut Found) {
    let read = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let versions = read(library.to_owned()).filter(|path| path.to_string_lossy().contains("/python"));
    let packages =
        versions.flat_map(|version| ["site-packages", "dist-packages"].map(|name| version.join(name)));
    let mut places: Vec<_> = packages.flat_map(read).collect();
    places.sort();
    for place in places {
        let is_module = place.extension().is_none_or(|end| end == "py" || end == "so");
        let name = place.file_name().and_then(OsStr::to_str).and_then(|name| name.split('.').next());
        let Some(name) = name.filter(|name| is_module && !name.starts_with("__")) else { continue };
        let file = if place.is_dir() { place.join("__init__.py") } else { place.clone() };
        let identity = if is_of_user { identity(&file) } else { None };
        modules.entry(name.into()).or_insert((place, identity));
    }
}

/// Returns whether a command starts a shell that reads the files of the user first.
fn starts_as_login(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
    words.windows(2).any(|pair| {
        let shell = pair[0].rsplit('/').next().unwrap_or_default();
        let is_zsh = shell == "zsh";
        let has_sign = !pair[1].starts_with("--") && pair[1].starts_with('-') && pair[1].contains(['l', 'i']);
        is_zsh || ["sh", "bash", "dash", "ksh"].contains(&shell) && (has_sign || pair[1] == "--login")
    })
}

/// Returns the program that each name on PATH starts. Folders in the tree are protected themselves.
fn programs(tree: &Path, cx: &ExecutionContext) -> Found {
    let mut programs = BTreeMap::new();
    let path = cx.variable("PATH").unwrap_or_default();
    for folder in
        std::env::split_paths(&path).filter(|folder| folder.is_absolute() && !folder.starts_with(tree))
    {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (name, place) = (PathBuf::from(entry.file_name()), entry.path());
            // A hidden file is one that somebody is about to rename: `pyenv` writes its programs in this way.
            let is_named = name.to_str().is_some_and(|name| !name.starts_with('.'));
            if is_named && !programs.contains_key(&name) && is_program(&place) {
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
        let look = || Surroundings::of(&tree, "bash -lc pytest", &cx);
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

    #[test]
    fn configuration_above_and_at_home_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let tree = dir.path().join("home/.cache/tree");
        fs::create_dir_all(&tree).unwrap();
        let home = dir.path().join("home").into_os_string();
        let cx = ExecutionContext::new(&tree, Supervisor::new("run-1")).unwrap();
        let cx = cx.with_variables([("HOME".into(), home)]);
        let look = |line: &str| Surroundings::of(&tree, line, &cx);
        for (name, line) in [
            ("home/.cache/pytest.toml", "pytest"),
            ("home/.mocharc.yml", "mocha"),
            ("home/.config/rustfmt/rustfmt.toml", "cargo fmt --check"),
            ("rustfmt.toml", "cargo fmt --check"),
            ("home/.rustup/settings.toml", "cargo test"),
            ("home/.config/git/config", "git diff --check"),
            ("home/.bash_profile", "bash -lc pytest"),
            ("home/.bashrc", "bash -ic 'pytest'"),
        ] {
            let (first, path) = (look(line), dir.path().join(name));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "x").unwrap();
            assert_eq!(look(line).change_since(&first), Some(path.display().to_string()), "{name}");
        }
        let first = look("bash -c pytest");
        fs::write(dir.path().join("home/.bash_login"), "").unwrap();
        assert_eq!(look("bash -c pytest").change_since(&first), None);
    }

    #[test]
    fn installed_modules_of_the_user_hide_no_other_ones() {
        let dir = tempfile::tempdir().unwrap();
        let [user, system] = ["home", "usr"].map(|name| dir.path().join(name).join("lib"));
        let of_version = |library: &Path| library.join("python3.12/site-packages");
        for library in [&user, &system] {
            fs::create_dir_all(of_version(library)).unwrap();
        }
        let look = || {
            let mut modules = Found::new();
            add_modules(&user, true, &mut modules);
            add_modules(&system, false, &mut modules);
            Surroundings { files: BTreeMap::new(), programs: BTreeMap::new(), modules }
        };
        fs::write(of_version(&system).join("pytest.py"), "").unwrap();
        fs::write(of_version(&user).join("own.py"), "").unwrap();
        let first = look();
        fs::write(of_version(&user).join("more.py"), "").unwrap();
        fs::write(of_version(&system).join("pytest.py"), "an update").unwrap();
        assert_eq!(look().change_since(&first), None);
        fs::write(of_version(&user).join("own.py"), "another").unwrap();
        assert_eq!(look().change_since(&first).as_deref(), Some("the module of Python `own`"));
        let first = look();
        fs::write(of_version(&user).join("pytest.py"), "").unwrap();
        assert_eq!(look().change_since(&first).as_deref(), Some("the module of Python `pytest`"));
    }
}
