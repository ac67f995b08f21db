//! The nearest form of a schedule to words of time that are not one.

use jiff::Timestamp;

use super::{
    PhraseError,
    amounts::{amount, calendar, calendar_every, compound, total},
    clock::{ClockTime, is_clock_like},
    compose::compose,
    continued, cron_fields,
    days::{Days, is_clearly_a_day, is_day_or_month, is_day_range, is_month, names_a_date},
    grammar::{self, Spec},
    kept::keeps,
    moments::HOLIDAYS,
    nearest_interval::{after, at_frequency, every, interval},
    same_meaning::{LIMITS, MOVING, means_the_same},
    shapes::{hyphenated, is_span, starts_with_number},
    spelling::{hour_and_minute, normal},
    time_sign::{PERIODS_ONLY, edge, frequency, is_day_part, is_ordinal, is_time, qualifiers, recurs},
    word::{Word, joined},
};
use crate::{
    Cron, Zone,
    interval::time_words::{is_compact_like, is_number_like, is_unit_like, number},
};

/// The number of words in which the parts of one time are looked for.
const REACH: usize = 8;

/// The macros of other crons, which fire at midnight.
const MACROS: &[(&str, &str)] = &[
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

/// The range of intervals that every job can keep, in minutes.
pub(super) const MINUTES: std::ops::RangeInclusive<f64> = 1.0..=44_640.0;

/// Finds words of time. Returns them, and the nearest form of a schedule.
pub(super) fn find(words: &[Word]) -> Option<(String, Option<String>)> {
    let at = (0..words.len()).find(|at| is_time(words, *at))?;
    // `nightly at 2` begins with `nightly`, and `christmas eve at 18:00` with a day.
    let at = at - words[..at].iter().rev().take_while(|word| begins_a_time(word)).count();
    let at = at - usize::from(at > 0 && names_a_date(&words[at - 1..]));
    let here = &words[at..words.len().min(at + REACH)];
    let least = if cron_fields::is_in_the_middle(here) { cron_fields::FIELDS } else { edge(words, at) };
    let end = with_continuations(words, at, at + length(here).max(least));
    let found = &words[at..end];
    let window = &words[at..words.len().min(at + REACH.max(found.len()))];
    // A number that is not understood can be the one that matters.
    let is_odd = window.iter().take(found.len() + 1).any(is_odd_number);
    let is_moved = at > 0 && words[at - 1].is(MOVING);
    let nearest = if is_moved || is_odd { None } else { form(found).or_else(|| form(window)) };
    Some((joined(found), nearest))
}

/// Returns whether words are a year: `in 2026`.
fn is_year(words: &[Word]) -> bool {
    let is_number = |word: &Word| {
        word.text.len() == 4 && word.text.parse().is_ok_and(|year| (1900..2200).contains(&year))
    };
    words[0].is(&["in"]) && words.get(1).is_some_and(is_number) && !words.get(2).is_some_and(Word::is_unit)
}

/// Returns whether a word before a time belongs to it.
fn begins_a_time(word: &Word) -> bool {
    let is_numeric = starts_with_number(word) && word.text.contains(['.', '/']);
    let is_named = word.is(HOLIDAYS) || word.is(&["eve", "yesterday", "all", "any", "days", "last"]);
    let is_day = Days::of(word).is_some() && is_clearly_a_day(word);
    recurs(word) || is_ordinal(word) || is_day || is_numeric || is_named
}

/// Returns the error for a schedule of some words that others continue.
pub(super) fn error(words: &[Word], start: usize, end: usize) -> PhraseError {
    let words = &words[start..with_continuations(words, start, end)];
    PhraseError::NotUnderstood { phrase: joined(words), nearest: form(words) }
}

/// Returns the schedule in a text, which is before or after its prompt.
pub(super) fn schedule_beside(text: &str, prompt: &str) -> String {
    let text = text.trim();
    let schedule = match text.strip_suffix(prompt) {
        Some(start) => start,
        None => text.strip_prefix(prompt).unwrap_or(text),
    };
    let words = Word::all(schedule);
    // Words of thanks, or a dash, may be beside it.
    let whole = (1..=words.len()).rev().map(|length| joined(&words[..length])).find(|form| works(form));
    whole.unwrap_or_else(|| joined(&words))
}

/// Returns where a time ends that begins and ends at these words, with all that continues it.
fn with_continuations(words: &[Word], start: usize, mut end: usize) -> usize {
    while end < words.len().min(start + 2 * REACH) {
        let found = grammar::phrase(&words[start..end]);
        match continued::after(words, end, found.as_ref().map(|found| &found.spec)) {
            0 => break,
            more => end = words.len().min(end + more),
        }
    }
    end
}

/// Returns whether a word has a number that no form writes in this way: `1,000`, `½`, `-5`.
fn is_odd_number(word: &Word) -> bool {
    let has_digit = word.text.contains(|sign: char| sign.is_ascii_digit());
    has_digit && (word.text.contains(',') || word.text.starts_with(['-', '−', '+', '~', '<', '>', '≤', '≥']))
        || word.text.contains(['¼', '½', '¾', '⅓', '⅔'])
}

/// Returns the nearest form that works, if one is near.
pub(super) fn form(words: &[Word]) -> Option<String> {
    if words.iter().any(is_odd_number) || is_year(words) {
        return None;
    }
    let words = &normal(words);
    // `at 9am` in `every other day at 9am` would fire once.
    let has_form = words[0]
        .is(&["every", "each", "daily", "hourly", "weekly", "today", "tomorrow", "tonight"])
        || is_day_or_month(&words[0])
        || is_day_range(&words[0].text)
        || frequency(words).is_some()
        || words.iter().any(|word| word.is(&["now", "later"]));
    // Only an expression, or a list of days, keeps a range or an exception.
    let is_limited = (1..words.len())
        .any(|at| words[at].is(LIMITS) && !words.get(at + 1).is_some_and(|it| it.is(&["now", "today"])));
    let inside = || grammar::inside(words).filter(|_| !is_limited);
    let time = clock(words);
    let candidates: [&dyn Fn() -> Option<String>; 5] = [
        &|| cron_fields::completed(words),
        &|| compose(words, &time),
        &|| if has_form { None } else { inside() },
        &|| if is_limited { None } else { nearest(words) },
        &inside,
    ];
    let is_right = |form: &String| works(form) && means_the_same(words, form, &time) && keeps(words, form);
    candidates.iter().find_map(|candidate| candidate().filter(is_right))
}

/// Returns how many words belong to the time.
fn length(words: &[Word]) -> usize {
    let is_more = |word: &Word| {
        is_number_like(&word.text)
            || is_unit_like(&word.text)
            || is_compact_like(&word.text)
            || is_clock_like(word)
            || is_day_or_month(word)
            || is_day_part(word)
            || is_day_range(&word.text)
            || is_ordinal(word)
            || Days::of(word).is_some()
            || hyphenated(&word.text).is_some()
            || is_span(&word.text)
            || is_month(word)
            || word.is(PERIODS_ONLY)
            || hour_and_minute(&word.text).is_some()
            || word.is(&[
                "at",
                "noon",
                "midday",
                "midnight",
                "daily",
                "hourly",
                "interval",
                "intervals",
                "other",
                "single",
                "half",
                "quarter",
                "past",
                "o'clock",
            ])
    };
    let start = match words[0].is(&["every", "each", "in"]) {
        true => qualifiers(&words[1..]),
        false => 0,
    };
    let more = start + words[1 + start..].iter().take_while(|word| is_more(word)).count();
    let ends_with_at = words[..=more].last().is_some_and(|word| more > 0 && word.is(&["at"]));
    1 + more - usize::from(ends_with_at)
}

/// Returns whether a form is a schedule that can be kept, and nothing else.
pub(super) fn works(form: &str) -> bool {
    let words = Word::all(form);
    let can_be_kept = |spec: &Spec| match spec {
        Spec::Every(interval) | Spec::In(interval) => interval.as_ref().is_ok_and(|interval| {
            let minutes = interval.period().as_secs_f64() / 60.0;
            MINUTES.contains(&minutes)
        }),
        _ => true,
    };
    let is_phrase = || {
        grammar::at_start(&words)
            .is_ok_and(|found| found.is_some_and(|it| it.length == words.len() && can_be_kept(&it.spec)))
    };
    let fires = |cron: &Cron| cron.next_after(Timestamp::UNIX_EPOCH, &Zone::utc()).is_some();
    cron_fields::at_start(form, &words).is_ok_and(|found| found.is_some_and(|(cron, _)| fires(&cron)))
        || is_phrase()
}

/// Returns a form that is close to words of time. It may not be a schedule.
fn nearest(words: &[Word]) -> Option<String> {
    if let Some((_, expression)) = MACROS.iter().find(|(name, _)| words[0].is(&[name])) {
        return Some((*expression).to_owned());
    }
    let first = words[0].text.trim_start_matches('@');
    let second = words.get(1).map_or("", |word| word.text.as_str());
    let time = clock(words);
    let has = |names: &[&str]| words.iter().any(|word| word.is(names));
    if let Some((count, length)) = frequency(words) {
        return at_frequency(count, &words[length - 1].text);
    }
    if has(&["end", "start", "beginning", "first", "last"])
        && let Some(unit) = words.iter().rfind(|word| word.is(&["day", "week", "month", "quarter", "year"]))
    {
        return at_the_edge(&unit.text, has(&["every", "each"]), has(&["end", "last"]));
    }
    Some(match first {
        "today" | "tomorrow" => format!("{first} at {time}"),
        // `tonight at 3` could be early or late.
        "tonight" if words.len() > 1 => return None,
        "tonight" => "tonight at 9".to_owned(),
        "noon" | "midnight" | "midday" => format!("at {first}"),
        "weekdays" => format!("weekdays at {time}"),
        "daily" if words.len() > 1 => format!("every day at {time}"),
        "daily" | "hourly" | "weekly" => first.to_owned(),
        "monthly" | "bimonthly" | "yearly" | "annually" | "quarterly" => calendar(first).to_owned(),
        "nightly" | "overnight" | "weeknights" | "mornings" | "evenings" | "nights" | "afternoons" => {
            format!("every day at {time}")
        }
        "half-hourly" => "every 30m".to_owned(),
        "bihourly" => "every 2h".to_owned(),
        "minutely" => "every 1m".to_owned(),
        "biweekly" | "bi-weekly" | "fortnightly" => "every 2 weeks".to_owned(),
        "next" if is_unit_like(second) => return after(words),
        "at" if has(&["hourly", "intervals", "interval"]) => return repeated(&words[1..], &time),
        "" | "at" | "eod" | "this" | "later" | "next" => format!("at {time}"),
        "in" if words.iter().take(3).any(is_day_part) => format!("at {time}"),
        "in" | "after" => return after(&words[1..]),
        "every" | "each" => return repeated(&words[1..], &time),
        _ if has(&["later", "hence", "now"]) => return after(words),
        _ if is_clock_like(&words[0]) && has(&["daily", "every", "each"]) => format!("every day at {time}"),
        _ if is_clock_like(&words[0]) || second == "o'clock" => format!("at {time}"),
        _ if is_day_or_month(&words[0]) || is_day_range(first) => on_days(words, &time),
        _ if is_unit_like(second) && total(words) != total(&words[..2]) => return interval(total(words)?),
        _ if is_unit_like(second) => return every(first, second),
        _ if is_compact_like(first) => return interval(compound(first)?),
        // More than a number and a unit: `half an hour`, `two and a half hours`.
        _ if amount(first).is_some() => return cron(words).or_else(|| interval(total(words)?)),
        _ => return cron(words),
    })
}

/// Returns the form for the beginning or the end of a period.
fn at_the_edge(unit: &str, recurs: bool, is_end: bool) -> Option<String> {
    let (day, time) = if is_end { ("friday", "17:00") } else { ("monday", "9:00") };
    Some(match unit {
        "day" if recurs => format!("every day at {time}"),
        "day" => format!("at {time}"),
        "week" => format!("every {day} at {time}"),
        // No field is the last day.
        _ if is_end => return None,
        _ => calendar(unit).to_owned(),
    })
}

/// Returns the form for words after `every`.
fn repeated(words: &[Word], time: &str) -> Option<String> {
    let end = qualifiers(words);
    let (qualifiers, rest) = words.split_at(end);
    let unit = rest.first()?;
    let number = qualifiers.iter().find(|word| amount(&word.text).is_some() || is_ordinal(word));
    let count = number.and_then(|word| amount(&word.text)).unwrap_or(1.0);
    // More than a number and a unit: `hour and a half`.
    if let Some(sum) = total(words).filter(|sum| total(&words[..=end]) != Some(*sum)) {
        return interval(sum);
    }
    Some(match unit.text.as_str() {
        "quarter" if matches!(second(rest), "past" | "to") => return None,
        "month" | "months" | "year" | "years" | "quarter" if !is_unit_like(second(rest)) => {
            return calendar_every(count, &unit.text);
        }
        "quarter" => return every("quarter", second(rest)),
        "fortnight" | "fortnights" => "every 2 weeks".to_owned(),
        _ if is_day_part(unit) || unit.is(PERIODS_ONLY) => format!("every day at {time}"),
        _ if Days::parse(rest).is_some() || is_day_range(&unit.text) => on_days(rest, time),
        _ if is_compact_like(&unit.text) => return interval(compound(&unit.text)?),
        "day" if number.is_none() && rest.len() > 1 => format!("every day at {time}"),
        _ if is_clock_like(unit) => format!("every day at {time}"),
        _ => match number {
            Some(number) => return every(&number.text, &unit.text),
            None => format!("every {}", unit.text.trim_end_matches('s')),
        },
    })
}

fn second(words: &[Word]) -> &str {
    words.get(1).map_or("", |word| word.text.as_str())
}

/// Returns the form for days: `monday`, `mon-fri`, `tue/thu`.
fn on_days(words: &[Word], time: &str) -> String {
    match Days::parse(words) {
        Some((days, _)) => format!("{} at {time}", days.words()),
        None => format!("every {} at {time}", words[0].text.trim_end_matches("'s").trim_end_matches("’s")),
    }
}

/// Returns five numbers that look like an expression, wherever they are.
fn cron(words: &[Word]) -> Option<String> {
    cron_fields::is_in_the_middle(words).then(|| joined(&words[..cron_fields::FIELDS]))
}

/// Returns the time of day in some words: an exact one, or an hour after `at`. Without one, that of the part of the
/// day, or nine in the morning.
pub(super) fn clock(words: &[Word]) -> String {
    let has = |names: &[&str]| words.iter().any(|word| word.is(names));
    let is_night = has(&["night", "nights", "nightly"]);
    let is_late = is_night || has(&["afternoon", "evening", "evenings", "tonight"]);
    let found = (0..words.len()).find_map(|at| {
        let is_after_at = at > 0
            && (words[at - 1]
                .is(&["at", "@", "today", "tomorrow", "tonight", "day", "daily", "around", "about"])
                || Days::of(&words[at - 1]).is_some());
        let found = ClockTime::parse(&words[at..]);
        let named = || ClockTime::parse(&Word::all(&number(&words[at].text)?.to_string()));
        let found = found.or_else(|| named().filter(|_| is_after_at));
        found.map(|(time, _)| time).filter(|time| time.is_exact || is_after_at)
    });
    // Two at night is before dawn.
    let is_early = |time: &ClockTime| is_night && time.hour < 6;
    let time = found.map(|time| if is_late && !is_early(&time) { time.in_the_evening() } else { time });
    let usual = || match () {
        () if has(&["night", "nights", "nightly", "overnight", "weeknight", "weeknights"]) => "23:00",
        () if has(&["evening", "evenings", "dusk", "sunset"]) => "18:00",
        () if has(&["afternoon", "afternoons"]) => "15:00",
        () if has(&["lunch", "lunchtime"]) => "12:00",
        () if has(&["eod", "later"]) => "17:00",
        () if has(&["dawn", "sunrise"]) => "6:00",
        () => "9:00",
    };
    time.map_or_else(|| usual().to_owned(), |time| time.to_string())
}
