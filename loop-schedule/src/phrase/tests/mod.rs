//! Phrases that people write, and their meaning.

use proptest::prelude::*;

use super::*;
use crate::{Horizon, JobId, JobRequest, ScheduleSettings};

mod joined;
mod misspelt;
mod phrasings;
mod prompts;
mod whole_meaning;

/// Monday, noon.
const NOW: &str = "2026-03-02T12:00:00Z";

/// Returns the schedule and the prompt, or the error, as one line.
fn read(input: &str) -> String {
    let now = NOW.parse().expect("a time");
    match Phrase::parse(input, &Zone::utc(), now) {
        Ok(Phrase { time: None, prompt }) => format!("default | {prompt}"),
        Ok(Phrase { time: Some(time), prompt }) => {
            let time = match time {
                PhraseTime::Interval(interval) => format!("every {interval}"),
                PhraseTime::Cron(cron) => cron.to_string(),
                PhraseTime::Once(time) => format!("once {time}"),
            };
            format!("{time} | {prompt}")
        }
        Err(PhraseError::NotUnderstood { phrase, nearest }) => {
            format!("refused {phrase} -> {}", nearest.as_deref().unwrap_or("none"))
        }
        Err(error) => format!("error {error}"),
    }
}

fn holds(cases: &[(&str, &str)]) {
    let wrong: Vec<_> = cases
        .iter()
        .filter(|(input, expected)| read(input) != *expected)
        .map(|(input, expected)| format!("{input:?}\n  expected {expected}\n  found    {}", read(input)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn schedules_are_understood_at_the_beginning_and_at_the_end() {
    holds(&[
        ("30m check the deploy", "every 30m | check the deploy"),
        ("5m 5m", "every 5m | 5m"),
        ("5m check the deploy\nthen   post", "every 5m | check the deploy\nthen   post"),
        ("45m", "every 45m | "),
        ("check the deploy every 20m.", "every 20m | check the deploy"),
        ("check the deploy, every 20 minutes", "every 20m | check the deploy"),
        ("every 20 minutes check the deploy", "every 20m | check the deploy"),
        ("each hour: look", "every 1h | look"),
        ("Check the deploy Every Five Minutes", "every 5m | Check the deploy"),
        ("every 2 weeks clean up", "every 14d | clean up"),
        ("run the backup daily", "every 1d | run the backup"),
        ("hourly look", "every 1h | look"),
        ("weekly sum up the daily news of Monday", "every 7d | sum up the daily news of Monday"),
        ("every day at 9 review", "0 9 * * * | review"),
        ("review every day at 9:05pm", "5 21 * * * | review"),
        ("daily at noon eat", "0 12 * * * | eat"),
        ("weekdays at 9:30 stand up", "30 9 * * 1-5 | stand up"),
        ("every weekday at 8 pm rest", "0 20 * * 1-5 | rest"),
        ("every monday 8am review", "0 8 * * 1 | review"),
        ("review on mondays and fridays at 9", "0 9 * * 1,5 | review"),
        ("every Mon, Wed and Fri at 7:15 run", "15 7 * * 1,3,5 | run"),
        ("weekends at midnight rest", "0 0 * * 0,6 | rest"),
        ("at 9 every day review", "0 9 * * * | review"),
        ("review at 9am on weekdays", "0 9 * * 1-5 | review"),
        ("tomorrow at 8 deploy", "once 2026-03-03T08:00:00Z | deploy"),
        ("deploy tomorrow 8:30", "once 2026-03-03T08:30:00Z | deploy"),
        ("deploy at 8 tomorrow", "once 2026-03-03T08:00:00Z | deploy"),
        ("tonight at 9 deploy", "once 2026-03-02T21:00:00Z | deploy"),
        ("deploy tonight at midnight", "once 2026-03-03T00:00:00Z | deploy"),
        ("in 20 minutes check", "once 2026-03-02T12:20:00Z | check"),
        ("check in 2h", "once 2026-03-02T14:00:00Z | check"),
        ("check in an hour", "once 2026-03-02T13:00:00Z | check"),
        ("at 18:00 go home", "once 2026-03-02T18:00:00Z | go home"),
        ("go to lunch at 11am", "once 2026-03-03T11:00:00Z | go to lunch"),
        ("@ 18:00 go home", "once 2026-03-02T18:00:00Z | go home"),
        ("every day at 9 o'clock look", "0 9 * * * | look"),
        ("look in a week", "once 2026-03-09T12:00:00Z | look"),
        ("every hour: at 9 it is late", "every 1h | at 9 it is late"),
        ("0 9 * * 1-5 review", "0 9 * * 1-5 | review"),
        ("0 9 1 1 1-5 review", "0 9 1 1 1-5 | review"),
        ("review */5 * * * *", "*/5 * * * * | review"),
    ]);
}

#[test]
fn other_words_of_time_are_refused_with_the_nearest_form() {
    holds(&[
        ("check 5m", "refused 5m -> every 5m"),
        ("5M check", "refused 5M -> every 5m"),
        ("5min check", "refused 5min -> every 5m"),
        ("5 minutes check", "refused 5 minutes -> every 5 minutes"),
        ("check it every 1.5 hours", "refused every 1.5 hours -> every 90m"),
        ("check it every other day", "refused every other day -> every 2 days"),
        ("check every 20m and report", "refused every 20m -> every 20m"),
        ("run tests every Monday", "refused every Monday -> every monday at 9:00"),
        ("every fortnight look", "refused every fortnight -> every 2 weeks"),
        ("check every couple of hours", "refused every couple of hours -> every 2 hours"),
        ("every third day look", "refused every third day -> every 3 days"),
        ("check every second day", "refused every second day -> every 2 days"),
        ("every quarter hour look", "refused every quarter hour -> every 15m"),
        ("every half hour look", "refused every half hour -> every 30m"),
        ("look every 30 months", "refused every 30 months -> none"),
        ("look every 2 years", "refused every 2 years -> none"),
        ("wait 30 seconds", "refused 30 seconds -> none"),
        ("100 days of code", "refused 100 days -> none"),
        ("2 years of logs", "refused 2 years -> none"),
        ("look every mon-fri", "refused every mon-fri -> weekdays at 9:00"),
        ("tue/thu look", "refused tue/thu -> every tuesday and thursday at 9:00"),
        ("every single day at 9am look", "refused every single day at 9am -> every day at 9:00"),
        ("every working day at 10 look", "refused every working day at 10 -> weekdays at 10:00"),
        ("every morning at 8 look", "refused every morning at 8 -> every day at 8:00"),
        ("every night at 11 look", "refused every night at 11 -> every day at 23:00"),
        ("every sunday night at 10pm look", "refused every sunday night at 10pm -> every sunday at 22:00"),
        ("monthly look", "refused monthly -> 0 9 1 * *"),
        ("look nightly", "refused nightly -> every day at 23:00"),
        ("look bi-weekly", "refused bi-weekly -> every 2 weeks"),
        ("run it everyday", "refused everyday -> every day"),
    ]);
}

#[test]
fn other_times_of_day_and_dates_are_refused_with_the_nearest_form() {
    holds(&[
        ("in half an hour look", "refused in half an hour -> in 30 minutes"),
        ("half an hour look", "refused half an hour -> every 30m"),
        ("look a quarter of an hour", "refused quarter of an hour -> every 15m"),
        ("two and a half hours look", "refused two and a half hours -> every 150m"),
        ("look two and a half hours", "refused two and a half hours -> every 150m"),
        ("look in a few minutes", "refused in a few minutes -> in 3 minutes"),
        ("in the next hour look", "refused in the next hour -> in 60 minutes"),
        ("in 1.5 hours look", "refused in 1.5 hours -> in 90 minutes"),
        ("look in the morning", "refused in the morning -> at 9:00"),
        ("look at nine", "refused at nine -> at 9:00"),
        ("at 18.30 look", "refused at 18.30 -> at 18:30"),
        ("go home 18:00", "refused 18:00 -> at 18:00"),
        ("look at 9 o'clock please", "refused at 9 o'clock -> at 9:00"),
        ("please 0 9 * * 1-5 review", "refused 0 9 * * 1-5 -> 0 9 * * 1-5"),
        ("every month send the bill", "refused every month -> 0 9 1 * *"),
        ("every morning say hello", "refused every morning -> every day at 9:00"),
        ("every hour at 9 look", "refused every hour at 9 -> none"),
        ("every day at 25:00 look", "refused every day at 25:00 -> none"),
        ("tomorrow deploy", "refused tomorrow -> tomorrow at 9:00"),
        ("deploy tonight", "refused tonight -> tonight at 9"),
        ("weekdays look", "refused weekdays -> weekdays at 9:00"),
        ("at 9 look", "refused at 9 -> at 9:00"),
        ("look in 20", "refused in 20 -> in 20 minutes"),
        ("look at 3 files", "refused at 3 -> at 3:00"),
        ("18:00 go home", "refused 18:00 -> at 18:00"),
        ("noon eat", "refused noon -> at noon"),
        ("Monday at 9 review", "refused Monday at 9 -> every monday at 9:00"),
        ("check every 404 page", "refused every 404 -> none"),
        ("@daily look", "refused @daily -> 0 0 * * *"),
        ("send it on March 3", "refused on March 3 -> Mar 3 at 9:00"),
        ("sum up the weekly report", "refused weekly -> weekly"),
    ]);
}

/// The schedule of a part of the words would fire at other times.
#[test]
fn a_time_that_is_only_half_understood_is_refused() {
    holds(&[
        ("every hour between 9 and 17 look", "refused every hour between 9 and 17 -> 0 9-17 * * *"),
        ("every day at 9 and 17 look", "refused every day at 9 and 17 -> 0 9,17 * * *"),
        ("every day at six look", "refused every day at six -> every day at 6:00"),
        ("every 20m for 2 hours look", "refused every 20m for 2 hours -> none"),
        ("every hour on weekdays look", "refused every hour on weekdays -> 0 * * * 1-5"),
        ("every 2 hours until 18:00 look", "refused every 2 hours until 18:00 -> none"),
        ("every day at 9 UTC look", "refused every day at 9 UTC -> none"),
        ("tomorrow at 8 in the evening look", "refused tomorrow at 8 in the evening -> tomorrow at 20:00"),
        ("at 18:00 on friday look", "refused at 18:00 on friday -> 2026-03-06 18:00"),
        ("at 9am every other day look", "refused at 9am every other day -> none"),
        ("weekly monday at 9 look", "refused weekly monday at 9 -> every monday at 9:00"),
        ("look every other monday at 9am", "refused every other monday at 9am -> none"),
        ("check every morning at 9am", "refused every morning at 9am -> every day at 9:00"),
        ("look every 2 days at 9:30", "refused every 2 days at 9:30 -> none"),
        ("look on friday at 18:00", "refused on friday at 18:00 -> 2026-03-06 18:00"),
        ("look day after tomorrow at 8", "refused day after tomorrow at 8 -> 2026-03-04 08:00"),
        ("look weekly at 9am", "refused weekly at 9am -> none"),
        ("look every 20m and at 18:00", "refused every 20m and at 18:00 -> none"),
        ("look next week at 9am", "refused next week at 9am -> none"),
        ("every other day look at 9am", "refused every other day look at 9am -> none"),
        ("tomorrow deploy at 18:00", "refused tomorrow … at 18:00 -> tomorrow at 18:00"),
    ]);
}

#[test]
fn a_prompt_without_words_of_time_keeps_the_default() {
    for prompt in [
        "check the deploy",
        "look at every 5th commit",
        "check every PR",
        "fix it in one go",
        "each of them",
        "compare 10 20 30 40 50",
        "sum 1 2 3 4 5 up",
        "use the monthly plan here",
        "say it in other words",
        "wed the two branches",
        "you may march on",
        "see what the sun did",
        "x",
        "デプロイを確認",
        "split each file into parts",
        "fix line 12 in main.rs",
    ] {
        assert_eq!(read(prompt), format!("default | {prompt}"));
    }
}

#[test]
fn what_cannot_be_kept_is_an_error() {
    for (input, part) in [
        ("check every 0 minutes", "0m would fire without end"),
        ("check in 0 minutes", "the time is now"),
        ("every 99 days look", "at most 31 days"),
        ("99999999999999999999m look", "at most 31 days"),
        ("60 9 * * * look", "the minute"),
        ("0 9 * * 8 look", "fields"),
    ] {
        assert!(read(input).starts_with("error ") && read(input).contains(part), "{input}: {}", read(input));
    }
}

/// Words that continue a schedule are refused on either side; other words are the prompt.
#[test]
fn each_continuation_is_refused_beside_each_schedule() {
    const SCHEDULES: &[&str] =
        &["every 30 minutes", "hourly", "every day at 9", "every monday 8am", "0 9 * * 1-5"];
    const CONTINUATIONS: &[&str] = &[
        "between 9 and 17",
        "from 9 to 5",
        "until friday",
        "till 18:00",
        "starting tomorrow",
        "beginning on monday",
        "except on sundays",
        "but not on weekends",
        "then hourly",
        "and every 2 hours",
        "in Riga",
        "UTC",
        "local time",
        "for 2 hours",
        "on weekdays",
        "twice",
        "5 times",
        "during the night",
        "this week",
        "after 18:00",
        "at :15",
    ];
    const PROMPTS: &[&str] = &[
        "check it",
        "in the repo run tests",
        "for each file look",
        "then commit",
        "and report",
        "at the office look",
        "on main run tests",
        "but be quiet",
        "from the root run tests",
        "between runs wait",
        "not only look",
    ];
    for schedule in SCHEDULES {
        for more in CONTINUATIONS {
            for text in [format!("{schedule} {more} look"), format!("look {schedule} {more}")] {
                assert!(read(&text).starts_with("refused"), "{text}: {}", read(&text));
            }
        }
        for prompt in PROMPTS {
            let text = read(&format!("{schedule} {prompt}"));
            assert!(text.ends_with(&format!(" | {prompt}")) && !text.starts_with("default"), "{text}");
        }
    }
}

/// Words of time, and others.
const WORDS: &str = "every each at in on and a 5 9 13 404 1.5 five other 20m 5M 1h30m 99999999999999999999m minutes hours \
    day days week month Monday fridays weekday weekdays weekend daily hourly weekly tomorrow tonight \
    noon midnight 9:30 25:00 8am pm May March morning * */5 0 1-5 MON @daily look between from to until \
    except starting then or half quarter past twice once the of end next this afternoon night now later \
    for UTC Riga 5-10 5-minute 18h30 1.5h 0.2m 31 2 29th Dec 2026-12-24 2020-01-01 :15 mon-fri nightly \
    Мир it's . ,";

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(WORDS.split_whitespace().collect::<Vec<_>>())
}

proptest! {
    /// Each form that an error proposes is a schedule.
    #[test]
    fn the_nearest_form_works(words in prop::collection::vec(word(), 0..9)) {
        let now = NOW.parse().expect("a time");
        if let Err(PhraseError::NotUnderstood { nearest: Some(nearest), .. }) = Phrase::parse(&words.join(" "), &Zone::utc(), now) {
            let settings = ScheduleSettings::default();
            let request = JobRequest::parse(&format!("{nearest} look"), &settings, &Zone::utc(), now);
            let is_default = request.as_ref().is_ok_and(|request| !request.notes.is_empty() && request.interval == Some(Interval::DEFAULT));
            prop_assert!(!is_default, "{nearest:?} of {words:?} is no schedule");
            let job = request.map(|request| request.job(JobId::from_bits(1), now));
            let fires = job.as_ref().map(|job| job.first_fire(&settings, Horizon::Far, now));
            prop_assert!(
                job.as_ref().is_ok_and(|job| job.prompt == "look") && fires.as_ref().is_ok_and(Result::is_ok),
                "{nearest:?} of {words:?}: {job:?} {fires:?}"
            );
        }
    }

    /// A phrase that repeats has no form that fires once, and the reverse.
    #[test]
    fn the_nearest_form_repeats_as_the_words_do(words in prop::collection::vec(word(), 0..5), first in any::<bool>()) {
        const OFTEN: &[&str] =
            &["every", "each", "daily", "hourly", "weekly", "@daily", "nightly", "fridays", "weekdays", "mon-fri", "twice", "once"];
        let now = NOW.parse().expect("a time");
        let read = |text: &str| Phrase::parse(text, &Zone::utc(), now);
        let is_often = first || words.iter().any(|word| OFTEN.contains(word) || word.contains('*'));
        let text = format!("{} {}", if first { "every" } else { "tomorrow" }, words.join(" "));
        if let Err(PhraseError::NotUnderstood { phrase, nearest: Some(nearest) }) = read(&text)
            && text.starts_with(&phrase)
        {
            let is_once = matches!(read(&nearest).map(|phrase| phrase.time), Ok(Some(PhraseTime::Once(_))));
            prop_assert!(is_once != is_often || (!first && is_often), "{nearest:?} of {text:?}");
        }
    }

    /// A schedule at the beginning leaves the rest of the text as typed.
    #[test]
    fn the_rest_is_the_prompt(words in prop::collection::vec(word(), 1..9)) {
        let prompt = words.join("  ");
        let now = NOW.parse().expect("a time");
        let phrase = Phrase::parse(&format!("30m {prompt}"), &Zone::utc(), now).expect("a schedule");
        prop_assert_eq!(phrase.prompt, prompt);
    }
}
