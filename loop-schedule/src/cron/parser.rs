//! Parses an expression strictly.

use std::{ops::Range, str::FromStr};

use super::{
    Cron,
    calendar::Calendar,
    error::{CronError, CronProblem},
    field::{CronField, FieldSet},
};

impl FromStr for Cron {
    type Err = CronError;

    fn from_str(text: &str) -> Result<Self, CronError> {
        let fields = split(text);
        let refused = |problem, field, span| CronError::new(text, field, span, problem);
        let Ok(spans) = <[Range<usize>; 5]>::try_from(fields) else {
            let count = split(text).len();
            let is_macro = text.trim_start().starts_with('@');
            let problem = if is_macro { CronProblem::Macro } else { CronProblem::FieldCount { count } };
            return Err(refused(problem, None, 0..text.len()));
        };
        let mut sets = [FieldSet::default(); 5];
        for ((field, span), set) in CronField::ALL.into_iter().zip(&spans).zip(&mut sets) {
            *set = read_field(field, text, span.clone())
                .map_err(|(problem, span)| refused(problem, Some(field), span))?;
        }
        let [minute, hour, day, month, weekday] = spans.map(|span| &text[span]);
        let is_restricted = |field| !matches!(field, "*" | "*/1");
        let [minutes, hours, days, months, weekdays] = sets;
        Ok(Self {
            text: [minute, hour, day, month, weekday].join(" "),
            calendar: Calendar {
                minutes,
                hours,
                months,
                days: is_restricted(day).then_some(days),
                weekdays: is_restricted(weekday).then_some(weekdays),
            },
            follows_wall_clock: minute.starts_with('*') || hour.starts_with('*'),
        })
    }
}

/// Checks that no step is longer than its field.
pub(super) fn check_steps(text: &str) -> Result<(), CronError> {
    for (field, span) in CronField::ALL.into_iter().zip(split(text)) {
        let (smallest, largest) = field.range();
        // Sunday has two numbers.
        let most = largest - smallest + u32::from(field != CronField::DayOfWeek);
        let steps = text[span.clone()].split(',').filter_map(|term| term.split_once('/'));
        for (_, step) in steps {
            let is_long = step.parse().map_or(true, |step: u32| step > most);
            if is_long {
                let problem = CronProblem::LongStep { step: step.to_owned(), most };
                return Err(CronError::new(text, Some(field), span, problem));
            }
        }
    }
    Ok(())
}

/// Returns the positions of the words of a text.
fn split(text: &str) -> Vec<Range<usize>> {
    let start = text.as_ptr() as usize;
    text.split_ascii_whitespace()
        .map(|word| {
            let at = word.as_ptr() as usize - start;
            at..at + word.len()
        })
        .collect()
}

type FieldError = (CronProblem, Range<usize>);

fn read_field(field: CronField, text: &str, span: Range<usize>) -> Result<FieldSet, FieldError> {
    let mut set = FieldSet::default();
    let mut start = span.start;
    for term in text[span].split(',') {
        let end = start + term.len();
        read_term(field, term, &mut set).map_err(|problem| (problem, start..end))?;
        start = end + 1;
    }
    if field == CronField::DayOfWeek && set.contains(7) {
        set.remove(7);
        set.insert(0);
    }
    Ok(set)
}

fn read_term(field: CronField, term: &str, set: &mut FieldSet) -> Result<(), CronProblem> {
    let (numbers, step) = match term.split_once('/') {
        Some((numbers, step)) => (numbers, Some(step)),
        None => (term, None),
    };
    let (smallest, largest) = field.range();
    let (first, last) = match numbers.split_once('-') {
        // `*` contains Sunday only once.
        None if numbers == "*" && field == CronField::DayOfWeek => (smallest, largest - 1),
        None if numbers == "*" => (smallest, largest),
        None => {
            let number = read_number(field, numbers)?;
            if step.is_some() {
                return Err(CronProblem::StepOfNumber { number, largest });
            }
            (number, number)
        }
        Some((first, last)) => (read_number(field, first)?, read_number(field, last)?),
    };
    if first > last {
        return Err(CronProblem::Backwards { first, last });
    }
    let step = step.map_or(Ok(1), read_step)?;
    (first..=last).step_by(step).for_each(|number| set.insert(number));
    Ok(())
}

fn read_number(field: CronField, digits: &str) -> Result<u32, CronProblem> {
    if digits.is_empty() {
        return Err(CronProblem::Missing);
    }
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(CronProblem::NotANumber);
    }
    let (smallest, largest) = field.range();
    let number = digits.parse().ok().filter(|number| (smallest..=largest).contains(number));
    number.ok_or(CronProblem::OutOfRange { smallest, largest })
}

fn read_step(digits: &str) -> Result<usize, CronProblem> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(CronProblem::BadStep);
    }
    // A step past the end of a field never matches, however large it is.
    match digits.parse().unwrap_or(usize::MAX) {
        0 => Err(CronProblem::BadStep),
        step => Ok(step),
    }
}
