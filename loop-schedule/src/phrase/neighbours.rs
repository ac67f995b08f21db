//! Words beside a schedule that continue it: `every hour` in `every hour between 9 and 17`.
//!
//! The rest of a text is its prompt, which nobody examines. But some words directly beside a schedule plainly belong to
//! it, and a job without them would fire at other times. [`CONTINUATIONS`] lists them, and what has to follow each: `at
//! :15` continues a schedule, and `at the office` begins a prompt.

use super::{
    clock::{ClockTime, NAMED, is_clock_like},
    cron_fields,
    days::{is_day_or_month, is_month},
    grammar::Spec,
    moments::{amount, date, day_part, hour_span, moment, place, point, range, schedule, times, zone},
    time_sign::{frequency, is_day_part, is_time},
    word::Word,
};
use crate::interval::time_words::{is_compact_like, is_number_like, is_unit_like};

/// Returns how many words of a continuation follow its first word. `None` if the prompt begins there.
type Follows = fn(&[Word]) -> Option<usize>;

/// First words of a continuation, and what has to follow them.
const CONTINUATIONS: &[(&[&str], Follows)] = &[
    (&["at", "@"], |rest| {
        let clock = || point(rest).or_else(|| hour_span(rest));
        clock().or_else(|| day_part(rest)).or_else(|| date(rest)).or_else(|| top_of_the_hour(rest))
    }),
    (&["on", "only", "including", "excluding", "except", "without", "not", "outside"], |rest| {
        moment(rest).or_else(|| prepositional(rest))
    }),
    (&["between"], range),
    (&["from"], |rest| range(rest).or_else(|| moment(rest)).or_else(|| month(rest))),
    (
        &[
            "to",
            "through",
            "around",
            "by",
            "before",
            "after",
            "past",
            "since",
            "during",
            "over",
            "throughout",
        ],
        |rest| moment(rest).or_else(|| amount(rest)).or_else(|| whole_unit(rest)),
    ),
    // The agent can keep a condition: `until it works, run the test again`.
    (&["until", "till", "til"], |rest| moment(rest).or_else(|| amount(rest))),
    (&["but", "unless"], date),
    (&["per"], unit),
    (&["starting", "beginning", "ending"], |rest| moment(rest).or_else(|| prepositional(rest))),
    (&["in"], |rest| {
        place(rest)
            .or_else(|| day_part(rest))
            .or_else(|| date(rest))
            .or_else(|| amount(rest))
            .or_else(|| month(rest))
    }),
    (&["for"], |rest| {
        let day = || rest.first()?.is(&["today", "tonight", "tomorrow"]).then_some(1);
        amount(rest).or_else(|| date(rest)).or_else(|| whole_unit(rest)).or_else(day)
    }),
    (&["of"], |rest| rest.first()?.is(&["the", "each", "every"]).then_some(1).or_else(|| date(rest))),
    (&["as"], |rest| moment(rest.get(1..).filter(|_| rest[0].is(&["of"]))?).map(|length| length + 1)),
    (&["max", "maximum", "limit"], |rest| {
        times(rest).or_else(|| Some(usize::from(is_number_like(&rest.first()?.text))).filter(|it| *it > 0))
    }),
    (&["jitter", "±", "+-", "+/-"], amount),
    (&["next", "this"], |rest| unit(rest).or_else(|| day_part(rest)).or_else(|| date(rest))),
    // `every week day` is no `every week`.
    (&["day", "days", "twice", "thrice", "forever", "indefinitely", "overnight", "24/7"], |_| Some(0)),
    (&["minus"], |rest| amount(rest).or_else(|| moment(rest))),
    (&["o"], |rest| rest.first()?.is(&["clock"]).then_some(1)),
];

/// Words that join a continuation, or another time.
const LINKS: &[&str] = &["and", "or", "but", "then", "also", "plus", "&"];

/// First words of a continuation that also stands before a schedule: `on weekdays every hour`.
const FRAMES: &[&str] = &[
    "at",
    "@",
    "on",
    "between",
    "from",
    "starting",
    "beginning",
    "except",
    "without",
    "minus",
    "excluding",
    "only",
    "not",
    "then",
    "until",
    "till",
];

/// The number of words before a schedule in which a frame or another time is looked for.
const BESIDE: usize = 8;

/// Returns how many words after a schedule belong to its time. Zero if the prompt begins there.
pub(super) fn after(rest: &[Word]) -> usize {
    continuation(rest).or_else(|| direct(rest)).or_else(|| linked(rest)).unwrap_or(0)
}

/// Returns the length of a continuation that begins with a word of the table.
pub(super) fn continuation(words: &[Word]) -> Option<usize> {
    let (first, rest) = words.split_first()?;
    let mut heads = CONTINUATIONS.iter().filter(|(heads, _)| first.is(heads));
    heads.find_map(|(_, follows)| follows(rest)).map(|length| length + 1)
}

/// Returns the length of a continuation after `and`, `or`, `but`, `then`: another time, or more of the same.
fn linked(words: &[Word]) -> Option<usize> {
    if words.first()?.is(&["or"])
        && words.get(1)?.is(&["earlier", "fewer", "later", "less", "longer", "more", "so", "sooner"])
    {
        return Some(2);
    }
    let links = words.iter().take(2).take_while(|word| word.is(LINKS)).count();
    let (links, rest) = words.split_at(links);
    let is_sequence = links.iter().any(|word| word.is(&["then", "but"]));
    let more = || fraction(rest).or_else(|| amount(rest)).or_else(|| point(rest)).or_else(|| date(rest));
    // `daily reports: …` is what the prompt is about.
    let is_topic = |length: &usize| rest.get(*length).is_some_and(|word| word.has_colon);
    let schedule = || schedule(rest).filter(|length| !is_topic(length));
    let found = continuation(rest).or_else(schedule).or_else(|| if is_sequence { None } else { more() });
    found.filter(|_| !links.is_empty()).map(|length| links.len() + length)
}

/// Returns the length of a continuation that no word announces: `UTC`, `30 minutes`, `twice a day`.
fn direct(words: &[Word]) -> Option<usize> {
    let first = words.first()?;
    let named = || first.is(NAMED).then_some(1);
    let every = || schedule(words).filter(|_| first.is(&["every", "each"]));
    let dated = || {
        date(words).filter(|length| {
            let rest = &words[*length..];
            point(rest).is_some() || rest.first().is_some_and(|word| word.is(&["at", "@"]))
        })
    };
    let is_frequency = || frequency(words).map(|(_, length)| length);
    // `5 minutes of fuzzing` is what to do.
    let amount = || amount(words).filter(|length| !words.get(*length).is_some_and(|word| word.is(&["of"])));
    named()
        .or_else(|| hour_span(words))
        .or_else(every)
        .or_else(|| zone(words))
        .or_else(amount)
        .or_else(dated)
        .or_else(|| limited_times(words))
        .or_else(is_frequency)
}

/// Returns the length of a number of fires, with the words before it: `up to 5 times`, `no more than 3x`.
fn limited_times(words: &[Word]) -> Option<usize> {
    const LIMITS: &[&str] = &[
        "up", "to", "at", "most", "no", "more", "than", "max", "maximum", "only", "for", "exactly", "just",
        "a", "total", "of",
    ];
    let limits = words.iter().take(4).take_while(|word| word.is(LIMITS)).count();
    times(&words[limits..]).map(|length| limits + length)
}

/// Returns the length of a part of a unit, or of a vague one: `a half`, `a quarter`, `so`, `two`.
fn fraction(words: &[Word]) -> Option<usize> {
    let article = usize::from(words.first()?.is(&["a", "an"]));
    let next = words.get(article)?;
    let is_vague = article == 0 && next.is(&["so", "two", "three"]);
    (next.is(&["half", "quarter"]) || is_vague).then_some(article + 1)
}

/// Returns the length of `the top of the hour`, after `at`.
fn top_of_the_hour(words: &[Word]) -> Option<usize> {
    let the = usize::from(words.first()?.is(&["the"]));
    let (edge, rest) = words.get(the..)?.split_first()?;
    if edge.is(&["minute"]) {
        return point(rest).map(|length| the + 1 + length);
    }
    let is_edge = edge.is(&["top", "bottom", "end", "start", "beginning"]);
    let of = usize::from(rest.first().is_some_and(|word| word.is(&["of"])));
    let article =
        usize::from(rest.get(of).is_some_and(|word| word.is(&["the", "each", "every", "this", "that"])));
    let is_whole = rest.is_empty() || (of == 1 && unit(&rest[of + article..]).is_some());
    (is_edge && is_whole).then(|| the + 1 + (of + article + 1).min(rest.len()))
}

/// Returns the length of a continuation that a preposition begins: `at night` in `not at night`.
fn prepositional(words: &[Word]) -> Option<usize> {
    words.first()?.is(&["at", "on", "in", "from", "during", "between"]).then(|| continuation(words))?
}

/// Returns the length of `the day`, `the next week`.
fn whole_unit(words: &[Word]) -> Option<usize> {
    let count = words.iter().take(2).take_while(|word| word.is(&["the", "this", "next"])).count();
    unit(&words[count..]).filter(|_| count > 0).map(|length| count + length)
}

fn month(words: &[Word]) -> Option<usize> {
    words.first().filter(|word| is_month(word)).map(|_| 1)
}

fn unit(words: &[Word]) -> Option<usize> {
    words.first().filter(|word| word.is_unit()).map(|_| 1)
}

/// Returns where the time of a schedule at the end begins, if that is before the schedule: `friday at 18:00`.
///
/// A word that says how often something happens begins a new time, so only a frame before it belongs to it: `on
/// weekdays every hour`, `in 20 minutes and then hourly`.
pub(super) fn before(words: &[Word], start: usize, spec: &Spec) -> Option<usize> {
    let ends_here = |from: &usize| {
        let part = &words[*from..start];
        let is_frame = part[0].is(FRAMES) && continuation(part) == Some(part.len());
        let links = part.iter().rev().take_while(|word| word.is(LINKS)).count();
        let is_linked = links > 0 && links < part.len() && is_part(words, *from, start - links);
        is_frame || is_linked
    };
    // A frame at the beginning of the text: `starting tomorrow check the deploy every hour`.
    let is_framed = words[0].is(&["starting", "beginning", "between", "until", "till"])
        && continuation(words).is_some_and(|it| it > 1);
    let frame = is_framed
        .then_some(0)
        .or_else(|| (start.saturating_sub(BESIDE)..start).find(ends_here))
        .or_else(|| count_before(words, start))
        .or_else(|| qualified(words, start));
    // A time of day at the beginning of the text: `at 9 look every day`.
    let is_clock = |time: &ClockTime| time.is_exact || words[0].is(&["at", "@"]);
    let at = usize::from(words[0].is(&["at", "@"]));
    let is_timed = words[0].is(&["today", "tomorrow", "tonight"])
        || ClockTime::parse(&words[at..start]).is_some_and(|(time, _)| is_clock(&time));
    let frame = frame.or_else(|| is_timed.then_some(0));
    let frame = frame.or_else(|| forbids(&words[..start]).then_some(0));
    if frame.is_some() || words[start].is(&["every", "each", "hourly", "daily", "weekly", "once"]) {
        return frame;
    }
    let is_part = |at: usize| is_loose_part(words, at);
    let first = (0..start).rev().take_while(|at| is_part(*at)).last();
    let is_once =
        matches!(spec, Spec::At(_) | Spec::In(_) | Spec::Today(_) | Spec::Tomorrow(_) | Spec::Tonight(_));
    first.or_else(|| (is_once && is_time(words, 0)).then_some(0))
}

/// Returns whether the sentence before a schedule says what should not happen: `never check it every hour`.
fn forbids(words: &[Word]) -> bool {
    let is_one_sentence = || words.iter().all(|word| word.end - word.start == word.typed.len());
    words[0].is(&["never", "don't", "don’t"]) && is_one_sentence()
}

/// Returns where words before a schedule begin that make it a limit or a topic: `at most every hour`, `for each day`.
fn qualified(words: &[Word], start: usize) -> Option<usize> {
    const QUALIFIERS: &[&str] = &[
        "about",
        "approximately",
        "roughly",
        "around",
        "for",
        "of",
        "per",
        "than",
        "most",
        "least",
        "never",
        "not",
        "unless",
        "almost",
        "nearly",
        "starting",
        "beginning",
        "e.g",
        "i.e",
        "half",
        "quarter",
        "quarters",
    ];
    let is_other_day = |word: &Word| word.is(&["tomorrow", "tonight"]);
    let last =
        start.checked_sub(1).filter(|last| words[*last].is(QUALIFIERS) || is_other_day(&words[*last]))?;
    let is_more = |at: &usize| words[*at].is(&["not", "no", "more", "less", "at", "often"]);
    (0..last).rev().take_while(is_more).last().or(Some(last))
}

/// Returns where a number of times before a schedule begins: `twice daily`, `several times every day`.
pub(super) fn count_before(words: &[Word], start: usize) -> Option<usize> {
    (start.saturating_sub(3)..start).find(|from| {
        let part = &words[*from..start];
        let count = usize::from(part[0].is(&["a"]));
        part.get(count..).and_then(|rest| times(rest).filter(|length| *length == rest.len())).is_some()
            || (part.len() == 1 && part[0].is(&["once", "twice", "thrice"]))
    })
}

/// Returns whether words from one position to another are a time of their own: `in 20 minutes`, `at 9`, `every 20m`.
fn is_part(words: &[Word], from: usize, end: usize) -> bool {
    let part = &words[from..end];
    let is_once = part[0].is(&["in"]) && amount(&part[1..]) == Some(part.len() - 1);
    let is_cron = part.len() == cron_fields::FIELDS && cron_fields::is_in_the_middle(part);
    let is_every = part[0].is(&["every", "each"]) && is_time(part, 0);
    is_once
        || is_every
        || is_cron
        || (is_time(part, 0) && (continuation(part) == Some(part.len()) || part.len() == 1))
}

/// Returns whether a word can belong to the time of a schedule behind it.
fn is_loose_part(words: &[Word], at: usize) -> bool {
    const PARTS: &[&str] = &[
        "and", "or", "after", "before", "until", "till", "by", "except", "other", "next", "daily", "hourly",
        "weekly", "today", "tomorrow", "tonight", "every", "each", "on",
    ];
    let word = &words[at];
    let is_amount = word.is_unit() || is_compact_like(&word.text);
    let is_month = at > 0 && is_day_or_month(&words[at - 1]);
    let is_counted = (is_month || is_unit_like(&words[at + 1].text)) && is_number_like(&word.text);
    let is_day = date(&words[at..=at]).is_some();
    word.is(PARTS) || is_amount || is_counted || is_day || is_day_part(word) || is_clock_like(word)
}
