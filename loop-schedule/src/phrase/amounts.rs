//! Amounts of time that people write, in minutes.

use super::{shapes::is_whole, word::Word};
use crate::interval::time_words::{is_compact_like, is_unit_like, number};

/// Returns the expression for a period of the calendar.
pub(super) fn calendar(period: &str) -> &'static str {
    match period.as_bytes() {
        [b'q', ..] => "0 9 1 1,4,7,10 *",
        [b'y' | b'a', ..] => "0 9 1 1 *",
        _ => "0 9 1 * *",
    }
}

/// Returns the field for an interval in months, if it has one: `*/3`.
pub(super) fn months(count: f64) -> Option<String> {
    let is_even = count >= 1.0 && 12.0 % count == 0.0;
    is_even.then(|| match count {
        1.0 => "*".to_owned(),
        12.0 => "1".to_owned(),
        _ => format!("*/{count}"),
    })
}

/// Returns the expression for an interval in periods of the calendar, if it has one.
pub(super) fn calendar_every(count: f64, period: &str) -> Option<String> {
    let one = match period.as_bytes() {
        [b'q', ..] => 3.0,
        [b'y' | b'a', ..] => 12.0,
        [b'm', b'o', ..] => 1.0,
        _ => return None,
    };
    months(one * count).map(|months| format!("0 9 1 {months} *"))
}

/// Returns the number that a word means, if it means one.
pub(super) fn amount(text: &str) -> Option<f64> {
    match text {
        "other" | "couple" | "alternate" => Some(2.0),
        "few" | "several" => Some(3.0),
        "half" => Some(0.5),
        "quarter" => Some(0.25),
        "first" | "last" => None,
        _ => ordinal(text)
            .or_else(|| number(text))
            .map(|number| number as f64)
            .or_else(|| fraction(text))
            .or_else(|| {
                text.replace(',', ".")
                    .parse()
                    .ok()
                    .filter(|number: &f64| number.is_finite() && *number >= 0.0)
            }),
    }
}

/// Returns the place in a row that a word names: `3rd`, `third`, `twentieth`, `twenty-fifth`.
pub(super) fn ordinal(text: &str) -> Option<u64> {
    if let Some(digits) =
        ["st", "nd", "rd", "th"].iter().find_map(|end| text.strip_suffix(end)).filter(|it| is_whole(it))
    {
        return digits.parse().ok();
    }
    let (tens, place) = text.split_once('-').unwrap_or(("", text));
    let place = match place {
        "first" => 1,
        "second" => 2,
        "third" => 3,
        "fifth" => 5,
        "eighth" => 8,
        "ninth" => 9,
        "twelfth" => 12,
        _ => {
            let name = place.strip_suffix("ieth").map(|name| format!("{name}y"));
            number(&name.or_else(|| place.strip_suffix("th").map(str::to_owned))?)?
        }
    };
    if tens.is_empty() { Some(place) } else { Some(number(tens)? + place) }
}

/// Returns the value of a fraction: `1/2`, `½`, `1½`.
fn fraction(text: &str) -> Option<f64> {
    const SIGNS: [(char, f64); 5] =
        [('½', 0.5), ('¼', 0.25), ('¾', 0.75), ('⅓', 1.0 / 3.0), ('⅔', 2.0 / 3.0)];
    if let Some((sign, value)) = SIGNS.iter().find(|(sign, _)| text.ends_with(*sign)) {
        let whole = text.trim_end_matches(*sign);
        return if whole.is_empty() {
            Some(*value)
        } else {
            whole.parse::<u32>().ok().map(|it| f64::from(it) + value)
        };
    }
    let (over, under) = text.split_once('/')?;
    let (over, under): (u32, u32) = (over.parse().ok()?, under.parse().ok()?);
    (over > 0 && under > over).then(|| f64::from(over) / f64::from(under))
}

/// Returns the minutes in a unit, if it has a fixed number of them.
pub(super) fn per(unit: &str) -> Option<f64> {
    Some(match unit.as_bytes() {
        [b'm', b'o', ..] => return None,
        [b's', ..] => 1.0 / 60.0,
        [b'm', ..] => 1.0,
        [b'h', ..] => 60.0,
        [b'd', ..] => 1_440.0,
        [b'w', ..] => 10_080.0,
        [b'f', ..] => 20_160.0,
        _ => return None,
    })
}

/// Returns an amount in several units, or in capital letters, in minutes: `1h30m`, `5min`.
pub(super) fn compound(text: &str) -> Option<f64> {
    let (mut rest, mut total) = (text.trim_start_matches(['-', '+', '~', '≈']), 0.0);
    while !rest.is_empty() {
        let letters = rest.find(|sign: char| sign.is_ascii_alphabetic())?;
        let (number, after) = rest.split_at(letters);
        let end = after.find(|sign: char| !sign.is_ascii_alphabetic()).unwrap_or(after.len());
        total += number.replace(',', ".").parse::<f64>().ok().filter(|it| *it >= 0.0)? * per(&after[..end])?;
        rest = &after[end..];
    }
    Some(total)
}

/// Returns the minutes of the first amount in some words, with all its parts: `an hour and a half`, `2 hours 30
/// minutes`, `two and a half hours`, `hour or two`.
pub(super) fn total(words: &[Word]) -> Option<f64> {
    const LINKS: &[&str] = &[
        "and", "&", "or", "a", "an", "of", "so", "the", "another", "about", "every", "each", "in", "after",
        "next", "within", "single", "at", "plus",
    ];
    let is_unit = |at: usize| words.get(at).is_some_and(|word| is_unit_like(&word.text));
    let (mut sum, mut count, mut last): (Option<f64>, Option<f64>, f64) = (None, None, 0.0);
    for (at, word) in words.iter().enumerate() {
        let text = word.text.as_str();
        // Another schedule is no part of this one.
        if sum.is_some() && word.is(&["every", "each", "in"]) {
            return None;
        }
        let follows = |link: &str| words[..at].iter().rev().take(2).any(|word| word.is(&[link]));
        // `second` counts what follows it, and is a unit otherwise.
        let is_count = !is_unit(at) || (is_unit(at + 1) && amount(text).is_some());
        if is_compact_like(text) && count.is_none() {
            let is_counted = |at: usize| at > 1 && amount(&words[at - 2].text).is_some();
            // `9h` in `every day 9h` is an hour of the day.
            let is_hour = at > 0 && words[at - 1].is(&["day"]) && text.ends_with('h') && !is_counted(at);
            let (unit, smallest) =
                (per(text.trim_start_matches(|sign: char| !sign.is_ascii_alphabetic()))?, last);
            if is_hour || (sum.is_some() && unit >= smallest) {
                return None;
            }
            last = per(text.trim_start_matches(|sign: char| !sign.is_ascii_alphabetic()))?;
            sum = Some(sum.unwrap_or(0.0) + compound(text)?);
        } else if let Some(number) = amount(text).filter(|_| is_count) {
            match (sum, count) {
                // `two and a half`, `1 1/2`.
                (_, Some(whole)) if number < 1.0 => count = Some(whole + number),
                (_, Some(_)) => return None,
                (Some(one), None) if number < 1.0 && !is_unit(at + 1) => sum = Some(one + number * last),
                (Some(_), None) if follows("or") && !is_unit(at + 1) => sum = Some(number * last),
                _ => count = Some(number),
            }
        } else if is_unit(at) && (text.len() > 1 || count.is_some()) {
            // Only a smaller unit continues an amount.
            let unit = per(text).filter(|unit| sum.is_none() || *unit < last)?;
            last = unit;
            sum = Some(sum.unwrap_or(0.0) + count.take().unwrap_or(1.0) * last);
        } else if sum.is_some() && !word.is(LINKS) {
            break;
        } else if !word.is(LINKS) && (count.is_some() || text.contains(|sign: char| sign.is_ascii_digit())) {
            return None;
        }
    }
    sum.filter(|_| count.is_none())
}
