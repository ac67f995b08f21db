//! Words of time that are not a schedule, and the nearest form that is.

use super::{
    PhraseError,
    clock::{ClockTime, is_clock_like},
    cron_fields,
    days::{Days, is_day_or_month, is_month},
    grammar,
    word::{Word, joined},
};
use crate::interval::time_words::{is_compact_like, is_number_like, is_unit_like};

/// Finds words of time. Returns them, and the nearest form of a schedule.
pub(super) fn find(words: &[Word]) -> Option<(String, String)> {
    let at = (0..words.len()).find(|at| is_time(words, *at))?;
    let here = &words[at..words.len().min(at + 4)];
    let nearest = grammar::inside(words).unwrap_or_else(|| nearest(here));
    let nearest = Some(nearest).filter(|form| works(form)).unwrap_or_else(|| "every 10m".to_owned());
    Some((joined(&here[..length(here)]), nearest))
}

/// Returns the error for a schedule with a time that does not belong to it.
pub(super) fn error(words: &[Word]) -> PhraseError {
    PhraseError::NotUnderstood { phrase: joined(words), nearest: nearest(words) }
}

/// Returns whether a word is a word of time, with the words around it.
fn is_time(words: &[Word], at: usize) -> bool {
    const ALWAYS: &[&str] =
        &["daily", "hourly", "weekly", "weekdays", "tomorrow", "tonight", "noon", "midnight"];
    const UNITS: &[&str] = &["morning", "evening", "afternoon", "night", "quarter", "time"];
    let word = &words[at];
    let next = words.get(at + 1);
    let is_number =
        |word: &Word| is_number_like(&word.text) || word.text.starts_with(|sign: char| sign.is_ascii_digit());
    let begins = |is: &dyn Fn(&Word) -> bool| next.is_some_and(is);
    match word.text.as_str() {
        text if ALWAYS.contains(&text.trim_start_matches('@')) => true,
        "every" | "each" => begins(&|next| {
            let is_unit = next.text.len() > 1 && is_unit_like(&next.text);
            let is_day = Days::parse(std::slice::from_ref(next)).is_some() || is_month(next);
            let is_amount = is_compact_like(&next.text) || is_decimal(&next.text) || is_count(words, at + 1);
            is_unit || is_day || is_amount || next.is(&UNITS[..5])
        }),
        "at" | "in" => {
            begins(&|next| next.text.starts_with(|sign: char| sign.is_ascii_digit()) || is_named(next))
        }
        _ if is_day_or_month(word) => true,
        _ if is_month(word) => {
            begins(&is_number) && at > 0 && is_number(&words[at - 1]) || begins(&is_number)
        }
        _ => is_at_edge(words, at) || is_cron(words, at),
    }
}

/// Returns whether a number in words counts units: `five minutes`, `other day`.
fn is_count(words: &[Word], at: usize) -> bool {
    let unit = words.get(at + 1).is_some_and(|unit| is_unit_like(&unit.text));
    is_number_like(&words[at].text) && unit
}

fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || b".,".contains(&byte))
}

fn is_named(word: &Word) -> bool {
    word.is(&["noon", "midnight"])
}

/// Returns whether a number with a unit begins or ends the text here, or a time of day begins it.
fn is_at_edge(words: &[Word], at: usize) -> bool {
    let left = words.len() - at;
    let is_pair = is_count(words, at) || (is_decimal(&words[at].text) && is_count_unit(words, at + 1));
    let is_compact = is_compact_like(&words[at].text);
    match at {
        0 => is_compact || is_pair || is_clock_like(&words[0]),
        _ => (left == 1 && is_compact) || (left == 2 && is_pair),
    }
}

fn is_count_unit(words: &[Word], at: usize) -> bool {
    words.get(at).is_some_and(|unit| is_unit_like(&unit.text))
}

/// Returns whether five words from here look like cron fields.
fn is_cron(words: &[Word], at: usize) -> bool {
    let is_field = |word: &Word| {
        let is_sign = |byte: u8| byte.is_ascii_digit() || b"*/,-".contains(&byte);
        !word.typed.is_empty() && word.typed.bytes().all(is_sign)
    };
    words.get(at..at + 5).is_some_and(|fields| {
        fields.iter().all(is_field) && fields.iter().any(|field| field.typed.contains('*'))
    })
}

/// Returns how many words belong to the time.
fn length(words: &[Word]) -> usize {
    let is_more = |word: &Word| {
        is_number_like(&word.text)
            || is_unit_like(&word.text)
            || is_compact_like(&word.text)
            || is_clock_like(word)
            || is_day_or_month(word)
            || Days::parse(std::slice::from_ref(word)).is_some()
            || word.is(&["at", "noon", "midnight", "other", "morning", "evening", "night", "afternoon"])
    };
    let more = words[1..].iter().take_while(|word| is_more(word)).count();
    let ends_with_at = words[..=more].last().is_some_and(|word| more > 0 && word.is(&["at"]));
    1 + more - usize::from(ends_with_at)
}

/// Returns whether a form is a schedule, and nothing else.
fn works(form: &str) -> bool {
    let words = Word::all(form);
    let is_phrase =
        || grammar::at_start(&words).is_ok_and(|found| found.is_some_and(|it| it.length == words.len()));
    cron_fields::at_start(form, &words).is_ok_and(|found| found.is_some()) || is_phrase()
}

/// Returns a form that is close to words of time. It may not be a schedule.
fn nearest(words: &[Word]) -> String {
    let first = words[0].text.trim_start_matches('@');
    let second = words.get(1).map_or("", |word| word.text.as_str());
    let third = words.get(2).map_or("", |word| word.text.as_str());
    let time =
        (0..words.len()).find_map(|at| ClockTime::parse(&words[at..]).filter(|(time, _)| time.is_exact));
    let time = time.map_or_else(|| "9:00".to_owned(), |(time, _)| time.to_string());
    let count = |number: &str, unit: &str| match number {
        "other" | "couple" | "few" => format!("every 2 {}s", unit.trim_end_matches('s')),
        _ => minutes(number, unit).unwrap_or_else(|| format!("every {number} {unit}")),
    };
    match first {
        "tomorrow" => format!("tomorrow at {time}"),
        "tonight" => "tonight at 9".to_owned(),
        "noon" | "midnight" => format!("at {first}"),
        "weekdays" => format!("weekdays at {time}"),
        "daily" | "hourly" | "weekly" => first.to_owned(),
        "at" => match second.parse::<u8>() {
            Ok(hour @ ..24) => format!("at {hour}:00"),
            _ => format!("at {time}"),
        },
        "in" => format!("in {} minutes", Some(second).filter(|text| is_whole(text)).unwrap_or("20")),
        "every" | "each" => match second {
            "month" | "months" | "year" | "years" | "quarter" => "0 9 1 * *".to_owned(),
            "morning" | "evening" | "afternoon" | "night" => "every day at 9:00".to_owned(),
            "minute" | "hour" | "day" | "week" => format!("every {second}"),
            _ if Days::parse(&words[1..]).is_some() => format!("every {second} at {time}"),
            _ if is_unit_like(third) => count(second, third),
            _ if is_compact_like(second) => compound(second).unwrap_or_else(|| "every 10m".to_owned()),
            _ => "every 10m".to_owned(),
        },
        _ if is_clock_like(&words[0]) => format!("at {time}"),
        _ if is_day_or_month(&words[0]) && Days::parse(words).is_some() => {
            format!("every {} at {time}", first.trim_end_matches("'s").trim_end_matches('s'))
        }
        _ if is_unit_like(second) => count(first, second),
        _ if is_compact_like(first) => compound(first).unwrap_or_else(|| "every 10m".to_owned()),
        _ => "every 10m".to_owned(),
    }
}

fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a decimal number of a unit in whole minutes: `1.5 hours`.
fn minutes(number: &str, unit: &str) -> Option<String> {
    let number = number.replace(',', ".").parse::<f64>().ok().filter(|number| number.fract() != 0.0)?;
    let per = match unit.chars().next()? {
        'm' => 1.0,
        'h' => 60.0,
        'd' => 1_440.0,
        _ => return None,
    };
    Some(format!("every {:.0}m", (number * per).max(1.0)))
}

/// Returns an amount in several units, or in capital letters, as one: `1h30m`, `5min`.
fn compound(text: &str) -> Option<String> {
    let (mut rest, mut total) = (text.trim_start_matches(['-', '+']), 0.0);
    while !rest.is_empty() {
        let letters = rest.find(|sign: char| sign.is_ascii_alphabetic())?;
        let (number, after) = rest.split_at(letters);
        let end = after.find(|sign: char| !sign.is_ascii_alphabetic()).unwrap_or(after.len());
        total += number.replace(',', ".").parse::<f64>().ok()?
            * match after.chars().next()? {
                's' => 1.0 / 60.0,
                'm' => 1.0,
                'h' => 60.0,
                'd' => 1_440.0,
                _ => return None,
            };
        rest = &after[end..];
    }
    Some(format!("every {:.0}m", total.max(1.0)))
}
