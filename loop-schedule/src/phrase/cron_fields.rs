//! Cron expressions that are written without `--cron`: `0 9 * * 1-5 review the pull requests`.

use super::{PhraseError, days::is_short_name, word::Word};
use crate::Cron;

const FIELDS: usize = 5;

type Found<'a> = Result<Option<(Cron, &'a str)>, PhraseError>;

/// Finds an expression at the beginning. Returns it with the rest of the text.
///
/// # Errors
/// The first words look like an expression, but are not one.
pub(super) fn at_start<'a>(input: &'a str, words: &[Word]) -> Found<'a> {
    let fields = typed(input, words);
    if !fields.get(..FIELDS).is_some_and(is_expression) {
        return Ok(None);
    }
    // A sixth field would mean seconds or years.
    let count = FIELDS + usize::from(fields.get(FIELDS).is_some_and(|word| is_star(word)));
    let rest = words.get(count).map_or("", |word| &input[word.start..]);
    Ok(Some((fields[..count].join(" ").parse()?, rest)))
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
    let start = start - usize::from(start > 0 && is_star(fields[start - 1]));
    let text = fields[start..].join(" ");
    Ok(Some((text.trim_end_matches('.').parse()?, input[..words[start].start].trim_end())))
}

/// Returns the words with their punctuation.
fn typed<'a>(input: &'a str, words: &[Word]) -> Vec<&'a str> {
    words.iter().map(|word| &input[word.start..word.end]).collect()
}

/// Returns whether the words begin with an expression, and it has a `*`: five numbers in the middle of a text are no time.
pub(super) fn is_in_the_middle(words: &[Word]) -> bool {
    let fields: Vec<_> = words.iter().take(FIELDS).map(|word| word.typed.as_str()).collect();
    fields.len() == FIELDS
        && fields.iter().any(|word| is_star(word))
        && fields.iter().all(|word| is_field(word))
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
        let is_name = is_short_name(part);
        let is_sign = |byte: u8| byte.is_ascii_digit() || b"*?LW".contains(&byte);
        is_name || (!part.is_empty() && part.bytes().all(is_sign))
    };
    !word.is_empty() && word.split([',', '-', '/', '#']).all(is_part)
}
