//! Forbidden programs, wherever a line starts them.
//!
//! With safe mode off, a forbidden `rm` can appear as `/bin/rm`, as `env rm`, or in a script for `sh`. Only those
//! programs know which of their words they start, so none of the words may be the forbidden name.

use super::{super::name, table::STARTERS, wrapper};

/// Programs that start another program only with certain options, in addition to those whose purpose that is.
const SOMETIMES: &[&str] = &["fd", "fdfind", "find", "git", "rg", "sort", "tar"];

/// Returns whether this line starts the program, as far as its text shows.
pub(super) fn is_started(forbidden: &str, program: &str, arguments: &[String]) -> bool {
    if is(forbidden, program) {
        return true;
    }
    let starter = name(program);
    let starts =
        wrapper::starts_others(starter) || STARTERS.contains(&starter) || SOMETIMES.contains(&starter);
    starts && arguments.iter().any(|word| is_in(forbidden, word))
}

/// Returns whether this word names the program, with or without folders before its name. Some file systems ignore case.
fn is(forbidden: &str, word: &str) -> bool {
    word == forbidden || name(word).eq_ignore_ascii_case(forbidden)
}

/// Returns whether a word names the program, or contains a script that does, such as the argument of `env -S`.
fn is_in(forbidden: &str, word: &str) -> bool {
    let ends = |sign: char| !(sign.is_alphanumeric() || "-_./+".contains(sign));
    word.split(ends).any(|part| {
        is(forbidden, part) || part.strip_prefix("-S").is_some_and(|script| is(forbidden, script))
    })
}
