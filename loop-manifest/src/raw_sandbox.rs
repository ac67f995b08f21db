//! A sandbox as it was written.

use super::{
    diagnostics::Diagnostic,
    field::{Field, SpannedText},
    fields::Fields,
};

/// `sandbox`, `agent.sandbox` or `evaluator.sandbox`: what commands may access.
#[derive(Debug, Default)]
pub(crate) struct RawSandbox {
    /// The files and folders to write. Default: the folder of the run.
    pub(crate) write: Field<Vec<SpannedText>>,
    /// The files and folders to read. Default: those of the system, the toolchains, and the folder of the run.
    pub(crate) read: Field<Vec<SpannedText>>,
    /// `all` (the default) or `none`.
    pub(crate) network: Field<String>,
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
            network: network_of(&mut fields, network),
            enforce: fields.text(enforce),
        }
    }
}

/// Reads the network. People expect a list of hosts here, so it gets its own answer.
fn network_of(fields: &mut Fields<'_>, key: &'static str) -> Field<String> {
    let Some(span) = fields.list_span(key) else { return fields.text(key) };
    let finding = Diagnostic::error(format!("`{key}` cannot be a list of hosts yet"));
    fields.report(
        finding
            .at(span, "the kernel cannot tell hosts apart")
            .note("a list of hosts needs a proxy outside of the sandbox, which loop does not have yet")
            .help("write `none`, or `all` if the commands need the network"),
    );
    Field::Refused
}
