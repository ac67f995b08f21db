//! Cron expressions that are written without `--cron`: `0 9 * * 1-5 review the pull requests`.

use super::{
    PhraseError,
    days::{Days, short_name},
    word::{Word, is_quote},
};
use crate::{Cron, CronError};

/// The number of fields.
pub(super) const FIELDS: usize = 5;

type Found<'a> = Result<Option<(Cron, &'a str)>, PhraseError>;

/// Finds an expression at the beginning. Returns it with its number of words.
///
/// # Errors
/// The first words look like an expression, but are not one.
pub(super) fn at_start(input: &str, words: &[Word]) -> Result<Option<(Cron, usize)>, PhraseError> {
    let mut fields = typed(input, words);
    // `0 9 * * *: PROMPT`, `(0 9 * * *) PROMPT`.
    let is_end = |sign: char| ":,;.!)]}".contains(sign) || is_quote(sign);
    let ends = words.get(FIELDS - 1).is_some_and(|word| input[word.start..word.end].ends_with(is_end));
    if let Some(last) = fields.get_mut(FIELDS - 1).filter(|_| ends) {
        *last = last.trim_end_matches(is_end);
    }
    if let Some(first) = fields.first_mut() {
        *first = first.trim_start_matches(['(', '[', '{']);
    }
    if !fields.get(..FIELDS).is_some_and(is_expression) {
        return Ok(None);
    }
    // A sixth field would mean seconds or years.
    let is_day = |word: &str| is_field(word) && !word.bytes().all(|sign| sign.is_ascii_digit());
    let is_sixth = |word: &&&str| is_only_a_field(word) || (matches!(fields[0], "0" | "00") && is_day(word));
    let sixth = || fields[FIELDS..].iter().take(2).take_while(is_sixth).count();
    let count = FIELDS + if ends { 0 } else { sixth() };
    let text = fields[..count].join(" ");
    if let Some(error) = with_seconds(&fields[..count]) {
        return Err(error);
    }
    let cron: Cron = text.parse().map_err(|error| with_numbers(&text, error))?;
    cron.check_steps()?;
    Ok(Some((cron, count)))
}

/// Finds an expression at the end. Returns it with the text before it.
///
/// # Errors
/// The last words look like an expression, but are not one.
pub(super) fn at_end<'a>(input: &'a str, words: &[Word]) -> Found<'a> {
    let fields = typed(input, words);
    let Some(start) = fields.len().checked_sub(FIELDS).filter(|start| is_expression(&fields[*start..]))
    else {
        return Ok(None);
    };
    let is_second = |word: &&&str| matches!(**word, "0" | "00") || is_only_a_field(word);
    let start = start - fields[..start].iter().rev().take(1).filter(is_second).count();
    let text = fields[start..].join(" ");
    if let Some(error) = with_seconds(&fields[start..]) {
        return Err(error);
    }
    let text = text.trim_end_matches('.');
    let cron: Cron = text.parse().map_err(|error| with_numbers(text, error))?;
    cron.check_steps()?;
    Ok(Some((cron, input[..words[start].start].trim_end())))
}

/// Returns the error for an expression that begins with seconds, as those of Quartz and Spring do: `0 0 9 * * ?`.
fn with_seconds(fields: &[&str]) -> Option<PhraseError> {
    let rest = fields.get(1..=FIELDS)?;
    let nearest = rest.iter().map(|field| if *field == "?" { "*".to_owned() } else { numbered(field) });
    let nearest = nearest.collect::<Vec<_>>().join(" ");
    // With a year, or with a second other than the first, nothing of five fields means the same.
    let is_same = fields.len() == FIELDS + 1 && matches!(fields[0], "0" | "00");
    let nearest = Some(nearest).filter(|text| is_same && text.parse::<Cron>().is_ok());
    Some(PhraseError::NotUnderstood { phrase: fields.join(" "), nearest })
}

/// Returns whether a word after an expression can only be a field: `*`, `?`, `L`, `6L`, `6#3`, a year.
fn is_only_a_field(word: &str) -> bool {
    let is_year = word.len() == 4 && word.parse().is_ok_and(|year: u32| (1970..2100).contains(&year));
    let is_last =
        |part: &str| matches!(part.trim_start_matches(|sign: char| sign.is_ascii_digit()), "L" | "LW" | "W");
    is_star(word) || word == "?" || is_year || (is_field(word) && (word.contains('#') || is_last(word)))
}

/// Returns the error for an expression, with the same in numbers if only its names are wrong.
fn with_numbers(text: &str, error: CronError) -> PhraseError {
    let nearest: Vec<_> = text.split(' ').map(numbered).collect();
    let nearest = nearest.join(" ");
    match nearest.parse::<Cron>() {
        Ok(_) => PhraseError::NotUnderstood { phrase: text.to_owned(), nearest: Some(nearest) },
        Err(_) => error.into(),
    }
}

/// Returns the words with their punctuation, but without quotation marks.
fn typed<'a>(input: &'a str, words: &[Word]) -> Vec<&'a str> {
    words.iter().map(|word| input[word.start..word.end].trim_matches(is_quote)).collect()
}

/// Returns whether the words begin with an expression, and it has a `*`: five numbers in the middle of a text are no
/// time.
pub(super) fn is_in_the_middle(words: &[Word]) -> bool {
    let fields: Vec<_> = words.iter().take(FIELDS).map(|word| word.typed.as_str()).collect();
    fields.len() == FIELDS
        && fields.iter().any(|word| is_star(word))
        && fields.iter().all(|word| is_field(word))
}

/// Returns how many words look like an expression that lacks fields: `0 9 * *`, `*/5`. Zero if they do not.
pub(super) fn cut_short(words: &[Word]) -> usize {
    let fields = || words.iter().map(|word| word.typed.as_str()).take_while(|word| is_field(word));
    let stars = fields().filter(|word| is_star(word)).count();
    let has_step = fields().any(|word| word.starts_with("*/"));
    match fields().count() {
        count if has_step || (count >= 3 && stars >= 2) || (count >= 4 && stars >= 1) => count,
        _ => 0,
    }
}

/// Returns the length of an expression with one unreadable field and several stars: `0 9 1st * *`, `0 9 * * weekdays`.
pub(super) fn with_a_name(words: &[Word]) -> usize {
    let Some(fields) = words.get(..FIELDS) else { return 0 };
    let stars = fields.iter().filter(|word| is_star(&word.typed)).count();
    let others = fields.iter().filter(|word| !is_field(&word.typed)).count();
    let is_last = !is_field(&fields[FIELDS - 1].typed) && Days::of(&fields[FIELDS - 1]).is_none();
    if !is_last && stars >= 2 && others == 1 && is_field(&fields[0].typed) && !is_star(&fields[0].typed) {
        FIELDS
    } else {
        0
    }
}

/// Returns the expression that some words are nearest to: with the missing fields, and numbers for names.
pub(super) fn completed(words: &[Word]) -> Option<String> {
    let count = cut_short(words);
    let mut fields: Vec<_> = words.iter().take(count.min(FIELDS)).map(|word| numbered(&word.typed)).collect();
    // `0 9 * * weekdays`.
    if let Some(days) = words.get(FIELDS - 1).filter(|_| fields.len() == FIELDS - 1).and_then(Days::of) {
        fields.push(days.field());
    }
    fields.resize(FIELDS, "*".to_owned());
    (count > 0).then(|| fields.join(" "))
}

/// Writes the names of days and months in a field as numbers: `mon-fri` as `1-5`.
fn numbered(field: &str) -> String {
    let (mut text, mut rest) = (String::new(), field);
    while !rest.is_empty() {
        let end = rest.find([',', '-', '/']).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        text += &short_name(part).map_or_else(|| part.to_owned(), |number| number.to_string());
        let sign = after.chars().next().map_or(0, char::len_utf8);
        text += &after[..sign];
        rest = &after[sign..];
    }
    text
}

/// Returns whether five words look like an expression. Without a `*` they have to be a valid one.
fn is_expression(words: &[&str]) -> bool {
    let is_valid = || words.join(" ").trim_end_matches('.').parse::<Cron>().is_ok();
    words.iter().all(|word| is_field(word)) && (words.iter().any(|word| is_star(word)) || is_valid())
}

fn is_star(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    word == "*" || word.starts_with("*/")
}

fn is_field(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    let is_part = |part: &str| {
        let is_name = short_name(part).is_some();
        let is_sign = |byte: u8| byte.is_ascii_digit() || b"*?LWH".contains(&byte);
        is_name || (!part.is_empty() && part.bytes().all(is_sign))
    };
    !word.is_empty() && word.split([',', '-', '/', '#']).all(is_part)
}
