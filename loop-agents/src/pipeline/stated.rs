//! A confidence that a reply states in words.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::removal::EMPHASIS;
use crate::output::lines::lines;

/// How many lines at the end of a reply are searched.
const LAST_LINES: usize = 10;

/// Two scores that differ by less are the same.
const TOLERANCE: f64 = 1e-9;

/// The label before the number, with emphasis; with a quotation mark, it is a key of JSON.
static LABEL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?i)confidence(?:[ \t]+score)?"?[ \t*_`~]*[:=][ \t*_`~]*"#).ok());

/// The text before a label that states the confidence of the whole reply: marks of Markdown, and a word at most.
static START: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^[ \t>#*_~+-]*(?:\d{1,3}[.)][ \t*_~]+)?(?:(?:my|overall|the)[ \t]+)?$").ok()
});

/// A number with a label.
struct LabelledNumber {
    value: f64,
    /// Its place with the label; if the line has nothing else, from the start of the line.
    place: Range<usize>,
    /// Whether a line begins with it, so that it is about the whole reply.
    is_stated: bool,
}

/// Returns the last confidence with a label at the start of one of the last lines, and its place. Returns `None` if two
/// labels have different numbers. Ignores numbers in code.
pub(super) fn last(text: &str) -> Option<(f64, Range<usize>)> {
    let text = text.trim_end();
    let first = text.rmatch_indices('\n').nth(LAST_LINES - 1).map_or(0, |(at, _)| at + 1);
    let mut found = Vec::new();
    for line in lines(text).filter(|line| line.place.start >= first) {
        let is_code = line.is_fenced || is_indented(&text[line.place.clone()]);
        found.extend(in_line(text, line.place, is_code)?);
    }
    let LabelledNumber { value, place, .. } = found.iter().rev().find(|number| number.is_stated)?;
    let is_one = found.iter().all(|other| (other.value - value).abs() < TOLERANCE);
    is_one.then(|| (*value, place.clone()))
}

/// Returns the numbers with a label in a line. In code, only keys of JSON count.
fn in_line(text: &str, Range { start, end }: Range<usize>, is_code: bool) -> Option<Vec<LabelledNumber>> {
    let (labels, begins) = (LABEL.as_ref()?, START.as_ref()?);
    let numbers = labels.find_iter(&text[start..end]).filter_map(|label| {
        let before = &text[start..start + label.start()];
        let value_start = start + label.end();
        let (value, length) = number(&text[value_start..end])?;
        let is_key = label.as_str().contains('"') && before.ends_with('"');
        let is_label = is_word(before) && !is_in_code(before) && !is_code;
        let is_stated = is_label && begins.is_match(before);
        let is_alone = !text[value_start + length..end].contains(char::is_alphanumeric);
        let place_start = if is_stated && is_alone { start } else { start + label.start() };
        let place = place_start..value_start + length;
        (is_key || is_label).then_some(LabelledNumber { value, place, is_stated })
    });
    Some(numbers.collect())
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
    let goes_on = end.starts_with(|sign: char| sign == '?' || sign.is_alphanumeric())
        || end.starts_with('.') && digits(&end[1..]) > 0;
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
