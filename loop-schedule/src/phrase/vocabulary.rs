//! The words that a refused time may have if a form is to mean the same.
//!
//! A form that drops a word which nobody understood means something else: `every weds at 9` is not `at 9:00`.

use super::{
    amounts::amount,
    atoms::are_of_time,
    clock::is_clock_like,
    continued::is_fires,
    cron_fields,
    date::DayOfYear,
    edge::recurs,
    moments::{HOLIDAYS, zone},
    shapes::{hyphenated, is_hour_shaped, is_span},
    spelling::hour_and_minute,
    time_sign::is_ordinal,
    word::Word,
};
use crate::interval::time_words::is_compact_like;

/// Words beside the names, numbers and units of a time.
const WORDS: &str = "at on in by of the a an next this that past before after from between until till to through thru \
    during around about approximately approx roughly exactly precisely circa ca c almost nearly near \
    except excluding without minus outside skip only not but then also plus just and or other another so \
    once twice thrice time times per o'clock o’clock o clock sharp a.m p.m now later hence alternate single several some couple few \
    half quarter working business calendar interval intervals eod end start beginning first last top minute \
    all any both same day's days' yearly annually monthly bimonthly quarterly biweekly bi-weekly fortnightly \
    bihourly half-hourly minutely everyday weeknight weeknights lunchtime dawn dusk sunrise sunset lunch work \
    soon immediately asap more most least less than fewer earlier sooner longer overnight thing weekday workday \
    ish hrs starting ending since for as jitter max maximum forever indefinitely i.e e.g long time's";

/// Returns whether each of some words is known, so that a form can keep it.
pub(super) fn are_known(words: &[Word]) -> bool {
    let is_expression = cron_fields::cut_short(words) > 0 || words.iter().any(|word| word.typed == "*");
    is_expression || (0..words.len()).all(|at| is_known(&words[at..]))
}

/// Returns whether a word is a number with a unit, or a time of day: `5m`, `5-minute`, `18h30`.
pub(super) fn is_notation(word: &Word) -> bool {
    let text = word.text.trim_start_matches('@');
    hyphenated(text).is_some()
        || is_compact_like(text)
        || hour_and_minute(text).is_some()
        || is_clock_like(word)
}

fn is_known(words: &[Word]) -> bool {
    let word = &words[0];
    let text = word.text.trim_start_matches('@');
    let is_sign = || !text.contains(char::is_alphanumeric);
    are_of_time(text)
        || is_sign()
        || is_notation(word)
        || is_span(text)
        || is_hour_shaped(text)
        || text.parse::<jiff::Timestamp>().is_ok()
        || amount(text).is_some()
        || is_ordinal(word)
        || recurs(word)
        || WORDS.split_whitespace().any(|known| known == text)
        || is_fires(text)
        || word.is(HOLIDAYS)
        || zone(words).is_some()
        || DayOfYear::parse(words).is_some()
}
