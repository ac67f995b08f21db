//! What is valid, and probably not what was meant: every surprise of the night that can be known in the
//! evening.

mod command;
mod limits;
mod prompt;

use super::{diagnostics::Diagnostic, raw::RawManifest};

/// Everything odd in the manifest, which is `text`.
pub(crate) fn of(raw: &RawManifest, text: &str) -> Vec<Diagnostic> {
    [prompt::of(raw, text), limits::of(raw), command::of(raw)].concat()
}
