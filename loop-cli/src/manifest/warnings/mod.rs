//! What is valid, and probably not what was meant: every surprise of the night that can be known in the
//! evening.

mod command;
mod environment;
mod limits;
mod prompt;
mod time;

use super::{diagnostics::Diagnostic, raw::RawManifest};

/// Everything odd in the manifest, which is `text`.
pub(crate) fn of(raw: &RawManifest, text: &str) -> Vec<Diagnostic> {
    [
        prompt::of(raw, text),
        limits::of(&raw.guardrails),
        time::of(raw),
        command::of(raw),
        environment::of(raw, text),
    ]
    .concat()
}
