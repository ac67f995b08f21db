//! The forms in which programs print a value.

use proptest::{prelude::*, sample::select};

use super::spellings::SPELLINGS;

/// A value, and a text that contains one of its forms.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) value: String,
    pub(crate) form: &'static str,
    pub(crate) text: String,
}

/// A form: its name, and a function that writes a value in it. The numbers choose among the form's variants.
pub(crate) type Form = (&'static str, fn(&str, &mut dyn FnMut(usize) -> usize) -> String);

/// Returns random choices: numbers below its argument.
pub(crate) type Dice<'a> = &'a mut dyn FnMut(usize) -> usize;

const FORMS: &[Form] = &[
    ("as it is", |value, _| value.to_owned()),
    ("JSON", |value, _| json(value)),
    ("JSON in JSON", |value, _| json(&json(value))),
    ("JSON with slashes", |value, _| json(value).replace('/', "\\/")),
    ("JSON, each sign escaped", |value, _| escaped(value, |unit| format!("\\u{unit:04x}"), &mut |_| 1)),
    ("JSON, capital digits", |value, _| escaped(value, |unit| format!("\\u{unit:04X}"), &mut |_| 1)),
    ("JSON, some signs escaped", |value, dice| escaped(value, |unit| format!("\\u{unit:04x}"), dice)),
    ("JSON in JSON, escaped", |value, dice| escaped(value, |unit| format!("\\\\u{unit:04x}"), dice)),
    ("JavaScript", |value, _| value.chars().map(|sign| format!("\\u{{{:x}}}", u32::from(sign))).collect()),
    ("Python", |value, _| value.chars().map(|sign| format!("\\U{:08x}", u32::from(sign))).collect()),
    ("bytes of a string", |value, _| value.bytes().map(|byte| format!("\\x{byte:02x}")).collect()),
    ("octal bytes of a string", |value, _| value.bytes().map(|byte| format!("\\{byte:03o}")).collect()),
    ("quoted for a shell", |value, _| value.replace('\'', "'\\''").replace("'\\''", "\\'")),
    ("URL", |value, _| value.bytes().map(|byte| format!("%{byte:02X}")).collect()),
    ("URL, small digits", |value, _| value.bytes().map(|byte| format!("%{byte:02x}")).collect()),
    ("URL, in part", |value, dice| url(value, dice, "%20")),
    ("form of a page", |value, dice| url(value, dice, "+")),
    ("base 64", |value, dice| base64_within(value, dice, false, true)),
    ("base 64 without padding", |value, dice| base64_within(value, dice, false, false)),
    ("base 64 for URLs", |value, dice| base64_within(value, dice, true, true)),
    ("base 64 for URLs without padding", |value, dice| base64_within(value, dice, true, false)),
    ("base 64 in a URL", |value, dice| {
        let base64 = base64_within(value, dice, false, true);
        base64.replace('+', "%2B").replace('/', "%2f").replace('=', "%3D")
    }),
    ("base 64 in lines", |value, dice| {
        let before = 3 * 19 - 3 * dice(8);
        let text = base64(&[&vec![b'x'; before], value.as_bytes(), b" and so on and on"].concat());
        text.as_bytes().chunks(76).map(String::from_utf8_lossy).collect::<Vec<_>>().join("\n")
    }),
    ("hexadecimal", |value, _| hex(value, "", 1)),
    ("hexadecimal, capitals", |value, _| hex(value, "", 1).to_uppercase()),
    ("hexadecimal with a sign between", |value, dice| {
        hex(value, [":", "_", ".", "/", "=", "-", ","][dice(7)], 1)
    }),
    ("hexadecimal with spaces, capitals", |value, _| hex(value, " ", 1).to_uppercase()),
    ("hexadecimal in pairs", |value, _| hex(value, " ", 2)),
    ("xxd", |value, dice| dump(value, dice, ":", 2, "")),
    ("hexdump", |value, dice| dump(value, dice, " ", 1, "|")),
    ("xxd in JSON", |value, dice| json(&dump(value, dice, ":", 2, ""))),
    ("array of bytes", |value, _| {
        value.bytes().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(", ")
    }),
    ("colours", |value, dice| between(value, &["\x1b[1m", "\x1b[0m", "\x1b[38;5;196m", "\x1b[K"], dice)),
    ("titles and links", |value, dice| {
        between(value, &["\x1b]0;title\x07", "\x1b]8;;http://x.y/\x1b\\", "\x1b(B", "\u{9b}1m"], dice)
    }),
    ("odd sequences", |value, dice| between(value, ODD, dice)),
    ("sequences that some terminals end elsewhere", |value, dice| {
        between(value, &["\x1bPabc\x07", "\x1b_a\x07", "\x1b[3\x181m", "\x1b[3\x1a1m"], dice)
    }),
    ("ESC alone", |value, dice| between(value, &["\x1b", "\x1b\x1b"], dice)),
    ("signs without width", |value, dice| {
        let signs = ["\u{200b}", "\u{200c}", "\u{200d}", "\u{feff}", "\u{2060}", "\u{ad}", "\u{fe0f}"];
        between(value, &signs, dice)
    }),
    ("signs that turn text", |value, dice| between(value, &["\u{202e}", "\u{2066}", "\u{200f}"], dice)),
    ("controls", |value, dice| between(value, &["\0", "\x07", "\x08", "\r", "\x7f", "\t", "\u{85}"], dice)),
    ("escaped colours", |value, dice| {
        between(
            &json(value),
            &["\\u001b[1m", "\\x1b[0m", "\\033[31m", "\\e[0m", "\\u200b", "%E2%80%8B"],
            dice,
        )
    }),
    ("colours in base 64", |value, dice| {
        let base64 = base64_within(value, dice, false, true);
        between(&base64, &["\x1b[1m", "\u{200b}"], dice)
    }),
    ("colours in hexadecimal", |value, dice| between(&hex(value, ":", 1), &["\x1b[1m", "\u{200b}"], dice)),
];

/// Escape sequences with surprising ends, some with controls inside.
const ODD: &[&str] = &[
    "\x1b\x1b[1m",
    "\x1b[3\x071m",
    "\x1b[3\r1m",
    "\x1b[3\x7f1m",
    "\x1b[31\x18",
    "\x1b]0;t\x1a",
    "\x1bPabc\x07x\x1b\\",
    "\x1b_abc\x07x\x1b\\",
    "\x1b^x\x1b[1m",
    "\x1b([",
    "\x1b [",
    "\x1b#8",
    "\x1b]0;a\x1b(B",
    "\u{90}x\u{9c}",
    "\x1b[?25\0h",
    "\x1b[ q",
];

/// Returns all forms.
pub(crate) fn forms() -> Vec<Form> {
    [FORMS, SPELLINGS].concat()
}

pub(crate) fn json(value: &str) -> String {
    let json = serde_json::to_string(value).expect("a text");
    json[1..json.len() - 1].to_owned()
}

fn escaped(value: &str, escape: fn(u16) -> String, dice: Dice<'_>) -> String {
    let mut text = String::new();
    for sign in value.chars() {
        if dice(3) == 1 || matches!(sign, '\\' | '"') {
            sign.encode_utf16(&mut [0; 2]).iter().for_each(|unit| text.push_str(&escape(*unit)));
        } else {
            text.push(sign);
        }
    }
    text
}

fn url(value: &str, dice: Dice<'_>, space: &str) -> String {
    let mut text = String::new();
    for sign in value.chars() {
        match sign {
            ' ' => text.push_str(space),
            sign if sign.is_ascii_alphanumeric() && dice(3) > 0 => text.push(sign),
            sign if "-_.~".contains(sign) => text.push(sign),
            sign => {
                let mut room = [0; 4];
                let bytes = sign.encode_utf8(&mut room).bytes();
                let digits =
                    |byte| if dice(2) == 0 { format!("%{byte:02x}") } else { format!("%{byte:02X}") };
                text.extend(bytes.map(digits));
            }
        }
    }
    text
}

/// Encodes the value with other bytes before and after it, as in `Authorization: Basic`.
fn base64_within(value: &str, dice: Dice<'_>, for_urls: bool, padded: bool) -> String {
    let (before, after) = (&"ann:"[..dice(5)], &":xyz"[..dice(5)]);
    let mut text = base64(format!("{before}{value}{after}").as_bytes());
    if for_urls {
        text = text.replace('+', "-").replace('/', "_");
    }
    if padded { text } else { text.trim_end_matches('=').to_owned() }
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let bits = group.iter().chain(&[0; 2]).take(3).fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        let digit = |at: usize| match at <= group.len() {
            true => char::from(DIGITS[bits >> (18 - 6 * at) & 63]),
            false => '=',
        };
        (0..4).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

fn hex(value: &str, between: &str, bytes: usize) -> String {
    let group = |group: &[u8]| group.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    value.as_bytes().chunks(bytes).map(group).collect::<Vec<_>>().join(between)
}

/// Dumps a file in which other bytes precede the value.
fn dump(value: &str, dice: Dice<'_>, colon: &str, bytes: usize, bar: &str) -> String {
    let all = [&vec![b'-'; dice(20)], value.as_bytes(), b"\n"].concat();
    dump_rows(&all, colon, bytes, bar, 16)
}

pub(crate) fn dump_rows(all: &[u8], colon: &str, bytes: usize, bar: &str, width: usize) -> String {
    let row = |(number, row): (usize, &[u8])| {
        let digits = |group: &[u8]| group.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let digits = row.chunks(bytes).map(digits).collect::<Vec<_>>().join(" ");
        let sign = |byte: &u8| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '.' };
        let signs: String = row.iter().map(sign).collect();
        format!("{:08x}{colon} {digits}  {bar}{signs}{bar}\n", number * width)
    };
    all.chunks(width).enumerate().map(row).collect()
}

/// Puts something invisible between two characters, at one place or at all of them.
pub(crate) fn between(value: &str, unseen: &[&str], dice: Dice<'_>) -> String {
    let (everywhere, last) = (dice(2) == 0, value.chars().count().saturating_sub(1));
    let place = 1 + dice(last.max(1));
    let mut text = String::new();
    // This keeps escapes intact.
    let whole = value.contains('\\');
    for (at, sign) in value.chars().enumerate() {
        if at > 0 && !whole && (everywhere || at == place) || at == 0 && whole {
            text.push_str(unseen[dice(unseen.len())]);
        }
        text.push(sign);
    }
    text
}

/// Values as people choose and programs draw them.
pub(crate) fn values() -> impl Strategy<Value = String> {
    let signs = "[A-Za-z0-9äßж€]{6,16}([ -~äß€🔑]{0,24}[A-Za-z0-9!#$&*+,./:;=?@^_|~-])?";
    signs.prop_filter("it is ours", |value| !"[redacted]".contains(value.as_str()))
}

/// Returns a value of at least eight bytes in one of its forms.
pub(crate) fn written() -> impl Strategy<Value = Written> {
    let value = values().prop_filter("too short for some", |value| value.len() >= 8);
    (value, select(forms()), any::<u64>()).prop_map(|(value, (form, write), seed)| {
        let mut state = seed | 1;
        let text = write(&value, &mut |most| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).expect("31 bits") % most
        });
        Written { value, form, text }
    })
}
