//! Every input is parsed, refused, or scheduled evenly.

use jiff::{SignedDuration, Timestamp};
use loop_schedule::{Cron, Interval, JobRequest, ScheduleSettings, Zone};
use proptest::prelude::*;

use crate::generators::cases;

/// A field with few members, so that equal descriptions occur.
fn field(smallest: u32, largest: u32) -> impl Strategy<Value = String> {
    let number = smallest..=largest;
    prop_oneof![
        3 => Just("*".to_owned()),
        2 => number.clone().prop_map(|number| number.to_string()),
        2 => prop::collection::btree_set(number.clone(), 2..4)
            .prop_map(|numbers| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",")),
        2 => (number.clone(), number).prop_map(|(one, other)| format!("{}-{}", one.min(other), one.max(other))),
        1 => (2_u32..9).prop_map(|step| format!("*/{step}")),
    ]
}

fn expression() -> impl Strategy<Value = String> {
    (field(0, 3), field(8, 12), field(1, 3), field(1, 3), field(0, 7))
        .prop_map(|(minute, hour, day, month, weekday)| format!("{minute} {hour} {day} {month} {weekday}"))
}

proptest! {
    #![proptest_config(cases(256))]

    /// Two expressions with one description fire at the same times.
    #[test]
    fn a_description_has_one_meaning(expressions in prop::collection::vec(expression(), 40)) {
        let mut meanings = std::collections::HashMap::new();
        let start: Timestamp = "2026-01-31T00:00:00Z".parse().unwrap();
        for text in expressions {
            let cron: Cron = text.parse().unwrap();
            let fires: Vec<_> = cron.fires_after(start, &Zone::utc()).take(60).collect();
            let (other, meant) = meanings.entry(cron.describe()).or_insert_with(|| (text.clone(), fires.clone()));
            prop_assert_eq!(&fires, meant, "{} and {}: {}", text, other, cron.describe());
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text: String) {
        let now = Timestamp::UNIX_EPOCH;
        if let Ok(request) = JobRequest::parse(&text, &ScheduleSettings::classic(), &Zone::utc(), now) {
            prop_assert!(text.contains(&request.prompt));
        }
        if let Err(error) = text.parse::<Cron>() {
            prop_assert!(text.get(error.span()).is_some());
        }
    }

    #[test]
    fn intervals_below_two_days_come_around_evenly(
        amount in 1_u32..100_000, unit in "[smh]",
    ) {
        let Ok(interval) = format!("{amount}{unit}").parse::<Interval>() else { return Ok(()) };
        let effective = interval.rounded();
        prop_assume!(!effective.is_uneven_at_month_ends());
        let cron = effective.cron();
        let start: Timestamp = "2026-01-31T00:00:00Z".parse().unwrap();
        let fires: Vec<_> = cron.fires_after(start, &Zone::utc()).take(30).collect();
        let period = SignedDuration::try_from(effective.period()).unwrap();
        prop_assert!(fires.windows(2).all(|pair| pair[1].duration_since(pair[0]) == period));
    }
}
