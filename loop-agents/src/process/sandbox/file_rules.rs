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

/// Restricts the calling thread, and the processes that it starts from now on, to these files.
///
/// # Errors
/// Fails if Landlock refuses, or enforces nothing.
pub(super) fn restrict(readable: &ReadablePaths, writable: &[PathBuf]) -> io::Result<()> {
    match try_restrict(readable, writable) {
        Ok(RulesetStatus::NotEnforced) => Err(io::Error::other("Landlock was turned off")),
        Ok(_) => Ok(()),
        Err(RuleError::Path(error)) => Err(error),
        Err(error @ RuleError::Ruleset(_)) => Err(io::Error::other(error)),
    }
}

#[derive(Debug, thiserror::Error)]
enum RuleError {
    #[error(transparent)]
    Ruleset(#[from] RulesetError),
    #[error(transparent)]
    Path(#[from] io::Error),
}

/// Returns rules for these paths, without those at which nothing is any more. A file has no rights of folders.
fn rules(
    paths: &[PathBuf],
    access: BitFlags<AccessFs>,
) -> impl Iterator<Item = Result<PathBeneath<OwnedFd>, RuleError>> {
    let rule = move |opened: OwnedFd| {
        let mode = fstat(&opened).map_err(io::Error::from)?.st_mode;
        let is_folder = mode & libc::S_IFMT == libc::S_IFDIR;
        let access = if is_folder { access } else { access & AccessFs::from_file(KNOWN) };
        Ok(PathBeneath::new(opened, access))
    };
    paths.iter().filter_map(move |path| match open_without_links(path) {
        Ok(opened) => opened.map(rule),
        Err(error) => Some(Err(error.into())),
    })
}

fn try_restrict(readable: &ReadablePaths, writable: &[PathBuf]) -> Result<RulesetStatus, RuleError> {
    let read = AccessFs::from_read(KNOWN);
    let listed: BitFlags<AccessFs> = AccessFs::ReadDir.into();
    // A device node that the command makes would give it the disk.
    let write = AccessFs::from_all(KNOWN) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::ReadDir | AccessFs::IoctlDev;
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?
        .create()?
        .add_rules(rules(&readable.whole, read))?
        .add_rules(rules(&readable.listed, listed))?
        .add_rules(rules(writable, write))?
        .add_rules(path_beneath_rules(DEVICES.iter().map(Path::new), device))?
        .restrict_self()?;
    Ok(status.ruleset)
}
