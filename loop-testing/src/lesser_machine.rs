//! Machines that lack a part of the kernel, made by a filter of system calls.

use std::{env, thread};

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

/// A part of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingPart {
    /// Landlock.
    Landlock,
    /// One call of Landlock, which some containers forbid.
    LandlockRules,
    /// Filters of system calls.
    Seccomp,
    /// Namespaces.
    Namespaces,
}

impl MissingPart {
    const fn calls(self) -> &'static [i64] {
        match self {
            Self::Landlock => &[
                libc::SYS_landlock_create_ruleset,
                libc::SYS_landlock_add_rule,
                libc::SYS_landlock_restrict_self,
            ],
            Self::LandlockRules => &[libc::SYS_landlock_add_rule],
            Self::Seccomp => &[libc::SYS_seccomp],
            Self::Namespaces => &[libc::SYS_unshare],
        }
    }
}

/// Runs `inside` on a thread for which the kernel lacks this part. Programs that it starts lack it too.
///
/// # Panics
/// If `inside` panics, or if the system refuses the filter.
pub fn without<T: Send>(part: MissingPart, inside: impl FnOnce() -> T + Send) -> T {
    let rules = part.calls().iter().map(|call| (*call, Vec::new())).collect();
    let missing = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let arch = env::consts::ARCH.try_into().expect("a known architecture");
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, missing, arch).expect("a filter");
    let filter: BpfProgram = filter.try_into().expect("a filter");
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            apply_filter(&filter).expect("a filter");
            inside()
        });
        thread.join().expect("no panic inside")
    })
}
