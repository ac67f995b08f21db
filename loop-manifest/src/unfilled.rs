//! Commands in a manifest that are still to be written.
//!
//! `loop init` writes what it finds, and something that no shell would run where it finds nothing, so
//! that a person sees what is missing. Such a manifest can be looked at and cannot be run: the agent
//! would be paid for work that nothing judges.

use super::{diagnostics::Diagnostic, field::FieldValue, keys, raw::RawManifest};

/// The prefix of a command that is still to be written.
pub const UNFILLED: &str = "REPLACE_ME";

/// The commands of `raw` that are still to be written.
pub(super) fn of(raw: &RawManifest) -> Vec<Diagnostic> {
    let unfilled = raw.commands().filter(|at| at.value.trim_start().starts_with(UNFILLED));
    let report = |at: &FieldValue<String>| {
        Diagnostic::unfinished(format!("`{}` is not filled in yet", at.key))
            .at(at.span.clone(), "a command belongs here")
            .help(format!("write {}", keys::meaning(at.key)))
    };
    unfilled.map(report).collect()
}
