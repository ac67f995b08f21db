//! Phrasings from elsewhere, and their meaning.

use super::{holds, read};

#[test]
fn words_that_continue_a_schedule_at_the_beginning_are_refused() {
    holds(&[
        ("every hour and a half do x", "refused every hour and a half -> every 90m"),
        ("every hour or two do x", "refused every hour or two -> every 2h"),
        ("every 5-10 minutes x", "refused every 5-10 minutes -> every 10 minutes"),
        ("every ten or so minutes x", "refused every ten or so minutes -> every ten minutes"),
        ("every hour 30 minutes x", "refused every hour 30 minutes -> every 90m"),
        ("every hour at :15 x", "refused every hour at :15 -> 15 * * * *"),
        ("every 30 minutes starting tomorrow x", "refused every 30 minutes starting tomorrow -> none"),
        ("every hour starting on monday x", "refused every hour starting on monday -> none"),
        ("every 30 minutes from 9 to 5 x", "refused every 30 minutes from 9 to 5 -> */30 9-16 * * *"),
        ("every hour from 9am until 5pm x", "refused every hour from 9am until 5pm -> 0 9-17 * * *"),
        ("every hour except weekends x", "refused every hour except weekends -> 0 * * * 1-5"),
        ("every hour during business hours x", "refused every hour during business hours -> none"),
        ("every hour on the hour x", "refused every hour on the hour -> 0 * * * *"),
        ("every 20m for 2 hours x", "refused every 20m for 2 hours -> none"),
        ("every 20m for the next week x", "refused every 20m for the next week -> none"),
        ("every 2 hours twice x", "refused every 2 hours twice -> none"),
        ("every hour forever x", "refused every hour forever -> every hour"),
        ("in 20 minutes and then hourly x", "refused in 20 minutes and then hourly -> none"),
        ("hourly but not at night x", "refused hourly but not at night -> none"),
        ("hourly from 9 to 17 x", "refused hourly from 9 to 17 -> 0 9-17 * * *"),
        ("daily except sundays x", "refused daily except sundays -> 0 9 * * 1,2,3,4,5,6"),
        ("daily at 9 except sundays x", "refused daily at 9 except sundays -> 0 9 * * 1,2,3,4,5,6"),
        ("every monday at 8 until christmas x", "refused every monday at 8 until christmas -> none"),
        ("every day at 9, 12 and 17 x", "refused every day at 9, 12 and 17 -> 0 9,12,17 * * *"),
        ("every day 9:00 and 17:00 x", "refused every day 9:00 and 17:00 -> 0 9,17 * * *"),
        ("every day at 9 in Riga x", "refused every day at 9 in Riga -> none"),
        ("every day at 9 in New York x", "refused every day at 9 in New York -> none"),
        ("every day at 9 riga time x", "refused every day at 9 riga time -> none"),
        ("every day at 9 Europe/Riga x", "refused every day at 9 Europe/Riga -> none"),
        ("every day at 9am EST x", "refused every day at 9am EST -> none"),
        ("every hour local time x", "refused every hour local time -> none"),
        ("0 9 * * 1-5 UTC x", "refused 0 9 * * 1-5 UTC -> none"),
    ]);
}

#[test]
fn words_that_continue_a_schedule_at_the_end_are_refused() {
    holds(&[
        ("x 0 9 * * 1-5 UTC", "refused 0 9 * * 1-5 UTC -> none"),
        ("x every hour at :15", "refused every hour at :15 -> 15 * * * *"),
        ("x every hour and a half", "refused every hour and a half -> every 90m"),
        ("x every 30 minutes starting tomorrow", "refused every 30 minutes starting tomorrow -> none"),
        ("x in 20 minutes and then hourly", "refused in 20 minutes and then hourly -> none"),
        ("x hourly but not at night", "refused hourly but not at night -> none"),
        ("x every day at 9 in Riga", "refused every day at 9 in Riga -> none"),
        ("x on weekdays every hour", "refused on weekdays every hour -> 0 * * * 1-5"),
        ("x between 9 and 17 every hour", "refused between 9 and 17 every hour -> 0 9-17 * * *"),
        ("starting tomorrow check x every hour", "refused starting tomorrow check x every hour -> none"),
        ("weekdays every hour x", "refused weekdays every hour -> 0 * * * 1-5"),
    ]);
}

#[test]
fn other_ways_to_say_how_often_are_refused() {
    holds(&[
        ("twice a day x", "refused twice a day -> every 12h"),
        ("twice daily x", "refused twice daily -> every 12h"),
        ("once a week x", "refused once a week -> weekly"),
        ("x once a day", "refused once a day -> daily"),
        ("three times a day x", "refused three times a day -> every 8h"),
        ("0 9 * * do x", "refused 0 9 * * -> 0 9 * * *"),
        ("*/5 * * * x", "refused */5 * * * -> */5 * * * *"),
        ("*/5 x", "refused */5 -> */5 * * * *"),
        ("0 9 * * mon-fri x", "refused 0 9 * * mon-fri -> 0 9 * * 1-5"),
        ("every night x", "refused every night -> every day at 23:00"),
        ("every evening x", "refused every evening -> every day at 18:00"),
        ("each morning x", "refused each morning -> every day at 9:00"),
        ("every friday afternoon x", "refused every friday afternoon -> every friday at 15:00"),
        ("every weekday morning at 9 x", "refused every weekday morning at 9 -> weekdays at 9:00"),
        ("every business day at 9 x", "refused every business day at 9 -> weekdays at 9:00"),
        (
            "every monday and thursday x",
            "refused every monday and thursday -> every monday and thursday at 9:00",
        ),
        ("mondays x", "refused mondays -> every monday at 9:00"),
        ("fortnightly x", "refused fortnightly -> every 2 weeks"),
        ("quarterly x", "refused quarterly -> 0 9 1 1,4,7,10 *"),
        ("half-hourly x", "refused half-hourly -> every 30m"),
        ("3-hourly x", "refused 3-hourly -> every 3 hours"),
        ("at 5-minute intervals x", "refused at 5-minute intervals -> every 5 minutes"),
        ("each 5-minute interval x", "refused each 5-minute interval -> every 5 minutes"),
        ("9am daily x", "0 9 * * * | x"),
        ("end of month x", "refused end of month -> none"),
        ("x at the end of the month", "refused at the end of the month -> none"),
        ("on the 1st x", "refused on the 1st -> 0 9 1 * *"),
        ("x on the 15th", "refused on the 15th -> 0 9 15 * *"),
        ("monthly on the 15th at 8 x", "refused monthly on the 15th at 8 -> 0 8 15 * *"),
        ("every jan 1 x", "refused every jan 1 -> 0 9 1 1 *"),
    ]);
}

#[test]
fn other_ways_to_say_when_are_refused() {
    holds(&[
        ("at the end of the day x", "refused at the end of the day -> at 17:00"),
        ("this afternoon x", "refused this afternoon -> today at 15:00"),
        ("later today x", "refused later today -> today at 17:00"),
        ("tomorrow afternoon at 3 x", "refused tomorrow afternoon at 3 -> tomorrow at 15:00"),
        ("at 9 in the evening x", "refused at 9 in the evening -> at 21:00"),
        ("at 18h x", "refused at 18h -> at 18:00"),
        ("at 18h30 x", "refused at 18h30 -> at 18:30"),
        ("at 1830 x", "refused at 1830 -> at 18:30"),
        ("at 5 o'clock x", "refused at 5 o'clock -> at 5:00"),
        ("midday x", "refused midday -> at midday"),
        ("December 24 x", "refused December 24 -> Dec 24 at 9:00"),
        ("x December 24", "refused December 24 -> Dec 24 at 9:00"),
        ("on 2026-12-24 do x", "refused on 2026-12-24 -> 2026-12-24 at 9:00"),
        ("24.12.2026 x", "refused 24.12.2026 -> 2026-12-24 at 9:00"),
        ("on friday x", "refused on friday -> 2026-03-06 09:00"),
        ("next monday at 9 x", "refused next monday at 9 -> 2026-03-09 09:00"),
        ("next week x", "refused next week -> in 7 days"),
        ("after 5 minutes x", "refused after 5 minutes -> in 5 minutes"),
        ("2 hours later x", "refused 2 hours later -> in 120 minutes"),
        ("half an hour from now x", "refused half an hour from now -> in 30 minutes"),
        ("between 9 and 17 check x", "refused between 9 and 17 -> 0 9-17 * * *"),
        ("until 5pm check x", "refused until 5pm -> none"),
        (
            "500ms x",
            "error \"500ms\" is not an interval: write numbers with s, m, h or d, as in 30m or 1h30m",
        ),
    ]);
}

#[test]
fn more_forms_are_understood() {
    holds(&[
        ("every10m x", "every 10m | x"),
        ("@9am x", "once 2026-03-03T09:00:00Z | x"),
        ("1h30m x", "every 90m | x"),
        ("1h 30m x", "every 90m | x"),
        ("1.5h x", "every 90m | x"),
        ("every 1h30m x", "every 90m | x"),
        ("5m 5m", "every 5m | 5m"),
        ("x every 20m, please", "every 20m | x"),
        ("once every 5 minutes x", "every 5m | x"),
        ("x once every hour", "every 1h | x"),
        ("5 minutes from now x", "once 2026-03-02T12:05:00Z | x"),
        ("x an hour from now", "once 2026-03-02T13:00:00Z | x"),
        ("every midnight x", "0 0 * * * | x"),
        ("every noon x", "0 12 * * * | x"),
        ("every workday at 9 x", "0 9 * * 1-5 | x"),
        ("mon-fri 9:00 x", "0 9 * * 1-5 | x"),
        ("monday to friday at 9 x", "0 9 * * 1-5 | x"),
        ("every fri-mon at 9 x", "0 9 * * 0,1,5,6 | x"),
        ("every tue/thu at 9 x", "0 9 * * 2,4 | x"),
        ("at half past 9 x", "once 2026-03-03T09:30:00Z | x"),
        ("at quarter to nine x", "once 2026-03-03T08:45:00Z | x"),
        ("every day at 9 sharp x", "0 9 * * * | x"),
        ("today at 18:00 x", "once 2026-03-02T18:00:00Z | x"),
        ("2026-12-24 18:00 x", "once 2026-12-24T18:00:00Z | x"),
        ("2026-12-24T18:00 x", "once 2026-12-24T18:00:00Z | x"),
        ("on 2026-12-24 at 18:00 x", "once 2026-12-24T18:00:00Z | x"),
        ("x on Dec 24 at 18:00", "once 2026-12-24T18:00:00Z | x"),
        ("x at 18:00 on December 24th", "once 2026-12-24T18:00:00Z | x"),
        ("on the 24th of December 2026 at 9 x", "once 2026-12-24T09:00:00Z | x"),
        ("at 9:00 on Feb 29 x", "once 2028-02-29T09:00:00Z | x"),
    ]);
}

/// A time that nobody understood would fire every ten minutes.
#[test]
fn no_time_is_taken_for_a_prompt() {
    for text in [
        "every 1h30 look",
        "look every 1h30",
        "every 2h15 look",
        "2h15 look",
        "every 1:30 look",
        "1:30 look",
        "17h30 look",
        "0900 look",
        "2026/12/01 09:00 look",
        "2026/12/01 look",
        "PT15M look",
        "P1D look",
        "bi-hourly look",
        "semi-weekly look",
        "semiannually look",
        "look bi-hourly",
        "weekend look",
        "weekends look",
        "every gross minutes look",
        "1/2 hour look",
        "9:30-10:30 look",
        "9am-5pm look",
        "twice-daily look",
        "every umpteen days look",
        "every few dozen minutes look",
        "check the logs twice daily",
        "look once daily",
        "look thrice daily",
        "look 3 times every day",
        "look several times daily",
        "look a few times every day",
        "look twice hourly",
        "look twice weekly",
        "look twice every day",
        "every day at 9-10 look",
        "every day at 9am-5pm look",
        "every hour 9-17 look",
        "hourly 9-17 look",
        "every day but friday at 9 look",
        "every hour but weekends look",
        "every hour at minute 15 look",
    ] {
        assert!(read(text).starts_with("refused "), "{text}: {}", read(text));
    }
    holds(&[
        ("every twenty-five minutes look", "every 25m | look"),
        ("look every thirty-five minutes", "every 35m | look"),
        ("every ninety minutes look", "every 90m | look"),
        ("every dozen minutes look", "every 12m | look"),
        ("every hundred minutes look", "every 100m | look"),
        ("in eleven minutes look", "once 2026-03-02T12:11:00Z | look"),
    ]);
}

/// A form with another meaning is worse than none.
#[test]
fn the_nearest_form_means_the_same() {
    holds(&[
        ("1 hour 30 minutes x", "refused 1 hour 30 minutes -> every 90m"),
        ("1 hour and 30 minutes x", "refused 1 hour and 30 minutes -> every 90m"),
        ("every 2 hours 30 minutes x", "refused every 2 hours 30 minutes -> every 150m"),
        ("every 2 hours and a half x", "refused every 2 hours and a half -> every 150m"),
        ("every twenty five minutes x", "refused every twenty five minutes -> every 25 minutes"),
        ("in 2 days at 9 x", "refused in 2 days at 9 -> 2026-03-04 09:00"),
        ("day after tomorrow at 9 x", "refused day after tomorrow at 9 -> 2026-03-04 09:00"),
        ("the day after tomorrow at 9 x", "refused the day after tomorrow at 9 -> 2026-03-04 09:00"),
        ("business days at 8 x", "refused business days at 8 -> weekdays at 8:00"),
        ("in 5 business days x", "refused in 5 business days -> none"),
        ("last day of the month x", "refused last day of the month -> none"),
        ("first monday of the month x", "refused first monday of the month -> none"),
        ("first day of the month x", "refused first day of the month -> 0 9 1 * *"),
        ("12/01/2026 x", "refused 12/01/2026 -> none"),
        ("every january x", "refused every january -> none"),
        ("next monday x", "refused next monday -> 2026-03-09 09:00"),
        ("this weekend x", "refused this weekend -> none"),
        ("every hour at minute 15 x", "refused every hour at minute 15 -> 15 * * * *"),
        ("hourly at 15 past x", "refused hourly at 15 -> none"),
        ("weekdays except friday at 9 x", "refused weekdays except friday at 9 -> 0 9 * * 1,2,3,4"),
        ("every day except sunday at 9 x", "refused every day except sunday at 9 -> 0 9 * * 1,2,3,4,5,6"),
        ("every day but friday at 9 x", "refused every day but friday at 9 -> 0 9 * * 0,1,2,3,4,6"),
        ("every day at 9 except on the 1st x", "refused every day at 9 except on the 1st -> none"),
        ("every night at 2 x", "refused every night at 2 -> every day at 2:00"),
        ("every 3 months x", "refused every 3 months -> 0 9 1 */3 *"),
        ("every 2 months on the 15th at 8 x", "refused every 2 months on the 15th at 8 -> 0 8 15 */2 *"),
        ("tomorrow 17 x", "refused tomorrow 17 -> tomorrow at 17:00"),
        ("at nine thirty x", "refused at nine thirty -> at 9:30"),
        ("at 24:00 x", "refused at 24:00 -> at 0:00"),
        ("every 1h-2h x", "refused every 1h-2h -> none"),
        ("x @ 9", "refused @ 9 -> at 9:00"),
        ("9 o'clock x", "refused 9 o'clock -> at 9:00"),
        ("every 2nd monday at 9 x", "refused every 2nd monday at 9 -> none"),
        ("every day at 9-10 x", "refused every day at 9-10 -> none"),
        ("daily from 9 to 17 x", "refused daily from 9 to 17 -> none"),
        ("hourly 9-17 x", "refused hourly 9-17 -> 0 9-17 * * *"),
        ("every 15 minutes between 9-17 x", "refused every 15 minutes between 9-17 -> */15 9-16 * * *"),
        ("every hour and daily x", "refused every hour and daily -> none"),
        ("every 20m 5 minutes fuzz x", "refused every 20m 5 minutes -> none"),
        ("x nightly at 2", "refused nightly at 2 -> every day at 2:00"),
        ("9am to 5pm x", "refused 9am to 5pm -> none"),
        ("every day at 9 to 5 x", "refused every day at 9 to 5 -> none"),
        ("every week on monday x", "refused every week on monday -> every monday at 9:00"),
        ("every quarter past the hour x", "refused every quarter past -> none"),
        ("x several times daily", "refused several times daily -> every 8h"),
        ("x twice every monday at 9", "refused twice every monday at 9 -> none"),
        ("every week day at 9 x", "refused every week day at 9 -> none"),
        ("every 30 minutes 9 to 5 x", "refused every 30 minutes 9 to 5 -> none"),
        ("tonight at 3 x", "refused tonight at 3 -> none"),
        ("tonight at 12 x", "refused tonight at 12 -> none"),
        ("at 3 tonight x", "refused at 3 tonight -> none"),
    ]);
}

#[test]
fn no_form_is_proposed_that_changes_a_number_or_moves_a_day() {
    holds(&[
        ("every 1,000 minutes x", "refused every 1,000 minutes -> none"),
        ("every ½ hour x", "refused every ½ hour -> every 30m"),
        ("every -5 minutes x", "error -5m would fire without end: give at least 1m"),
        ("fix tests in 2026", "refused in 2026 -> none"),
        ("a week from tomorrow x", "refused tomorrow -> none"),
        ("x until friday", "refused friday -> none"),
        ("every 5 minutes or less x", "refused every 5 minutes or less -> every 5 minutes"),
        ("Dec x", "refused Dec -> none"),
        ("x wed", "refused wed -> none"),
    ]);
}
