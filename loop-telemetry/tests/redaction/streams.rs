//! The output of a redacting stream does not depend on chunk boundaries.

use loop_telemetry::{REDACTED, Redactor};
use proptest::{prelude::*, test_runner::TestRunner};

use super::forms::{Written, forms, values, written};

pub(crate) fn streamed<'a>(redactor: &Redactor, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let (mut stream, mut clean) = (redactor.stream(), Vec::new());
    for piece in pieces {
        stream.push(piece, &mut clean);
    }
    stream.finish(&mut clean);
    clean
}

/// Returns the surrounding text: ordinary text, and text that looks like a part of the value.
fn around() -> impl Strategy<Value = (String, String)> {
    let texts = || {
        prop::sample::select(
            &["", " ", "token=", "\"", "'", "(", "a\n", "\u{1b}[31m", "ü", "x: ", "\\\""][..],
        )
    };
    (texts(), texts()).prop_map(|(before, after)| (before.to_owned(), after.to_owned()))
}

fn holds(
    Written { value, form, text }: &Written,
    (before, after): &(String, String),
) -> Result<(), TestCaseError> {
    let redactor = Redactor::new([value]).shapes();
    let whole_text = format!("{before}{text}{after}");
    let whole = redactor.redact(&whole_text).into_owned();
    prop_assert!(whole.contains(REDACTED), "{form}: {whole_text:?} is {whole:?}");
    prop_assert!(!whole.contains(text.as_str()), "{form}: {whole:?}");
    prop_assert!(!whole.contains(value.as_str()), "{form}: {whole:?}");
    if form.contains("dump") || form.contains("xxd") {
        // The characters beside the digits show it too.
        let is_shown =
            |part: &[u8]| value.is_ascii() && whole.as_bytes().windows(part.len()).any(|it| it == part);
        prop_assert!(!value.as_bytes().windows(9).any(is_shown), "{form}: {whole}");
    }
    // Of digit forms, at most a byte or two may remain.
    let rest = whole.replace(REDACTED, "");
    let left = rest.len().saturating_sub(before.len() + after.len());
    prop_assert!(left <= 40 || !form.contains("hexa"), "{form}: {whole:?}");
    for cut in 0..=whole_text.len() {
        let (a, b) = whole_text.as_bytes().split_at(cut);
        let parts = streamed(&redactor, [a, b]);
        prop_assert_eq!(
            &parts,
            whole.as_bytes(),
            "{} cut at {}: {:?}",
            form,
            cut,
            String::from_utf8_lossy(&parts)
        );
    }
    prop_assert_eq!(&streamed(&redactor, whole_text.as_bytes().chunks(1)), whole.as_bytes());
    Ok(())
}

fn check(cases: u32) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    let run =
        TestRunner::new(config).run(&(written(), around()), |(written, around)| holds(&written, &around));
    run.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn no_form_of_a_value_passes_wherever_a_stream_is_cut() {
    check(500);
}

#[test]
#[ignore = "minutes: `.ci/nightly properties`"]
fn no_form_of_a_value_passes_in_a_hundred_thousand_cases() {
    check(100_000);
}

/// No sequence is so long that it ends by itself.
#[test]
fn long_sequences_hide_no_value() {
    let redactor = Redactor::new(["hunterAlphaBeta"]);
    let sequences =
        [format!("\u{1b}[{}m", "1;".repeat(9_000)), format!("\u{1b}]0;{}\u{7}", "t".repeat(9_000))];
    for text in sequences.map(|sequence| format!("a hunter{sequence}AlphaBeta b")) {
        assert_eq!(redactor.redact(&text), "a [redacted] b");
        assert_eq!(streamed(&redactor, text.as_bytes().chunks(7)), b"a [redacted] b");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The redactor does not know these values, so the output equals the input for any chunk size.
    #[test]
    fn what_is_no_secret_passes_as_it_is(text in written(), other in values(), size in 1..9_usize) {
        prop_assume!(!text.text.contains(other.as_str()) && !text.value.contains(other.as_str()));
        let redactor = Redactor::new([format!("Q{other}7")]);
        let bytes = text.text.as_bytes();
        prop_assert_eq!(&streamed(&redactor, bytes.chunks(size)), bytes);
    }

    #[test]
    fn any_bytes_in_pieces_give_what_the_whole_gives(
        parts in prop::collection::vec(prop_oneof![
            any::<[u8; 3]>().prop_map(|bytes| bytes.to_vec()),
            "(hunter|68 75 6e|0x68|7568 746e|062564|104|104, 117, |'h', 'u', |h   u   n|\"|'|&amp;|&#104;|00000000: |0000020 |\\\\0150|%6875|\\\\x6875|\\\\u00687|\\\\h\\\\u|\\\\n\\\\t|\\\\e\\\\r|%68|\\\\u0068|\\\\x68|aHVu|\x1b\\[|\x1b\\]|\n|\\\\|%|sk-ant-|a{20}|ü|→|日本|🔑){1,4}".prop_map(String::into_bytes),
        ], 0..30),
        size in 1..20_usize,
    ) {
        let redactor = Redactor::new(["hunter2-hunter", "hunterhunterhunter", "aaaaaaaa", "nterhu", "日本hunter"]).shapes();
        let text = parts.concat();
        let whole = redactor.redact_bytes(&text).into_owned();
        prop_assert_eq!(&streamed(&redactor, text.chunks(size)), &whole);
        prop_assert_eq!(&streamed(&redactor, parts.iter().map(Vec::as_slice)), &whole);
    }
}

#[test]
fn no_more_than_a_bound_is_held_back() {
    let redactor = Redactor::new(["hunter2-hunter2", &"a".repeat(4000)]);
    let unseen = ["\u{200b}", "\x1b[0m", "a", "\\", "%", "h\u{200b}", "\x1b]", "&", "&amp;"];
    let separators = [" ", "\n", "\"", "' ", ", ", "\n ", "\t", "0", "61 ", "97, ", "a "];
    let begun =
        ["hunter2-", "68 75 6e ", "6e75 ", "104, 117, ", "h   u   n   ", "00000000: 6875 6e74  hunt\n"];
    for (begun, unseen) in
        begun.iter().flat_map(|begun| unseen.iter().chain(&separators).map(move |it| (begun, it)))
    {
        let (mut stream, mut clean, mut pushed) = (redactor.stream(), Vec::new(), 0);
        stream.push(begun.as_bytes(), &mut clean);
        let piece = unseen.repeat(1000);
        while pushed < 2 << 20 {
            stream.push(piece.as_bytes(), &mut clean);
            pushed += piece.len();
            let held: usize = format!("{stream:?}")
                .chars()
                .filter(char::is_ascii_digit)
                .collect::<String>()
                .parse()
                .expect("a number");
            assert!(held <= 1 << 20, "{held} bytes of {unseen:?} after {pushed}");
            clean.clear();
        }
    }
}

#[test]
fn each_form_is_one_that_a_secret_would_be_known_by() {
    let value = "Tr0ub4dor&3/+ x?";
    let redactor = Redactor::new([value]);
    for (form, write) in forms() {
        let text = write(value, &mut |most| most / 2);
        assert!(redactor.redact(&text).contains(REDACTED), "{form}: {text:?}");
    }
}

#[test]
fn ordinary_text_stays_readable_whatever_the_secrets_are() {
    let redactor = Redactor::new(["secret", "123456", "changeme", "12345", "abc", "12345678", "passphrase"]);
    let list = |numbers: std::ops::Range<u8>, between: &str| {
        numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(between)
    };
    let lists = [", ", " ", ","].map(|between| list(1..30, between) + "\n" + &list(39..150, between));
    let lists = lists.join("\n") + "\n" + &list(1..200, "\n");
    let text = "[30, 31, 32, 33, 34, 35, 36, 37] chapter 31:32:33:34:35:36, MTIz, 12 345, 50%, C:\\new\\table,\n\
                ident\u{200b}ity \u{1b}[1mbold\u{1b}[0m a+b c%20d \\u0041 sec\nret please change me, it's a pass phrase, \
                \"a\", \"b\", 1234,5678 a&b &lt; &copy; AT&T \\012 a 1 2 3 4 5 6 7 8\n\
                \\s\\w+\\.\\d{3}\\t\\b\\x31\\x32 C:\\secr\\etc\\abc \\x0102030405060708 %31%32%33 \\u0031\\u0032, \\c\\h\\a\\n\\g\\e \\a\\b\\c \\1\\2\\3\\4\\5";
    for text in [text, &lists] {
        assert_eq!(redactor.redact(text), text);
    }
}
