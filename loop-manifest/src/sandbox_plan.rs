//! The sandbox of an agent or a check.

use loop_agents::process::sandbox::{Enforcement, SandboxNetwork};

/// The access of the commands of an agent, or of a check.
///
/// # Default
/// The folder of the run to write; the system's folders, the toolchains and the folder of the run to read; TCP and UDP
/// to any host; and [`Enforcement::Require`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxPlan {
    /// The files and folders to write, relative to the folder of the run. A `~` at the beginning is the home folder.
    pub write: Vec<String>,
    /// The files and folders to read, in the same form; `None` is the default.
    pub read: Option<Vec<String>>,
    /// The network.
    pub network: SandboxNetwork,
    /// The reaction to a machine that cannot enforce a part.
    pub enforcement: Enforcement,
}

impl Default for SandboxPlan {
    fn default() -> Self {
        Self {
            write: vec![".".to_owned()],
            read: None,
            network: SandboxNetwork::default(),
            enforcement: Enforcement::default(),
        }
    }
}
