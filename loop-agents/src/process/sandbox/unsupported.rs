//! Systems without Landlock and seccomp.

use super::SandboxSupport;

pub(super) fn detect() -> SandboxSupport {
    SandboxSupport { landlock_abi: 0, seccomp: false, mounts: false, networks: false }
}
