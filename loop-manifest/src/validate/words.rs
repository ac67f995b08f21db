//! Values that are one of a few words.

use super::super::{diagnostics::Diagnostic, field::FieldValue, nearest};

/// Parses one of these words.
pub(super) fn word<T: Copy>(
    at: &FieldValue<String>,
    words: &[(&str, T)],
    note: &str,
) -> Result<T, Diagnostic> {
    if let Some((_, value)) = words.iter().find(|(word, _)| *word == at.value) {
        return Ok(*value);
    }
    let meant = nearest::closest(&at.value, words.iter().copied(), |(word, _)| word);
    let names: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
    let (last, others) =
        names.split_last().map_or(("", String::new()), |(last, others)| (last.as_str(), others.join(", ")));
    Err(Diagnostic::error(format!("`{}` has to be {others} or {last}", at.key))
        .at(at.span.clone(), nearest::suggestion(meant.map(|(word, _)| word)))
        .note(note))
}
