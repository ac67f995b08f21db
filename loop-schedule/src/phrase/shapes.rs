//! Words that have the shape of a time.

use super::{moments::hour_span, spelling::hour_and_minute, word::Word};
use crate::interval::time_words::{is_compact_like, is_unit_like};

/// Returns whether a word has the shape of a time, a duration or a date, or the name of a period: `17h30`, `2h15`,
/// `2026/12/01`, `PT15M`, `semi-weekly`.
pub(super) fn is_time_shaped(text: &str) -> bool {
    const PREFIXES: [&str; 7] = ["bi", "semi", "tri", "half", "once", "twice", "thrice"];
    const NAMES: &[&str] =
        &["hourly", "daily", "weekly", "monthly", "quarterly", "yearly", "annually", "annual"];
    let is_period = PREFIXES.iter().any(|prefix| {
        text.strip_prefix(prefix).is_some_and(|rest| NAMES.contains(&rest.trim_start_matches('-')))
    });
    let is_split = text.split_once('h').is_some_and(|(hours, minutes)| {
        let minutes = ["min", "m"].iter().find_map(|unit| minutes.strip_suffix(unit)).unwrap_or(minutes);
        is_decimal(hours) && is_whole(minutes)
    });
    let parts: Vec<_> = text.split(['/', '-']).collect();
    let is_date = parts.len() == 3
        && parts.iter().all(|part| is_whole(part))
        && [parts[0], parts[2]].iter().any(|year| year.len() == 4);
    let is_length =
        ["h", "hr", "hrs", "hours"].iter().filter_map(|unit| text.strip_suffix(unit)).any(|length| {
            length.split_once(':').is_some_and(|(hours, minutes)| is_whole(hours) && is_whole(minutes))
        });
    let is_iso = text.strip_prefix('p').is_some_and(|rest| {
        let rest = rest.trim_start_matches('t');
        rest.ends_with(['s', 'm', 'h', 'd', 'w']) && text.len() > 2 && is_compact_like(rest)
    });
    let is_basic = text.split_once('t').is_some_and(|(date, time)| {
        date.len() == 8 && is_whole(date) && time.len() >= 4 && is_whole(time.trim_end_matches('z'))
    });
    is_period || is_basic || is_split || is_length || is_date || is_iso
}

/// Returns whether a word is a time only at the beginning of a text: `weekend`, `0900`, `9am-5pm`.
pub(super) fn is_leading(text: &str) -> bool {
    let is_span = || text.contains([':', 'm']) && hour_span(&Word::all(text)).is_some();
    let is_minute = || text.strip_prefix(':').is_some_and(|digits| digits.len() == 2 && is_whole(digits));
    // `*:0/15` of systemd, and `FREQ=DAILY` of calendars.
    let is_calendar =
        || text.contains('*') && text.contains([':', '-']) && text.bytes().all(is_calendar_sign);
    let is_assigned = || {
        let is_period = |part: &str| matches!(part, "hourly" | "daily" | "weekly" | "monthly" | "yearly");
        text.contains('=') && text.split(['=', ';']).any(is_period)
    };
    let is_repeated = || {
        text.strip_prefix('r').and_then(|rest| rest.split_once('/')).is_some_and(|(_, it)| is_time_shaped(it))
    };
    text == "weekend"
        || is_minute()
        || is_calendar()
        || is_assigned()
        || is_repeated()
        || (text.starts_with('0') && is_whole(text) && hour_and_minute(text).is_some())
        || is_span()
}

fn is_calendar_sign(sign: u8) -> bool {
    sign.is_ascii_digit() || b"*:-/.,".contains(&sign)
}

/// Returns whether a word is a number and a unit with a hyphen: `5-minute`, `3-hourly`.
pub(super) fn is_hyphenated(text: &str) -> bool {
    hyphenated(text).is_some()
}

/// Splits a number from a unit with a hyphen, or from an adverb: `5-minute`, `3-hourly`, `3hourly`.
pub(super) fn hyphenated(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_once('-').unwrap_or_else(|| text.split_at(digits));
    let is_unit = ["minutely", "hourly", "daily", "weekly"].contains(&unit)
        || (text.contains('-') && is_unit_like(unit));
    (is_whole(number) && is_unit).then_some((number, unit))
}

/// Returns whether a text is two numbers: `5-10`.
pub(super) fn is_span(text: &str) -> bool {
    text.split_once(['-', '–']).is_some_and(|(first, last)| is_decimal(first) && is_decimal(last))
}

/// Returns whether a text begins as an hour does, and has nothing but a time behind it: `9`, `930`, `9h30`, `9ish`,
/// `9+02:00`, `~9`, `18:00Z`.
pub(super) fn is_hour_shaped(text: &str) -> bool {
    let text = text.trim_start_matches(['~', '@', '≈']);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    let rest =
        ["ish", "am", "pm", "uhr", "utc", "z"].iter().find_map(|end| rest.strip_suffix(end)).unwrap_or(rest);
    let is_sign = |sign: char| sign.is_ascii_digit() || "hm:.+-–".contains(sign);
    (1..=4).contains(&digits) && rest.chars().all(is_sign) && rest.matches('.').count() < 2
}

/// Returns whether a text is made of digits.
pub(super) fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn starts_with_number(word: &Word) -> bool {
    word.text.starts_with(|sign: char| sign.is_ascii_digit())
}

pub(super) fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || b".,".contains(&byte))
}
