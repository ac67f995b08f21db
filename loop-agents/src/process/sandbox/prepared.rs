//! A sandbox on this machine, ready for commands.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use tempfile::TempDir;

use super::{Enforcement, Sandbox, SandboxError, SandboxSupport, hidden};
use crate::process::Environment;

/// A sandbox that this machine can enforce, with its private temporary folder. Clones share the folder, which is
/// removed with the last of them.
#[derive(Debug, Clone)]
pub struct PreparedSandbox {
    inner: Arc<Prepared>,
    /// Files that one command may also write.
    also_writable: Vec<PathBuf>,
}

#[derive(Debug)]
struct Prepared {
    folder: TempDir,
    temporary: PathBuf,
    write: Vec<PathBuf>,
    read: Vec<PathBuf>,
    #[cfg(target_os = "linux")]
    hidden: Vec<super::held::HeldPath>,
    /// Whether hidden paths in writable folders are covered with something empty.
    #[cfg(target_os = "linux")]
    covers: bool,
    shortfalls: Vec<String>,
    #[cfg(target_os = "linux")]
    filter: Option<super::syscall_filter::SyscallFilter>,
    #[cfg(target_os = "linux")]
    has_landlock: bool,
}

impl Sandbox {
    /// Prepares this sandbox on this machine. `temporary` is the folder in which the private temporary folder is
    /// created.
    ///
    /// Blocks for a fraction of a millisecond.
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
        let read = self.read.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let (mut hidden, unknown) = hidden::existing(&self.hidden);
        let (closed, unlisted) = hidden::of_root_only(&[&self.read[..], &self.write].concat());
        hidden.extend(closed);
        let is_writable = |path: &&PathBuf| write.iter().any(|folder| path.starts_with(folder));
        let covered: Vec<_> = hidden.iter().filter(is_writable).cloned().collect();
        let mut shortfalls = self.shortfalls.clone();
        shortfalls.extend(unknown.into_iter().chain(unlisted));
        shortfalls.extend(missing_support(support, &covered));
        if self.enforcement == Enforcement::Require && !shortfalls.is_empty() {
            return Err(SandboxError::Unenforceable { missing: shortfalls });
        }
        #[cfg(target_os = "linux")]
        let hidden = hidden
            .into_iter()
            .map(|path| {
                let unopened = |source| SandboxError::Unhidden { path: path.clone(), source };
                super::held::HeldPath::open(path.clone()).map_err(unopened)
            })
            .collect::<Result<_, _>>()?;
        let folder = tempfile::Builder::new().prefix(SANDBOX_PREFIX).tempdir_in(temporary);
        let folder = folder.map_err(SandboxError::Temporary)?;
        let temporary = create_content(folder.path()).map_err(SandboxError::Temporary)?;
        let inner = Arc::new(Prepared {
            folder,
            temporary,
            write,
            read,
            #[cfg(target_os = "linux")]
            hidden,
            #[cfg(target_os = "linux")]
            covers: support.mounts,
            shortfalls,
            #[cfg(target_os = "linux")]
            filter: support
                .seccomp
                .then(|| super::syscall_filter::SyscallFilter::new(self.network))
                .transpose()?,
            #[cfg(target_os = "linux")]
            has_landlock: support.landlock_abi > 0,
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
    std::fs::write(folder.join(EMPTY_FILE), "")?;
    std::fs::create_dir(folder.join(EMPTY_FOLDER))?;
    let temporary = folder.join("tmp");
    std::fs::create_dir(&temporary)?;
    Ok(temporary)
}

/// The names of private temporary folders of sandboxes begin with this.
pub const SANDBOX_PREFIX: &str = "loop-sandbox-";
const EMPTY_FILE: &str = "empty-file";
const EMPTY_FOLDER: &str = "empty-folder";

impl PreparedSandbox {
    /// Returns the private temporary folder. Commands see it as `TMPDIR`.
    pub fn temporary_folder(&self) -> &Path {
        &self.inner.temporary
    }

    /// Sets `TMPDIR`, and a cache for the compiler of Go, which does not start without one, if it cannot write its own.
    pub(in crate::process) fn set_variables(&self, env: &mut Environment) {
        env.set("TMPDIR", self.temporary_folder());
        let caches = env.get("XDG_CACHE_HOME").map(PathBuf::from);
        let caches = caches.or_else(|| Some(Path::new(env.get("HOME")?).join(".cache")));
        let own = caches.and_then(|caches| caches.join("go-build").canonicalize().ok());
        let is_writable = |own: PathBuf| self.inner.write.iter().any(|folder| own.starts_with(folder));
        if env.get("GOCACHE").is_none() && !own.is_some_and(is_writable) {
            env.set("GOCACHE", self.temporary_folder().join("go-build"));
        }
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

#[cfg(target_os = "linux")]
pub(super) use linux::detect;

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        fs, io,
        path::{Path, PathBuf},
        thread,
    };

    use rustix::{
        mount::{MountFlags, MountPropagationFlags, mount_bind, mount_change, mount_remount},
        thread::{CapabilitySet, remove_capability_from_bounding_set},
    };

    use super::{EMPTY_FILE, EMPTY_FOLDER, PreparedSandbox};
    use crate::process::{
        sandbox::{
            SandboxNetwork, SandboxSupport, file_rules, held::HeldPath, hidden::ReadablePaths,
            syscall_filter::SyscallFilter,
        },
        system::{keep_descriptors, unshare_mounts},
    };

    /// The capabilities of root that a command in a sandbox must not have: each would lead out of it.
    const DROPPED: CapabilitySet = CapabilitySet::SYS_ADMIN
        .union(CapabilitySet::SYS_MODULE)
        .union(CapabilitySet::SYS_RAWIO)
        .union(CapabilitySet::SYS_PTRACE)
        .union(CapabilitySet::SYS_BOOT)
        .union(CapabilitySet::SYS_TIME)
        .union(CapabilitySet::SYSLOG)
        .union(CapabilitySet::NET_ADMIN)
        .union(CapabilitySet::NET_RAW)
        .union(CapabilitySet::MKNOD)
        .union(CapabilitySet::MAC_ADMIN)
        .union(CapabilitySet::MAC_OVERRIDE)
        .union(CapabilitySet::DAC_READ_SEARCH)
        .union(CapabilitySet::BPF)
        .union(CapabilitySet::PERFMON)
        .union(CapabilitySet::LINUX_IMMUTABLE)
        .union(CapabilitySet::AUDIT_CONTROL)
        .union(CapabilitySet::SYS_PACCT)
        .union(CapabilitySet::SYS_CHROOT)
        .union(CapabilitySet::IPC_OWNER)
        .union(CapabilitySet::CHECKPOINT_RESTORE);

    pub(in super::super) fn detect() -> SandboxSupport {
        let trial = |attempt: fn() -> u32| thread::spawn(attempt).join().unwrap_or_default();
        SandboxSupport {
            landlock_abi: trial(file_rules::abi),
            seccomp: trial(|| {
                let filter = SyscallFilter::new(SandboxNetwork::None);
                u32::from(filter.is_ok_and(|filter| filter.apply().is_ok()))
            }) == 1,
            mounts: trial(|| u32::from(private_mounts().is_ok())) == 1,
        }
    }

    /// Moves the calling thread into a mount namespace from which nothing spreads.
    fn private_mounts() -> io::Result<()> {
        unshare_mounts()?;
        Ok(mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?)
    }

    impl PreparedSandbox {
        /// Starts a process inside the sandbox.
        ///
        /// # Errors
        /// A part of the sandbox cannot be applied, or `spawn` fails. In the first case, `spawn` is not called.
        pub(in crate::process) fn start<T: Send>(
            &self,
            spawn: impl FnOnce() -> io::Result<T> + Send,
        ) -> io::Result<T> {
            let inside = || {
                self.enter()
                    .map_err(|error| io::Error::other(format!("cannot enter the sandbox: {error}")))?;
                spawn()
            };
            thread::scope(|scope| {
                let thread = thread::Builder::new().name("sandbox".to_owned()).spawn_scoped(scope, inside)?;
                thread.join().unwrap_or_else(|_| Err(io::Error::other("entering the sandbox panicked")))
            })
        }

        /// Puts the calling thread inside. It can never leave again.
        fn enter(&self) -> io::Result<()> {
            let inner = &self.inner;
            let hidden = inner.hidden.iter().map(HeldPath::places).collect::<io::Result<Vec<_>>>()?.concat();
            let is_writable = |path: &&PathBuf| inner.write.iter().any(|folder| path.starts_with(folder));
            let mut covered: Vec<_> = hidden.iter().filter(is_writable).filter(|_| inner.covers).collect();
            covered.sort();
            covered.dedup();
            if !covered.is_empty() {
                private_mounts()?;
                covered.into_iter().try_for_each(|path| self.cover(path))?;
            }
            for capability in DROPPED.iter() {
                // Only root has this right, and nobody else has the capabilities.
                let _ = remove_capability_from_bounding_set(capability);
            }
            if inner.has_landlock {
                let mut readable = ReadablePaths::default();
                inner.read.iter().try_for_each(|path| readable.add(path, &hidden))?;
                let own = std::iter::once(&inner.temporary);
                let writable: Vec<_> =
                    inner.write.iter().chain(&self.also_writable).chain(own).cloned().collect();
                file_rules::restrict(&readable, &writable)?;
            }
            keep_descriptors()?;
            match &inner.filter {
                Some(filter) => filter.apply().map_err(io::Error::other),
                None => Ok(()),
            }
        }

        /// Mounts something empty over `path`, in this thread's namespace, which nobody can write. A file that was
        /// removed since needs no cover.
        fn cover(&self, path: &Path) -> io::Result<()> {
            let empty = match fs::symlink_metadata(path) {
                Ok(found) if found.is_dir() => EMPTY_FOLDER,
                Ok(_) => EMPTY_FILE,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(error),
            };
            mount_bind(self.inner.folder.path().join(empty), path)?;
            Ok(mount_remount(path, MountFlags::BIND | MountFlags::RDONLY, "")?)
        }
    }
}
