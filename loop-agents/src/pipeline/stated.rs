//! A confidence that a reply states in words.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::removal::EMPHASIS;
use crate::output::lines::lines;

/// How many lines at the end of a reply are searched.
const LAST_LINES: usize = 10;

/// The label before the number, with emphasis.
static LABEL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)confidence(?:[ \t]+score)?[ \t*_`~]*[:=][ \t*_`~]*").ok());

/// Returns the last confidence with a label in the last lines, and its place with the label. A number in code says
/// nothing about the reply.
pub(super) fn last(text: &str) -> Option<(f64, Range<usize>)> {
    let text = text.trim_end();
    let first = text.rmatch_indices('\n').nth(LAST_LINES - 1).map_or(0, |(at, _)| at + 1);
    let lines = lines(text).filter(|line| !line.is_fenced && line.place.start >= first);
    let lines: Vec<_> = lines.filter(|line| !is_indented(&text[line.place.clone()])).collect();
    lines.into_iter().rev().find_map(|line| in_line(text, line.place))
}

/// Returns the last confidence in a line.
fn in_line(text: &str, Range { start, end }: Range<usize>) -> Option<(f64, Range<usize>)> {
    let labels = LABEL.as_ref()?.find_iter(&text[start..end]).filter_map(|label| {
        let (label, value) = (start + label.start(), start + label.end());
        let (number, length) = number(&text[value..end])?;
        let is_stated = is_word(&text[start..label]) && !is_in_code(&text[start..label]);
        is_stated.then_some((number, label..value + length))
    });
    labels.last()
}

/// Returns whether a line is code because of its indentation.
fn is_indented(line: &str) -> bool {
    line.starts_with("    ") || line.starts_with('\t')
}

/// Returns whether a span of code that these words begin is still open after them.
fn is_in_code(before: &str) -> bool {
    before.matches('`').count() % 2 == 1
}

/// Returns the number in an answer that has nothing else.
pub(super) fn alone(answer: &str) -> Option<f64> {
    let is_around = |sign: char| sign.is_whitespace() || EMPHASIS.contains(&sign);
    let answer = answer.trim_start_matches(is_around);
    let answer = answer.trim_end_matches(|sign: char| sign == '.' || is_around(sign));
    number(answer).filter(|(_, length)| *length == answer.len()).map(|(number, _)| number)
}

/// Returns whether a word can begin after this text.
fn is_word(before: &str) -> bool {
    let plain = before.trim_end_matches(EMPHASIS);
    !plain.ends_with(char::is_alphanumeric) && !before.ends_with(['-', '"', '\''])
}

/// Reads `N%`, `N/10`, `N/100`, `N out of 10`, `N out of 100` or a number from 0 to 1 at the beginning of a text. Returns its
/// length too.
fn number(text: &str) -> Option<(f64, usize)> {
    let digits = |text: &str| text.len() - text.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
    let whole = digits(text);
    let fraction = text[whole..].strip_prefix('.').map_or(0, digits);
    let length = whole + if fraction > 0 { fraction + 1 } else { 0 };
    let value: f64 = text[..length].parse().ok()?;
    let rest = text[length..].trim_start_matches([' ', '\t', '*', '_', '`', '~']);
    let of = rest.strip_prefix('/').or_else(|| {
        let (out, of) = rest.split_once(char::is_whitespace)?;
        let (of, most) = of.trim_start().split_once(char::is_whitespace)?;
        (out.eq_ignore_ascii_case("out") && of.eq_ignore_ascii_case("of")).then_some(most)
    });
    let (value, end) = match (rest.strip_prefix('%'), of.map(str::trim_start)) {
        (Some(after), _) => (value / 100.0, after),
        (None, Some(most)) => {
            let (most, after) = most.split_at(digits(most));
            let most = ["10", "100"].contains(&most).then(|| most.parse::<f64>().ok())??;
            (value / most, after)
        }
        (None, None) if continues(rest) || has_unit(rest, fraction == 0) => return None,
        (None, None) => (value, &text[length..]),
    };
    let goes_on = end.starts_with(char::is_alphanumeric) || end.starts_with('.') && digits(&end[1..]) > 0;
    (!goes_on && (0.0..=1.0).contains(&value)).then_some((value, text.len() - end.len()))
}

/// Returns whether the text behind a number is its unit: `0.5 percent`, `1 in 10`. The words of units have no end, so no word may
/// follow a whole number at once.
fn has_unit(rest: &str, is_whole: bool) -> bool {
    let is_quiet =
        |sign: char| sign.is_whitespace() || ".,;!)]}\"'".contains(sign) || EMPHASIS.contains(&sign);
    let rest = rest.trim_start();
    let is_unit = |unit: &str| rest.get(..unit.len()).is_some_and(|start| start.eq_ignore_ascii_case(unit));
    rest.starts_with(['‰', '％', ':'])
        || ["percent", "per cent", "pct", "prozent", "pour cent", "por ciento"].into_iter().any(is_unit)
        || is_whole
            && !rest.trim_start_matches(is_quiet).is_empty()
            && !rest.starts_with(['(', ',', '.', ';'])
}

/// Returns whether a number goes on in this text: `0.8-0.9`, `1,5` and `1 of 10` are no numbers from 0 to 1.
fn continues(rest: &str) -> bool {
    let after = rest.strip_prefix(['-', '–', ',']).or_else(|| rest.strip_prefix("of "));
    after.is_some_and(|after| after.trim_start().starts_with(|sign: char| sign.is_ascii_digit()))
}
