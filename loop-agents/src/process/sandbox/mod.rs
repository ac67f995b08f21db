//! A boundary around a command that the kernel enforces.
//!
//! People let agents run overnight, with the rights of the person who sleeps. A list of harmless options is a friendly
//! first line, but a program that a model has written reads no list. This module asks the kernel to hold the line: a
//! command inside a sandbox, and everything that it starts, reads and writes only the folders that you name.
//!
//! - [`Sandbox`] describes the boundary. It is plain data.
//! - [`Sandbox::prepare`] compares the description with what this machine [enforces](SandboxSupport), and returns a
//!   [`PreparedSandbox`]. With [`Enforcement::Require`], the default, it refuses what it cannot enforce.
//! - [`Process::sandbox`](super::Process::sandbox) runs a command inside.
//!
//! # Promises
//! - Files: only the named folders, the system's folders and a private temporary folder. Landlock enforces this.
//! - Network: TCP and UDP, the listed hosts with [`SandboxNetwork::Hosts`], or nothing with [`SandboxNetwork::None`]. Unix, VSOCK, packet and raw sockets cannot be
//!   created in either case, because a service behind a Unix socket, such as Docker, would act with its own rights.
//!   Pairs of connected Unix sockets work.
//! - Kernel: no `ptrace`, `io_uring`, kernel keyrings, BPF, new namespaces, mounts, modules, or changes of the clock, and
//!   no shared memory, semaphores or message queues of System V, nor queues of POSIX. A filter of system calls (seccomp)
//!   refuses them. Linux Security Modules keep the memory and the environment of
//!   processes outside from being read through `/proc`.
//! - Signals reach only processes of the same sandbox, where Landlock has ABI 6 (Linux 6.12).
//! - Programs for another architecture, such as 32-bit programs on a 64-bit system, are killed.
//!
//! # Limits
//! Landlock does not cover the mode, the owner, the extended attributes and the times of files, `chdir`, and `stat`: a
//! command can change the mode of your files outside, and can see which files exist. Scheduling priorities and watching
//! files for changes (`inotify`) are not covered either.
//!
//! The list of hidden files is made when the sandbox is prepared. A file that appears later is not hidden. A hidden file
//! that a command moves stays hidden in the next start, and its hard links are not. A listed path that has become a link
//! since refuses the start. Descriptors that this process inherited are not passed on. Programs that need `/dev/shm` do not work inside.
//!
//! # Cost
//! The command starts on a thread of its own, which enters the sandbox before it starts the program. The kernel keeps
//! such restrictions per thread, and a new process inherits them. So no code has to run between `fork` and `exec`.

mod allowed_host;
mod error;
mod hidden;
mod prepared;
mod start;
mod support;
#[cfg(not(target_os = "linux"))]
mod unsupported;
mod user_folders;

#[cfg(target_os = "linux")]
mod aliases;
#[cfg(target_os = "linux")]
mod client_hello;
#[cfg(target_os = "linux")]
mod enter;
#[cfg(target_os = "linux")]
mod file_rules;
#[cfg(target_os = "linux")]
mod held;
#[cfg(target_os = "linux")]
mod private_network;
#[cfg(target_os = "linux")]
mod proxy;
#[cfg(target_os = "linux")]
mod proxy_request;
#[cfg(target_os = "linux")]
mod syscall_filter;

use std::path::{Component, Path, PathBuf};

pub use allowed_host::{AllowedHost, NoAllowedHost};
pub use error::SandboxError;
pub use prepared::{PreparedSandbox, SANDBOX_PREFIX};
pub use support::SandboxSupport;
pub use user_folders::UserFolders;

/// The network that a command in a sandbox may use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SandboxNetwork {
    /// TCP and UDP to any host.
    #[default]
    All,
    /// TCP to these hosts, through a proxy that variables such as `HTTPS_PROXY` name, and to servers inside of the sandbox.
    /// This needs a network namespace (`CAP_SYS_ADMIN`).
    Hosts(Vec<AllowedHost>),
    /// No sockets at all, not even to this machine. Pairs of connected Unix sockets still work.
    None,
}

/// The reaction to a machine that cannot enforce a part of a sandbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Enforcement {
    /// Refuse to prepare the sandbox.
    #[default]
    Require,
    /// Enforce the rest, and list what is missing in [`PreparedSandbox::shortfalls`].
    Warn,
}

/// Describes a sandbox.
///
/// # Default
/// Nothing to write but the private temporary folder, [`SYSTEM_FOLDERS`] to read, no hidden files but
/// [`SYSTEM_SECRETS`], TCP and UDP to any host, and [`Enforcement::Require`].
///
/// ```
/// use loop_agents::process::sandbox::{Sandbox, SandboxNetwork};
///
/// let sandbox = Sandbox::new().write("/work/project").read("/home/me/.cargo").network(SandboxNetwork::None);
/// assert!(sandbox.validate().is_ok());
/// assert!(Sandbox::new().write("/").validate().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    pub(super) write: Vec<PathBuf>,
    pub(super) read: Vec<PathBuf>,
    pub(super) hidden: Vec<PathBuf>,
    pub(super) network: SandboxNetwork,
    pub(super) enforcement: Enforcement,
    pub(super) shortfalls: Vec<String>,
}

/// The folders that programs need in order to start. Those that do not exist are left out.
pub const SYSTEM_FOLDERS: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc",
    "/opt",
    "/nix/store",
    "/proc",
    "/sys",
    "/run/systemd/resolve",
];

/// Files in the system's folders that hold secrets. An ordinary user cannot read them anyway, but root can.
pub const SYSTEM_SECRETS: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/ssl/private",
    "/etc/ssh/ssh_host_dsa_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/sudoers",
    "/etc/sudoers.d",
];

impl Default for Sandbox {
    fn default() -> Self {
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect();
        Self {
            write: Vec::new(),
            read: paths(SYSTEM_FOLDERS),
            hidden: paths(SYSTEM_SECRETS),
            network: SandboxNetwork::default(),
            enforcement: Enforcement::default(),
            shortfalls: Vec::new(),
        }
    }
}

impl Sandbox {
    /// Creates a sandbox with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets the command read, write and execute this folder or file, and everything below it. The path must be
    /// absolute, and it must exist when the sandbox is prepared.
    #[must_use]
    pub fn write(mut self, path: impl Into<PathBuf>) -> Self {
        self.write.push(path.into());
        self
    }

    /// Lets the command read and execute this folder or file, and everything below it. The path must be absolute. A
    /// path that does not exist is left out.
    #[must_use]
    pub fn read(mut self, path: impl Into<PathBuf>) -> Self {
        self.read.push(path.into());
        self
    }

    /// Replaces the readable paths, also the default [`SYSTEM_FOLDERS`].
    #[must_use]
    pub fn read_only_from(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.read = paths.into_iter().collect();
        self
    }

    /// Hides this file or folder, although it is in a folder that the command may read. The path must be absolute. A
    /// path that does not exist is left out. A path that cannot be looked for is a [shortfall](Self::shortfall).
    ///
    /// In a folder that the command can only read, Landlock can do this. In a folder that it can write, an empty file
    /// has to be mounted over the hidden one, which needs the right to mount (`CAP_SYS_ADMIN`).
    #[must_use]
    pub fn hide(mut self, path: impl Into<PathBuf>) -> Self {
        self.hidden.push(path.into());
        self
    }

    /// Sets the network that the command may use.
    #[must_use]
    pub fn network(mut self, network: SandboxNetwork) -> Self {
        self.network = network;
        self
    }

    /// Sets what to do if this machine cannot enforce a part.
    #[must_use]
    pub fn enforcement(mut self, enforcement: Enforcement) -> Self {
        self.enforcement = enforcement;
        self
    }

    /// Adds a part that does not hold, such as a folder in which nobody could look for secrets. It counts as one that
    /// this machine cannot enforce.
    #[must_use]
    pub fn shortfall(mut self, reason: impl Into<String>) -> Self {
        self.shortfalls.push(reason.into());
        self
    }

    /// Checks the description without looking at the machine.
    ///
    /// # Errors
    /// [`SandboxError::Path`] if a path is relative or has a `..` in it, or if the whole system is writable.
    pub fn validate(&self) -> Result<(), SandboxError> {
        for path in self.write.iter().chain(&self.read).chain(&self.hidden) {
            if !path.is_absolute() {
                return Err(SandboxError::path(path, "it is not absolute"));
            }
            if path.components().any(|part| part == Component::ParentDir) {
                return Err(SandboxError::path(path, "it has a `..` in it"));
            }
        }
        match self.write.iter().find(|path| path.as_path() == Path::new("/")) {
            Some(path) => Err(SandboxError::whole_system(path)),
            None => Ok(()),
        }
    }
}
