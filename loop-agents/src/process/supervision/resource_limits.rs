//! Limits on what all commands of a run use together.
//!
//! A limit of each process stops no agent that starts a thousand of them. The kernel counts a control group as a whole, so
//! the commands are born in a group of their own, which has the limits. This process stays outside: an agent that uses up
//! everything must not keep its supervision from working.

use std::{
    fs,
    io::{self, ErrorKind},
    num::NonZeroU64,
    path::{Path, PathBuf},
    sync::MutexGuard,
};

use super::{
    Supervisor,
    cgroup::{Cgroup, Hierarchy, join},
};

/// The most that all commands of a run can use together, with everything that they start.
///
/// # Default
/// No limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ResourceLimits {
    /// The most processes at a time. Each thread counts as one.
    pub processes: Option<NonZeroU64>,
    /// The most memory, in bytes. The kernel kills a process when it is used up. Nothing is moved to swap space.
    pub memory: Option<NonZeroU64>,
}

impl ResourceLimits {
    /// Returns whether there is no limit.
    pub const fn is_empty(&self) -> bool {
        self.processes.is_none() && self.memory.is_none()
    }

    /// Returns the names of the controllers that count this.
    fn controllers(&self) -> Vec<&'static str> {
        let named = [("pids", self.processes), ("memory", self.memory)];
        named.into_iter().filter(|(_, limit)| limit.is_some()).map(|(name, _)| name).collect()
    }
}

/// The reason why this system cannot limit the commands of a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// Nothing counts what a group uses.
    #[error("this system has no control groups of version 2 (cgroup v2)")]
    NoControlGroups,
    /// The system counts, but not by these groups.
    #[error(
        "the control groups of version 2 in {} have no controller for {}. A system that uses version 1 has it there",
        folder.display(), missing.join(" and ")
    )]
    NoController {
        /// The folder of the groups.
        folder: PathBuf,
        /// The names of the missing controllers.
        missing: Vec<&'static str>,
    },
    /// The system does not let this process create such a group.
    #[error(
        "no control group with limits can be created in {}. In a systemd session, `systemd-run --user --scope` starts a \
         command that can create one",
        folder.display()
    )]
    Refused {
        /// The folder of the groups.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// A group with limits, in which commands are born.
#[derive(Debug)]
pub(super) struct LimitedGroup {
    group: Cgroup,
    /// The folder of the group in which this process stays.
    home: PathBuf,
}

impl LimitedGroup {
    /// Creates the group of this run, in the nearest group around this process whose system allows that.
    ///
    /// # Errors
    /// None of them allows it. The error tells about the nearest one.
    pub(super) fn create(
        hierarchy: &Hierarchy,
        run: &str,
        limits: ResourceLimits,
    ) -> Result<Self, LimitError> {
        let mut nearest = None;
        for around in hierarchy.around() {
            match Self::create_in(around, hierarchy, run, limits) {
                Ok(created) => return Ok(created),
                Err(error) => drop(nearest.get_or_insert(error)),
            }
            // A group beside the one of another run would escape its limits and its end.
            if Cgroup::is_of_run(around) {
                break;
            }
        }
        Err(nearest.unwrap_or(LimitError::NoControlGroups))
    }

    fn create_in(
        folder: &Path,
        hierarchy: &Hierarchy,
        run: &str,
        limits: ResourceLimits,
    ) -> Result<Self, LimitError> {
        let refused = |source| LimitError::Refused { folder: folder.to_owned(), source };
        let words = |name: &str| fs::read_to_string(folder.join(name)).map_err(refused);
        let lacks = |words: &str| -> Vec<_> {
            let is_missing = |name: &&str| words.split_whitespace().all(|word| word != *name);
            limits.controllers().into_iter().filter(is_missing).collect()
        };
        let disabled = lacks(&words("cgroup.subtree_control")?);
        if !disabled.is_empty() {
            let missing = lacks(&words("cgroup.controllers")?);
            if !missing.is_empty() {
                return Err(LimitError::NoController { folder: folder.to_owned(), missing });
            }
            let enabled: Vec<_> = disabled.iter().map(|name| format!("+{name}")).collect();
            fs::write(folder.join("cgroup.subtree_control"), enabled.join(" ")).map_err(refused)?;
        }
        let group = Cgroup::create_in(folder, run).map_err(refused)?;
        let created = Self { group, home: hierarchy.own.clone() };
        match created.set(limits).and_then(|()| created.inside(|| Ok(()))) {
            Ok(()) => Ok(created),
            Err(error) => {
                created.group.remove();
                Err(refused(error))
            }
        }
    }

    /// Sets the limits, and removes those that are not among them.
    pub(super) fn set(&self, limits: ResourceLimits) -> io::Result<()> {
        let word = |limit: Option<NonZeroU64>| limit.map_or("max".to_owned(), |limit| limit.to_string());
        let set = |name: &str, limit: Option<NonZeroU64>| {
            match fs::write(self.group.file(name), word(limit)) {
                // Without its controller, the group has no such file, and nothing to remove.
                Err(error) if error.kind() == ErrorKind::NotFound && limit.is_none() => Ok(()),
                Err(error) if error.kind() == ErrorKind::PermissionDenied && limit.is_none() => Ok(()),
                written => written,
            }
        };
        set("pids.max", limits.processes)?;
        set("memory.max", limits.memory)?;
        if limits.memory.is_some() {
            match fs::write(self.group.file("memory.swap.max"), "0") {
                // A kernel that cannot count swap space.
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {}
                written => written?,
            }
        }
        Ok(())
    }

    /// Runs `spawn` while this process is in the group, so that what it starts is born there. One thread does so at a
    /// time: the supervisor's lock is held.
    ///
    /// # Errors
    /// Those of `spawn`, and if this process cannot enter the group or leave it again.
    pub(super) fn inside<T>(&self, spawn: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        join(self.group.folder())?;
        let started = spawn();
        join(&self.home)?;
        started
    }

    pub(super) fn group(&self) -> &Cgroup {
        &self.group
    }
}

/// Returns whether this process can limit what commands use, by trying it: a group with these limits is created, entered,
/// left and removed. Without limits, nothing is tried.
///
/// # Errors
/// The reason why it cannot.
///
/// ```
/// use loop_agents::process::{ResourceLimits, try_limits};
///
/// let limits = ResourceLimits { processes: 64.try_into().ok(), memory: None };
/// if let Err(reason) = try_limits(limits) {
///     println!("{reason}");
/// }
/// ```
pub fn try_limits(limits: ResourceLimits) -> Result<(), LimitError> {
    Supervisor::new(format!("trial-{}", std::process::id())).try_limits(limits)
}

impl Supervisor {
    /// Limits what all commands under this supervisor use together, from now on. Commands that run already are not
    /// limited. New limits replace earlier ones.
    ///
    /// Each command then costs two moves of this process between control groups, which take some milliseconds.
    ///
    /// # Errors
    /// This system does not let this process limit them: see [`LimitError`].
    pub fn limit(&self, limits: ResourceLimits) -> Result<(), LimitError> {
        let mut limited = self.limited();
        match &*limited {
            Some(group) => group
                .set(limits)
                .map_err(|source| LimitError::Refused { folder: group.group.folder().to_owned(), source }),
            None if limits.is_empty() => Ok(()),
            None => {
                *limited = Some(self.create_limited(limits)?);
                Ok(())
            }
        }
    }

    /// Tries whether [`limit`](Self::limit) works, as [`try_limits`] does, and limits nothing.
    ///
    /// # Errors
    /// Those of [`limit`](Self::limit).
    pub fn try_limits(&self, limits: ResourceLimits) -> Result<(), LimitError> {
        if limits.is_empty() || self.limited().is_some() {
            return Ok(());
        }
        let was_inside = self.0.group().is_some();
        self.create_limited(limits)?.group.remove();
        if was_inside {
            *self.0.group() = self.entered();
        }
        Ok(())
    }

    fn create_limited(&self, limits: ResourceLimits) -> Result<LimitedGroup, LimitError> {
        // What the group of the whole run finds, the limited one finds as well.
        let entered = self.0.group().take().map(|group| (group.leave(), group.remove()));
        let created = match Hierarchy::of_system() {
            Some(hierarchy) => LimitedGroup::create(&hierarchy, self.run(), limits),
            None => Err(LimitError::NoControlGroups),
        };
        if created.is_err() && entered.is_some() {
            *self.0.group() = self.entered();
        }
        created
    }

    /// Starts a command in the limited group of its supervisor, if there is one.
    pub(in crate::process) fn start_limited<T>(
        supervisor: Option<&Self>,
        spawn: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        match supervisor.map(Self::limited).as_deref() {
            Some(Some(group)) => group.inside(spawn),
            _ => spawn(),
        }
    }

    fn limited(&self) -> MutexGuard<'_, Option<LimitedGroup>> {
        self.0.limited()
    }
}

#[cfg(test)]
mod tests;
