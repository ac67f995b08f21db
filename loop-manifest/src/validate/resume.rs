//! The treatment of an interrupted iteration.

use super::super::{diagnostics::Diagnostic, field::FieldValue, nearest, plan::ResumePlan};

const WORDS: [(&str, ResumePlan); 3] =
    [("rerun", ResumePlan::Rerun), ("ask", ResumePlan::Ask), ("halt", ResumePlan::Halt)];

/// Parses the word.
pub(super) fn resume(at: FieldValue<String>) -> Result<ResumePlan, Diagnostic> {
    if let Some((_, plan)) = WORDS.iter().find(|(word, _)| *word == at.value) {
        return Ok(*plan);
    }
    let meant = nearest::closest(&at.value, WORDS, |(word, _)| word);
    Err(Diagnostic::error(format!("`{}` has to be `rerun`, `ask` or `halt`", at.key))
        .at(at.span, nearest::suggestion(meant.map(|(word, _)| word)))
        .note("it decides what happens to an iteration in which the run was cut off; `rerun` is the default"))
}
