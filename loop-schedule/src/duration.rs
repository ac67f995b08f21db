//! Durations in manifests, in settings and on the command line: `90s`, `30m`, `1h 30m`, `1.5h`, `250ms`, or seconds.

use std::time::Duration;

/// The units and their nanoseconds. In any case: there is no other unit that an `M` could be.
const UNITS: [(&str, u128); 9] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3_600 * SECOND),
    ("d", 86_400 * SECOND),
];

const SIGNS: [char; 2] = ['+', '-'];

const SECOND: u128 = 1_000_000_000;

/// About 292 years: other programs cannot represent more.
const LONGEST: u128 = i64::MAX as u128;

/// The reason why a text is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// The duration is negative.
    #[error("it cannot be less than zero")]
    Negative,
    /// The duration is too long.
    #[error("it is too long: the longest is 106751d")]
    TooLong,
    /// Anything else.
    #[error("write it like 30s, 5m, 2h or 1h30m")]
    Unreadable,
}

/// The duration that `text` says: numbers with units, added up. Spaces do not count. A number without a unit is one of
/// seconds.
///
/// ```
/// use std::time::Duration;
/// use loop_schedule::duration::parse;
///
/// for (text, seconds) in [("90s", 90), ("30m", 1800), ("1h30m", 5400), ("1h 30m", 5400), ("90", 90), ("1.5m", 90)] {
///     assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
/// }
/// ```
///
/// # Errors
/// A text that says none, less than nothing, or over 292 years.
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    let text = compact(text);
    let number = text.trim_start_matches(SIGNS);
    let is_bare = !number.is_empty() && number.bytes().all(|sign| sign.is_ascii_digit() || sign == b'.');
    amounts(&if is_bare { text + "s" } else { text })
}

/// Parses a duration as [`parse`] does. An empty text means zero.
///
/// # Errors
/// As for [`parse`].
pub fn parse_or_zero(text: &str) -> Result<Duration, DurationError> {
    if text.trim().is_empty() { Ok(Duration::ZERO) } else { parse(text) }
}

fn compact(text: &str) -> String {
    text.trim().replace(' ', "").to_lowercase()
}

fn amounts(text: &str) -> Result<Duration, DurationError> {
    let (sign, mut rest) = text.split_at(usize::from(text.starts_with(SIGNS)));
    let mut total = 0_u128;
    loop {
        let (amount, tail) = amount(rest)?;
        total = total.saturating_add(amount);
        rest = tail;
        if rest.is_empty() {
            break;
        }
    }
    match u64::try_from(total) {
        Ok(1..) if sign == "-" => Err(DurationError::Negative),
        Ok(nanos) if total <= LONGEST => Ok(Duration::from_nanos(nanos)),
        _ => Err(DurationError::TooLong),
    }
}

/// The first number with its unit, in nanoseconds, and what comes behind it.
fn amount(text: &str) -> Result<(u128, &str), DurationError> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = text.split_at(digits(text));
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(digits(rest)),
        None => ("", rest),
    };
    let end = rest.find(|sign: char| sign.is_ascii_digit() || sign == '.').unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(end);
    let unit = UNITS.iter().find(|(name, _)| *name == unit);
    let (_, length) =
        unit.filter(|_| !(whole.is_empty() && fraction.is_empty())).ok_or(DurationError::Unreadable)?;
    let number = |digits: &str| if digits.is_empty() { Ok(0) } else { digits.parse::<u128>() };
    // More digits than fit are longer than any duration.
    let whole = number(whole).map_err(|_| DurationError::TooLong)?;
    // Of the longest unit, 15 digits are less than a nanosecond.
    let fraction = &fraction[..fraction.len().min(15)];
    let scale = 10_u128.pow(u32::try_from(fraction.len()).unwrap_or(0));
    let part = number(fraction).map_err(|_| DurationError::TooLong)? * length / scale;
    Ok((whole.saturating_mul(*length).saturating_add(part), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_units_are_added_up() {
        for (text, milliseconds) in [
            ("90s", 90_000),
            ("30m", 1_800_000),
            ("1h30m", 5_400_000),
            ("1h 30m", 5_400_000),
            (" 5 m ", 300_000),
            ("5M", 300_000),
            ("+5m", 300_000),
            ("30m1h", 5_400_000),
            ("1h1h", 7_200_000),
            ("1d1s", 86_401_000),
            ("1.5h", 5_400_000),
            (".5s", 500),
            ("1.s", 1_000),
            ("250ms", 250),
            ("1000us", 1),
            ("500µs500μs", 1),
            ("0s", 0),
        ] {
            let expected = Ok(Duration::from_millis(milliseconds));
            assert_eq!(parse(text), expected, "{text}");
        }
        assert_eq!(parse("1.123456789123456789s"), Ok(Duration::from_nanos(1_123_456_789)));
    }

    #[test]
    fn a_bare_number_is_one_of_seconds() {
        for (text, seconds) in [("90", 90), ("300", 300), ("+5", 5), ("0", 0)] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        assert_eq!(parse("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_or_zero(" "), Ok(Duration::ZERO));
        assert_eq!(parse_or_zero("5m"), parse("5m"));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in
            ["", "s", "h1", "1x", "1h30", "1..5h", ".s", "ten", "1e3", "1_000", "5 minutes", "--5m", "+-5m"]
        {
            assert_eq!(parse(text), Err(DurationError::Unreadable), "{text}");
        }
        for text in ["--5", "-", ".", "1.2.3", "١"] {
            assert_eq!(parse(text), Err(DurationError::Unreadable), "{text}");
        }
        assert_eq!(parse("-5s"), Err(DurationError::Negative));
        assert_eq!(parse("-5"), Err(DurationError::Negative));
        for text in ["106752d", "10000000000s", "99999999999999999999999999999999999999999s"] {
            assert_eq!(parse(text), Err(DurationError::TooLong), "{text}");
        }
        assert_eq!(parse("10000000000"), Err(DurationError::TooLong));
        assert_eq!(parse("106751d"), Ok(Duration::from_secs(106_751 * 86_400)));
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_odd(text in ".*") {
            let _ = parse(&text);
        }

        #[test]
        fn what_is_said_is_what_is_meant(hours in 0_u64..100_000, minutes in 0_u64..100_000, millis in 0_u64..100_000) {
            let said = format!("{hours}h{minutes}m{millis}ms");
            let meant = Duration::from_secs(hours * 3_600 + minutes * 60) + Duration::from_millis(millis);
            assert_eq!(parse(&said), Ok(meant));
        }
    }
}
