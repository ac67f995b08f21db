//! Words of time that are a time only at the beginning or the end of a text: `nightly`, `later`, `half an hour`.

use super::{
    amounts, atoms,
    clock::{ClockTime, is_clock_like},
    cron_fields,
    date::DayOfYear,
    days::Days,
    label,
    moments::{amount, date, is_moment, named},
    neighbours,
    shapes::{is_decimal, is_hyphenated, is_leading, is_time_shaped, is_whole},
    time_sign::{frequency, is_day_part, is_ordinal},
    word::Word,
};
use crate::interval::time_words::{is_compact_like, is_number_like, is_unit_like};

/// Returns whether a number in words counts units: `five minutes`, `other day`.
fn is_count(words: &[Word], at: usize) -> bool {
    let is_number =
        |word: &Word| (amounts::amount(&word.text).is_some() && !is_ordinal(word)) || is_decimal(&word.text);
    let is_unit = |word: &Word| is_unit_like(&word.text);
    words.get(at).is_some_and(is_number) && words.get(at + 1).is_some_and(is_unit)
}

/// Returns the length of a part of a unit: `half an hour`, `quarter of an hour`. Zero if there is no such part.
fn fraction(words: &[Word]) -> usize {
    let length = 1 + words.iter().skip(1).take_while(|word| word.is(&["of", "a", "an"])).count();
    let is_fraction = words[0].is(&["half", "quarter"]) && words.get(length).is_some_and(Word::is_unit);
    if is_fraction && length > 1 { length + 1 } else { 0 }
}

/// Returns the length of a number with a part, and its unit: `two and a half hours`. Other words have
/// the length zero.
fn mixed_number(words: &[Word]) -> usize {
    let is_and = words.get(1).is_some_and(|word| word.is(&["and"]));
    let half = 2 + usize::from(words.get(2).is_some_and(|word| word.is(&["a"])));
    let is_part = words.get(half).is_some_and(|word| word.is(&["half", "quarter"]));
    if is_whole(&words[0].text)
        && words.get(1).is_some_and(|word| word.text.contains('/'))
        && is_count(words, 1)
    {
        return 3;
    }
    let is_counted = is_number_like(&words[0].text) && words.get(half + 1).is_some_and(Word::is_unit);
    if is_counted && is_and && is_part { half + 2 } else { 0 }
}

/// Names of periods and of parts of the day, which are a time only at the beginning or the end of a text.
const PERIODS: &[&str] = &[
    "monthly",
    "bimonthly",
    "yearly",
    "annually",
    "nightly",
    "quarterly",
    "biweekly",
    "bi-weekly",
    "fortnightly",
    "bihourly",
    "half-hourly",
    "semiweekly",
    "everyday",
    "minutely",
    "mornings",
    "evenings",
    "nights",
    "afternoons",
    "weeknights",
    "weekends",
    "overnight",
    "overmorrow",
    "eod",
];

/// Returns whether a word after `every` is a time that is no unit elsewhere: `weeknight`, `dawn`, `teatime`.
pub(super) fn is_period_only(word: &Word) -> bool {
    word.is(&["weeknight", "weeknights"]) || is_moment(word)
}

/// Returns the length of words that are a time only where they begin or end the text, if they do. Zero if not.
pub(super) fn edge(words: &[Word], at: usize) -> usize {
    let (word, here) = (&words[at], &words[at..]);
    let is_name = PERIODS.contains(&word.text.trim_start_matches('@')) || word.is(&["@reboot"]);
    let is_hyphenated = is_hyphenated(&word.text) && word.text.ends_with("ly");
    let is_written = is_time_shaped(&word.text)
        || atoms::is_joined_time(&word.text)
        || (at == 0 && is_leading(&word.text));
    let is_short =
        is_compact_like(&word.text) || is_clock_like(word) || is_name || is_hyphenated || is_written;
    let lengths = [
        usize::from(is_short || is_short_name(word, at)),
        if is_count(words, at) { 2 } else { 0 },
        fraction(here),
        mixed_number(here),
        frequency(here).map_or(0, |(_, length)| length),
        ClockTime::parse(here).filter(|(time, _)| time.is_exact).map_or(0, |(_, length)| length),
        relative(here).unwrap_or(0),
        named(here, at == 0).unwrap_or(0),
        short_day(here).unwrap_or(0),
        dated(here).unwrap_or(0),
        boundary(here).unwrap_or(0),
        hours_of_work(here).unwrap_or(0),
        if at == 0 { limit(words).or_else(|| labelled(words)).unwrap_or(0) } else { 0 },
        cron_fields::cut_short(here),
        if at == 0 { cron_fields::with_a_name(here) } else { 0 },
        if at == 0 { vague(words) } else { vague_at_end(words, at) },
        if at == 0 { neighbours::continuation(words).filter(|length| *length > 1).unwrap_or(0) } else { 0 },
    ];
    lengths.into_iter().filter(|length| at == 0 || *length == here.len()).max().unwrap_or(0)
}

/// Returns whether a word is the short name of a day or a month: `dec`, and `wed` at the end. `sat`, `sun`, `mar` and
/// `may` have another meaning more often.
fn is_short_name(word: &Word, at: usize) -> bool {
    const MONTHS: &[&str] = &["jan", "feb", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"];
    word.is(MONTHS) || (at > 0 && word.is(&["wed"]))
}

/// Returns the length of a short day before a time of day: `sat 10am`, `sun at 9`.
pub(super) fn short_day(words: &[Word]) -> Option<usize> {
    let (_, length) = Days::parse(words)?;
    let at = usize::from(words.get(length).is_some_and(|word| word.is(&["at", "@"])));
    let (time, more) = ClockTime::parse(&words[length + at..])?;
    (at == 1 || time.is_exact).then_some(length + at + more)
}

/// Returns whether a word alone says that something repeats: `nightly`, `mondays`.
pub(super) fn recurs(word: &Word) -> bool {
    let text = word.text.trim_start_matches('@');
    (PERIODS.contains(&text) && !word.is(&["eod", "overnight", "overmorrow"])) || Days::recur(word)
}

/// Returns whether `once` joins two clauses: `once the build is green, tag it`.
pub(super) fn is_conjunction(words: &[Word]) -> bool {
    const SUBJECTS: &[&str] = &[
        "the", "a", "an", "it", "its", "this", "that", "these", "those", "all", "your", "our", "my", "you",
        "we",
    ];
    const VERBS: &[&str] =
        &["is", "are", "has", "have", "was", "were", "passes", "pass", "finishes", "works"];
    words.get(1).is_some_and(|word| word.is(SUBJECTS))
        || words.iter().skip(2).take(2).any(|word| word.is(VERBS))
}

/// Returns the length of a time without a number that begins a text: `today`, `once`, `later`, `per hour`, `all 5
/// minutes`, `on alternate days`.
fn vague(words: &[Word]) -> usize {
    let is_next = |is: &dyn Fn(&Word) -> bool| words.get(1).is_some_and(is);
    let is_part = |word: &Word| is_day_part(word) || PERIODS.contains(&word.text.as_str());
    // `later versions`, `all 5 minutes of the video`.
    let is_plural = |word: &Word| word.text.ends_with('s') && !word.text.ends_with("ss");
    let is_part_of = |at: usize| words.get(at).is_some_and(|word| word.is(&["of", "in", "on"]));
    match words[0].text.as_str() {
        "later" if !is_next(&is_plural) => 1,
        "per" if is_next(&Word::is_unit) => 2,
        "all" if is_count(words, 1) && !is_part_of(3) => 3,
        "on" if is_next(&|word| word.is(&["alternate"])) && words.get(2).is_some_and(Word::is_unit) => 3,
        "once"
            if !is_conjunction(words)
                && !is_next(&|word| word.is(&["per", "upon", "again", "more", "in"])) =>
        {
            1
        }
        "now" if is_next(&|word| word.is(&["that"])) => 0,
        "now" | "today" | "soon" | "immediately" | "asap" | "yesterday" => 1,
        _ if Days::of(&words[0]).is_some() && is_next(&is_part) => 2,
        _ => 0,
    }
}

/// Returns the length of a time without a number that ends a text: `check it once`, `check it later`. In a part of a
/// sentence, it is what the prompt is about: `ensure that it runs once`.
fn vague_at_end(words: &[Word], at: usize) -> usize {
    const CLAUSES: &[&str] = &[
        "that", "which", "who", "if", "when", "whether", "why", "how", "to", "can", "could", "must",
        "should", "will", "would", "may", "might", "never", "not", "is", "are", "was", "be", "been", "has",
        "sure", "ensure", "than", "at", "only", "exactly", "for", "again", "or", "each", "every",
    ];
    let is_clause = words[..at].iter().any(|word| word.is(CLAUSES) || word.has_comma);
    let is_last = at + 1 == words.len();
    usize::from(is_last && words[at].is(&["once", "later"]) && !is_clause)
}

/// Returns the length of a time relative to now: `this afternoon`, `next week`, `5 minutes from now`.
fn relative(words: &[Word]) -> Option<usize> {
    let (first, rest) = words.split_first()?;
    let is_next = |is: &dyn Fn(&Word) -> bool| rest.first().is_some_and(is);
    match first.text.as_str() {
        "the" if is_next(&|word| word.is(&["day"])) => relative(rest).filter(|it| *it == 3).map(|it| it + 1),
        "day" if is_next(&|word| word.is(&["after"])) && rest.get(1)?.is(&["tomorrow"]) => Some(3),
        "business" | "working" if is_next(&|word| word.is(&["days"])) => Some(2),
        _ if is_next(&|word| word.is(&["o'clock", "o’clock"])) => Some(2),
        "this" if is_next(&is_day_part) => Some(2),
        "within" if is_next(&|word| word.is(&["the"])) => rest.get(1)?.is_unit().then_some(3),
        "within" | "after" => amount(rest).map(|length| length + 1),
        "in" if is_next(&|word| word.is(&["a"])) => {
            rest.get(1)?.is(&["moment", "bit", "while", "jiffy", "sec"]).then_some(3)
        }
        "later" if is_next(&|word| word.is(&["today", "tonight"])) => Some(2),
        "next" if is_next(&|word| word.is(&["week", "month", "year", "weekend", "morning"])) => Some(2),
        _ => {
            let length = amount(words)?;
            let rest = &words[length..];
            match rest.first()?.text.as_str() {
                "from" if rest.get(1)?.is(&["now", "today"]) => Some(length + 2),
                "later" | "hence" => Some(length + 1),
                _ => None,
            }
        }
    }
}

/// Returns the length of hours that end on the next half of the day: `9 to 5`, `from 9 to 5`.
fn hours_of_work(words: &[Word]) -> Option<usize> {
    let start = usize::from(words.first()?.is(&["from", "between"]));
    let (first, length) = ClockTime::plain(words.get(start..)?)?;
    let link = start + length;
    let is_link = words.get(link)?.is(&["to", "till", "until", "through", "-", "–"]);
    let (last, more) = ClockTime::plain(&words[link + 1..]).filter(|_| is_link)?;
    (last.hour < first.hour && last.hour > 0).then_some(link + 1 + more)
}

/// Returns the length of a time with a limit, or behind a word without letters: `no later than 18:00`, `24/12 18:00`.
fn limit(words: &[Word]) -> Option<usize> {
    const LIMITS: &[&str] =
        &["no", "not", "any", "time", "later", "sooner", "earlier", "than", "before", "after"];
    let limits = words.iter().take(4).take_while(|word| word.is(LIMITS)).count();
    let is_plain = |word: &&Word| !word.text.contains(char::is_alphabetic);
    // `Sun *-*-* 03:00`.
    let day = usize::from(Days::of(&words[0]).is_some());
    let signs = words[day..].iter().take(2).take_while(is_plain).count();
    let signs = (1..=signs).find(|it| ClockTime::parse(&words[day + it..]).is_some()).unwrap_or(0);
    let start = if limits == 0 && signs > 0 { day + signs } else { limits };
    let (_, length) = ClockTime::parse(words.get(start..)?).filter(|(time, _)| start > 0 && time.is_exact)?;
    Some(start + length)
}

/// Returns the length of an amount of time behind its name: `interval: 5m`.
fn labelled(words: &[Word]) -> Option<usize> {
    amount(&words[1..]).filter(|_| words[0].is(label::NAMES)).map(|length| length + 1)
}

/// Returns the length of a date: `on the 1st`, `2026-12-24`, `24 December`.
fn dated(words: &[Word]) -> Option<usize> {
    let on = usize::from(words.first()?.is(&["on"]));
    let rest = &words[on..];
    let first = &rest.first()?.text;
    let is_year = |part: &str| part.len() == 4 && is_whole(part);
    let parts: Vec<_> = first.split(['.', '/']).collect();
    let is_short = || first.contains('/') && parts.iter().all(|part| is_whole(part));
    let is_numeric = parts.len() == 3 && (is_short() || is_year(parts[0]) || is_year(parts[2]));
    let is_day_and_month =
        on == 1 && parts.len() == 2 && first.contains('/') && parts.iter().all(|it| is_whole(it));
    let is_written = is_numeric
        || is_day_and_month
        || first.get(..10).is_some_and(|date| DayOfYear::parse(&Word::all(date)).is_some());
    let found = if on == 1 { date(rest) } else { DayOfYear::parse(rest).map(|(_, length)| length) };
    found.or_else(|| is_written.then_some(1)).map(|length| on + length)
}

/// Returns the length of the first or last moment of a period: `end of month`, `at the end of every day`.
fn boundary(words: &[Word]) -> Option<usize> {
    let skip = |at: usize, names: &[&str]| at + usize::from(words.get(at).is_some_and(|word| word.is(names)));
    let at = skip(skip(0, &["at", "on"]), &["the"]);
    let edge = words.get(at)?;
    let edge = edge.is(&["end", "start", "beginning", "last", "top"]) || is_ordinal(edge);
    let at = skip(at + 1, &["day", "thing", "weekday", "workday", "business", "working"]);
    let at = skip(at, &["day"]) + usize::from(words.get(at).and_then(Days::of).is_some());
    let of = words.get(at)?.is(&["of", "in"]);
    let at = skip(at + 1, &["the", "each", "every"]);
    let unit = words.get(at).filter(|unit| unit.is_unit() || is_day_part(unit))?;
    (edge && of && !unit.text.is_empty()).then_some(at + 1)
}
