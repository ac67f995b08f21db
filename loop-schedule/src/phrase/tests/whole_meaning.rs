//! Texts of which a part was once read as a schedule, and the rest left out.

use super::holds;

#[test]
fn six_fields_are_no_expression() {
    holds(&[
        ("0 0 9 * * ? check it", "refused 0 0 9 * * ? -> 0 9 * * *"),
        ("0 */5 * * * ? check it", "refused 0 */5 * * * ? -> */5 * * * *"),
        ("0 0 12 1 * ? check it", "refused 0 0 12 1 * ? -> 0 12 1 * *"),
        ("0 0 9 * * ? 2027 check it", "refused 0 0 9 * * ? 2027 -> none"),
        ("0 0 9 * * L check it", "refused 0 0 9 * * L -> none"),
        ("0 0 9 * * 6L check it", "refused 0 0 9 * * 6L -> none"),
        ("0 0 9 * * 6#3 check it", "refused 0 0 9 * * 6#3 -> none"),
        ("0 0 9 * * MON check it", "refused 0 0 9 * * MON -> 0 9 * * 1"),
        ("0 0 9 * * MON-FRI check it", "refused 0 0 9 * * MON-FRI -> 0 9 * * 1-5"),
        ("0 0 9 * * 1-5 check it", "refused 0 0 9 * * 1-5 -> 0 9 * * 1-5"),
        ("30 0 9 * * ? check it", "refused 30 0 9 * * ? -> none"),
        ("check it 0 0 9 * * 1-5", "refused 0 0 9 * * 1-5 -> 0 9 * * 1-5"),
        ("check it 0 0 9 * * ?", "refused 0 0 9 * * ? -> 0 9 * * *"),
        ("0 9 * * 1-5 check it", "0 9 * * 1-5 | check it"),
        ("check pull request 7 0 9 * * 1-5", "0 9 * * 1-5 | check pull request 7"),
    ]);
}

#[test]
fn hyphens_and_emphasis_hide_no_word_of_time() {
    holds(&[
        ("every half-hour check it", "refused every half hour -> every 30m"),
        ("each half-hour check it", "refused each half hour -> every 30m"),
        ("check it every half-hour", "refused every half hour -> every 30m"),
        ("every quarter-hour check it", "refused every quarter hour -> every 15m"),
        ("every half-day check it", "refused every half day -> every 12h"),
        ("every-5-minutes check it", "every 5m | check it"),
        ("every_day check it", "every 1d | check it"),
        ("**every 5 minutes** check it", "every 5m | check it"),
        ("check it *every hour*.", "every 1h | check it"),
        ("every-day-life stories", "default | every-day-life stories"),
        ("review half-finished work", "default | review half-finished work"),
        ("R * * * * check it", "refused * * * * -> none"),
    ]);
}

#[test]
fn a_schedule_at_the_end_is_not_cut_out_of_its_clause() {
    holds(&[
        ("check it not more than every 5 minutes", "refused not more than every 5 minutes -> none"),
        ("check it at most every hour", "refused at most every hour -> every hour"),
        ("check it about every 5 minutes", "refused about every 5 minutes -> every 5 minutes"),
        ("count errors for each day", "refused for each day -> each day"),
        ("every 2 hours minus 5 minutes check it", "refused every 2 hours minus 5 minutes -> none"),
        ("every 5 minutes, 24/7, check it", "refused every 5 minutes, 24/7 -> every 5 minutes"),
        ("every day at 9 o clock check it", "refused every day at 9 o clock -> every day at 9:00"),
    ]);
}

/// A form that means something else is worse than none.
#[test]
fn the_nearest_form_keeps_what_was_said() {
    holds(&[
        ("every last day of the month check it", "refused every last day of the -> none"),
        ("every day at 8 at night check it", "refused every day at 8 at night -> none"),
        ("every monday in december at 9 check it", "refused every monday in december at 9 -> none"),
        ("every day in december at 9 check it", "refused every day in december at 9 -> none"),
        ("every day this week at 9 check it", "refused every day this week at 9 -> none"),
        ("at night every 5 minutes check it", "refused at night every 5 minutes -> none"),
        ("every 5 minutes today check it", "refused every 5 minutes today -> none"),
        ("coming friday at 9 check it", "refused friday at 9 -> none"),
        ("friday next week check it", "refused friday next week -> none"),
        ("at 9p check it", "refused at 9p -> at 21:00"),
        ("at the top of the hour check it", "refused at the top of the hour -> none"),
        ("every 1_000 minutes check it", "refused every 1_000 minutes -> none"),
        ("every 0x10 minutes check it", "refused every 0x10 minutes -> none"),
        ("every ５ minutes check it", "refused every ５ minutes -> none"),
    ]);
}
