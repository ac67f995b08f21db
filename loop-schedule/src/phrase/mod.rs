//! Schedules in the words of a person: `every monday at 9`, `in 20 minutes`, `0 9 * * 1-5`.
//!
//! A schedule that nobody understood is the worst kind of job: it runs every ten minutes, and its owner finds out from
//! the bill. So a text with words of time either contains a schedule, at its beginning or at its end, or is refused
//! with the nearest form that works. Only a text without any words of time is a prompt by itself.

mod amounts;
mod atoms;
mod clauses;
mod clock;
mod compose;
mod continued;
mod cron_fields;
mod date;
mod days;
mod edge;
mod ends;
mod error;
mod found;
mod grammar;
mod kept;
mod label;
mod misspelt;
mod moments;
mod nearest;
mod nearest_interval;
mod neighbours;
mod reading;
mod same_meaning;
mod shapes;
mod spelling;
mod time_sign;
mod vocabulary;
mod word;

use jiff::Timestamp;

pub use self::error::PhraseError;
use self::{
    grammar::{Match, Spec},
    misspelt::Corrected,
    word::Word,
};
use crate::{Cron, Interval, TimeError, Zone};

/// A schedule that a person wrote in words.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PhraseTime {
    /// Again and again, this long apart: `30m`, `every 2 hours`.
    Interval(Interval),
    /// At times of day, or at the minutes of a cron expression: `weekdays at 9:30`, `0 9 * * 1-5`.
    Cron(Cron),
    /// Once: `tomorrow at 8`, `in 20 minutes`.
    Once(Timestamp),
}

/// A prompt, and the schedule that its author wrote before or after it.
///
/// The schedule is at the beginning or at the end. The rest is the prompt, which may contain any words.
///
/// ```
/// use loop_schedule::{Phrase, PhraseTime, Zone};
///
/// let now = "2026-03-02T12:00:00Z".parse()?;
/// let phrase = Phrase::parse("every monday 8am review the open pull requests", &Zone::utc(), now)?;
/// assert_eq!(phrase.prompt, "review the open pull requests");
/// assert_eq!(phrase.time, Some(PhraseTime::Cron("0 8 * * 1".parse()?)));
///
/// let error = Phrase::parse("review the pull requests every monday", &Zone::utc(), now).unwrap_err();
/// assert!(error.to_string().contains("every monday at 9:00"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Phrase {
    /// The schedule. `None` if the text has no words of time.
    pub time: Option<PhraseTime>,
    /// The remaining text, as typed. Empty if the text is only a schedule.
    pub prompt: String,
}

impl Phrase {
    /// Parses what a person typed. Times of day are those of the zone.
    ///
    /// # Errors
    /// [`PhraseError`] if the text has words of time that are not a schedule, or if its schedule cannot be kept.
    pub fn parse(input: &str, zone: &Zone, now: Timestamp) -> Result<Self, PhraseError> {
        Self::spelt(input, zone, now).map_err(|error| match error {
            PhraseError::NotUnderstood { phrase, nearest } => {
                let whole = phrase.replace(ends::GAP, " ");
                let words = Word::all(&whole);
                let forms = nearest::several(&words);
                if let Some(forms) = forms.filter(|forms| forms.iter().all(|form| is_ahead(form, zone, now)))
                {
                    return PhraseError::SeveralTimes { phrase, forms };
                }
                let nearest = nearest.filter(|_| !days::names_a_date(&words));
                let nearest =
                    date::days_ahead(&whole, zone, now).or_else(|| elsewhere(&words, zone, now)).or(nearest);
                let nearest = nearest.filter(|form| is_ahead(form, zone, now));
                PhraseError::NotUnderstood { phrase, nearest }
            }
            error => error,
        })
    }

    /// Reads a text. Refuses one whose time is another when its misspelt words are corrected.
    fn spelt(input: &str, zone: &Zone, now: Timestamp) -> Result<Self, PhraseError> {
        let as_typed = Self::read(input, zone, now);
        let Some(corrected) = Corrected::of(input) else { return as_typed };
        match (&as_typed, Self::read(&corrected.text, zone, now)) {
            (Ok(typed), Ok(other)) if typed.time == other.time => as_typed,
            (_, Ok(Self { time: None, .. })) => as_typed,
            (_, Ok(other)) => {
                let schedule = nearest::schedule_beside(&corrected.text, &other.prompt);
                let phrase = corrected.as_typed(&schedule);
                let nearest = Some(schedule).filter(|form| nearest::works(form));
                Err(PhraseError::NotUnderstood { phrase, nearest })
            }
            (_, Err(PhraseError::NotUnderstood { phrase, nearest })) => {
                Err(PhraseError::NotUnderstood { phrase: corrected.as_typed(&phrase), nearest })
            }
            (_, Err(error)) => Err(error),
        }
    }

    /// Reads a text as typed, or without the label before its schedule: `cron=0 9 * * *`.
    fn read(input: &str, zone: &Zone, now: Timestamp) -> Result<Self, PhraseError> {
        let input = input.trim();
        let labelled = label::behind(input).map(|rest| (Self::read_bare(&rest, zone, now), rest));
        match (labelled, Self::read_bare(input, zone, now)) {
            (Some((Ok(phrase), rest)), _)
                if phrase.time.is_some()
                    && (phrase.prompt.is_empty() || !rest.starts_with(&phrase.prompt)) =>
            {
                Ok(phrase)
            }
            (Some((Err(error), _)), Ok(Self { time: None, .. })) => Err(error),
            (_, bare) => bare,
        }
    }

    fn read_bare(input: &str, zone: &Zone, now: Timestamp) -> Result<Self, PhraseError> {
        let words = Word::all(input);
        // A dash separates the schedule from the prompt.
        let is_dash = |word: &&Word| word.is(&["-", "--", "–", "—", "|"]);
        let prompt_at = |length: usize| {
            let length = length + usize::from(words.get(length).filter(is_dash).is_some());
            words.get(length).map_or("", |word| &input[word.start..])
        };
        let scheduled = |(cron, prompt): (Cron, &str)| {
            Ok(Self { time: Some(PhraseTime::Cron(cron)), prompt: prompt.to_owned() })
        };
        if let Some((cron, length)) = cron_fields::at_start(input, &words)? {
            if continued::after(&words, length, None) > 0 {
                return Err(found::error(&words, 0, length));
            }
            return scheduled((cron, prompt_at(length)));
        }
        if let Some(error) = ends::error(&words) {
            return Err(error);
        }
        if let Some(Match { spec, length }) = grammar::at_start(&words)? {
            return Ok(Self { time: Some(resolve(&spec, zone, now)?), prompt: prompt_at(length).to_owned() });
        }
        if let Some((cron, prompt)) = cron_fields::at_end(input, &words)? {
            return scheduled((cron, without_separator(prompt)));
        }
        if let Some((start, spec)) = grammar::at_end(&words)? {
            let prompt = &input[..words[start].start];
            if is_in_quotation(prompt) {
                return Err(found::error(&words, start, words.len()));
            }
            let prompt = without_separator(prompt).to_owned();
            return Ok(Self { time: Some(resolve(&spec, zone, now)?), prompt });
        }
        match found::find(&words) {
            Some((phrase, nearest)) => Err(PhraseError::NotUnderstood { phrase, nearest }),
            None => Ok(Self { time: None, prompt: input.to_owned() }),
        }
    }
}

/// Returns whether a quotation is open at the end of a text: `write "see you`.
fn is_in_quotation(text: &str) -> bool {
    let count = |sign: char| text.matches(sign).count();
    let begins = |word: &str| word.starts_with(['\'', '‘']);
    let ends = |word: &str| word.ends_with(['\'', '’']);
    let singles = |is: &dyn Fn(&str) -> bool| text.split_whitespace().filter(|word| is(word)).count();
    if singles(&begins) > singles(&ends) {
        return true;
    }
    [('"', '"'), ('“', '”'), ('«', '»'), ('`', '`')].iter().any(|(open, close)| match open == close {
        true => count(*open) % 2 == 1,
        false => count(*open) > count(*close),
    })
}

/// Removes the label or the sign that separates a prompt from the schedule behind it.
fn without_separator(prompt: &str) -> &str {
    let prompt = label::before(prompt.trim_end()).trim_end_matches([',', ';', ':']);
    let before_dash = [" -", " –", " —", " |"].iter().find_map(|dash| prompt.strip_suffix(dash));
    before_dash.unwrap_or(prompt).trim_end()
}

/// Returns the date and time here for a time of day in another zone: `at 6 p.m. UTC`. One that repeats has no form, because
/// the clocks of the two zones change on different days.
fn elsewhere(words: &[Word], zone: &Zone, now: Timestamp) -> Option<String> {
    let (last, rest) = words.split_last()?;
    let there: Zone = match last.text.as_str() {
        "utc" | "gmt" | "z" => Zone::utc(),
        _ => last.typed.parse().ok().filter(|_| last.typed.contains('/'))?,
    };
    match Phrase::read(&word::joined(rest), &there, now).ok()? {
        Phrase { time: Some(PhraseTime::Once(time)), prompt } if prompt.is_empty() => {
            Some(date::at(time, zone))
        }
        _ => None,
    }
}

/// Returns whether a form is a schedule that still fires. The year of a date may be over.
fn is_ahead(form: &str, zone: &Zone, now: Timestamp) -> bool {
    let time = Phrase::read(form, zone, now).ok().and_then(|phrase| phrase.time);
    time.is_some_and(|time| !matches!(time, PhraseTime::Once(time) if time <= now))
}

/// Turns what was written into a time.
fn resolve(spec: &Spec, zone: &Zone, now: Timestamp) -> Result<PhraseTime, PhraseError> {
    let once = |time: Result<Timestamp, TimeError>| Ok(PhraseTime::Once(time?));
    match spec {
        Spec::Every(interval) => Ok(PhraseTime::Interval(interval.clone()?)),
        Spec::In(interval) => {
            let after = now.checked_add(interval.clone()?).map_err(|_| PhraseError::AfterTheEnd)?;
            Ok(PhraseTime::Once(after))
        }
        Spec::Days(days, time) => Ok(PhraseTime::Cron(days.at(*time))),
        Spec::At(time) => once(time.next(zone, now)),
        Spec::On(day, time) => once(day.at(*time, zone, now)),
        Spec::Today(time) => once(time.on_day(0, zone, now)),
        Spec::Tonight(time) => once(time.in_the_evening().on_day(0, zone, now)),
        Spec::Tomorrow(time) => once(time.on_day(1, zone, now)),
    }
}

#[cfg(test)]
mod tests;
