//! Commands in a manifest that are still to be written.
//!
//! `loop init` writes what it finds, and something that no shell would run where it finds nothing, so
//! that a person sees what is missing. Such a manifest can be looked at and cannot be run: the agent
//! would be paid for work that nothing judges.

use super::{diagnostics::Diagnostic, field::FieldValue, keys, raw::RawManifest};

/// The word in the place of a command, or of a part of one, that is still to be written.
pub const UNFILLED: &str = "REPLACE_ME";

/// The commands of `raw` that contain the word, and the texts that begin with it.
pub(super) fn of(raw: &RawManifest) -> Vec<Diagnostic> {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    let has_it = |text: &str| text.split(|sign| !is_word(sign)).any(|word| word == UNFILLED);
    let report = |at: &FieldValue<String>, what: &str| {
        Diagnostic::unfinished(format!("`{}` is not filled in yet", at.key))
            .at(at.span.clone(), format!("{what} belongs here"))
            .help(format!("write {}", keys::meaning(at.key)))
    };
    let commands = raw.commands().filter(|at| has_it(&at.value)).map(|at| report(at, "a command"));
    // Other texts may be about the word.
    let texts = [&raw.goal, &raw.agent.prompt].into_iter().filter_map(|text| text.written());
    let texts = texts.filter(|at| at.value.trim_start().starts_with(UNFILLED)).map(|at| report(at, "a text"));
    commands.chain(texts).collect()
}
