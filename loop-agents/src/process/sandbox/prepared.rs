//! A sandbox on this machine, ready for commands.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use tempfile::TempDir;

use super::{Enforcement, Sandbox, SandboxError, SandboxNetwork, SandboxSupport, hidden};
use crate::process::Environment;

/// A sandbox that this machine can enforce, with its private temporary folder. Clones share the folder, which is
/// removed with the last of them.
#[derive(Debug, Clone)]
pub struct PreparedSandbox {
    pub(super) inner: Arc<Prepared>,
    /// Files that one command may also write.
    pub(super) also_writable: Vec<PathBuf>,
}

#[derive(Debug)]
pub(super) struct Prepared {
    /// Removes the private temporary folder, and what is beside it.
    folder: TempDir,
    pub(super) temporary: PathBuf,
    pub(super) write: Vec<PathBuf>,
    shortfalls: Vec<String>,
    #[cfg(target_os = "linux")]
    pub(super) boundary: super::enter::Boundary,
}

impl Sandbox {
    /// Prepares this sandbox on this machine. `temporary` is the folder in which the private temporary folder is
    /// created.
    ///
    /// Blocks for about a millisecond. For root, it takes some more to look for closed files in `/etc`.
    ///
    /// # Errors
    /// [`SandboxError`] if the description is [invalid](Self::validate), if a writable path does not exist, or if this
    /// machine cannot enforce a part and [`Enforcement::Require`] is set.
    ///
    /// ```
    /// use std::future::pending;
    /// use loop_agents::process::{Process, sandbox::{Enforcement, Sandbox}};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let workspace = tempfile::tempdir()?;
    /// let sandbox = Sandbox::new().write(workspace.path()).enforcement(Enforcement::Warn);
    /// let sandbox = sandbox.prepare(&std::env::temp_dir())?;
    /// for shortfall in sandbox.shortfalls() {
    ///     eprintln!("{shortfall}");
    /// }
    /// let command = Process::shell("echo done > result").dir(workspace.path()).sandbox(sandbox);
    /// assert!(command.run(pending(), |_, _| {}).await?.exit.success());
    /// # Ok(()) }
    /// ```
    pub fn prepare(&self, temporary: &Path) -> Result<PreparedSandbox, SandboxError> {
        self.prepare_with(temporary, SandboxSupport::detect())
    }

    /// Prepares this sandbox for a machine with less support than `support`, or the same.
    ///
    /// # Errors
    /// Those of [`prepare`](Self::prepare).
    pub fn prepare_with(
        &self,
        temporary: &Path,
        support: SandboxSupport,
    ) -> Result<PreparedSandbox, SandboxError> {
        self.validate()?;
        let mut write = Vec::new();
        for path in &self.write {
            let found = path.canonicalize();
            let found = found.map_err(|source| SandboxError::Unopened { path: path.clone(), source })?;
            if found == Path::new("/") {
                return Err(SandboxError::whole_system(path));
            }
            write.push(found);
        }
        #[cfg(target_os = "linux")]
        let read = self.read.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let (mut hidden, unknown) = hidden::existing(&self.hidden);
        let (closed, unlisted) = hidden::of_root_only(&[&self.read[..], &self.write].concat());
        hidden.extend(closed);
        let is_writable = |path: &&PathBuf| write.iter().any(|folder| path.starts_with(folder));
        let covered: Vec<_> = hidden.iter().filter(is_writable).cloned().collect();
        let mut shortfalls = self.shortfalls.clone();
        shortfalls.extend(unknown.into_iter().chain(unlisted));
        shortfalls.extend(missing_support(support, &covered));
        if matches!(self.network, SandboxNetwork::Hosts(_)) && !support.networks {
            shortfalls.push(
                "the network cannot be limited to the listed hosts, because this process may not create a network of its \
                 own (it needs CAP_SYS_ADMIN). Use `none` or `all`"
                    .to_owned(),
            );
        }
        if self.enforcement == Enforcement::Require && !shortfalls.is_empty() {
            return Err(SandboxError::Unenforceable { missing: shortfalls });
        }
        let folder = tempfile::Builder::new().prefix(SANDBOX_PREFIX).tempdir_in(temporary);
        let folder = folder.map_err(SandboxError::Temporary)?;
        let temporary = create_content(folder.path()).map_err(SandboxError::Temporary)?;
        #[cfg(target_os = "linux")]
        let boundary = super::enter::Boundary::new((read, &write), hidden, &self.network, support)?;
        let inner = Arc::new(Prepared {
            folder,
            temporary,
            write,
            shortfalls,
            #[cfg(target_os = "linux")]
            boundary,
        });
        Ok(PreparedSandbox { inner, also_writable: Vec::new() })
    }
}

/// Lists the parts that a machine with this support cannot enforce.
fn missing_support(support: SandboxSupport, to_cover: &[PathBuf]) -> Vec<String> {
    let mut missing = Vec::new();
    let (abi, least) = (support.landlock_abi, SandboxSupport::MIN_LANDLOCK_ABI);
    if abi == 0 {
        missing
            .push("the kernel has no Landlock, or it is turned off, so files are not protected".to_owned());
    } else if abi < least {
        missing.push(format!(
            "Landlock has version {abi}, but {least} is needed, so files outside can be truncated"
        ));
    }
    if !support.seccomp {
        missing
            .push("system calls cannot be filtered, so neither the network nor ptrace is refused".to_owned());
    }
    if !support.mounts {
        missing.extend(to_cover.iter().map(|path| {
            format!(
                "{} is in a writable folder and cannot be hidden, because this process may not mount (it needs \
                 CAP_SYS_ADMIN). Move the file out of the folder",
                path.display()
            )
        }));
    }
    missing
}

/// Creates the folder for the command, and what covers hidden files and folders. Returns the former.
fn create_content(folder: &Path) -> io::Result<PathBuf> {
    let folder = folder.canonicalize()?;
    std::fs::create_dir_all(folder.join(COVERS).join("folder"))?;
    std::fs::write(folder.join(COVERS).join("file"), "")?;
    let temporary = folder.join("tmp");
    std::fs::create_dir(&temporary)?;
    Ok(temporary)
}

/// The names of private temporary folders of sandboxes begin with this.
pub const SANDBOX_PREFIX: &str = "loop-sandbox-";

/// The folder with an empty `file` and an empty `folder`, which cover what is hidden.
const COVERS: &str = "covers";

impl PreparedSandbox {
    /// Returns the private temporary folder. Commands see it as `TMPDIR`.
    pub fn temporary_folder(&self) -> &Path {
        &self.inner.temporary
    }

    /// Sets `TMPDIR`, the proxy if there is one, and a cache for the compiler of Go, which does not start without one, if it cannot write its own.
    pub(in crate::process) fn set_variables(&self, env: &mut Environment) {
        env.set("TMPDIR", self.temporary_folder());
        #[cfg(target_os = "linux")]
        if let Some(network) = &self.inner.boundary.network {
            network.set_variables(env);
        }
        let caches = env.get("XDG_CACHE_HOME").map(PathBuf::from);
        let caches = caches.or_else(|| Some(Path::new(env.get("HOME")?).join(".cache")));
        let own = caches.and_then(|caches| caches.join("go-build").canonicalize().ok());
        let is_writable = |own: PathBuf| self.inner.write.iter().any(|folder| own.starts_with(folder));
        if env.get("GOCACHE").is_none() && !own.is_some_and(is_writable) {
            env.set("GOCACHE", self.temporary_folder().join("go-build"));
        }
    }

    /// Returns the folder with what covers hidden files and folders.
    #[cfg(target_os = "linux")]
    pub(super) fn covers(&self) -> PathBuf {
        self.inner.folder.path().join(COVERS)
    }

    /// Returns the parts that this machine cannot enforce, each with its reason. Empty with [`Enforcement::Require`].
    pub fn shortfalls(&self) -> &[String] {
        &self.inner.shortfalls
    }

    /// Also lets commands write this file.
    #[cfg(feature = "shell")]
    pub(in crate::process) fn also_writable(mut self, path: &Path) -> Self {
        // A path without links is opened at the start. One that is gone by now is left out there.
        self.also_writable.push(path.canonicalize().unwrap_or_else(|_| path.to_owned()));
        self
    }
}

#[cfg(not(target_os = "linux"))]
impl PreparedSandbox {
    /// Starts a process without a boundary: only [`Enforcement::Warn`] gets here.
    pub(in crate::process) fn start<T: Send>(
        &self,
        spawn: impl FnOnce() -> io::Result<T> + Send,
    ) -> io::Result<T> {
        spawn()
    }
}
