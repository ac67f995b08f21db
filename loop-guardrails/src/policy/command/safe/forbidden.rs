//! Forbidden programs, wherever a line starts them.
//!
//! With safe mode off, a forbidden `rm` can appear as `/bin/rm`, as `env rm`, or in a script for `sh`. Only those
//! programs know which of their words they start, so none of the words may be the forbidden name.

use super::{
    super::{CommandPrefix, name, wrapper},
    table::STARTERS,
};

/// Programs that can start another program, in addition to those that entries never allow because it is their purpose.
const SOMETIMES: &[&str] = &[
    "dbus-launch",
    "dbus-run-session",
    "ed",
    "emacs",
    "entr",
    "ex",
    "expect",
    "fakeroot",
    "faketime",
    "fd",
    "fdfind",
    "find",
    "gawk",
    "gdb",
    "git",
    "hyperfine",
    "make",
    "mosh",
    "nvim",
    "perf",
    "rg",
    "rsync",
    "screen",
    "sed",
    "sort",
    "ssh",
    "tar",
    "tmux",
    "valgrind",
    "vi",
    "view",
    "vim",
    "watchexec",
    "xvfb-run",
    "zip",
];

/// Returns whether this line starts a forbidden command, as far as its text shows. The words after the program can be
/// anywhere in its arguments, in their order, because options may precede them: `git push` forbids `git -P push`.
///
/// In safe mode no program can start its arguments, so only the program itself matters.
pub(super) fn is_started(
    forbidden: &CommandPrefix,
    program: &str,
    arguments: &[String],
    in_safe_mode: bool,
) -> bool {
    let words = forbidden.arguments();
    if is(forbidden.program(), program) && are_in_order(words, arguments.iter().map(String::as_str)) {
        return true;
    }
    let starter = name(program);
    let starts =
        wrapper::starts_others(starter) || STARTERS.contains(&starter) || SOMETIMES.contains(&starter);
    if in_safe_mode || !starts {
        return false;
    }
    let mut parts = arguments.iter().flat_map(|word| word.split(ends_a_word));
    let words: Vec<_> = words.iter().flat_map(|word| word.split(ends_a_word)).map(str::to_owned).collect();
    parts.by_ref().any(|part| is_part(forbidden.program(), part)) && are_in_order(&words, parts)
}

/// Returns whether all `words` are among the others, in this order.
fn are_in_order<'a>(words: &[String], mut others: impl Iterator<Item = &'a str>) -> bool {
    words.iter().all(|word| others.any(|other| other == word))
}

/// Returns whether this word names the program, with or without folders before its name. Some file systems ignore case.
fn is(forbidden: &str, word: &str) -> bool {
    word == forbidden || name(word).eq_ignore_ascii_case(forbidden)
}

/// Returns whether a part of a word names the program. The part may be the beginning of a script after `env -S`.
fn is_part(forbidden: &str, part: &str) -> bool {
    is(forbidden, part) || part.strip_prefix("-S").is_some_and(|script| is(forbidden, script))
}

/// Returns whether this character ends a word of a script.
fn ends_a_word(sign: char) -> bool {
    !(sign.is_alphanumeric() || "-_./+".contains(sign))
}
