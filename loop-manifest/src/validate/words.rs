//! Values that are one of a few words, texts, and thresholds.

use super::super::{diagnostics::Diagnostic, field::FieldValue, keys, nearest};

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

/// Text with something in it.
pub(super) fn filled(at: FieldValue<String>) -> Result<String, Diagnostic> {
    if at.value.trim().is_empty() { Err(empty(&at)) } else { Ok(at.value) }
}

pub(super) fn empty(at: &FieldValue<String>) -> Diagnostic {
    Diagnostic::error(format!("`{}` is empty", at.key))
        .at(at.span.clone(), "this is empty")
        .help(format!("write {}", keys::meaning(at.key)))
}

/// A number above 0 and up to 1.
pub(super) fn threshold(at: FieldValue<f64>) -> Result<f64, Diagnostic> {
    if at.value > 0.0 && at.value <= 1.0 {
        return Ok(at.value);
    }
    let label = match at.value {
        low if low <= 0.0 => "any number would pass",
        high if high > 1.0 => "no number would pass",
        _ => "this is not a number",
    };
    let finding = Diagnostic::error(format!("`{}` has to be a number above 0 and up to 1", at.key));
    let finding = finding.at(at.span, label);
    Err(match at.value {
        percent if percent > 1.0 && percent <= 100.0 => {
            finding.help(format!("for {percent} percent, write {}", percent / 100.0))
        }
        _ => finding,
    })
}
