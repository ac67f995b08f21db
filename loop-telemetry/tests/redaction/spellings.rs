//! Spellings of a value as bytes or characters: dumps of other tools, lists, quotes, markup and short lines.

use super::forms::{Dice, Form, base64, between, dump_rows, json};

pub(crate) const SPELLINGS: &[Form] = &[
    ("array of bytes over lines", |value, dice| {
        let bytes = prefixed(value, dice);
        let row = |row: &[u8]| row.iter().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(", ");
        bytes.chunks(12).map(|bytes| format!("  {}", row(bytes))).collect::<Vec<_>>().join(",\n")
    }),
    ("digits in short lines", |value, dice| {
        let width = 1 + dice(9);
        lines(&digits(&prefixed(value, dice), ""), 2 * width)
    }),
    ("list of quoted bytes", |value, dice| {
        let (quote, comma) = (["'", "\""][dice(2)], [",", ", "][dice(2)]);
        let prefix = ["0x", "", "0X"][dice(3)];
        let text = |byte| format!("{quote}{prefix}{byte:02x}{quote}");
        format!("[{}]", value.bytes().map(text).collect::<Vec<_>>().join(comma))
    }),
    ("words in a dump", |value, dice| {
        let size = [2, 4, 8][dice(3)];
        let word = |word: &[u8]| {
            let padded = word.iter().chain(&[0; 8]).take(size).copied().collect::<Vec<_>>();
            padded.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        let radix = [16, 8, 10][dice(3)];
        rows(
            &prefixed(value, dice),
            16,
            |row| row.chunks(size).map(word).collect::<Vec<_>>().join(" "),
            radix,
        )
    }),
    ("xxd of words", |value, dice| {
        let bytes = prefixed(value, dice);
        let row = |row: &[u8]| {
            let words = row.chunks(4).map(|word| {
                let digits: String = word.iter().rev().map(|byte| format!("{byte:02x}")).collect();
                format!("{digits:>8}")
            });
            format!("{:<37}{}", words.collect::<Vec<_>>().join(" "), signs(row))
        };
        let row = |(number, bytes): (usize, &[u8])| format!("{:08x}: {}\n", 16 * number, row(bytes));
        bytes.chunks(16).enumerate().map(row).collect()
    }),
    ("words in a list", |value, dice| {
        let word = |word: &[u8]| {
            let padded = word.iter().chain(&[0; 4]).take(4).copied().collect::<Vec<_>>();
            format!("0x{}", padded.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>())
        };
        format!("{{{}}}", prefixed(value, dice).chunks(4).map(word).collect::<Vec<_>>().join(", "))
    }),
    ("octal words in a dump", |value, dice| {
        let word = |word: &[u8]| {
            format!("{:06o}", u16::from(word[0]) | u16::from(word.get(1).copied().unwrap_or(0)) << 8)
        };
        rows(&prefixed(value, dice), 16, |row| row.chunks(2).map(word).collect::<Vec<_>>().join(" "), 8)
    }),
    ("numbers in a dump", |value, dice| {
        let number: fn(&u8) -> String = [
            |byte: &u8| format!("{byte:02x}"),
            |byte: &u8| format!("{byte:03o}"),
            |byte: &u8| format!("{byte:>3}"),
            |byte: &u8| format!("{:>4}", byte.cast_signed()),
            |byte: &u8| format!("{byte:08b}"),
        ][dice(5)];
        rows(&prefixed(value, dice), 16, |row| row.iter().map(number).collect::<Vec<_>>().join(" "), 8)
    }),
    ("list of numbers", |value, dice| {
        let comma = [",", ", ", " ", "\n", ",\n  "][dice(5)];
        let numbers: Vec<_> = match dice(3) {
            0 => value.bytes().map(|byte| byte.to_string()).collect(),
            1 => value.chars().map(|sign| u32::from(sign).to_string()).collect(),
            _ => value.bytes().map(|byte| format!("'0o{byte:o}'")).collect(),
        };
        format!("[{}]", numbers.join(comma))
    }),
    ("octal escapes with a zero", |value, _| value.bytes().map(|byte| format!("\\0{byte:03o}")).collect()),
    ("escapes of signs", |value, _| {
        let sign = |sign: char| match u32::from(sign) {
            0x5c => "\\\\".to_owned(),
            number @ 0xa1..0x100 => format!("\\x{number:02x}"),
            number @ 0x100..0x1_0000 => format!("\\u{number:04x}"),
            number @ 0x1_0000.. => format!("\\U{number:08x}"),
            _ => sign.to_string(),
        };
        value.chars().map(sign).collect()
    }),
    ("escapes with braces", |value, _| {
        value.chars().map(|sign| format!("\\x{{{:x}}}", u32::from(sign))).collect()
    }),
    ("signs in a dump", |value, dice| {
        let sign = |byte: &u8| match byte {
            b'\n' => "\\n".to_owned(),
            b' '..=b'~' => char::from(*byte).to_string(),
            other => format!("{other:03o}"),
        };
        let row = |row: &[u8]| row.iter().map(|byte| format!(" {:>3}", sign(byte))).collect::<String>();
        if is_solid(value) { rows(&prefixed(value, dice), 16, row, 8) } else { value.to_owned() }
    }),
    ("list of signs", |value, dice| {
        let quote = ["'", "\""][dice(2)];
        let sign = |sign: char| match sign {
            '\'' | '"' | '\\' => format!("{quote}\\{sign}{quote}"),
            sign => format!("{quote}{sign}{quote}"),
        };
        let comma = [", ", ","][dice(2)];
        let list = value.chars().map(sign).collect::<Vec<_>>().join(comma);
        if is_solid(value) { format!("[{list}]") } else { value.to_owned() }
    }),
    ("quoted and quoted again", |value, _| format!("'{}'", value.replace('\'', "'\\''"))),
    ("quoted by a shell's declaration", |value, _| {
        let sign = |sign: char| if "\"\\$`".contains(sign) { format!("\\{sign}") } else { sign.to_string() };
        format!("X=\"{}\"", value.chars().map(sign).collect::<String>())
    }),
    ("compared by a shell that traces", |value, dice| traced(value, dice, true)),
    ("escaped here and there", |value, dice| traced(value, dice, false)),
    ("row of a table", |value, _| format!("a,\"{}\",b", value.replace('"', "\"\""))),
    ("markup", |value, dice| {
        let escaped = markup(value, dice);
        if dice(4) == 0 { escaped.replace('&', "&amp;") } else { escaped }
    }),
    ("short lines", |value, dice| {
        let width = 1 + dice(12);
        let signs: Vec<_> = value.chars().collect();
        signs.chunks(width).map(String::from_iter).collect::<Vec<_>>().join("\n")
    }),
    ("base 64 in short lines", |value, dice| {
        let bytes = [&b"ann:"[..dice(5)], value.as_bytes(), &b":xyz"[..dice(4)]].concat();
        let width = 1 + dice(20);
        lines(&base64(&bytes), width)
    }),
    ("base 32", |value, dice| {
        let bytes = [&b"ann:"[..dice(5)], value.as_bytes(), &b":xyz"[..dice(4)]].concat();
        let width = [1 + dice(20), 1000][dice(2)];
        lines(&base32(&bytes), width)
    }),
    ("base 64 of words", |value, dice| {
        let text = format!("{}{value}{}", &"ann:"[..dice(5)], &":xyz"[..dice(4)]);
        base64(&text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>())
    }),
    ("colours in a list", |value, dice| {
        let list = value.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(", ");
        between(&format!("[{list}]"), &["\x1b[1m", "\u{200b}"], dice)
    }),
    ("xxd in narrow rows", |value, dice| {
        let (width, group) = [(8, 2), (8, 1), (4, 4), (16, 1)][dice(4)];
        dump_rows(&prefixed(value, dice), ":", group, "", width)
    }),
    ("digits behind a prefix", |value, dice| {
        let prefixes =
            ["\\x", "0x", "0X", "%", "\\u00", "\\U000000", "X'", "x'", "'\\\\x", "\\", "#x", "\\x{"];
        let width = [1 + dice(9), 38, 1000][dice(3)];
        let run = lines(&cased(&digits(value.as_bytes(), ""), dice(2) == 0), 2 * width);
        let run = format!("{}{run}", prefixes[dice(prefixes.len())]);
        if dice(3) == 0 { json(&run) } else { run }
    }),
    ("words behind prefixes", |value, dice| {
        let (prefix, size) = (["\\x", "%", "\\", "0x"][dice(4)], 1 + dice(6));
        let (between, is_capital) = (["", " ", ", ", "\n"][dice(4)], dice(2) == 0);
        let word = |word: &[u8]| format!("{prefix}{}", cased(&digits(word, ""), is_capital));
        value.as_bytes().chunks(size).map(word).collect::<Vec<_>>().join(between)
    }),
];

/// Puts a backslash before some characters, also within JSON or across lines.
fn traced(value: &str, dice: Dice<'_>, is_whole: bool) -> String {
    let mut sign = |sign: char| match is_whole || !sign.is_ascii_alphanumeric() || dice(3) == 0 {
        true => format!("\\{sign}"),
        false => sign.to_string(),
    };
    let text: String = value.chars().map(&mut sign).collect();
    match dice(4) {
        0 => json(&text),
        1 => {
            let (width, signs) = (10 + dice(70), text.chars().collect::<Vec<_>>());
            signs.chunks(width).map(String::from_iter).collect::<Vec<_>>().join("\n")
        }
        _ => text,
    }
}

fn cased(digits: &str, is_capital: bool) -> String {
    if is_capital { digits.to_uppercase() } else { digits.to_owned() }
}

/// Returns whether enough of a value remains without separators.
fn is_solid(value: &str) -> bool {
    value.chars().filter(|sign| !" ,'\"\\`".contains(*sign)).count() >= 8
}

fn prefixed(value: &str, dice: Dice<'_>) -> Vec<u8> {
    [&vec![b'-'; dice(20)], value.as_bytes(), b"\n"].concat()
}

fn digits(bytes: &[u8], between: &str) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(between)
}

fn lines(text: &str, width: usize) -> String {
    text.as_bytes().chunks(width).map(String::from_utf8_lossy).collect::<Vec<_>>().join("\n")
}

fn rows(bytes: &[u8], width: usize, row: impl Fn(&[u8]) -> String, radix: u32) -> String {
    let offset = |at: usize| match radix {
        8 => format!("{at:07o}"),
        10 => format!("{at:07}"),
        _ => format!("{at:06x}"),
    };
    let rows = bytes.chunks(width).enumerate();
    let rows = rows.map(|(number, bytes)| format!("{} {}\n", offset(width * number), row(bytes)));
    rows.chain([offset(bytes.len())]).collect()
}

fn signs(row: &[u8]) -> String {
    row.iter().map(|byte| if (b' '..=b'~').contains(byte) { char::from(*byte) } else { '.' }).collect()
}

fn markup(value: &str, dice: Dice<'_>) -> String {
    let mut text = String::new();
    for sign in value.chars() {
        let number = u32::from(sign);
        match (sign, dice(4)) {
            ('&', 0 | 1) => text.push_str("&amp;"),
            ('<', 0 | 1) => text.push_str("&lt;"),
            ('>', 0 | 1) => text.push_str("&gt;"),
            ('"', 0 | 1) => text.push_str("&quot;"),
            ('\'', 0 | 1) => text.push_str("&apos;"),
            ('&' | '<' | '>' | '"' | '\'', 2) | (_, 0) => text.push_str(&format!("&#{number};")),
            ('&' | '<' | '>' | '"' | '\'', _) | (_, 1) => text.push_str(&format!("&#x{number:x};")),
            (sign, _) => text.push(sign),
        }
    }
    text
}

fn base32(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
    let digit = |bits: &[u8]| {
        let number = bits
            .iter()
            .chain(&[b'0'; 5])
            .take(5)
            .fold(0, |number, bit| 2 * number + usize::from(*bit == b'1'));
        char::from(DIGITS[number])
    };
    let text: String = bits.as_bytes().chunks(5).map(digit).collect();
    format!("{text}{}", "=".repeat((8 - text.len() % 8) % 8))
}
