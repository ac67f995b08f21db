//! The parts of a sandbox that this machine enforces.

/// The restrictions that this machine enforces for this process, as [`detect`](Self::detect) has tried them.
///
/// ```
/// use loop_agents::process::sandbox::SandboxSupport;
///
/// let support = SandboxSupport::detect();
/// println!("Landlock ABI {}, seccomp {}", support.landlock_abi, support.seccomp);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SandboxSupport {
    /// The version of Landlock, as far as we know it; 0 if Landlock is missing or turned off.
    pub landlock_abi: u32,
    /// Whether this process can filter system calls on this architecture.
    pub seccomp: bool,
    /// Whether a thread of this process can mount files in a namespace of its own. This needs `CAP_SYS_ADMIN`.
    pub mounts: bool,
    /// Whether a thread of this process can create a network of its own. This needs `CAP_SYS_ADMIN`.
    pub networks: bool,
}

impl SandboxSupport {
    /// The smallest version of Landlock that covers truncating a file by its name: 3, of Linux 6.2.
    pub const MIN_LANDLOCK_ABI: u32 = 3;

    /// The smallest version of Landlock that covers signals: 6, of Linux 6.12.
    pub const SIGNALS_LANDLOCK_ABI: u32 = 6;

    /// Tries what this machine enforces. This process stays as it is, because a thread that ends makes each trial.
    ///
    /// Blocks for a fraction of a millisecond.
    pub fn detect() -> Self {
        #[cfg(target_os = "linux")]
        return super::enter::detect();
        #[cfg(not(target_os = "linux"))]
        super::unsupported::detect()
    }
}
