//! Every input is parsed, refused, or scheduled evenly.

use jiff::{SignedDuration, Timestamp};
use loop_schedule::{Cron, PromptRequest, Zone};
use proptest::prelude::*;

use crate::generators::cases;

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn any_text_is_read_or_refused(text: String) {
        if let Ok(request) = PromptRequest::parse(&text) {
            prop_assert!(!request.prompt().is_empty());
            prop_assert!(text.contains(request.prompt()));
        }
        if let Err(error) = text.parse::<Cron>() {
            prop_assert!(text.get(error.span()).is_some());
        }
    }

    #[test]
    fn intervals_below_two_days_come_around_evenly(
        amount in 1_u32..100_000, unit in "[smh]", prompt in "[a-z]{1,9}",
    ) {
        let Ok(request) = PromptRequest::parse(&format!("{amount}{unit} {prompt}")) else { return Ok(()) };
        let effective = request.effective();
        prop_assume!(!effective.is_uneven_at_month_ends());
        let cron = effective.cron();
        let start: Timestamp = "2026-01-31T00:00:00Z".parse().unwrap();
        let fires: Vec<_> = cron.fires_after(start, &Zone::utc()).take(30).collect();
        let period = SignedDuration::try_from(effective.period()).unwrap();
        prop_assert!(fires.windows(2).all(|pair| pair[1].duration_since(pair[0]) == period));
    }
}
