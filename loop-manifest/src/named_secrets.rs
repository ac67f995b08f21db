//! Finds secrets in the text of a manifest or of a command line by the names that they have there, so that messages
//! can show the text without them.
//!
//! A message is often about a text that is not valid, so this reads the text itself: `NAME: value`, `NAME=value` and
//! `"NAME": "value"`, whatever is around them.

use std::path::Path;

use loop_guardrails::policy::environment::looks_secret;

use super::{
    diagnostic::Span,
    document::{self, Node, Value},
    format::Format,
    keys,
};

/// The minimum length of a secret. Shorter values occur everywhere.
const LEAST: usize = 6;

/// Returns the values in `text` whose names look like those of secrets, as they are written. `path` is its file.
pub(crate) fn find<'t>(path: &str, text: &'t str) -> Vec<&'t str> {
    let mut named =
        text.match_indices([':', '=']).filter(|(at, _)| is_name_of_secret(&text[..*at])).peekable();
    if named.peek().is_none() {
        return Vec::new();
    }
    let of_keys = values_of_keys(path, text);
    named.flat_map(|(at, sign)| values(text, at + sign.len(), &of_keys)).collect()
}

/// Returns whether this text ends with the name of a secret.
fn is_name_of_secret(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']).trim_end_matches(['"', '\'', '\\']);
    let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '-');
    let name = &before[before.trim_end_matches(is_part).len()..];
    looks_secret(name.as_ref(), "".as_ref())
}

/// Returns the lines of the value that begins at `at`, unless a key of manifests has that value.
fn values<'t>(text: &'t str, at: usize, of_keys: &[Span]) -> Vec<&'t str> {
    let start = at + text[at..].len() - text[at..].trim_start_matches([' ', '\t', '\\']).len();
    if of_keys.iter().any(|span| span.contains(&start)) {
        return Vec::new();
    }
    let rest = &text[start..];
    let line = rest.lines().next().unwrap_or_default();
    let value = match rest.chars().next() {
        Some('[' | '{') | None => "",
        Some(quote @ ('"' | '\'')) => quoted(rest, quote),
        Some('|' | '>' | '\n' | '\r' | '#') => indented(text, start),
        _ => plain(line, is_in_braces(&text[..at])),
    };
    let is_edge = |sign: char| sign.is_whitespace() || matches!(sign, '"' | '\'' | '\\');
    value.lines().map(|line| line.trim_matches(is_edge)).filter(|line| line.len() >= LEAST).collect()
}

/// Returns the content of the quotes at the start of a text.
fn quoted(text: &str, quote: char) -> &str {
    let triple = quote.to_string().repeat(3);
    if let Some(inner) = text.strip_prefix(&triple) {
        return inner.split(&triple).next().unwrap_or_default();
    }
    let inner = &text[1..];
    let mut is_escaped = false;
    let end = inner.find(|sign| {
        let ends = sign == quote && !is_escaped;
        is_escaped = sign == '\\' && !is_escaped && quote == '"';
        ends
    });
    &inner[..end.unwrap_or(inner.len())]
}

/// Returns the lines after the one at `at` that are indented more than it.
fn indented(text: &str, at: usize) -> &str {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let line = text[..at].rfind('\n').map_or(0, |feed| feed + 1);
    let least = indentation(&text[line..]);
    let Some(start) = text[at..].find('\n').map(|feed| at + feed + 1) else { return "" };
    let below = text[start..].split_inclusive('\n');
    let length = below
        .take_while(|line| line.trim().is_empty() || indentation(line) > least)
        .map(str::len)
        .sum::<usize>();
    &text[start..start + length]
}

/// Returns a value without quotes: up to the end of its line, or of its place in braces.
fn plain(line: &str, is_in_braces: bool) -> &str {
    let line = line.find(" #").map_or(line, |comment| &line[..comment]);
    if is_in_braces { line.split([',', '}']).next().unwrap_or_default() } else { line }
}

/// Returns whether a brace is open at the end of this text.
fn is_in_braces(before: &str) -> bool {
    let count = |brace| before.matches(brace).count();
    count('{') > count('}')
}

/// Returns the locations of the values of the known keys of a manifest, such as `evaluator.confidence.key`; none if the
/// text is not valid.
fn values_of_keys(path: &str, text: &str) -> Vec<Span> {
    let tree = Format::of(Path::new(path)).and_then(|format| document::parse(format, text).ok());
    let mut spans = Vec::new();
    if let Some(tree) = tree {
        collect(&tree, "", &mut spans);
    }
    spans
}

fn collect(node: &Node, path: &str, spans: &mut Vec<Span>) {
    match &node.value {
        Value::Object(entries) => {
            for entry in entries {
                let separator = if path.is_empty() { "" } else { "." };
                collect(&entry.node, &format!("{path}{separator}{}", entry.key), spans);
            }
        }
        _ if !keys::meaning(path).is_empty() => spans.push(node.span.clone()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_by_its_name_however_it_is_written() {
        for text in [
            "set: {API_TOKEN: hunter2, OTHER: 3}",
            "set: {OTHER: 3, DB_PW: hunter2}",
            "vars:\n  api-key: hunter2",
            "vars:\n  api_key: hunter2 # mine",
            "vars:\n  api_key: 'hunter2'\n  x: y",
            "vars:\n  api_key: |\n    hunter2\n  x: y",
            "vars:\n  api_key: >-\n\n    hunter2",
            "vars:\n  api_key:\n    hunter2",
            "{\"vars\": {\"api_key\": \"hunter2\", \"x\": [1]}}",
            "[vars]\napi_key = \"hunter2\"",
            "[vars]\napi_key = '''\nhunter2\n'''\nx = 1",
            "loop run --set 'agent.env.set={STRIPE_KEY: hunter2, B: 1}' --max 1",
            "loop run --set agent.env.set.STRIPE_KEY=hunter2",
            "loop run --set '{\\\"STRIPE_KEY\\\": \\\"hunter2\\\"}'",
            "command: \"API_TOKEN=hunter2\"",
            "vars: {api_key: hunter2",
            "vars:\n  api_key: \"hunter2",
            "passwörter: {пароль_token: hunter2}",
        ] {
            let found = find("loop.yaml", text);
            assert!(found.iter().any(|value| value.contains("hunter2")), "{text}: {found:?}");
            assert!(found.iter().all(|value| value.len() <= 30), "{text}: {found:?}");
        }
    }

    #[test]
    fn other_values_stay_visible() {
        for text in [
            "evaluator: {confidence: {at_least: 0.9, key: certainty}}",
            "guardrails: {max_tokens: 2000000}",
            "agent: {env: {pass: [GITHUB_TOKEN]}}",
            "vars: {api_key: null, other: hunter2}",
            "vars: {api_key: short}",
            "goal: Rotate the token; then say so",
        ] {
            assert_eq!(find("loop.yaml", text), Vec::<&str>::new(), "{text}");
        }
    }
}
