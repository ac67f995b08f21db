//! Words that people use for times.

use super::IntervalUnit;

/// Returns the unit that a word names, in any case: `min`, `Minutes`. A single letter is case-sensitive.
pub(crate) fn unit(word: &str) -> Option<IntervalUnit> {
    if word.len() == 1 {
        return IntervalUnit::of_letter(word);
    }
    Some(match word.to_ascii_lowercase().as_str() {
        "sec" | "secs" | "second" | "seconds" => IntervalUnit::Seconds,
        "min" | "mins" | "minute" | "minutes" => IntervalUnit::Minutes,
        "hr" | "hrs" | "hour" | "hours" => IntervalUnit::Hours,
        "day" | "days" => IntervalUnit::Days,
        _ => return None,
    })
}

/// Returns whether a word names a unit of time, supported or not.
pub(crate) fn is_unit_like(word: &str) -> bool {
    const OTHERS: &[&str] = &[
        "M",
        "H",
        "D",
        "S",
        "w",
        "week",
        "weeks",
        "month",
        "months",
        "year",
        "years",
        "fortnight",
        "fortnights",
        "mo",
        "mos",
        "wk",
        "wks",
        "yr",
        "yrs",
    ];
    unit(word).is_some() || OTHERS.iter().any(|other| word.eq_ignore_ascii_case(other))
}

/// Returns whether a word of several letters looks like a unit. A single letter means something else as often.
pub(crate) fn is_unit_word(word: &str) -> bool {
    word.len() > 1 && is_unit_like(word)
}

/// Returns whether a word is a number, in digits or not: `5`, `1.5`, `five`, `other`.
pub(crate) fn is_number_like(word: &str) -> bool {
    const VAGUE: [&str; 4] = ["half", "other", "few", "couple"];
    is_decimal(word) || number(word).is_some() || VAGUE.iter().any(|vague| word.eq_ignore_ascii_case(vague))
}

/// Returns the number that a word names: `five`, `twenty-five`, `dozen`.
pub(crate) fn number(word: &str) -> Option<u64> {
    const ONES: [&str; 19] = [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let among = |names: &[&str], word: &str| {
        (1_u64..).zip(names).find(|(_, name)| word.eq_ignore_ascii_case(name)).map(|(place, _)| place)
    };
    let tens = |word: &str| among(&TENS, word).map(|place| 10 * (place + 1));
    match word.split_once('-') {
        Some((first, last)) => Some(tens(first)? + among(&ONES[..9], last)?),
        None if word.eq_ignore_ascii_case("dozen") => Some(12),
        None if word.eq_ignore_ascii_case("hundred") => Some(100),
        None => among(&ONES, word).or_else(|| tens(word)),
    }
}

/// Returns whether a word is a number with a unit, in a form that the rules do not accept: `5M`, `-5m`, `1.5h`, `5min`,
/// `1h30m`.
pub(crate) fn is_compact_like(word: &str) -> bool {
    let word = word.strip_prefix(['-', '+', '~', '≈']).unwrap_or(word);
    let Some(letters) = word.find(|letter: char| letter.is_ascii_alphabetic()) else { return false };
    let (number, unit) = word.split_at(letters);
    let end = unit.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(unit.len());
    let (unit, rest) = unit.split_at(end);
    is_decimal(number) && is_unit_like(unit) && (rest.is_empty() || is_compact_like(rest))
}

fn is_decimal(word: &str) -> bool {
    let mut parts = word.splitn(2, ['.', ',']);
    // `.5h` is half an hour.
    let is_part = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    parts.next().is_some_and(is_part)
        && parts.all(|part| !part.is_empty() && is_part(part))
        && !word.is_empty()
}
