//! Other spellings of times, in that of the forms.

use super::{
    clock::ClockTime,
    cron_fields,
    time_sign::{hyphenated, is_span},
    word::Word,
};

/// Writes words as the forms have them: `18h` as `18:00`, `5-minute` as `5 minute`, `5-10` as `10`.
pub(super) fn normal(words: &[Word]) -> Vec<Word> {
    let is_after_at = |at: usize| at > 0 && words[at - 1].is(&["at", "@"]);
    let text: Vec<_> = (0..words.len())
        .map(|at| {
            let typed = &words[at].typed;
            let comma = if words[at].has_comma { "," } else { "" };
            let plain = match &*words[at].text {
                _ if cron_fields::is_in_the_middle(&words[at.saturating_sub(4)..]) => typed.clone(),
                text => hour_and_minute(text)
                    .filter(|_| is_after_at(at))
                    .or_else(|| {
                        hyphenated(text)
                            .map(|(number, unit)| format!("{number} {}", plural(number, period_unit(unit))))
                    })
                    .or_else(|| {
                        text.split_once(['-', '–']).filter(|_| is_span(text)).map(|(_, last)| last.to_owned())
                    })
                    .unwrap_or_else(|| typed.clone()),
            };
            plain + comma
        })
        .collect();
    Word::all(&text.join(" "))
}

pub(super) fn plural(number: &str, unit: &str) -> String {
    let is_one = number == "1" || unit.len() == 1 || unit.ends_with('s');
    format!("{unit}{}", if is_one { "" } else { "s" })
}

/// Returns the unit of a period: `hour` of `hourly`.
pub(super) fn period_unit(name: &str) -> &str {
    match name.trim_end_matches("ly") {
        "dai" => "day",
        unit => unit,
    }
}

/// Returns an hour in another notation as this one: `18h30`, `18.30`, `1830`.
pub(super) fn hour_and_minute(text: &str) -> Option<String> {
    let (hour, minute) = match text.split_once(['h', '.']) {
        Some((hour, "")) if text.ends_with('h') => (hour, "00"),
        Some(parts) => parts,
        None if text.len() == 4 => text.split_at_checked(2)?,
        None => return None,
    };
    let time = format!("{hour}:{minute}");
    ClockTime::parse(&Word::all(&time)).map(|_| time)
}
