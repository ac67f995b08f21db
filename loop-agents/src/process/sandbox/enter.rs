//! The way into a sandbox, for one thread.

use std::{
    collections::{BTreeSet, HashSet},
    io,
    os::fd::AsRawFd,
    path::{Path, PathBuf},
    thread,
};

use rustix::{
    fs::fstat,
    mount::{MountFlags, MountPropagationFlags, mount_bind, mount_change, mount_remount},
    thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities},
};

use super::{
    PreparedSandbox, SYSTEM_FOLDERS, SandboxError, SandboxNetwork, SandboxSupport,
    aliases::Aliases,
    file_rules::{self, OpenedRules},
    held::{FileId, HeldPath, open_without_links},
    hidden::ReadablePaths,
    private_network::PrivateNetwork,
    syscall_filter::SyscallFilter,
};
use crate::process::system::{keep_descriptors, unshare_mounts};

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
    // Rights that a file outside is given outlive the run.
    .union(CapabilitySet::SETFCAP)
    .union(CapabilitySet::SYS_CHROOT)
    .union(CapabilitySet::IPC_OWNER)
    .union(CapabilitySet::CHECKPOINT_RESTORE);

/// The steps by which a thread enters.
#[derive(Debug)]
pub(super) struct Boundary {
    /// The readable parts of the folders of the system. Commands cannot change these folders, so one look is enough.
    system: OpenedRules,
    /// Other paths to read. Each start looks at them again.
    read: Vec<PathBuf>,
    /// The hidden paths at which each start has to look.
    hidden: Vec<HeldPath>,
    /// The network of commands that reach listed hosts only.
    pub(super) network: Option<PrivateNetwork>,
    filter: Option<SyscallFilter>,
    support: SandboxSupport,
}

impl Boundary {
    /// # Errors
    /// A hidden path cannot be opened, a folder cannot be listed, or the architecture is unknown.
    pub(super) fn new(
        (read, write): (Vec<PathBuf>, &[PathBuf]),
        hidden: Vec<PathBuf>,
        network: &SandboxNetwork,
        support: SandboxSupport,
    ) -> Result<Self, SandboxError> {
        let is_written =
            |path: &Path| write.iter().any(|folder| folder.starts_with(path) || path.starts_with(folder));
        let is_system = |path: &PathBuf| {
            SYSTEM_FOLDERS.iter().any(|folder| path.starts_with(folder)) && !is_written(path)
        };
        let (system, read): (Vec<_>, Vec<_>) = read.into_iter().partition(is_system);
        let mut readable = ReadablePaths::default();
        let listed = system.iter().try_for_each(|path| readable.add(path, &hidden));
        let system = listed.and_then(|()| OpenedRules::readable(&readable)).map_err(SandboxError::Listing)?;
        let is_looked_at = |path: &PathBuf| read.iter().chain(write).any(|folder| path.starts_with(folder));
        let hidden = hidden.into_iter().filter(is_looked_at).map(|path| {
            let unopened = |source| SandboxError::Unhidden { path: path.clone(), source };
            HeldPath::open(path.clone()).map_err(unopened)
        });
        let is_online = *network != SandboxNetwork::None;
        let network = match network {
            SandboxNetwork::Hosts(hosts) if support.networks => Some(PrivateNetwork::create(hosts)),
            _ => None,
        };
        Ok(Self {
            system,
            hidden: hidden.collect::<Result<_, _>>()?,
            read,
            network: network.transpose().map_err(SandboxError::Network)?,
            filter: support.seccomp.then(|| SyscallFilter::new(is_online)).transpose()?,
            support,
        })
    }
}

pub(super) fn detect() -> SandboxSupport {
    let trial = |attempt: fn() -> u32| thread::spawn(attempt).join().unwrap_or_default();
    SandboxSupport {
        landlock_abi: trial(file_rules::abi),
        seccomp: trial(|| {
            let filter = SyscallFilter::new(false);
            u32::from(filter.is_ok_and(|filter| filter.apply().is_ok()))
        }) == 1,
        mounts: trial(|| u32::from(private_mounts().and_then(|()| Aliases::of_mounts()).is_ok())) == 1,
        networks: PrivateNetwork::is_possible(),
    }
}

/// Moves the calling thread into a mount namespace from which nothing spreads.
fn private_mounts() -> io::Result<()> {
    unshare_mounts()?;
    Ok(mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?)
}

/// Takes rights of root from the calling thread. A program that it executes does not get them back, because the rules
/// and the filter forbid new privileges.
fn drop_rights() -> io::Result<()> {
    let CapabilitySets { effective, permitted, inheritable } = capabilities(None)?;
    let [effective, permitted, inheritable] =
        [effective, permitted, inheritable].map(|set| set.difference(DROPPED));
    Ok(set_capabilities(None, CapabilitySets { effective, permitted, inheritable })?)
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
            self.enter().map_err(|error| io::Error::other(format!("cannot enter the sandbox: {error}")))?;
            spawn()
        };
        thread::scope(|scope| {
            let thread = thread::Builder::new().name("sandbox".to_owned()).spawn_scoped(scope, inside)?;
            thread.join().unwrap_or_else(|_| Err(io::Error::other("entering the sandbox panicked")))
        })
    }

    /// Puts the calling thread inside. It can never leave again.
    fn enter(&self) -> io::Result<()> {
        let (inner, boundary) = (&self.inner, &self.inner.boundary);
        let places = boundary.hidden.iter().map(HeldPath::places).collect::<io::Result<Vec<_>>>()?;
        if boundary.support.mounts {
            self.cover_all(&places)?;
        }
        boundary.network.as_ref().map_or(Ok(()), PrivateNetwork::enter)?;
        drop_rights()?;
        if boundary.support.landlock_abi > 0 {
            let (mut readable, hidden) = (ReadablePaths::default(), places.concat());
            boundary.read.iter().try_for_each(|path| readable.add(path, &hidden))?;
            let own = std::iter::once(&inner.temporary);
            let writable: Vec<_> =
                inner.write.iter().chain(&self.also_writable).chain(own).cloned().collect();
            file_rules::restrict(&boundary.system, &readable, &writable)?;
        }
        keep_descriptors()?;
        match &boundary.filter {
            Some(filter) => filter.apply().map_err(io::Error::other),
            None => Ok(()),
        }
    }

    /// Mounts something empty over the hidden paths in writable folders, in a namespace of this thread.
    ///
    /// # Errors
    /// A hidden file was moved meanwhile, so that something else was covered.
    fn cover_all(&self, places: &[Vec<PathBuf>]) -> io::Result<()> {
        let is_writable = |path: &&PathBuf| self.inner.write.iter().any(|folder| path.starts_with(folder));
        let to_cover: BTreeSet<_> = places.iter().flatten().filter(is_writable).collect();
        if to_cover.is_empty() {
            return Ok(());
        }
        private_mounts()?;
        let (covers, aliases) = (self.covers(), Aliases::of_mounts()?);
        mount_bind(&covers, &covers)?;
        mount_remount(&covers, MountFlags::BIND | MountFlags::RDONLY, "")?;
        let mut covered = HashSet::new();
        // What is in a hidden folder comes before the folder, whose cover takes its place.
        for path in to_cover.into_iter().rev() {
            covered.extend(cover(&covers, path)?);
            aliases.of(path).iter().try_for_each(|alias| cover(&covers, alias).map(drop))?;
        }
        for (held, places) in self.inner.boundary.hidden.iter().zip(places) {
            if places.iter().any(|path| is_writable(&path))
                && held.id()?.is_some_and(|id| !covered.contains(&id))
            {
                return Err(held.moved());
            }
        }
        Ok(())
    }
}

/// Mounts something empty, which nobody can write, over the file or folder at `path`. Returns what it covered. A file
/// that was removed since needs no cover.
fn cover(covers: &Path, path: &Path) -> io::Result<Option<FileId>> {
    let Some(place) = open_without_links(path)? else { return Ok(None) };
    let found = fstat(&place)?;
    let is_folder = found.st_mode & libc::S_IFMT == libc::S_IFDIR;
    let empty = covers.join(if is_folder { "folder" } else { "file" });
    // Over what was opened, whatever its path is by now.
    mount_bind(empty, format!("/proc/thread-self/fd/{}", place.as_raw_fd()))?;
    Ok(Some(FileId::of(&found)))
}
