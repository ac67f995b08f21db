//! The message about a value of the wrong kind. It shows how to write a right one.

use std::fmt;

use super::{
    diagnostics::Diagnostic,
    document::{Node, Value},
    duration,
    keys::{self, flag},
};

/// The values that a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpectedValue {
    Text,
    Whole,
    Number,
    Time,
    Flag,
    FlagOrWhole,
    WordOrWhole,
    Texts,
    Object,
    Conditions,
}

impl fmt::Display for ExpectedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Whole => "a whole number",
            Self::Number => "a number",
            Self::Time => "a time, such as `90s`, `30m` or `1h30m`, or a number of seconds",
            Self::Flag => "`true` or `false`",
            Self::FlagOrWhole => "`true`, `false` or a whole number",
            Self::WordOrWhole => "a word or a whole number",
            Self::Texts => "a list of texts",
            Self::Object => "an object: keys with values",
            Self::Conditions => "a list of conditions",
        })
    }
}

/// Describes `value`, for the label under it.
pub(crate) fn found(value: &Value) -> String {
    let found = match value {
        Value::Null => "there is no value here",
        Value::Bool(flag) => return format!("this is `{flag}`"),
        Value::Whole(_) => "this is a number",
        Value::Decimal(number) if number.is_nan() => "this is not a number",
        Value::Decimal(number) if number.is_infinite() => "this number is too large",
        Value::Decimal(number) if number.fract() != 0.0 => "this number has a fraction",
        Value::Decimal(number) if number.abs() >= 1e18 => "this number is too large",
        Value::Decimal(_) => "this number is written with a point or an exponent",
        Value::Text(_) => "this is text",
        Value::Date(_) => "this is a date",
        Value::List(_) => "this is a list",
        Value::Object(_) => "this is an object",
    };
    found.to_owned()
}

/// The finding that the field at `path` holds something else than `expected`.
pub(crate) fn report(path: &str, expected: ExpectedValue, node: &Node, source: &str) -> Diagnostic {
    let finding = Diagnostic::error(format!("`{path}` has to be {expected}"));
    let found = match (&node.value, expected) {
        (Value::Text(text), ExpectedValue::Time) => {
            duration::parse(text).err().map(|error| error.to_string())
        }
        _ => None,
    }
    .unwrap_or_else(|| found(&node.value));
    let finding = finding.at(node.span.clone(), found);
    let path = flag::key(path).unwrap_or(path);
    match advice(path, expected, node, source) {
        Some(advice) => finding.help(advice),
        None => finding,
    }
}

fn advice(path: &str, expected: ExpectedValue, node: &Node, source: &str) -> Option<String> {
    let written = source.get(node.span.clone()).unwrap_or_default();
    let quoted = written.starts_with(['"', '\'']);
    let takes_number =
        matches!(expected, ExpectedValue::Whole | ExpectedValue::Number | ExpectedValue::FlagOrWhole);
    let takes_flag = matches!(expected, ExpectedValue::Flag | ExpectedValue::FlagOrWhole);
    if let Some(words) = keys::words(path) {
        return Some(format!("write one of these words: {words}"));
    }
    match &node.value {
        Value::Null if keys::is_optional(path) => Some("give it a value, or remove the key".to_owned()),
        Value::Null => Some(format!("write {}", keys::meaning(path))),
        Value::Text(text) if takes_number && text.trim().parse::<f64>().is_ok() => {
            Some(format!("write it without quotes: {}", text.trim()))
        }
        Value::Text(text) if takes_number && path.contains("usd") => {
            let amount = text.trim().trim_start_matches('$').trim_start();
            amount.parse::<f64>().is_ok().then(|| format!("write {amount}"))
        }
        Value::Text(text) if takes_flag => {
            flag_for(text).map(|flag| format!("write {flag}{}", if quoted { ", without quotes" } else { "" }))
        }
        Value::Decimal(number) if takes_number && number.fract() == 0.0 && number.abs() < 1e18 => {
            Some(format!("write {number:.0}"))
        }
        Value::Bool(_) | Value::Whole(_) | Value::Decimal(_) | Value::Date(_)
            if expected == ExpectedValue::Text =>
        {
            Some(format!("write it in quotes: \"{written}\""))
        }
        Value::Object(_)
            if expected == ExpectedValue::Text
                && source.get(node.span.start..).is_some_and(|rest| rest.starts_with('{')) =>
        {
            Some(
                "a value that begins with `{` is an object: to make it text, put all of it in quotes"
                    .to_owned(),
            )
        }
        Value::List(_) if expected == ExpectedValue::Text => Some("write it as one text".to_owned()),
        Value::Text(_) if expected == ExpectedValue::Texts => {
            Some(format!("write it as a list: [{written}]"))
        }
        _ => None,
    }
}

fn flag_for(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}
