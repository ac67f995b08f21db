//! Values that contain escapes themselves: each may be meant as it is written.

use loop_telemetry::{REDACTED, Redactor};
use proptest::{collection::vec, prelude::*, sample::select};

use super::{forms::json, streams::streamed};

/// A way to print a value.
type Print = (&'static str, fn(&str) -> String);

const PRINTS: &[Print] = &[
    ("as it is", str::to_owned),
    ("JSON", json),
    ("JSON in JSON", |value| json(&json(value))),
    ("`printf %q`", |value| quoted(value, |sign| !sign.is_alphanumeric())),
    ("`declare -p`", |value| quoted(value, |sign| "\"\\$`".contains(sign))),
    ("`repr`", |value| value.replace('\\', "\\\\").replace('\'', "\\'")),
    ("`bash -x`", |value| value.replace('\'', "'\\''")),
    ("`bash -x` in JSON", |value| json(&value.replace('\'', "'\\''"))),
    ("`bash -x` of a comparison", |value| quoted(value, |_| true)),
    ("`bash -x` of a comparison, in JSON", |value| json(&quoted(value, |_| true))),
    ("JSON in which all is escaped", |value| {
        value.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect()
    }),
    ("a URL", |value| value.bytes().map(|byte| format!("%{byte:02X}")).collect()),
    ("a URL, in part", |value| value.replace('%', "%25").replace('\\', "%5C").replace('&', "%26")),
    ("markup", |value| value.replace('&', "&amp;").replace('\\', "&#92;").replace('"', "&quot;")),
    ("a table", |value| value.replace('"', "\"\"")),
    ("short lines", |value| lines(value, 3, "")),
    ("short lines in JSON", |value| json(&lines(value, 4, ""))),
    ("JSON in short lines", |value| lines(&json(value), 5, "")),
    ("indented lines", |value| lines(value, 5, "    ")),
];

fn quoted(value: &str, is_quoted: fn(char) -> bool) -> String {
    value.chars().flat_map(|sign| is_quoted(sign).then_some('\\').into_iter().chain([sign])).collect()
}

fn lines(text: &str, width: usize, margin: &str) -> String {
    let signs: Vec<_> = text.chars().collect();
    signs.chunks(width).map(String::from_iter).collect::<Vec<_>>().join(&format!("\n{margin}"))
}

/// Checks that nothing of the value stays, except for backslashes before it, and up to three characters before the end
/// of a short line.
fn holds(value: &str, (name, print): Print, before: &str, after: &str) -> Result<(), TestCaseError> {
    let redactor = Redactor::new([value]);
    let text = format!("{before}{}{after}", print(value));
    let whole = redactor.redact(&text).into_owned();
    let is_in_lines = name.contains("lines");
    // A value may begin with the same escape.
    let rest = whole.strip_prefix(before).or((before == "\\n").then_some(&whole[..]));
    let rest = rest.and_then(|rest| rest.strip_suffix(after));
    let rest = rest.ok_or_else(|| TestCaseError::fail(format!("{name}: {text:?} is {whole:?}")))?;
    let left = rest.strip_suffix(REDACTED).map(|left| if is_in_lines { left.trim_end() } else { left });
    let is_over =
        left.is_some_and(|left| left.chars().all(|sign| sign == '\\') || is_in_lines && left.len() <= 6);
    prop_assert!(is_over, "{}: {:?} is {:?}", name, text, whole);
    for cut in 0..=text.len() {
        let (first, second) = text.as_bytes().split_at(cut);
        prop_assert_eq!(streamed(&redactor, [first, second]), whole.as_bytes(), "{} cut at {}", name, cut);
    }
    prop_assert_eq!(streamed(&redactor, text.as_bytes().chunks(1)), whole.as_bytes());
    Ok(())
}

/// Values that contain escapes, among ordinary characters.
pub(crate) fn values() -> impl Strategy<Value = String> {
    let escapes = select(
        &[
            "\\e[31m",
            "\\x1b",
            "\\n",
            "\\t",
            "\\0",
            "\\033[1m",
            "\\u0041",
            "\\u001b]0;",
            "\\U0001F511",
            "\\x{41}",
            "\\\\",
            "\\",
            "%41",
            "%4",
            "%",
            "&amp;",
            "&#65;",
            "&",
            "\\e]",
            "\\ePq",
            "\\\"",
            "\\k",
            "%u0041",
            "\\ud83d",
        ][..],
    );
    let part = prop_oneof![escapes.prop_map(str::to_owned), "[a-zA-Z0-9]{1,4}"];
    let is_one =
        |value: &String| value.len() >= 8 && value.bytes().filter(u8::is_ascii_alphanumeric).count() > 3;
    vec(part, 2..7).prop_map(|parts| parts.concat()).prop_filter("too short", is_one)
}

fn check(cases: u32) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    let around = || select(&["", " ", "x: ", "(", "a=", "\\n", "ä"][..]);
    let all = (values(), select(PRINTS), around(), select(&["", " ", ".", "\n", ")"][..]));
    let run = proptest::test_runner::TestRunner::new(config)
        .run(&all, |(value, print, before, after)| holds(&value, print, before, after));
    run.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn nothing_of_a_value_with_escapes_stays() {
    check(2_000);
}

#[test]
#[ignore = "minutes: `.ci/nightly properties`"]
fn nothing_of_a_value_with_escapes_stays_in_a_hundred_thousand_cases() {
    check(100_000);
}

#[test]
fn nothing_of_a_short_value_with_escapes_stays() {
    for value in [
        "ab\\e[31mcd",
        "p\\x1bq",
        "pa\\nss\\t1",
        "\\u0041bcdef",
        "%41%42%43",
        "trail\\",
        "a\\\\b\\c",
        "abc\\e[",
    ] {
        for print in PRINTS.iter().filter(|(name, _)| !name.contains("lines") || value.len() >= 8) {
            holds(value, *print, "it is ", ".").unwrap_or_else(|error| panic!("{value:?}: {error}"));
        }
    }
}
