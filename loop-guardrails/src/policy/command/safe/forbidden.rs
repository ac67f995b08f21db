//! Programs that are forbidden, wherever a line starts them.
//!
//! With safe mode off, `rm` that is forbidden comes as `/bin/rm`, as `env rm`, or in a script for `sh`. Which of
//! their words such programs start is theirs to know, so none of the words may be the forbidden name.

use super::{super::name, table::STARTERS, wrapper};

/// Programs that start what an option tells them, beside those that are made for it.
const SOMETIMES: &[&str] = &["fd", "fdfind", "find", "git", "rg", "sort", "tar"];

/// Whether this line starts the program, as far as its text tells.
pub(super) fn is_started(forbidden: &str, program: &str, arguments: &[String]) -> bool {
    if is(forbidden, program) {
        return true;
    }
    let starter = name(program);
    let starts =
        wrapper::starts_others(starter) || STARTERS.contains(&starter) || SOMETIMES.contains(&starter);
    starts && arguments.iter().any(|word| is_in(forbidden, word))
}

/// Whether this names the program, with folders before its name or without. Some disks do not know capitals.
fn is(forbidden: &str, word: &str) -> bool {
    word == forbidden || name(word).eq_ignore_ascii_case(forbidden)
}

/// Whether a word, or the script that it is, names the program; also one that `env -S` is given.
fn is_in(forbidden: &str, word: &str) -> bool {
    let ends = |sign: char| !(sign.is_alphanumeric() || "-_./+".contains(sign));
    word.split(ends).any(|part| {
        is(forbidden, part) || part.strip_prefix("-S").is_some_and(|script| is(forbidden, script))
    })
}
