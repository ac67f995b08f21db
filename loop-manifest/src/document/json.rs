//! Detection of JSON.

use serde::de::IgnoredAny;

use super::{
    super::diagnostic::{Diagnostic, Span},
    offset,
};

/// Returns whether `text` is JSON.
///
/// # Errors
/// The first place at which it is not.
pub(super) fn check(text: &str) -> Result<(), Diagnostic> {
    serde_json::from_str::<IgnoredAny>(text).map(|IgnoredAny| ()).map_err(|error| explain(text, &error))
}

fn explain(text: &str, error: &serde_json::Error) -> Diagnostic {
    let message = error.to_string();
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&suffix).unwrap_or(&message);
    if error.is_eof() {
        let end = text.trim_end().len();
        let label = message
            .strip_prefix("EOF while parsing")
            .map_or_else(|| message.to_owned(), |what| format!("the file ends inside {}", what.trim_start()));
        let help = "close the open quotes, braces and brackets";
        return Diagnostic::error("this JSON is incomplete").at(end..end, label).help(help);
    }
    let place = offset(text, error.line(), error.column(), char::len_utf8);
    let end = place + text[place..].chars().next().map_or(0, char::len_utf8);
    hint(text, place..end, Diagnostic::error("this is not JSON").at(place..end, message))
}

fn hint(text: &str, place: Span, finding: Diagnostic) -> Diagnostic {
    let (before, rest) = text.split_at(place.start);
    if rest.starts_with(['}', ']']) && before.trim_end().ends_with(',') {
        return finding.help("remove the comma before it");
    }
    if rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('#') {
        return finding
            .help("JSON has no comments: remove it, or write the manifest in a `.yaml` or `.toml` file");
    }
    if rest.starts_with('\'') {
        return finding.help("JSON writes text in double quotes");
    }
    if rest.starts_with(['\r', '\n']) {
        return finding.help("a line break inside text is written `\\n`");
    }
    finding
}
