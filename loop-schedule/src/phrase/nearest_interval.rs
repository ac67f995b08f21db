//! The nearest interval to an amount of time.

use super::{
    amounts::{amount, calendar, compound, per},
    nearest::{MINUTES, works},
    spelling::{period_unit, plural},
    word::Word,
};
use crate::interval::time_words::is_unit_like;

/// Returns the form for a number of times in a unit.
pub(super) fn at_frequency(count: f64, unit: &str) -> String {
    let unit = period_unit(unit);
    per(unit).map_or_else(|| calendar(unit).to_owned(), |minutes| interval(minutes / count))
}

/// Returns the form for a unit and a part of it: `hour and a half`, `hour or two`.
pub(super) fn half_more(words: &[Word]) -> Option<String> {
    let minutes = per(&words[0].text).filter(|_| words[0].text.len() > 1)?;
    let link = words.get(1)?;
    if let Some((more, unit)) = amount(&link.text).zip(words.get(2).and_then(|unit| per(&unit.text))) {
        return Some(interval(minutes + more * unit));
    }
    let at = 2 + usize::from(words.get(2)?.is(&["a", "an"]));
    let more = amount(&words.get(at)?.text)?;
    match words.get(at + 1).and_then(|unit| per(&unit.text)) {
        Some(unit) if link.is(&["and"]) => Some(interval(minutes + more * unit)),
        _ if link.is(&["and"]) && more < 1.0 => Some(interval(minutes * (1.0 + more))),
        _ if link.is(&["or"]) => Some(interval(minutes * more)),
        _ => None,
    }
}

/// Returns the form for words after `in`.
pub(super) fn after(rest: &[Word]) -> Option<String> {
    let number = rest.iter().take(3).find_map(|word| amount(&word.text));
    let unit = rest.iter().take(4).find(|word| word.text.len() > 1 && is_unit_like(&word.text));
    let minutes = match unit {
        Some(unit) => per(&unit.text).map(|per| number.unwrap_or(1.0) * per),
        None => number.or_else(|| rest.first().and_then(|word| compound(&word.text))),
    };
    let minutes = minutes.map_or(20.0, |minutes| minutes.round().clamp(*MINUTES.start(), *MINUTES.end()));
    Some(format!("in {minutes} minutes"))
}

/// Returns the form for a number of units, as it is written if that works.
pub(super) fn every(number: &str, unit: &str) -> String {
    let Some((number_of, per)) = amount(number).zip(per(unit)) else { return calendar(unit).to_owned() };
    let written = format!("every {number} {unit}");
    if works(&written) {
        return written;
    }
    let counted = format!("every {number_of} {}", plural(number, unit));
    if works(&counted) { counted } else { interval(number_of * per) }
}

/// Returns the form for an interval of this many minutes.
pub(super) fn interval(minutes: f64) -> String {
    const UNITS: [(f64, &str); 3] = [(1_440.0, "d"), (60.0, "h"), (1.0, "m")];
    let minutes = minutes.round();
    match minutes {
        60.0 => "hourly".to_owned(),
        1_440.0 => "daily".to_owned(),
        10_080.0 => "weekly".to_owned(),
        ..1.0 => "every 1m".to_owned(),
        _ if MINUTES.contains(&minutes) => {
            let (length, unit) =
                UNITS.iter().find(|(length, _)| minutes % length == 0.0).unwrap_or(&UNITS[2]);
            format!("every {}{unit}", minutes / length)
        }
        _ => calendar("month").to_owned(),
    }
}
