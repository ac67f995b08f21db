//! The files of a sandbox, as rules of Landlock.

use std::{
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, LandlockStatus, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::fs::fstat;

use super::{held::open_without_links, hidden::ReadablePaths};

/// The version whose rights we handle. Older kernels handle those that they know.
const KNOWN: ABI = ABI::V6;

/// Devices without content of their own. Other terminals are not among them: whoever opens one of the same user reads what
/// a person types there, and answers for them.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Returns the version of Landlock on this machine, or 0.
pub(super) fn abi() -> u32 {
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V1))
        .and_then(Ruleset::create)
        // Some containers allow the other calls only.
        .and_then(|created| created.add_rules(path_beneath_rules(["/"], AccessFs::from_all(ABI::V1))))
        .and_then(RulesetCreated::restrict_self);
    match status.map(|status| status.landlock) {
        Ok(LandlockStatus::Available { effective_abi, kernel_abi }) => {
            kernel_abi.map_or(effective_abi as u32, i32::unsigned_abs)
        }
        _ => 0,
    }
}

/// Files and folders that were opened once, with what is allowed there.
#[derive(Debug)]
pub(super) struct OpenedRules(Vec<(OwnedFd, BitFlags<AccessFs>)>);

impl OpenedRules {
    /// # Errors
    /// A path is a link.
    pub(super) fn readable(paths: &ReadablePaths) -> io::Result<Self> {
        let mut opened = Self(Vec::new());
        opened.add(&paths.whole, AccessFs::from_read(KNOWN))?;
        opened.add(&paths.listed, AccessFs::ReadDir.into())?;
        Ok(opened)
    }

    /// Adds these paths, without those at which nothing is any more. A file has no rights of folders.
    fn add(&mut self, paths: &[PathBuf], access: BitFlags<AccessFs>) -> io::Result<()> {
        for path in paths {
            let Some(opened) = open_without_links(path)? else { continue };
            let is_folder = fstat(&opened)?.st_mode & libc::S_IFMT == libc::S_IFDIR;
            let access = if is_folder { access } else { access & AccessFs::from_file(KNOWN) };
            self.0.push((opened, access));
        }
        Ok(())
    }

    fn rules(&self) -> impl Iterator<Item = Result<PathBeneath<&OwnedFd>, RulesetError>> {
        self.0.iter().map(|(opened, access)| Ok(PathBeneath::new(opened, *access)))
    }
}

/// Restricts the calling thread, and the processes that it starts from now on, to these files.
///
/// # Errors
/// Fails if Landlock refuses, or enforces nothing.
pub(super) fn restrict(
    system: &OpenedRules,
    readable: &ReadablePaths,
    writable: &[PathBuf],
) -> io::Result<()> {
    let mut opened = OpenedRules::readable(readable)?;
    // A device node that the command makes would give it the disk.
    opened.add(writable, AccessFs::from_all(KNOWN) & !(AccessFs::MakeChar | AccessFs::MakeBlock))?;
    match try_restrict(system, &opened).map_err(io::Error::other)? {
        RulesetStatus::NotEnforced => Err(io::Error::other("Landlock was turned off")),
        _ => Ok(()),
    }
}

fn try_restrict(system: &OpenedRules, opened: &OpenedRules) -> Result<RulesetStatus, RulesetError> {
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::ReadDir | AccessFs::IoctlDev;
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?
        .create()?
        .add_rules(system.rules())?
        .add_rules(opened.rules())?
        .add_rules(path_beneath_rules(DEVICES.iter().map(Path::new), device))?
        .restrict_self()?;
    Ok(status.ruleset)
}
