//! Words of time with signs between them, and words that bound a schedule.

use super::{holds, read};

/// Texts that no job comes from.
fn are_refused(texts: &[&str]) {
    let wrong: Vec<_> = texts.iter().map(|text| format!("{text}: {}", read(text))).collect();
    let wrong: Vec<_> = wrong.into_iter().filter(|line| !line.contains(": refused ")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_sign_hides_no_word_of_time() {
    are_refused(&[
        "every 1st and 15th x",
        "each 15th x",
        "x every 2nd",
        "every monday,9 x",
        "x every monday/9",
        "every monday@9 x",
        "every day/hour x",
        "every minute/5 x",
        "every 5x y",
        "every 5% y",
        "every 5m±1m x",
        "every >5m x",
        "every ca 5m x",
        "every c. 5m x",
        "every roughly 5 minutes x",
        "every 5minutes10 x",
        "x every >5m",
        "1hour30 x",
        "1y x",
        "5m/10m x",
        "x 5m+",
        ">5m x",
        "*:0/15 x",
        "24/12 18:00 x",
        "2026.12.24 18:00 x",
        "x on 24/12",
        ":15 and :45 x",
        "no later than 18:00 x",
        "x 9 to 5",
        "FREQ=DAILY x",
        "OnCalendar=daily x",
        "R/PT1H x",
    ]);
    holds(&[
        ("every:5m x", "every 5m | x"),
        ("Mon..Fri 09:00 x", "0 9 * * 1-5 | x"),
        ("x every=5m", "every 5m | x"),
        ("print every 2nd line", "default | print every 2nd line"),
        ("fix src/daily/report.rs first", "default | fix src/daily/report.rs first"),
        ("sum the numbers from 1 to 10", "default | sum the numbers from 1 to 10"),
        ("move s3/d2 to s4", "default | move s3/d2 to s4"),
    ]);
}

#[test]
fn a_joined_time_of_day_is_no_prompt() {
    for time in
        ["9/17", "9am/5pm", "9&17", "9;17", "9|17", "9;30", "nine/five", "9:30/10:30", "T09:00", "h9", "-9"]
    {
        are_refused(&[&format!("every day at {time} x"), &format!("every hour at {time} x")]);
    }
    are_refused(&["every day 9/17 x", "every day at 9 AM/PM x", "every hour /2 x"]);
}

#[test]
fn a_bound_beside_a_schedule_is_refused_without_a_form_that_ignores_it() {
    holds(&[
        ("every hour without sundays x", "refused every hour without sundays -> 0 * * * 1,2,3,4,5,6"),
        ("every hour in may x", "refused every hour in may -> none"),
        ("every hour for today x", "refused every hour for today -> none"),
        ("every hour as of tomorrow x", "refused every hour as of tomorrow -> none"),
        ("every hour overnight x", "refused every hour overnight -> none"),
        ("every hour max 3 x", "refused every hour max 3 -> none"),
        ("every 5m jitter 1m x", "refused every 5m jitter 1m -> none"),
        ("x not at noon", "refused not at noon -> none"),
        ("x unless every hour", "refused unless every hour -> none"),
        ("x starting at 18:00", "refused starting at 18:00 -> none"),
        ("x tomorrow every hour", "refused tomorrow every hour -> none"),
        ("never x every 5 minutes", "refused never x every 5 minutes -> none"),
        ("never push, x every 5 minutes", "every 5m | never push, x"),
        ("write \"see you tomorrow at 8\"", "refused tomorrow at 8 -> tomorrow at 8:00"),
        ("x - every 20m", "every 20m | x"),
        ("x; every 20m", "every 20m | x"),
        ("at 09:00 hrs x", "once 2026-03-03T09:00:00Z | x"),
        ("tomorrow at noon sharp x", "once 2026-03-03T12:00:00Z | x"),
    ]);
}
