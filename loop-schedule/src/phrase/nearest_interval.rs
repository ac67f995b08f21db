//! The nearest interval to an amount of time.

use super::{
    amounts::{amount, calendar_every, compound, per},
    nearest::{MINUTES, works},
    spelling::{period_unit, plural},
    word::Word,
};

/// Returns the form for a number of times in a unit.
pub(super) fn at_frequency(count: f64, unit: &str) -> Option<String> {
    let unit = period_unit(unit);
    per(unit).map_or_else(|| calendar_every(1.0 / count, unit), |minutes| interval(minutes / count))
}

/// Returns the form for the sum of several amounts: `1 hour and 30 minutes`.
pub(super) fn sum(words: &[Word]) -> Option<String> {
    let (mut total, mut count, mut at) = (0.0, 0, 0);
    while let Some((number, per)) = words
        .get(at)
        .zip(words.get(at + 1))
        .and_then(|(number, unit)| amount(&number.text).zip(per(&unit.text)))
    {
        (total, count, at) = (total + number * per, count + 1, at + 2);
        at += usize::from(words.get(at).is_some_and(|word| word.is(&["and", "&"])));
    }
    (count > 1).then(|| interval(total))?
}

/// Returns the form for a unit and a part of it: `hour and a half`, `hour or two`.
pub(super) fn half_more(count: f64, words: &[Word]) -> Option<String> {
    let one = per(&words[0].text).filter(|_| words[0].text.len() > 1)?;
    let minutes = count * one;
    let link = words.get(1)?;
    if let Some((more, unit)) = amount(&link.text).zip(words.get(2).and_then(|unit| per(&unit.text))) {
        return interval(minutes + more * unit);
    }
    let at = 2 + usize::from(words.get(2)?.is(&["a", "an"]));
    let more = amount(&words.get(at)?.text)?;
    match words.get(at + 1).and_then(|unit| per(&unit.text)) {
        Some(unit) if link.is(&["and"]) => interval(minutes + more * unit),
        _ if link.is(&["and"]) && more < 1.0 => interval(minutes + one * more),
        _ if link.is(&["or"]) => interval(one * more),
        _ => None,
    }
}

/// Returns the form for words after `in`.
pub(super) fn after(rest: &[Word]) -> Option<String> {
    let number = rest.iter().take(3).find_map(|word| amount(&word.text));
    let unit = rest.iter().take(4).find(|word| word.is_unit());
    let minutes = match unit {
        Some(unit) => per(&unit.text).map(|per| number.unwrap_or(1.0) * per),
        None => number.or_else(|| rest.first().and_then(|word| compound(&word.text))),
    };
    let minutes = minutes?.round();
    MINUTES.contains(&minutes).then(|| format!("in {minutes} minutes"))
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

/// Returns the form for an interval of this many minutes, at least one.
pub(super) fn interval(minutes: f64) -> Option<String> {
    const UNITS: [(f64, &str); 3] = [(1_440.0, "d"), (60.0, "h"), (1.0, "m")];
    let minutes = minutes.round();
    Some(match minutes {
        60.0 => "hourly".to_owned(),
        1_440.0 => "daily".to_owned(),
        10_080.0 => "weekly".to_owned(),
        ..1.0 => "every 1m".to_owned(),
        _ if MINUTES.contains(&minutes) => {
            let (length, unit) =
                UNITS.iter().find(|(length, _)| minutes % length == 0.0).unwrap_or(&UNITS[2]);
            format!("every {}{unit}", minutes / length)
        }
        _ => return None,
    })
}
