//! The nearest form of a schedule to words of time that are not one.

use jiff::Timestamp;

use super::{
    amounts::{amount, calendar, calendar_every, compound, total},
    clock::{ClockTime, is_clock_like},
    compose::compose,
    cron_fields,
    days::{Days, is_day_or_month, is_day_range, is_month},
    edge::is_period_only,
    grammar::{self, Spec},
    kept::{is_contradiction, keeps},
    nearest_interval::{after, at_frequency, every, interval},
    reading::Reading,
    same_meaning::{LIMITS, means_the_same},
    spelling::normal,
    time_sign::{frequency, is_day_part, is_ordinal, qualifiers},
    word::{Word, joined},
};
use crate::{
    Cron, Zone,
    interval::time_words::{is_compact_like, is_unit_like, number},
};

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

/// Returns whether words are a year: `in 2026`.
fn is_year(words: &[Word]) -> bool {
    let is_number = |word: &Word| {
        word.text.len() == 4 && word.text.parse().is_ok_and(|year| (1900..2200).contains(&year))
    };
    words[0].is(&["in"]) && words.get(1).is_some_and(is_number) && !words.get(2).is_some_and(Word::is_unit)
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

/// Returns whether a word has a number that no form writes in this way: `1,000`, `-5`.
pub(super) fn is_odd_number(word: &Word) -> bool {
    let has_digit = word.text.contains(|sign: char| sign.is_ascii_digit());
    let is_odd = |sign: char| {
        matches!(sign, ',' | '_') || (sign.is_numeric() && !sign.is_ascii() && !is_fraction(sign))
    };
    (has_digit || word.text.contains(char::is_numeric))
        && (word.text.contains(is_odd)
            || word.text.starts_with(['-', '−', '+', '~', '<', '>', '≤', '≥', '±'])
            || word.text.starts_with("0x"))
}

fn is_fraction(sign: char) -> bool {
    "½¼¾⅓⅔".contains(sign)
}

/// Returns whether some words have a part that no form keeps: `last`, `this week`, `in december`, `the top of the hour`.
fn has_no_form(words: &[Word]) -> bool {
    let is_period = |word: &Word| word.is(&["week", "month", "quarter", "year"]);
    (0..words.len()).any(|at| {
        let (word, next) = (&words[at], words.get(at + 1));
        let before = at.checked_sub(1).map(|at| &words[at]);
        let is_after_clock = at > 1
            && (1..=3).any(|back| {
                at.checked_sub(back).is_some_and(|from| {
                    ClockTime::parse(&words[from..at]).is_some_and(|(_, length)| from + length == at)
                })
            });
        word.is(&["top", "bottom", "minus"])
            || (word.is(&["last"]) && next.is_some_and(|next| next.is(&["day", "weekday"])))
            || (word.is(&["this", "next"])
                && next.is_some_and(is_period)
                && before.is_some_and(|before| !before.is(&["the"])))
            || (word.is(&["in"]) && (at > 0 || words.len() > 2) && next.is_some_and(is_month))
            || (word.is(&["at"]) && is_after_clock && next.is_some_and(is_day_part))
            || (word.is(&["today", "tomorrow", "tonight"])
                && before.is_some_and(|before| is_unit_like(&before.text)))
            || (at == 0
                && word.is(&["at"])
                && next.is_some_and(is_day_part)
                && words.iter().any(|word| word.is(&["every"])))
    })
}

/// Returns the nearest form that works, if one is near.
pub(super) fn form(words: &[Word]) -> Option<String> {
    // `at the half hour`, `at work`.
    let is_other = |at: usize, names: &[&str]| words.get(at).is_some_and(|word| word.is(names));
    let is_minute = is_other(1, &["the"]) && is_other(2, &["hour", "minute", "half", "quarter"]);
    let is_moment = words[0].is(&["at"]) && (is_minute || is_other(1, &["work", "once", "first", "last"]));
    let is_moved = words[0].is(&["by", "until", "till"]);
    if words.iter().any(is_odd_number) || is_year(words) || is_moment || is_moved {
        return None;
    }
    let words = &normal(words);
    if has_no_form(words) || (0..words.len()).any(|at| is_contradiction(words, at)) {
        return None;
    }
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
    // A part of the text may be all that was found, so several forms are no form here.
    let reading = Reading::of(words).filter(|reading| !reading.is_time());
    if let Some([form]) = reading.and_then(|reading| reading.forms()).as_deref() {
        return Some(form.clone()).filter(|form| works(form));
    }
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

/// Returns the forms for words that are more than one schedule.
pub(super) fn several(words: &[Word]) -> Option<Vec<String>> {
    let forms = Reading::of(&normal(words))?.forms()?;
    (forms.len() > 1 && forms.iter().all(|form| works(form))).then_some(forms)
}

/// Returns whether a form is a schedule that can be kept, and nothing else.
pub(super) fn works(form: &str) -> bool {
    let words = Word::all(form);
    let can_be_kept = |spec: &Spec| match spec {
        Spec::Every(interval) => interval
            .as_ref()
            .is_ok_and(|interval| MINUTES.contains(&(interval.period().as_secs_f64() / 60.0))),
        Spec::In(duration) => duration.is_ok(),
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
        "per" if words.len() == 2 => return at_frequency(1.0, second),
        "all" => return repeated(&words[1..], &time),
        "later" if words.len() == 1 => "in 60 minutes".to_owned(),
        "once" | "now" | "immediately" | "asap" | "soon" if words.len() == 1 => "in 1 minute".to_owned(),
        "on" if second == "alternate" => return repeated(&words[1..], &time),
        "nightly" | "overnight" | "weeknights" | "mornings" | "evenings" | "nights" | "afternoons" => {
            format!("every day at {time}")
        }
        "half-hourly" => "every 30m".to_owned(),
        "bihourly" => "every 2h".to_owned(),
        "minutely" => "every 1m".to_owned(),
        "biweekly" | "bi-weekly" | "fortnightly" => "every 2 weeks".to_owned(),
        "next" if is_unit_like(second) => return after(words),
        "at" if has(&["hourly", "intervals", "interval"]) => return repeated(&words[1..], &time),
        "this" if words.get(1).is_some_and(is_day_part) => format!("today at {time}"),
        "later" if second == "today" => format!("today at {time}"),
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
        _ if is_compact_like(first) => return interval(total(words)?),
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
    // More than a number and a unit: `hour and a half`, `1 1/2 hours`.
    let is_mixed = qualifiers.iter().filter(|word| amount(&word.text).is_some()).count() > 1;
    if let Some(sum) = total(words).filter(|sum| is_mixed || total(&words[..=end]) != Some(*sum)) {
        return interval(sum);
    }
    Some(match unit.text.as_str() {
        "quarter" if matches!(second(rest), "past" | "to") => return None,
        "month" | "months" | "year" | "years" | "quarter" if !is_unit_like(second(rest)) => {
            return calendar_every(count, &unit.text);
        }
        "quarter" => return every("quarter", second(rest)),
        "fortnight" | "fortnights" => "every 2 weeks".to_owned(),
        _ if is_day_part(unit) || is_period_only(unit) => {
            // `every other morning`.
            number.is_none().then(|| format!("every day at {time}"))?
        }
        _ if Days::parse(rest).is_some() || is_day_range(&unit.text) => on_days(rest, time),
        _ if is_compact_like(&unit.text) => return interval(compound(&unit.text)?),
        "day" if number.is_none() && rest.len() > 1 => format!("every day at {time}"),
        _ if is_clock_like(unit) => format!("every day at {time}"),
        _ => match number {
            Some(number) => return every(&number.text, &unit.text),
            None => format!("every {}", without_possessive(&unit.text).trim_end_matches('s')),
        },
    })
}

fn without_possessive(text: &str) -> &str {
    text.trim_end_matches("'s").trim_end_matches("’s")
}

fn second(words: &[Word]) -> &str {
    words.get(1).map_or("", |word| word.text.as_str())
}

/// Returns the form for days: `monday`, `mon-fri`, `tue/thu`.
fn on_days(words: &[Word], time: &str) -> String {
    match Days::parse(words) {
        Some((days, _)) => format!("{} at {time}", days.words()),
        None => format!("every {} at {time}", without_possessive(&words[0].text)),
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
