use proptest::{collection::vec, prelude::*};

use super::*;

fn streamed<'a>(redactor: &Redactor, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let (mut stream, mut clean) = (redactor.stream(), Vec::new());
    for piece in pieces {
        stream.push(piece, &mut clean);
    }
    stream.finish(&mut clean);
    clean
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn keys() -> Vec<String> {
    let key = |shape: &shapes::Shape| format!("{}{}", shape.prefix, "A1B2C3D4".repeat(12));
    shapes::SHAPES.iter().map(key).collect()
}

fn all() -> Redactor {
    Redactor::new(["hunter2-hunter2", "hunter2-hunter2-hunter3", "first line\nsecond line of a secret\n"])
        .shapes()
}

/// Returns a text with secrets of each kind, one after another and nested.
fn text() -> String {
    let mut text =
        String::from("hunter2-hunter2hunter2-hunter2-hunter3 first line\\nsecond line of a secret;");
    text.push_str("hunter2-hunter2-hunter second line of a secret, sk-ant-short, task-force, ü");
    for key in keys() {
        text.push_str(&format!(" {key}.\\n{key}\""));
    }
    text
}

#[test]
fn no_secret_is_left_wherever_the_output_is_cut() {
    let (redactor, text) = (all(), text());
    let whole = redactor.redact(&text);
    for secret in ["hunter2-hunter2", "second line of a secret", "A1B2C3D4"] {
        assert!(!whole.contains(secret), "{whole}");
    }
    for clear in ["sk-ant-short", "task-force, ü", "-hunter ["] {
        assert!(whole.contains(clear), "{whole}");
    }
    for cut in 0..=text.len() {
        let (a, b) = text.as_bytes().split_at(cut);
        assert_eq!(streamed(&redactor, [a, b]), whole.as_bytes(), "cut at {cut}");
    }
    let bytes = text.as_bytes().chunks(1);
    assert_eq!(streamed(&redactor, bytes), whole.as_bytes());
}

#[test]
fn every_shape_is_found_alone_and_in_json() {
    let redactor = Redactor::new::<&str>([]).shapes();
    for key in keys() {
        assert_eq!(redactor.redact(&key), REDACTED, "{key}");
        let json = format!(r#"{{"text":"a\n{key}","b":1}}"#);
        assert_eq!(redactor.redact(&json), format!(r#"{{"text":"a\n{REDACTED}","b":1}}"#), "{key}");
        let word = format!("x{key}");
        assert_eq!(redactor.redact(&word), word, "the middle of a word is no key");
    }
}

#[test]
fn a_value_is_found_in_each_of_its_forms() {
    let redactor = Redactor::new(["a \"quoted\"\tone", "postgres://ann:s3cr3t-word@db/x"]);
    assert_eq!(redactor.redact(r#"{"x":"a \"quoted\"\tone"}"#), r#"{"x":"[redacted]"}"#);
    assert_eq!(redactor.redact("password s3cr3t-word!"), "password [redacted]!");
    assert_eq!(redactor.redact("at postgres://ann:s3cr3t-word@db/x"), "at [redacted]");
}

#[test]
fn what_is_too_short_or_our_own_is_no_secret() {
    let redactor = Redactor::new(["", "true", "redacted"]);
    assert_eq!(redactor.redact("true, redacted"), "true, redacted");
    assert!(!format!("{:?}", Redactor::new(["hunter2-hunter2"])).contains("hunter"));
}

#[test]
fn a_value_that_ends_like_an_escape_is_found_before_digits() {
    for (value, text) in [("hun\"ter2%A", "hun\\\"ter2%Aa"), ("hun\"ter2%", "hun\\\"ter2%41")] {
        let redactor = Redactor::new([value]);
        assert!(redactor.redact(text).starts_with(REDACTED), "{text}: {}", redactor.redact(text));
    }
}

#[test]
fn a_dump_is_read_on_where_its_signs_look_like_an_escape() {
    let redactor = Redactor::new(["0123456789ab%a0cdefghijkl"]);
    let dump = "00000000: 3031 3233 3435 3637 3839 6162 2561 3063  0123456789ab%a0c\n\
                00000010: 6465 6667 6869 6a6b 6c                   defghijkl\n";
    let clean = redactor.redact(dump);
    assert!(!clean.contains("6a6b"), "{clean}");
    for (value, line) in
        [("0123456789abcd\\n0", "0123456789abcd\\\\n"), ("0123456789\\nabcd0", "0123456789\\\\nabcd")]
    {
        let hex: Vec<_> = value.as_bytes().chunks(2).map(hex_of).collect();
        let dump = format!("00000000: {}  {line}\\n00000010: {}  0\\n", hex[..8].join(" "), hex[8]);
        let clean = Redactor::new([value]).redact(&dump).into_owned();
        assert!(!clean.contains(&hex[8]), "{clean}");
    }
}

#[test]
fn a_value_with_a_percent_sign_is_found_in_json_of_which_signs_are_escaped() {
    for (value, text) in [
        ("0aa000%a0\\c", "0\\u0061a\\u00300\\u0030%a0\\u005cc"),
        ("p\u{e4}ss%41word", "p\\u00e4ss%41word"),
        ("aaA0 \\0A%0", "aaA0\\u0020\\u005c0A%0a"),
    ] {
        let clean = Redactor::new([value]).redact(text).into_owned();
        assert!(clean.starts_with(REDACTED), "{text}: {clean}");
    }
}

/// Puts a backslash before each character, as `bash -x` does.
fn traced(text: &[u8]) -> Vec<u8> {
    text.iter().flat_map(|byte| [b'\\', *byte]).collect()
}

#[test]
fn a_traced_comparison_shows_no_bytes_and_no_keys() {
    // Without a locale, bash treats each byte as a character.
    let value = "\u{c4}\u{db}e]n\u{dc}x9b-\u{df}0\u{1d11e}tv";
    let clean = Redactor::new([value]).redact_bytes(&traced(value.as_bytes())).into_owned();
    assert_eq!(clean, [b"\\", REDACTED.as_bytes()].concat(), "{}", String::from_utf8_lossy(&clean));
    let redactor = Redactor::new::<&str>([]).shapes();
    for key in keys().iter().filter(|key| !key.contains(' ')) {
        let clean = redactor.redact_bytes(&traced(key.as_bytes())).into_owned();
        let clean = String::from_utf8_lossy(&clean);
        assert!(clean.starts_with("\\[redacted]") && clean.len() < key.len(), "{key}: {clean}");
        let json = format!(r#"{{"text":"{key}\nname\n","b":1}}"#);
        assert_eq!(redactor.redact(&json), r#"{"text":"[redacted]\nname\n","b":1}"#, "{key}");
    }
}

#[test]
fn a_short_value_is_found_if_each_sign_is_behind_a_backslash() {
    let redactor = Redactor::new(["s3cr3t"]);
    assert_eq!(redactor.redact("[[ a == \\s\\3\\c\\r\\3\\t ]]"), "[[ a == \\[redacted] ]]");
    assert_eq!(redactor.redact("D:\\s3cr\\3t"), "D:\\s3cr\\3t");
}

#[test]
fn the_end_of_a_traced_value_is_found() {
    let redactor = Redactor::new(["correct-token-battery"]);
    for text in ["\\t\\o\\k\\e\\n\\-\\b\\a\\t\\t\\e\\r\\y z", "\\\\b\\\\a\\\\t\\\\t\\\\e\\\\r\\\\y z"] {
        let (_, tail) = redactor.redact_ends(b"", 900, text.as_bytes());
        assert_eq!(String::from_utf8_lossy(&tail), "[redacted] z", "{text}");
    }
}

#[test]
fn the_end_of_a_value_in_digits_is_found() {
    let value = "correct-token-battery-staple-9Xw";
    let redactor = Redactor::new([value]);
    let each = |write: &dyn Fn(u8) -> String| value.bytes().map(write).collect::<Vec<_>>();
    for written in [
        each(&|byte| format!("{byte:02x} ")),
        each(&|byte| format!("0x{byte:02x}, ")),
        each(&|byte| format!("\"0x{byte:02x}\", ")),
        each(&|byte| format!("0x{byte:02x},\n  ")),
    ] {
        for begun in 1..value.len() - 6 {
            let (_, tail) = redactor.redact_ends(b"", 900, written[begun..].concat().as_bytes());
            let tail = String::from_utf8_lossy(&tail);
            assert!(tail.starts_with(REDACTED) && tail.len() < REDACTED.len() + 5, "{begun}: {tail}");
        }
    }
}

#[test]
fn a_wrapped_value_is_found_after_its_lines_are_joined() {
    let value = "Zq7-correct-horse-battery-9Xw-staple-and-more-words-until-it-is-long-enough-K4";
    let redactor = Redactor::new([value]);
    for width in [30, 40, 76] {
        let lines: Vec<_> = value.as_bytes().chunks(width).map(String::from_utf8_lossy).collect();
        let joined = format!("key {} seen", lines.join(" "));
        assert_eq!(redactor.redact(&joined), "key [redacted] seen", "{joined}");
    }
    assert_eq!(
        redactor.redact("a-word-of-more-than-thirty-characters and another"),
        "a-word-of-more-than-thirty-characters and another"
    );
}

/// Six characters are few enough to be a coincidence, but these have eight bytes.
#[test]
fn the_numbers_of_characters_are_found_if_they_are_fewer_than_the_bytes() {
    let redactor = Redactor::new(["aAäAäa"]);
    assert_eq!(redactor.redact("[97, 65, 228, 65, 228, 97]"), "[[redacted]]");
    assert_eq!(redactor.redact(r"aA\xe4A\xe4a"), "[redacted]");
}

#[test]
fn digits_behind_a_prefix_are_found() {
    let redactor = Redactor::new(["key-of-an-ann\u{e4}"]);
    let hex = hex_of("key-of-an-ann\u{e4}".as_bytes());
    for prefix in ["\\x", "\\\\x", "0x", "%", "%u00", "\\U000000", "X'", "x'", "\\", "U+", "#", "\\x{"] {
        for digits in [hex.clone(), hex.to_uppercase(), format!("{}\n{}", &hex[..12], &hex[12..])] {
            let clean = redactor.redact(&format!("it is {prefix}{digits}.")).into_owned();
            assert_eq!(clean, format!("it is {prefix}[redacted]."));
        }
    }
    let json = format!(r#"{{"a":"\u00{hex}","b":"\\u00{hex}"}}"#);
    assert_eq!(redactor.redact(&json), r#"{"a":"[redacted]","b":"\\u00[redacted]"}"#);
    // LDAP filters escape this way.
    let escapes: String =
        hex.as_bytes().chunks(2).map(|byte| format!("\\{}", String::from_utf8_lossy(byte))).collect();
    assert_eq!(redactor.redact(&format!("(cn={escapes})")), "(cn=\\[redacted])");
}

#[test]
fn numbers_in_json_are_left() {
    let redactor = Redactor::new(["12345678", "secret-key"]);
    let value = serde_json::json!({"key": 123_456_789, "text": ["12345678", "x12345678"]});
    let mut json = Vec::new();
    redactor.write_json(&value, &mut json).unwrap();
    let json = String::from_utf8(json).unwrap();
    assert_eq!(json, r#"{"key":123456789,"text":["[redacted]","x[redacted]"]}"#);
}

fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let secret = "(ab){3,5}|abcabcabc|sk-[a-c0]{20,50}|ghp_[ab]{25,40}|[abc -]{0,9}|AKIA[A-B]{12,20}|\\\\n";
    vec(secret.prop_map(String::into_bytes), 0..12)
}

proptest! {
    #[test]
    fn pieces_give_what_the_whole_gives(pieces in pieces(), size in 1..40_usize) {
        let redactor = Redactor::new(["ababab", "abababab", "abcabcabc", "bcabca"]).shapes();
        let text = pieces.concat();
        let whole = redactor.redact_bytes(&text).into_owned();
        prop_assert_eq!(&streamed(&redactor, pieces.iter().map(Vec::as_slice)), &whole);
        prop_assert_eq!(&streamed(&redactor, text.chunks(size)), &whole);
        for secret in ["ababab", "abcabcabc", "bcabca"] {
            prop_assert!(!String::from_utf8_lossy(&whole).contains(secret));
        }
    }
}

#[test]
fn a_mask_keeps_the_position_of_all_other_text() {
    let redactor = all().and(["größe-und-breite"]).and([b"\xa4ngstig"]).shapes();
    for (text, masked) in [
        ("nothing in it", "nothing in it"),
        ("hunter2-hunter2hunter2-hunter2", "******************************"),
        ("is größe-und-breite, ja", "is ******************, ja"),
        ("hunter2-\\u0068unter2", "********************"),
        ("a second line of a secret", "a ***********************"),
        ("first line\nsecond line of a secret\n", "**********\n***********************\n"),
        ("ein \u{e4}ngstiges", "ein ********es"),
    ] {
        assert_eq!(redactor.mask(text), masked);
    }
    let text = text();
    let masked = redactor.mask(&text).into_owned();
    let redacted = redactor.redact(&text).into_owned();
    // A mask keeps line ends in a secret, too.
    assert_eq!(masked.replace(['*', '\n'], ""), redacted.replace(REDACTED, "").replace('\n', ""));
}
