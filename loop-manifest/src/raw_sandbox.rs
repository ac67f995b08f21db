//! A sandbox as it was written.

use super::{
    field::{Field, SpannedText, WordOrTexts},
    fields::Fields,
};

/// `sandbox`, `agent.sandbox` or `evaluator.sandbox`: what commands may access.
#[derive(Debug, Default)]
pub(crate) struct RawSandbox {
    /// The files and folders to write. Default: the folder of the run.
    pub(crate) write: Field<Vec<SpannedText>>,
    /// The files and folders to read. Default: those of the system, the toolchains, and the folder of the run.
    pub(crate) read: Field<Vec<SpannedText>>,
    /// `all` (the default), `none`, or a list of hosts.
    pub(crate) network: Field<WordOrTexts>,
    /// `require` (the default) or `warn`.
    pub(crate) enforce: Field<String>,
}

/// The paths of the keys of one sandbox: `write`, `read`, `network` and `enforce`.
type SandboxKeys = [&'static str; 4];

/// Of the manifest.
pub(crate) const SHARED: SandboxKeys =
    ["sandbox.write", "sandbox.read", "sandbox.network", "sandbox.enforce"];
/// Of the agent.
pub(crate) const OF_AGENT: SandboxKeys =
    ["agent.sandbox.write", "agent.sandbox.read", "agent.sandbox.network", "agent.sandbox.enforce"];
/// Of the check.
pub(crate) const OF_EVALUATOR: SandboxKeys = [
    "evaluator.sandbox.write",
    "evaluator.sandbox.read",
    "evaluator.sandbox.network",
    "evaluator.sandbox.enforce",
];

impl RawSandbox {
    pub(crate) fn read(mut fields: Fields<'_>, [write, read, network, enforce]: SandboxKeys) -> Self {
        Self {
            write: fields.list(write),
            read: fields.list(read),
            network: fields.word_or_list(network),
            enforce: fields.text(enforce),
        }
    }
}
