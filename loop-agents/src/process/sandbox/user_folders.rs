//! The folders of a user that programs in a sandbox need: toolchains, caches, and the state of agents.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
};

use loop_guardrails::policy::workspace::has_token_of_git;

use super::SYSTEM_FOLDERS;

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

/// Keys, passwords and logins in the home folder, of programs that are not among the toolchains.
const LOGINS: &[&str] = &[
    ".aws",
    ".azure",
    ".boto",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/sops",
    ".docker/config.json",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".local/share/keyrings",
    ".mozilla",
    ".netrc",
    ".password-store",
    ".pgpass",
    ".pypirc",
    ".s3cfg",
    ".ssh",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
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

/// A folder that an agent writes for itself. It is created if it is missing, so that the agent can start for the first
/// time.
struct AgentFolder {
    agent: &'static str,
    /// The path in the home folder.
    path: &'static str,
    /// A variable that names another folder, and the path in that.
    moved: Option<(&'static str, &'static str)>,
}

const fn owned(
    agent: &'static str,
    path: &'static str,
    moved: Option<(&'static str, &'static str)>,
) -> AgentFolder {
    AgentFolder { agent, path, moved }
}

/// The first folder of each agent contains its login.
const AGENT_FOLDERS: &[AgentFolder] = &[
    owned("claude", ".claude", Some(("CLAUDE_CONFIG_DIR", ""))),
    owned("codex", ".codex", Some(("CODEX_HOME", ""))),
    owned("gemini", ".gemini", Some(("GEMINI_CLI_HOME", ".gemini"))),
    owned("opencode", ".local/share/opencode", Some(("XDG_DATA_HOME", "opencode"))),
    owned("opencode", ".cache/opencode", Some(("XDG_CACHE_HOME", "opencode"))),
    owned("opencode", ".config/opencode", Some(("XDG_CONFIG_HOME", "opencode"))),
    owned("opencode", ".local/state/opencode", Some(("XDG_STATE_HOME", "opencode"))),
    owned("pi", ".pi/agent", Some(("PI_CODING_AGENT_DIR", ""))),
    owned("aider", ".aider", None),
];

/// Other folders and files in the home folder that an agent writes if they exist.
const AGENT_PATHS: &[(&str, &[&str])] = &[
    (
        "claude",
        &[
            ".claude.json",
            ".claude.json.backup",
            ".claude.json.lock",
            ".cache/claude-cli-nodejs",
            ".local/share/claude",
            ".local/state/claude",
        ],
    ),
    ("opencode", &[".opencode"]),
    ("pi", &[".pi"]),
    ("aider", &[".cache/litellm"]),
];

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
    /// The names of agents, with the folders that they write for themselves.
    agents: Vec<(&'static str, PathBuf)>,
}

impl UserFolders {
    /// Reads the variables of a user.
    pub fn of(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let folder = |name: &str| variable(name).map(PathBuf::from).and_then(without_parents);
        let programs = variable("PATH").map(|path| env::split_paths(&path).collect::<Vec<_>>());
        let home = folder("HOME").map(|home| home.canonicalize().unwrap_or(home));
        let of_agent = |known: &AgentFolder| {
            let moved = known.moved.and_then(|(name, below)| Some(joined(folder(name)?, below)));
            Some((known.agent, moved.or_else(|| Some(home.as_ref()?.join(known.path)))?))
        };
        Self {
            agents: AGENT_FOLDERS.iter().filter_map(of_agent).collect(),
            home,
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

    /// Returns the paths of keys, passwords and logins in the home folder, which need not exist. Those of agents are not
    /// among them: see [`agent_state`](Self::agent_state).
    pub fn logins(&self) -> impl Iterator<Item = PathBuf> {
        self.in_home(LOGINS)
    }

    /// Returns the existing caches that build tools write.
    pub fn caches(&self) -> Vec<PathBuf> {
        let moved = self.named.iter().flat_map(|folder| MOVED_CACHES.iter().map(|name| folder.join(name)));
        self.in_home(CACHES).chain(moved).filter(|path| path.exists()).collect()
    }

    /// Returns the folders that a known agent needs in order to start. They need not exist, and the agent cannot create
    /// them in a sandbox. The first one contains its login.
    pub fn agent_folders(&self, agent: &str) -> impl Iterator<Item = &Path> {
        self.agents.iter().filter(move |(name, _)| *name == agent).map(|(_, path)| path.as_path())
    }

    /// Returns the paths that a known agent writes for itself. They need not exist.
    pub fn agent_state(&self, agent: &str) -> Vec<PathBuf> {
        let others = AGENT_PATHS.iter().filter(|(name, _)| *name == agent);
        let others = others.flat_map(|(_, paths)| self.in_home(paths));
        self.agent_folders(agent).map(Path::to_owned).chain(others).collect()
    }

    fn in_home(&self, names: &'static [&'static str]) -> impl Iterator<Item = PathBuf> {
        self.home.iter().flat_map(move |home| names.iter().map(move |name| home.join(name)))
    }

    /// Returns the folder of an installation, and the installations of the targets of links to its programs.
    fn installation(&self, programs: &Path) -> Vec<PathBuf> {
        let mut found = around(programs);
        // The system's own programs are readable anyway.
        if !SYSTEM_FOLDERS.iter().any(|system| programs.starts_with(system)) {
            let entries = fs::read_dir(programs).into_iter().flatten().flatten();
            let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
            let targets = links.filter_map(|link| link.path().canonicalize().ok());
            found.extend(targets.filter_map(|target| Some(around(target.parent()?))).flatten());
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

/// Joins a path that may be empty, without a separator at the end.
fn joined(folder: PathBuf, below: &str) -> PathBuf {
    if below.is_empty() { folder } else { folder.join(below) }
}

/// Returns a folder of programs, and the folder around it that contains their libraries: all packages of npm, or the
/// folder above `bin`.
fn around(programs: &Path) -> Vec<PathBuf> {
    let mut found = vec![programs.to_owned()];
    let packages = programs.ancestors().filter(|folder| folder.ends_with("node_modules")).last();
    let is_bin = ["bin", "shims"].iter().any(|name| programs.ends_with(name));
    found.extend(packages.or_else(|| programs.parent().filter(|_| is_bin)).map(Path::to_owned));
    found
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
