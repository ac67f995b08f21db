//! TOML: text to [`Node`].

use toml::{
    Spanned,
    de::{DeInteger, DeTable, DeValue},
};

use super::{
    super::diagnostic::{Diagnostic, Span},
    Node, ObjectEntry, Value,
};

/// Reads `text`.
///
/// # Errors
/// The first place at which it is not TOML. A key that stands twice is such a place: TOML itself
/// forbids it.
pub(super) fn parse(text: &str) -> Result<Node, Diagnostic> {
    let (table, errors) = DeTable::parse_recoverable(text);
    // The parser goes on after an error, and does not find them in the order of their places.
    let place = |error: &toml::de::Error| error.span().unwrap_or_default();
    if let Some(error) = errors.into_iter().min_by_key(|error| place(error).start) {
        return Err(explain(text, place(&error), error.message()));
    }
    let entries = entries(table.into_inner());
    let span = entries.first().map_or(0..0, |entry| entry.key_span.clone());
    // As in YAML, a file with only comments has no value.
    let value = if entries.is_empty() { Value::Null } else { Value::Object(entries) };
    Ok(Node { value, span })
}

fn node(value: Spanned<DeValue<'_>>) -> Node {
    let span = value.span();
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(integer) => whole(&integer),
        DeValue::Float(float) => Value::Decimal(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Bool(flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => Value::List(items.into_iter().map(node).collect()),
        DeValue::Table(table) => Value::Object(entries(table)),
    };
    Node { value, span }
}

/// The entries in the order of their places; the table has them in that of the alphabet.
fn entries(table: DeTable<'_>) -> Vec<ObjectEntry> {
    let entry = |(key, value): (Spanned<_>, _)| ObjectEntry {
        key_span: key.span(),
        key: std::borrow::Cow::into_owned(key.into_inner()),
        node: node(value),
        flag: None,
    };
    let mut entries: Vec<_> = table.into_iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    entries
}

/// A whole number, if 64 bits hold it; the other formats have no larger ones either.
fn whole(integer: &DeInteger<'_>) -> Value {
    match i128::from_str_radix(integer.as_str(), integer.radix()) {
        Ok(whole) if (i64::MIN.into()..=u64::MAX.into()).contains(&whole) => Value::Whole(whole),
        Ok(large) => Value::Decimal(large as f64),
        Err(_) => Value::Decimal(f64::INFINITY),
    }
}

fn explain(text: &str, place: Span, message: &str) -> Diagnostic {
    if message == "duplicate key" {
        let key = text.get(place.clone()).unwrap_or_default();
        return Diagnostic::error(format!("`{key}` appears here twice"))
            .at(place, "the second time")
            .help("keep one of them");
    }
    // Cut the part about expected tokens: the advice explains the solution better.
    let wrong = message.split_once(", expected").map_or(message, |(wrong, _)| wrong);
    let advice = advice(wrong, &text[place.start..]);
    let finding = Diagnostic::error("this is not TOML");
    match advice {
        Some(advice) => finding.at(place, wrong).help(advice),
        None => finding.at(place, message.trim_end_matches(", expected nothing")),
    }
}

/// Returns advice about common mistakes. `rest` is the text from the error on.
fn advice(wrong: &str, rest: &str) -> Option<&'static str> {
    Some(match wrong {
        _ if rest.starts_with(':') => "TOML writes `key = value`, and the keys of an object below `[object]`",
        "invalid key-value pair" if rest.starts_with('{') => {
            "if this is JSON, give the file a name that ends in `.json`"
        }
        "string values must be quoted" => "put text in quotes; only numbers, `true` and `false` go without",
        "invalid boolean" => "`true` and `false` are written in small letters",
        "missing escaped value" => {
            "a backslash in text is written `\\\\`; between single quotes it is an ordinary character"
        }
        "invalid basic string" => "close the quote; text of several lines goes between `\"\"\"` and `\"\"\"`",
        "invalid literal string" => "close the quote; text of several lines goes between `'''` and `'''`",
        "invalid multi-line basic string" | "invalid multi-line literal string" => {
            "close the text with the three quotes that it begins with"
        }
        _ => return None,
    })
}
