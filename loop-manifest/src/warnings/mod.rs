//! Warns about valid but probably unintended input: every surprise of the night that is predictable in the evening.

mod check;
mod command;
mod condition;
mod environment;
mod judge;
mod limits;
mod money;
mod placeholder;
mod prompt;
mod reports;
mod review;
mod time;
mod unfilled;

use super::{diagnostics::Diagnostic, raw::RawManifest};

/// Returns all warnings about the manifest. `text` is its text with the command line, and `manifest` without.
pub(crate) fn of(raw: &RawManifest, text: &str, manifest: &str) -> Vec<Diagnostic> {
    [
        prompt::of(raw, text),
        limits::of(&raw.guardrails, &raw.pace, manifest),
        time::of(raw),
        command::of(raw),
        check::of(raw),
        condition::of(raw),
        judge::of(raw),
        review::of(raw),
        unfilled::of(raw, text),
        environment::of(raw, text),
        reports::of(raw),
        money::of(raw),
    ]
    .concat()
}
