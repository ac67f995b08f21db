//! Reads text that is almost JSON.
//!
//! Agents pass on the output of tools with whatever library they have. A text that was cut within a character ends in
//! half of a surrogate pair, a number that could not be computed is `NaN`, and a tool's input is nested to any depth. A
//! parser rejects the whole line for that, and with it the numbers that a budget needs. So we replace the invalid
//! parts, and read the rest.

use crate::output::json_objects::{self, ParsedJson};

/// The maximum depth. Everything that we look for is above it, and a parser gives up at 128.
const MAX_DEPTH: usize = 64;

/// The replacement for unreadable characters.
const REPLACEMENT: char = '\u{fffd}';

/// Reads JSON, or text that can be repaired to be JSON.
///
/// # Errors
/// Returns the parser's error for the original text, if the repaired text is unreadable too.
pub(crate) fn parse(text: &str) -> serde_json::Result<ParsedJson> {
    json_objects::read(text).or_else(|error| json_objects::read(&repaired(text)).map_err(|_| error))
}

/// Returns the text with the same values as far as possible. A replacement character takes the place of half
/// characters, control characters and invalid escapes. An invalid value becomes a string with the same letters, and a
/// value that is nested too deeply becomes `null`. It reads the text once, without recursion.
pub(super) fn repaired(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut depth, mut rest) = (0_usize, text);
    while let Some(first) = rest.chars().next() {
        let (token, after) = rest.split_at(token_length(rest, first));
        rest = after;
        if matches!(first, '{' | '[') {
            depth += 1;
            if depth == MAX_DEPTH + 1 {
                out.push_str("null");
            }
        }
        if depth <= MAX_DEPTH {
            match first {
                '"' => mend_string(token, &mut out),
                _ if is_mark(first) => out.push(first),
                _ if serde_json::from_str::<serde_json::Value>(token).is_ok() => out.push_str(token),
                _ => out.push_str(&serde_json::Value::from(token).to_string()),
            }
        }
        if matches!(first, '}' | ']') {
            depth = depth.saturating_sub(1);
        }
    }
    out
}

/// Returns true for a character between or around values.
fn is_mark(sign: char) -> bool {
    matches!(sign, '{' | '}' | '[' | ']' | ',' | ':') || sign.is_ascii_whitespace()
}

/// Returns the length of the string, the mark or the other value at the beginning of a text.
fn token_length(text: &str, first: char) -> usize {
    match first {
        '"' => string_length(text),
        _ if is_mark(first) => first.len_utf8(),
        _ => text.find(|sign| sign == '"' || is_mark(sign)).unwrap_or(text.len()),
    }
}

/// Returns the length of the string at the beginning of a text, including its quotes.
fn string_length(text: &str) -> usize {
    let mut is_escaped = true;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Writes a string in a readable form.
fn mend_string(string: &str, out: &mut String) {
    let mut rest = string;
    while let Some(at) = rest.find(|sign| sign == '\\' || sign < ' ') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, is_sign) = escape(rest);
        match is_sign {
            true => out.push_str(&rest[..length]),
            false => out.push(REPLACEMENT),
        }
        rest = &rest[length..];
    }
    out.push_str(rest);
}

/// Returns the length of the escape or the control character at the beginning of a text, and whether it is valid in a
/// string.
fn escape(text: &str) -> (usize, bool) {
    let mut signs = text.chars();
    if signs.next() != Some('\\') {
        return (1, false);
    }
    match signs.next() {
        Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => (2, true),
        Some('u') => match (code_unit(text), text.get(6..).and_then(code_unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (12, true),
            (Some(0xD800..=0xDFFF), _) => (6, false),
            (Some(_), _) => (6, true),
            (None, _) => (2, false),
        },
        Some(other) => (1 + other.len_utf8(), false),
        None => (1, false),
    }
}

/// Returns the number in the `\u1234` at the beginning of a text.
fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// Generates strings as agents write them.
    fn string() -> impl Strategy<Value = String> {
        let unit = any::<u16>().prop_map(|unit| format!("\\u{unit:04x}"));
        let half = (0xD800_u16..0xE000).prop_map(|unit| format!("\\u{unit:04X}"));
        let odd =
            prop::sample::select(vec!["\\x", "\\", "\u{1}", "\t", "\\u12", "\\u+123", "{", "}", "[", "é"])
                .prop_map(str::to_owned);
        let plain = "[a-z\\[{,: ]{1,4}".prop_map(|text: String| text);
        prop::collection::vec(prop_oneof![unit, half, odd, plain], 0..6).prop_map(|parts| {
            let text = parts.concat();
            // A backslash at the end would escape the closing quote.
            text.trim_end_matches('\\').to_owned()
        })
    }

    /// Generates the texts that agents write for values that do not exist.
    fn odd_value() -> impl Strategy<Value = String> {
        let none = prop::sample::select(vec!["NaN", "-Infinity", "undefined", "1e999", "01", ".5", "null"]);
        let deep = (1_usize..300).prop_map(|depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
        prop_oneof![none.prop_map(str::to_owned), deep, string().prop_map(|text| format!("\"{text}\""))]
    }

    proptest! {
        #[test]
        fn a_number_is_read_whatever_stands_beside_it(
            before in prop::collection::vec(odd_value(), 0..4), number: u32, key in string(),
        ) {
            let text = format!("{{\"k{key}\":[{}],\"number\":{number}}}", before.join(" , "));
            let read = parse(&text).map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?.value;
            prop_assert_eq!(&read["number"], &Value::from(number));
        }

        #[test]
        fn what_is_json_stays_the_same_value(text in "\\PC{0,20}", number: f64, flag: bool) {
            let value = serde_json::json!({ "text": [text, flag], "n": number, "deep": [[{"a": null}]] });
            prop_assert_eq!(serde_json::from_str::<Value>(&repaired(&value.to_string())).ok(), Some(value));
        }

        #[test]
        fn no_text_is_a_reason_to_panic(text in "(\\PC|[\"\\\\u{}\\[\\]dD8c0-9])*") {
            repaired(&text);
        }
    }

    #[test]
    fn half_of_a_pair_is_a_sign_and_a_pair_stays_one() {
        let read = |text: &str| parse(text).ok().map(|read| read.value);
        assert_eq!(read(r#""a\ud83d b\ude00 c\ud83d\ude00""#), Some("a\u{fffd} b\u{fffd} c😀".into()));
        assert_eq!(read(r#""\ud83d\ud83d\ude00""#), Some("\u{fffd}😀".into()));
        assert_eq!(read(r#"{"a": NaN}"#), Some(serde_json::json!({ "a": "NaN" })));
        assert_eq!(read(r#"{"a": "#), None);
    }
}
