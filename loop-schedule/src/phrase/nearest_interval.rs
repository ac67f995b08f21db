//! The nearest interval to an amount of time.

use super::{
    amounts::{amount, calendar_every, per, total},
    nearest::{MINUTES, works},
    spelling::{period_unit, plural},
    word::Word,
};

/// Returns the form for a number of times in a unit.
pub(super) fn at_frequency(count: f64, unit: &str) -> Option<String> {
    let unit = period_unit(unit);
    let Some(minutes) = per(unit) else { return calendar_every(1.0 / count, unit) };
    interval(minutes / count).filter(|form| !form.ends_with('s'))
}

/// Returns the form for words after `in`. A number without a unit is one of minutes.
pub(super) fn after(words: &[Word]) -> Option<String> {
    let minutes = total(words).or_else(|| {
        let number = words.iter().find_map(|word| amount(&word.text));
        number.filter(|_| words.len() == 1)
    })?;
    let is_whole = minutes.fract() == 0.0 && MINUTES.contains(&minutes);
    is_whole.then(|| match minutes % 1_440.0 {
        0.0 => format!("in {} days", minutes / 1_440.0),
        _ => format!("in {minutes} minutes"),
    })
}

/// Returns the form for a number of units, as it is written if that works.
pub(super) fn every(number: &str, unit: &str) -> Option<String> {
    let number_of = amount(number)?;
    let Some(per) = per(unit) else { return calendar_every(number_of, unit) };
    let written = format!("every {number} {unit}");
    if works(&written) {
        return Some(written);
    }
    let counted = format!("every {number_of} {}", plural(number, unit));
    if works(&counted) { Some(counted) } else { interval(number_of * per) }
}

/// Returns the form for an interval of this many minutes, if it can be kept.
pub(super) fn interval(minutes: f64) -> Option<String> {
    const UNITS: [(f64, &str); 4] = [(1_440.0, "d"), (60.0, "h"), (1.0, "m"), (1.0 / 60.0, "s")];
    let minutes = (minutes * 60.0).round() / 60.0;
    Some(match minutes {
        60.0 => "hourly".to_owned(),
        1_440.0 => "daily".to_owned(),
        10_080.0 => "weekly".to_owned(),
        _ if MINUTES.contains(&minutes) => {
            let (length, unit) =
                UNITS.iter().find(|(length, _)| minutes % length == 0.0).unwrap_or(&UNITS[3]);
            format!("every {}{unit}", (minutes / length).round())
        }
        _ => return None,
    })
}
