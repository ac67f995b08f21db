//! Expressions: their syntax, fires and descriptions.

use jiff::{SignedDuration, Timestamp};
use loop_schedule::{Cron, Zone};
use serde::Deserialize;

use crate::cases;

#[derive(Deserialize)]
struct NextFireCase {
    cls: String,
    expr: String,
    tz: String,
    from: Timestamp,
    inclusive: bool,
    expect: Option<Timestamp>,
    #[serde(default)]
    agrees_with: Vec<String>,
    vixie_answer: Option<Timestamp>,
}

impl NextFireCase {
    fn all_of(class: &str) -> Vec<Self> {
        let mut all: Vec<Self> = cases(include_str!("../fixtures/cron_next.json"));
        all.retain(|case| case.cls == class);
        assert!(!all.is_empty(), "there are cases of {class}");
        all
    }

    fn answer(&self) -> Option<Timestamp> {
        let cron: Cron = self.expr.parse().unwrap();
        let zone: Zone = self.tz.parse().unwrap();
        let before = SignedDuration::from_nanos(i64::from(self.inclusive));
        cron.next_after(self.from - before, &zone)
    }

    #[track_caller]
    fn holds(&self, expected: Option<Timestamp>) {
        let (expr, tz, from) = (&self.expr, &self.tz, self.from);
        assert_eq!(self.answer(), expected, "{expr} in {tz} from {from}");
    }
}

#[test]
fn what_all_dialects_agree_on_holds() {
    NextFireCase::all_of("universal").iter().for_each(|case| case.holds(case.expect));
}

#[test]
fn clock_changes_are_as_in_vixie_cron() {
    for case in NextFireCase::all_of("dst-rule") {
        let agrees = case.agrees_with.iter().any(|rule| rule == "vixie");
        assert!(agrees || case.vixie_answer.is_some());
        case.holds(if agrees { case.expect } else { case.vixie_answer });
    }
}

#[test]
fn restricted_days_are_either_or() {
    NextFireCase::all_of("dom-and-dow").iter().for_each(|case| case.holds(case.vixie_answer));
}

/// Here only an exact `*` is no restriction, so in these expressions either day field may match. The file contains the
/// answers of implementations that treat `*/N` as no restriction.
#[test]
fn a_day_field_with_a_step_is_a_restriction() {
    for case in NextFireCase::all_of("star-step-day") {
        assert!(case.agrees_with.iter().all(|rule| rule != "croner"));
        assert!(case.answer() < case.expect, "{} comes more often than if both days had to match", case.expr);
    }
}

#[test]
fn other_dialects_are_refused() {
    for case in NextFireCase::all_of("extended-grammar") {
        assert!(case.expr.parse::<Cron>().is_err(), "{} is refused", case.expr);
    }
}

#[derive(Deserialize)]
struct DialectCase {
    expr: String,
    dialect: String,
    #[serde(default)]
    never_fires: bool,
}

#[test]
fn exactly_the_dialect_is_taken() {
    let all: Vec<DialectCase> = cases(include_str!("../fixtures/cron_invalid.json"));
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    for case in all {
        let read = case.expr.parse::<Cron>();
        assert_eq!(read.is_ok(), case.dialect == "ok", "{:?}: {read:?}", case.expr);
        if let Ok(cron) = read {
            assert_eq!(cron.next_after(now, &Zone::utc()).is_none(), case.never_fires, "{}", case.expr);
        }
    }
}

#[derive(Deserialize)]
struct DescriptionCase {
    expr: String,
    description: String,
    style: String,
}

#[test]
fn words_are_those_that_users_know() {
    let mut all: Vec<DescriptionCase> = cases(include_str!("../fixtures/cron_describe.json"));
    all.retain(|case| case.style == "claude-code-observed");
    assert!(!all.is_empty());
    for case in all {
        assert_eq!(case.expr.parse::<Cron>().unwrap().describe(), case.description);
    }
    for (expr, text) in [
        ("* * * * *", "Every minute"),
        ("*/5 * * * *", "Every 5 minutes"),
        ("0 * * * *", "Every hour"),
        ("7 * * * *", "Every hour at :07"),
        ("0 */2 * * *", "Every 2 hours"),
        ("30 */6 * * *", "Every 6 hours at :30"),
        ("0 9 * * 1-5", "Weekdays at 9:00 AM"),
        ("0 0 * * *", "Every day at 12:00 AM"),
        ("15 12 * * 7", "Every Sunday at 12:15 PM"),
        ("*/59 * * * *", "Every hour at :00 and :59"),
        (" 0  9 *\t* 1,3", "Every Monday and Wednesday at 9:00 AM"),
        ("0 9 * * 0,6", "Weekends at 9:00 AM"),
        ("0 9 * * 5,6,0", "Every Friday, Saturday and Sunday at 9:00 AM"),
        ("0 9,17 * * *", "Every day at 9:00 AM and 5:00 PM"),
        ("0,30 9 * * 1-5", "Weekdays at 9:00 AM and 9:30 AM"),
        ("0 9-17 * * *", "Every hour from 9:00 AM to 5:00 PM"),
        ("*/30 9-16 * * 1-5", "Every 30 minutes from 9:00 AM to 4:30 PM on weekdays"),
        ("0 * * * 1", "Every hour on Monday"),
        ("5,35 * * * *", "Every hour at :05 and :35"),
        ("0 */2 * * 0,6", "Every 2 hours on weekends"),
        ("0 9 1,15 * *", "On the 1st and 15th of each month at 9:00 AM"),
        ("0 9 1-7 * *", "On the 1st to 7th of each month at 9:00 AM"),
        ("0 9 1 1,4,7,10 *", "On the 1st of January, April, July and October at 9:00 AM"),
        ("0 9 * 6-8 1-5", "Weekdays at 9:00 AM in June to August"),
        ("0 9 1 * 1", "On the 1st of each month and every Monday at 9:00 AM"),
        ("0 9 1,15 * 1-5", "On the 1st and 15th of each month and on weekdays at 9:00 AM"),
        ("0 9 1 1 1", "0 9 1 1 1"),
        ("7 3 31 12 *", "7 3 31 12 *"),
        ("1,2,3,5,6,8,9 3,5,7 * * *", "1,2,3,5,6,8,9 3,5,7 * * *"),
        ("0 0 */2 * *", "0 0 */2 * *"),
    ] {
        assert_eq!(expr.parse::<Cron>().unwrap().describe(), text);
    }
}

#[test]
fn a_refusal_says_where_and_what_to_do() {
    for (expr, text) in [
        (
            "0 9 * * MON",
            "\"MON\" (the day of week of \"0 9 * * MON\", from character 9) is not made of digits",
        ),
        ("0 24 * * *", "\"24\" (the hour of \"0 24 * * *\", from character 3) is out of range: give 0 to 23"),
        ("5-1 * * * *", "ends before it begins: write both parts, as in 5,1"),
        ("3/5 * * * *", "has a step without a range: write 3-59/step, or 3 alone"),
        ("*/0 * * * *", "has no step that counts"),
        ("1,,2 * * * *", "has nothing where a number should be"),
        ("* * * * * *", "has 6 fields and not five"),
        ("@daily", "is a short form of other dialects"),
    ] {
        let error = expr.parse::<Cron>().unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
}

#[test]
fn leap_days_are_found_over_a_century_without_one() {
    let cron: Cron = "0 0 29 2 *".parse().unwrap();
    let from = "2096-02-29T00:00:00Z".parse().unwrap();
    assert_eq!(cron.next_after(from, &Zone::utc()), Some("2104-02-29T00:00:00Z".parse().unwrap()));
    let from = "2096-02-29T23:00:00Z".parse().unwrap();
    assert!(cron.next_after(from, &"Pacific/Auckland".parse().unwrap()).is_some());
}
