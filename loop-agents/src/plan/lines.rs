//! The lines of a text that are steps or headings.

use std::ops::Range;

use crate::output::lines::{Line, lines};

/// A line that is a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StepLine {
    /// The line's number, from 1.
    pub(super) number: usize,
    /// The position of the character between the brackets; `None` for a numbered line.
    pub(super) mark: Option<usize>,
    /// The place of the title.
    pub(super) title: Range<usize>,
}

/// Finds the steps. Lines with a box count; if there are none, numbered lines do. Lines inside a fence count only if there
/// is no step outside of one.
pub(super) fn steps(text: &str) -> Vec<StepLine> {
    let (outside, inside): (Vec<_>, Vec<_>) = lines(text).partition(|line| !line.is_fenced);
    for lines in [outside, inside] {
        for read in [boxed, numbered] {
            let found: Vec<_> = lines.iter().filter_map(|line| read(line, text)).collect();
            if !found.is_empty() {
                return found;
            }
        }
    }
    Vec::new()
}

/// Returns the text of the first heading `Plan: X` or `Goal: X` of level 1 to 3.
pub(super) fn goal(text: &str) -> Option<&str> {
    lines(text).filter(|line| !line.is_fenced).find_map(|line| {
        let line = text[line.place].trim();
        let heading = line.trim_start_matches('#');
        let level = line.len() - heading.len();
        let (key, goal) = heading.strip_prefix([' ', '\t'])?.split_once(':')?;
        let is_goal = ["plan", "goal"].iter().any(|known| key.trim().eq_ignore_ascii_case(known));
        Some(goal.trim()).filter(|goal| is_goal && (1..=3).contains(&level) && !goal.is_empty())
    })
}

/// Reads `- [ ] Title`, with `-`, `*` or `+`, one of the four states, and at least one space before the title.
fn boxed(line: &Line, text: &str) -> Option<StepLine> {
    let content = text[line.place.clone()].trim_start();
    let start = line.place.end - content.len();
    let rest = content.strip_prefix(['-', '*', '+'])?.strip_prefix(" [")?;
    let rest = rest.strip_prefix([' ', 'x', 'X', '!'])?.strip_prefix("] ")?;
    step(line, rest, Some(start + 3))
}

/// Reads `1. Title` or `1) Title`.
fn numbered(line: &Line, text: &str) -> Option<StepLine> {
    let content = text[line.place.clone()].trim_start();
    let rest = content.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let rest = rest.strip_prefix(['.', ')']).filter(|_| rest.len() < content.len())?;
    step(line, rest.strip_prefix([' ', '\t'])?, None)
}

/// Returns the step whose title is in the rest of its line, unless that is empty.
fn step(line: &Line, rest: &str, mark: Option<usize>) -> Option<StepLine> {
    let title = rest.trim();
    let start = line.place.end - rest.trim_start().len();
    (!title.is_empty()).then(|| StepLine { number: line.number, mark, title: start..start + title.len() })
}
