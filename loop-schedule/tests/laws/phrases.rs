//! A schedule runs as a person wrote it: its time is understood as a whole, or refused.

use loop_schedule::{JobRequest, Phrase, PhraseError, PhraseTime, ScheduleSettings, ScheduledInterval, Zone};
use proptest::{prelude::*, sample::select};

use crate::generators::{at, cases};

/// Monday, noon.
const NOW: &str = "2026-03-02T12:00:00Z";

const DAYS: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

fn read(text: &str) -> Result<Phrase, PhraseError> {
    Phrase::parse(text, &Zone::utc(), at(NOW))
}

/// Generates schedules that are understood, and whether each is an interval.
fn schedule() -> impl Strategy<Value = (String, bool)> {
    let hour = 1_u32..24;
    prop_oneof![
        (2_u32..60, select(vec!["minutes", "min", "mins"]))
            .prop_map(|(count, unit)| (format!("every {count} {unit}"), true)),
        (2_u32..60).prop_map(|count| (format!("every {count}m"), true)),
        select(vec!["every hour", "hourly", "every 2 days"]).prop_map(|text| (text.to_owned(), true)),
        hour.clone().prop_map(|hour| (format!("every day at {hour}"), false)),
        (select(DAYS.as_slice()), hour.clone())
            .prop_map(|(day, hour)| (format!("every {day} at {hour}"), false)),
        hour.clone().prop_map(|hour| (format!("weekdays at {hour}"), false)),
        hour.clone().prop_map(|hour| (format!("tomorrow at {hour}"), false)),
        (hour, 10_u32..60).prop_map(|(hour, minute)| (format!("at {hour}:{minute}"), false)),
    ]
}

/// Generates words that continue any time.
fn continuation() -> impl Strategy<Value = String> {
    prop_oneof![
        (1_u32..24, select(vec!["h", "h30", ":15", "ish", "am", "+02:00", ":00Z", "Uhr"]))
            .prop_map(|(hour, end)| format!("{}{end}", if end == "am" { hour % 12 + 1 } else { hour })),
        (select(vec!["at", "about", "around", "at about", "- at", "~"]), 1_u32..24)
            .prop_map(|(filler, hour)| format!("{filler} {hour}")),
        (1_u32..60).prop_map(|number| number.to_string()),
        (1_u32..9).prop_map(|count| format!("x{count}")),
        (1_u32..9).prop_map(|count| format!("{count}x")),
        select(vec!["once", "only once", "twice", "today", "tomorrow", "tonight", "forever"])
            .prop_map(str::to_owned),
        select(DAYS.as_slice()).prop_map(|day| if day.len() > 6 {
            day.to_owned()
        } else {
            format!("on {day}")
        }),
    ]
}

/// An hour and a minute, in one of the ways that people write them after `at`.
fn clock() -> impl Strategy<Value = (u32, u32, String)> {
    (0_u32..24, 10_u32..60, 0..7).prop_map(|(hour, minute, way)| match way {
        0 => (hour, 0, format!("{hour}h")),
        1 => (hour, minute, format!("{hour}h{minute}")),
        2 => (hour, minute, format!("{hour} {minute}")),
        3 => (hour, minute, format!("{hour}.{minute}")),
        4 => (hour, minute, format!("{hour:02}{minute}")),
        5 => (hour, 0, format!("about {hour}")),
        _ => (hour, 0, format!("{hour}ish")),
    })
}

/// Words of time, joined by signs that hide none of them.
fn joined() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        (1_u32..24).prop_map(|hour| format!("{hour}:30")),
        (1_u32..60).prop_map(|count| format!("{count}m")),
        (1_u32..12).prop_map(|hour| format!("{hour}am")),
        select(DAYS.as_slice()).prop_map(str::to_owned),
        select(vec!["noon", "tomorrow", "daily", "hourly", "1hour", "2hours"]).prop_map(str::to_owned),
    ];
    let sign = select(vec![",", "/", ";", "|", "&", "+", "..", "~", ">", "<", "=", "@", "_", "±"]);
    (part.clone(), sign, part).prop_map(|(first, sign, last)| format!("{first}{sign}{last}"))
}

/// Returns the numbers and the days in a text.
fn names(text: &str) -> Vec<String> {
    let parts = text.split(|sign: char| !sign.is_ascii_alphanumeric());
    let is_kept = |part: &&str| DAYS.contains(part) || part.parse::<u32>().is_ok_and(|number| number > 0);
    parts.filter(is_kept).map(str::to_owned).collect()
}

/// Returns the minute, the hour and the day of a time, as a cron expression writes them.
fn fields(time: &PhraseTime) -> Option<(String, String, String)> {
    let PhraseTime::Cron(cron) = time else { return None };
    let text = cron.to_string();
    let fields: Vec<_> = text.split(' ').map(str::to_owned).collect();
    Some((fields[0].clone(), fields[1].clone(), fields[4].clone()))
}

proptest! {
    #![proptest_config(cases(256))]

    /// A word that continues a time never begins the prompt.
    #[test]
    fn a_continued_time_is_refused((schedule, _) in schedule(), more in continuation()) {
        for text in [format!("{schedule} {more} look"), format!("{schedule} {more}")] {
            if let Ok(phrase) = read(&text) {
                prop_assert!(
                    phrase.time.is_some() && (phrase.prompt == "look" || phrase.prompt.is_empty()),
                    "{text}: {phrase:?}"
                );
            }
        }
    }

    /// A text with words of time is understood as a whole or refused, whatever signs are between them.
    #[test]
    fn no_sign_hides_a_word_of_time(time in joined(), head in select(vec!["", "every ", "in ", "every day at "])) {
        for text in [format!("{head}{time} look"), format!("look {head}{time}")] {
            match read(&text) {
                Ok(phrase) => prop_assert!(phrase.time.is_some() && phrase.prompt == "look", "{text}: {phrase:?}"),
                Err(PhraseError::NotUnderstood { nearest: Some(form), .. }) => {
                    let found = read(&form).unwrap();
                    prop_assert!(found.time.is_some() && found.prompt.is_empty(), "{}: {}", text, form);
                    let days = found.time.as_ref().and_then(fields).map_or(String::new(), |(_, _, days)| days);
                    let fires_on = |day: usize| {
                        days == "*" || days.contains(&day.to_string()) || (days == "1-5" && (1..=5).contains(&day))
                    };
                    let is_kept = |name: &String| match DAYS.iter().position(|day| day == name) {
                        Some(day) => fires_on(day),
                        None => names(&form).contains(name),
                    };
                    prop_assert!(names(&time).iter().all(is_kept), "{}: {}", text, form);
                }
                Err(_) => {}
            }
        }
    }

    /// After an interval, a number of things is what to do.
    #[test]
    fn a_number_of_things_is_a_prompt((schedule, is_interval) in schedule(), count in 2_u32..99, last in 2_u32..99) {
        prop_assume!(is_interval);
        for prompt in [format!("{count} tests"), format!("{count}-{last} files fix"), format!("{count} reports: send")] {
            let phrase = read(&format!("{schedule} {prompt}")).unwrap();
            prop_assert_eq!(phrase.prompt, prompt);
        }
    }

    /// A form that is proposed for a time of day has its hour, its minute and its days.
    #[test]
    fn a_proposed_form_has_the_same_time((hour, minute, written) in clock(), day in 0_usize..8) {
        let (head, expected) = match day {
            7 => ("every day".to_owned(), "*".to_owned()),
            day => (format!("every {}", DAYS[day]), day.to_string()),
        };
        let text = format!("{head} at {written} look");
        let Err(PhraseError::NotUnderstood { nearest, .. }) = read(&text) else {
            return Err(TestCaseError::fail(format!("{text} is understood")));
        };
        if let Some(form) = nearest {
            let fields = read(&form).unwrap().time.as_ref().and_then(fields);
            prop_assert_eq!(fields, Some((minute.to_string(), hour.to_string(), expected)), "{}: {}", text, form);
        }
    }

    /// A form that is proposed for an amount of time has the same length.
    #[test]
    fn a_proposed_form_has_the_same_length(hours in 1_i64..9, minutes in 2_i64..59, half in any::<bool>()) {
        let minutes = if half { 30 } else { minutes };
        let seconds = (hours * 60 + minutes) * 60;
        let amount = match half {
            true if hours == 1 => "an hour and a half".to_owned(),
            true => format!("{hours} and a half hours"),
            false => format!("{hours} hours and {minutes} minutes"),
        };
        let text = format!("in {amount} look");
        let Err(PhraseError::NotUnderstood { nearest, .. }) = read(&text) else {
            return Err(TestCaseError::fail(format!("{text} is understood")));
        };
        let time = nearest.and_then(|form| read(&form).unwrap().time);
        let after = at(NOW) + jiff::SignedDuration::from_secs(seconds);
        prop_assert!(time.is_none() || time == Some(PhraseTime::Once(after)), "{text}: {time:?}");
    }

    /// A form is never the refused words themselves, unless it says where they have to be.
    #[test]
    fn a_refusal_is_not_circular((schedule, _) in schedule()) {
        let error = read(&format!("please {schedule} look")).unwrap_err().to_string();
        let is_circular =
            error.contains(&format!("`{schedule}` looks")) && error.contains(&format!("form is `{schedule}`"));
        prop_assert!(!is_circular, "{}", error);
    }

    /// Rounding changes how long an interval is, and nothing else.
    #[test]
    fn rounding_keeps_the_words((schedule, is_interval) in schedule(), at_end in any::<bool>()) {
        let text = if at_end { format!("look {schedule}") } else { format!("{schedule} look") };
        let parse = |rounds| {
            let settings = ScheduleSettings::default().with_rounded_intervals(rounds);
            JobRequest::parse(&text, &settings, &Zone::utc(), at(NOW)).unwrap()
        };
        let (exact, rounded) = (parse(false), parse(true));
        prop_assert_eq!(&exact.prompt, &rounded.prompt);
        prop_assert_eq!(exact.interval, rounded.interval);
        let expected = exact.interval.map(|interval| ScheduledInterval::Rounded(interval.rounded()));
        prop_assert_eq!(rounded.effective, expected);
        prop_assert!(is_interval || exact.trigger == rounded.trigger);
    }
}

#[test]
fn a_possessive_amount_includes_the_time() {
    let expected = read("in 10 minutes look").unwrap();
    for amount in ["ten minutes'", "10 minutes’"] {
        for text in [format!("in {amount} time look"), format!("look in {amount} time")] {
            assert_eq!(read(&text).unwrap(), expected, "{text}");
        }
    }
    assert_eq!(read("in 10 minutes, time the tests").unwrap().prompt, "time the tests");
}
