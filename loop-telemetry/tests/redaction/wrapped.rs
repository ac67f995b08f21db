//! Values in lines that a program wrapped, and gave a margin.

use loop_telemetry::{REDACTED, Redactor};
use proptest::{prelude::*, sample::select, test_runner::TestRunner};

use super::{
    forms::{base64, json},
    streams::streamed,
};

/// The text before each line.
const MARGINS: &[&str] = &[
    "",
    " ",
    "    ",
    "\t",
    "\t\t  ",
    "> ",
    ">> ",
    "# ",
    "// ",
    "/// ",
    " * ",
    "| ",
    "│ ",
    "; ",
    "-- ",
    "%% ",
    "\" ",
    "web_1  | ",
    "api-7f9c8 app ",
    "2024-05-01T10:00:00Z web | ",
    "\u{1b}[36mweb |\u{1b}[0m ",
    "[build] ",
    "  12\t",
];

/// A way to wrap a text at this width, with a margin.
type Wrap = (&'static str, fn(&str, usize, &str) -> String);

const WRAPS: &[Wrap] = &[
    ("each line", |text, width, margin| lines(text, width).map(|line| format!("{margin}{line}\n")).collect()),
    ("all but the first", |text, width, margin| {
        lines(text, width).collect::<Vec<_>>().join(&format!("\n{}", marks(margin)))
    }),
    ("ends of Windows", |text, width, margin| {
        lines(text, width).map(|line| format!("{margin}{line}\r\n")).collect()
    }),
    ("continued by a shell", |text, width, margin| {
        lines(text, width).map(|line| format!("{margin}{line}\\\n")).collect()
    }),
    ("folded at spaces", |text, _, margin| text.split(' ').map(|word| format!("{margin}{word}\n")).collect()),
    ("base 64", |text, width, margin| {
        lines(&base64(text.as_bytes()), width).map(|line| format!("{margin}{line}\n")).collect()
    }),
];

fn lines(text: &str, width: usize) -> impl Iterator<Item = String> {
    let signs: Vec<_> = text.chars().collect();
    signs.chunks(width).map(String::from_iter).collect::<Vec<_>>().into_iter()
}

/// Returns a margin that no line must share with the line before it.
fn marks(margin: &str) -> &str {
    if margin.contains(|sign: char| sign.is_ascii_alphabetic()) { "    " } else { margin }
}

/// Returns what a redacted text shows of the wrapped value: its lines without their margins, ends and spaces, and
/// without the replacement, whose letters may also occur in the value.
fn unwrapped(text: &str, end: &str, carriage_return: &str, margin: &str) -> String {
    let lines = text.split(end).map(|line| {
        let line = line.trim_end_matches('\\').trim_end_matches(carriage_return);
        line.strip_prefix(margin).unwrap_or(line).replace(REDACTED, "").replace(' ', "")
    });
    lines.collect()
}

fn holds(
    value: &str,
    (name, wrap): Wrap,
    width: usize,
    margin: &str,
    is_json: bool,
) -> Result<(), TestCaseError> {
    let redactor = Redactor::new([value]);
    let lines = wrap(value, width, margin);
    let (intro, text) = if is_json {
        ("{\"a\":\"".to_owned(), format!("{{\"a\":\"{}\"}}", json(&lines)))
    } else {
        (format!("{margin}it is:\n"), format!("{margin}it is:\n{lines}"))
    };
    let whole = redactor.redact(&text).into_owned();
    prop_assert!(whole.contains(REDACTED), "{name}: {text:?} is {whole:?}");
    let rest = whole.strip_prefix(&intro).unwrap_or(&whole);
    let rest = if is_json {
        unwrapped(rest, &json("\n"), &json("\r"), &json(margin))
    } else {
        unwrapped(rest, "\n", "\r", margin)
    };
    // Up to three characters before the end of a line stay, and the last digit in base 64, which also depends on what
    // follows the value.
    let left = rest.trim_end_matches(['"', '}', '=']).len();
    let most = if name == "base 64" { 4 } else { 3 };
    prop_assert!(left <= most, "{name}: {text:?} is {whole:?}");
    for cut in 0..=text.len() {
        let (first, second) = text.as_bytes().split_at(cut);
        prop_assert_eq!(streamed(&redactor, [first, second]), whole.as_bytes(), "{} cut at {}", name, cut);
    }
    prop_assert_eq!(streamed(&redactor, text.as_bytes().chunks(1)), whole.as_bytes());
    Ok(())
}

fn check(cases: u32) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    let values = "[A-Za-z0-9]{3,9}[ +/=_-][A-Za-z0-9]{6,30}( [a-z0-9]{4,9}){0,2}";
    let all = (values, select(WRAPS), 1..40_usize, select(MARGINS), any::<bool>());
    let run = TestRunner::new(config)
        .run(&all, |(value, wrap, width, margin, is_json)| holds(&value, wrap, width, margin, is_json));
    run.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn no_value_passes_in_lines_with_a_margin() {
    check(1_000);
}

#[test]
#[ignore = "minutes: `.ci/nightly properties`"]
fn no_value_passes_in_lines_with_a_margin_in_a_hundred_thousand_cases() {
    check(100_000);
}

#[test]
fn a_value_that_resembles_the_replacement_does_not_pass() {
    holds("0AA+edacAA", WRAPS[0], 1, "", false).expect("no part of the value");
}

#[test]
fn ordinary_lines_stay_as_they_are() {
    let redactor = Redactor::new(["password", "changeme-later", "passphrase"]);
    for text in [
        "// The pass\n// is a word.\n",
        "    change();\n    me.later();\n",
        "- change\n- later\n",
        "web | pass\nweb | ed\nweb | word\n",
    ] {
        assert_eq!(redactor.redact(text), text);
    }
}

/// A quotation in a mail, a comment and a row of a table.
#[test]
fn the_body_of_a_private_key_is_found_behind_the_signs_of_a_line() {
    let rows = [
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7",
        "VJTUt9Us8cKjMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictG",
    ];
    for sign in ["", "> ", "> > ", "# ", " * ", "| ", "// ", "\t"] {
        let lines = ["-----BEGIN PRIVATE KEY-----", rows[0], rows[1], "-----END PRIVATE KEY-----"];
        let text: String = lines.iter().map(|line| format!("{sign}{line}\n")).collect();
        let shown = Redactor::new([""; 0]).shapes().redact(&text).into_owned();
        assert!(rows.iter().all(|row| !shown.contains(&row[..12])), "{sign:?}: {shown}");
        assert!(shown.contains("END PRIVATE KEY"), "{shown}");
    }
}
