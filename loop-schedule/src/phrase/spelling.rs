//! Other spellings of times, in that of the forms.

use super::{
    clock::ClockTime,
    cron_fields,
    edge::short_day,
    moments::hour_span,
    shapes::{hyphenated, is_span, is_whole},
    word::Word,
};
use crate::{
    interval::time_words::{is_compact_like, is_unit_like, number},
    names::{WEEKDAYS, short},
};

/// Writes words as the forms have them: `18h` as `18:00`, `5-minute` as `5 minute`, `5-10` as `10`.
pub(super) fn normal(words: &[Word]) -> Vec<Word> {
    let is_after_at = |at: usize| at > 0 && words[at - 1].is(&["at", "@"]);
    let is_unit = |at: usize| words.get(at).is_some_and(|word: &Word| is_unit_like(&word.text));
    let value =
        |at: usize| words.get(at).and_then(|word| number(&word.text).or_else(|| word.text.parse().ok()));
    let is_list = |at: usize| words.get(at).is_some_and(|word| word.has_comma);
    // `twenty five`, and `nine thirty` or `9 30` after `at`.
    let pair = |at: usize| match (value(at)?, value(at + 1)?) {
        (tens @ 20..=90, ones @ 1..=9) if tens % 10 == 0 => Some(format!("{}", tens + ones)),
        (hour @ 0..=23, minute @ 10..=59) if is_after_at(at) && !is_unit(at + 2) && !is_list(at) => {
            Some(format!("{hour}:{minute}"))
        }
        _ => None,
    };
    let is_second = |at: usize| at > 0 && pair(at - 1).is_some();
    let is_work = |at: usize| words.get(at).is_some_and(|word| word.is(&["business", "working"]));
    let is_day = |at: usize| words.get(at).is_some_and(|word| word.is(&["day", "days"]));
    let text: Vec<_> = (0..words.len())
        .filter(|at| !(is_second(*at) || is_work(*at) && is_day(at + 1)))
        .map(|at| {
            let typed = &words[at].typed;
            let comma = if words[at].has_comma { "," } else { "" };
            let plain = match &*words[at].text {
                _ if let Some(length) = length(words, at) => length,
                text @ ("sat" | "sun" | "wed") if short_day(&words[at..]).is_some() => {
                    WEEKDAYS.iter().find(|day| short(day) == text).unwrap_or(&text).to_string()
                }
                _ if at > 0 && is_in_hours(words, at - 1) => "minutes".to_owned(),
                _ if cron_fields::is_in_the_middle(&words[at.saturating_sub(4)..]) => typed.clone(),
                "24:00" => "0:00".to_owned(),
                text if half_of_day(text).is_some() => format!("{text}m"),
                "day" if at > 0 && is_work(at - 1) => "weekday".to_owned(),
                "days" if at > 0 && is_work(at - 1) => "weekdays".to_owned(),
                "everyday" => "every day".to_owned(),
                text if is_year_first(text) => text.replace('/', "-"),
                text if pair(at).is_some() => pair(at).unwrap_or_else(|| text.to_owned()),
                text => hour_and_minute(text)
                    .filter(|_| is_after_at(at))
                    .or_else(|| {
                        hyphenated(text)
                            .map(|(number, unit)| format!("{number} {}", plural(number, period_unit(unit))))
                    })
                    .or_else(|| {
                        let (first, last) = text.split_once(['-', '–'])?;
                        let is_hours = hour_span(&words[at..]).is_some() && !is_unit(at + 1);
                        is_hours
                            .then(|| format!("from {first} to {last}"))
                            .or_else(|| is_span(text).then(|| last.to_owned()))
                    })
                    .unwrap_or_else(|| typed.clone()),
            };
            plain + comma
        })
        .collect();
    Word::all(&text.join(" "))
}

/// Returns an amount in another notation as this one: `1:30h` as `90m`, `30` in `1h 30` as `30m`.
fn length(words: &[Word], at: usize) -> Option<String> {
    let text = &words[at].text;
    if let Some((hours, minutes)) = text.split_once(':') {
        let digits = minutes.trim_end_matches(|sign: char| sign.is_ascii_alphabetic());
        let unit = &minutes[digits.len()..];
        let total =
            hours.parse::<u64>().ok()?.checked_mul(60)? + digits.parse::<u64>().ok().filter(|it| *it < 60)?;
        return match unit {
            "" if is_in_hours(words, at) => Some(total.to_string()),
            // `18:00h` is a time of day.
            "h" | "hr" | "hrs" | "hours" if total <= 720 => Some(format!("{total}m")),
            _ => None,
        };
    }
    let is_last = !words.get(at + 1).is_some_and(|word| is_unit_like(&word.text));
    (at > 0 && is_last && is_minutes_of(&words[at - 1], &words[at])).then(|| format!("{text}m"))
}

/// Returns whether a number is one of minutes, because hours are before it: `30` in `1h 30`.
pub(super) fn is_minutes_of(before: &Word, number: &Word) -> bool {
    let is_hours = is_hour(&before.text) || (is_compact_like(&before.text) && before.text.ends_with('h'));
    let is_minutes = number.text.len() == 2 && is_whole(&number.text) && *number.text < *"60";
    is_hours && !before.has_comma && is_minutes
}

/// Returns whether a word is hours and minutes, and the word behind it is their unit: `1:30 hours`.
fn is_in_hours(words: &[Word], at: usize) -> bool {
    words[at].text.contains(':') && words.get(at + 1).is_some_and(|word| is_hour(&word.text))
}

fn is_hour(text: &str) -> bool {
    matches!(text, "h" | "hr" | "hrs" | "hour" | "hours")
}

pub(super) fn plural(number: &str, unit: &str) -> String {
    let is_one = number == "1" || unit.len() == 1 || unit.ends_with('s');
    format!("{unit}{}", if is_one { "" } else { "s" })
}

/// Returns the unit of a period: `hour` of `hourly`.
pub(super) fn period_unit(name: &str) -> &str {
    match name.trim_end_matches("ly") {
        "dai" => "day",
        unit => unit,
    }
}

/// Returns the hour before the first letter of `am` or `pm`: `9p`.
fn half_of_day(text: &str) -> Option<u8> {
    text.strip_suffix(['a', 'p'])?.parse().ok().filter(|hour| (1..=12).contains(hour))
}

/// Returns an hour in another notation as this one: `18h30`, `18.30`, `1830`.
pub(super) fn hour_and_minute(text: &str) -> Option<String> {
    let text = text.strip_suffix("ish").map_or_else(|| text.to_owned(), |hour| format!("{hour}h"));
    let (hour, minute) = match text.split_once(['h', '.']) {
        Some((hour, "")) if text.ends_with('h') => (hour, "00"),
        Some(parts) => parts,
        None if text.len() == 3 || text.len() == 4 => text.split_at_checked(text.len() - 2)?,
        None => return None,
    };
    let time = format!("{hour}:{minute}");
    ClockTime::parse(&Word::all(&time)).map(|_| time)
}

/// Returns whether a text is a date with slashes that begins with its year: `2026/12/24`.
fn is_year_first(text: &str) -> bool {
    text.find('/') == Some(4) && text.replace('/', "-").parse::<jiff::civil::Date>().is_ok()
}
