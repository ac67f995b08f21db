//! The folders of a user that programs in a sandbox need: toolchains, caches, and the state of agents.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
};

use loop_guardrails::policy::workspace::has_token_of_git;

/// Toolchains and settings in the home folder. Programs read them.
const TOOLCHAINS: &[&str] = &[
    ".asdf",
    ".bun",
    ".cargo",
    ".config/git",
    ".deno",
    ".gem",
    ".ghcup",
    ".gitconfig",
    ".julia",
    ".local/bin",
    ".local/lib",
    ".local/share/mise",
    ".local/share/pnpm",
    ".local/share/uv",
    ".nix-profile",
    ".nvm",
    ".opam",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".sdkman",
    ".swiftly",
    ".volta",
    "go",
    "n",
];

/// Secrets in the folders of toolchains.
const SECRETS: &[&str] = &[
    ".bunfig.toml",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".config/git/credentials",
    ".gem/credentials",
    ".local/share/uv/credentials",
    ".npmrc",
    ".nvm/.npmrc",
];

/// Caches in the home folder that build tools write.
const CACHES: &[&str] = &[
    ".cache/go-build",
    ".cache/pip",
    ".cache/pnpm",
    ".cache/uv",
    ".cache/yarn",
    ".cargo/.global-cache",
    ".cargo/.package-cache",
    ".cargo/.package-cache-mutate",
    ".cargo/git",
    ".cargo/registry",
    ".gradle/caches",
    ".m2/repository",
    ".npm/_cacache",
    ".npm/_logs",
    ".rustup/settings.toml",
    "go/pkg",
];

/// The same caches in a folder that a variable such as `CARGO_HOME` names.
const MOVED_CACHES: &[&str] =
    &[".global-cache", ".package-cache", ".package-cache-mutate", "git", "registry", "settings.toml", "pkg"];

/// The folders and files in the home folder that an agent writes for itself. The first is created if it is missing, so
/// that an agent can start for the first time.
const AGENTS: &[(&str, &[&str])] = &[
    (
        "claude",
        &[
            ".claude",
            ".claude.json",
            ".claude.json.backup",
            ".claude.json.lock",
            ".cache/claude-cli-nodejs",
            ".local/share/claude",
            ".local/state/claude",
        ],
    ),
    ("codex", &[".codex"]),
    ("gemini", &[".gemini"]),
    (
        "opencode",
        &[
            ".local/share/opencode",
            ".cache/opencode",
            ".config/opencode",
            ".local/state/opencode",
            ".opencode",
        ],
    ),
    ("pi", &[".pi"]),
    ("aider", &[".aider", ".cache/litellm"]),
];

/// Variables that name another folder for the state of an agent.
const MOVED: &[(&str, &str)] = &[("claude", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")];

/// The folders that the variables of a user name.
///
/// ```
/// use std::path::Path;
/// use loop_agents::process::sandbox::UserFolders;
///
/// let folders = UserFolders::of(|name| (name == "HOME").then(|| "/home/ann".into()));
/// assert_eq!(folders.expand("~/.cargo").as_deref(), Some(Path::new("/home/ann/.cargo")));
/// assert_eq!(folders.agent_state("codex")[0], Path::new("/home/ann/.codex"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserFolders {
    home: Option<PathBuf>,
    temporary: Option<PathBuf>,
    /// The folders of `PATH`.
    programs: Vec<PathBuf>,
    /// Toolchains that variables name.
    named: Vec<PathBuf>,
    /// An agent, and the folder that a variable names for its state.
    moved: Vec<(&'static str, PathBuf)>,
}

impl UserFolders {
    /// Reads the variables of a user.
    pub fn of(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let folder = |name: &str| variable(name).map(PathBuf::from).and_then(without_parents);
        let programs = variable("PATH").map(|path| env::split_paths(&path).collect::<Vec<_>>());
        Self {
            home: folder("HOME").map(|home| home.canonicalize().unwrap_or(home)),
            temporary: folder("TMPDIR"),
            programs: programs
                .unwrap_or_default()
                .into_iter()
                .filter_map(without_parents)
                .map(|path| path.canonicalize().unwrap_or(path))
                .collect(),
            named: ["CARGO_HOME", "RUSTUP_HOME", "GOPATH", "NVM_DIR"]
                .into_iter()
                .filter_map(folder)
                .collect(),
            moved: MOVED.iter().filter_map(|(agent, name)| Some((*agent, folder(name)?))).collect(),
        }
    }

    /// Returns the home folder.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Returns the folder for temporary files.
    pub fn temporary(&self) -> &Path {
        self.temporary.as_deref().unwrap_or(Path::new("/tmp"))
    }

    /// Returns a path whose `~` at the beginning is the home folder, or `None` without a home folder.
    pub fn expand(&self, path: &str) -> Option<PathBuf> {
        match path.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) if rest.starts_with('/') => {
                Some(self.home.as_ref()?.join(rest.trim_start_matches('/')))
            }
            _ => Some(PathBuf::from(path)),
        }
    }

    /// Returns the toolchains: those that exist in the home folder, and the installations whose `bin` folder is in
    /// `PATH`. A link in such a folder leads to its target.
    pub fn toolchains(&self) -> Vec<PathBuf> {
        let in_home = self.in_home(TOOLCHAINS);
        let installed = self.programs.iter().flat_map(|folder| self.installation(folder));
        let mut all: Vec<_> = in_home.chain(self.named.iter().cloned()).chain(installed).collect();
        all.retain(|path| path.exists() && !self.is_too_wide(path));
        all.sort();
        all.dedup();
        all
    }

    /// Returns the paths of secrets in the folders of toolchains, which need not exist, and the settings of git if they
    /// contain a token. Git cannot work without its settings.
    pub fn secrets(&self) -> Vec<PathBuf> {
        let moved = self
            .named
            .iter()
            .flat_map(|folder| ["credentials", "credentials.toml", ".npmrc"].map(|name| folder.join(name)));
        let of_git =
            self.in_home(&[".gitconfig", ".config/git/config"]).filter(|path| has_token_of_git(path));
        self.in_home(SECRETS).chain(moved).chain(of_git).collect()
    }

    /// Returns the existing caches that build tools write.
    pub fn caches(&self) -> Vec<PathBuf> {
        let moved = self.named.iter().flat_map(|folder| MOVED_CACHES.iter().map(|name| folder.join(name)));
        self.in_home(CACHES).chain(moved).filter(|path| path.exists()).collect()
    }

    /// Returns the paths that a known agent writes for itself. They need not exist.
    pub fn agent_state(&self, agent: &str) -> Vec<PathBuf> {
        let moved = self.moved.iter().filter(|(name, _)| *name == agent).map(|(_, path)| path.clone());
        let own = AGENTS.iter().filter(|(name, _)| *name == agent).flat_map(|(_, paths)| self.in_home(paths));
        moved.chain(own).collect()
    }

    fn in_home(&self, names: &'static [&'static str]) -> impl Iterator<Item = PathBuf> {
        self.home.iter().flat_map(move |home| names.iter().map(move |name| home.join(name)))
    }

    /// Returns the folder of an installation, and the targets of the links to its programs.
    fn installation(&self, programs: &Path) -> Vec<PathBuf> {
        let mut found = vec![programs.to_owned()];
        let is_bin = ["bin", "shims"].iter().any(|name| programs.ends_with(name));
        if let Some(above) = programs.parent().filter(|_| is_bin) {
            found.push(above.to_owned());
        }
        // The system's own programs are readable anyway.
        if self.home.as_ref().is_some_and(|home| programs.starts_with(home)) {
            let entries = fs::read_dir(programs).into_iter().flatten().flatten();
            let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
            let targets = links.filter_map(|link| link.path().canonicalize().ok());
            found.extend(targets.filter_map(|target| target.parent().map(Path::to_owned)));
        }
        found
    }

    /// Returns whether a folder contains much more than programs. Links are followed, so that a linked home folder is
    /// found too.
    fn is_too_wide(&self, path: &Path) -> bool {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let is = |wide: PathBuf| wide.canonicalize().unwrap_or(wide) == real;
        let home = self.home.as_deref().unwrap_or(Path::new("/"));
        home.starts_with(&real)
            || ["/", "/usr", "/tmp"].iter().any(|wide| is(PathBuf::from(wide)))
            || self.in_home(&[".local", ".local/share", ".config"]).any(is)
    }
}

/// Returns an absolute path without a `..` in it, which a sandbox would refuse. A relative path, and one with `..` that
/// does not exist, names nothing that programs need.
fn without_parents(path: PathBuf) -> Option<PathBuf> {
    if path.components().any(|component| component == Component::ParentDir) {
        return path.is_absolute().then(|| path.canonicalize().ok())?;
    }
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests;
