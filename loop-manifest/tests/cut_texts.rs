//! Messages are cut before they are redacted, because the libraries that cut them know no secrets. No part of a secret
//! may stay at a cut.

use loop_agents::{
    output::{Capture, beginning, ending, excerpt},
    review::Findings,
};
use loop_telemetry::Redactor;

const SECRET: &str = "kz/9Q\"w-81+Xé_pL&7vB";

/// Returns the secret as programs print it, and the number of bytes that show six bytes of it: fewer occur everywhere.
fn forms() -> Vec<(String, usize)> {
    let bytes = |write: &dyn Fn(u8) -> String| SECRET.bytes().map(write).collect::<String>();
    let json = serde_json::Value::from(SECRET).to_string();
    vec![
        (SECRET.to_owned(), 6),
        (json[1..json.len() - 1].to_owned(), 7),
        (bytes(&|byte| format!("%{byte:02X}")), 18),
        (bytes(&|byte| format!("{byte:02x}")), 12),
        (SECRET.chars().map(|sign| format!("\\u{:04x}", u32::from(sign))).collect(), 36),
        ("a3ovOVEidy04MStYw6lfcEwmN3ZC".to_owned(), 8),
    ]
}

/// Returns the text cut in each way that an agent's or a reviewer's words are cut, at `bytes`.
fn cut_texts(text: &str, bytes: usize) -> [String; 6] {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut capture = Capture::with_limit(bytes / 2);
    capture.push(text.as_bytes());
    let found = Findings::new([text], text, text);
    [
        beginning(text, bytes),
        ending(text, bytes),
        capture.last_text(bytes),
        words(&excerpt(text.as_bytes(), bytes)),
        beginning(&ending(text, bytes), bytes / 2),
        found.to_string(),
    ]
}

#[test]
fn no_part_of_a_secret_stays_at_a_cut() {
    let redactor = Redactor::new([SECRET]).shapes();
    for (form, part) in forms() {
        for bytes in [60_usize, 300, 500, 2000] {
            for before in bytes.saturating_sub(form.len() + 4)..=bytes + 4 {
                let text = format!("{}{form} {}", "x ".repeat(before / 2), "y".repeat(before));
                for cut in cut_texts(&text, bytes) {
                    let clean = redactor.redact(&cut);
                    let is_left =
                        |shown: &&[u8]| clean.as_bytes().windows(part).any(|window| window == *shown);
                    let left = form.as_bytes().windows(part).find(is_left).map(String::from_utf8_lossy);
                    assert_eq!(left, None, "{before} of {bytes}: {form} in {clean}");
                }
            }
        }
    }
}

#[test]
fn the_middle_of_a_long_secret_is_a_part_of_it() {
    let secret: String = (0..400).map(|index| char::from(b'a' + (index * index % 23) as u8)).collect();
    let redactor = Redactor::new([&secret]);
    for end in 100..300 {
        let cut = ending(&beginning(&secret, end), 90);
        assert_eq!(redactor.redact(&cut), "…[redacted]…", "{cut}");
    }
}
