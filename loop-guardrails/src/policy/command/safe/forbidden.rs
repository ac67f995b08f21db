//! Forbidden programs, wherever a line starts them.
//!
//! With safe mode off, a forbidden `rm` can appear as `/bin/rm`, as `env rm`, or in a script for `sh`. Nobody can list
//! all programs that start others. So every program counts as one, except those whose options we know and that start
//! none: no other program may have the forbidden name among its words.

use super::{
    super::{CommandPrefix, name},
    table,
};

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
    // The words in the value of an option count too: `git -c 'alias.p=push origin' p`. A shell or git reads their quotes.
    let unquoted: Vec<_> = arguments.iter().map(|word| word.replace(['"', '\'', '\\'], "")).collect();
    let mut own = arguments.iter().zip(&unquoted).flat_map(|(word, unquoted)| {
        std::iter::once(word.as_str()).chain(value(unquoted).into_iter().flat_map(|it| it.split(ends_a_word)))
    });
    // The value of this option is the name of a variable, and nobody knows what that has.
    let is_unknown = name(program) == "git" && arguments.iter().any(|word| word.starts_with("--config-env"));
    if is(forbidden.program(), program) && (is_unknown || are_in_order(words, &mut own)) {
        return true;
    }
    if in_safe_mode || !table::may_start_others(name(program)) {
        return false;
    }
    let mut programs =
        std::iter::once(program).chain(arguments.iter().flat_map(|word| word.split(ends_a_word)));
    let runs_scripts = programs.any(|word| table::runs_scripts(name(word)));
    // A script can hide a name in quotes: `r""m`. Both spellings of the arguments count.
    [arguments, &unquoted].into_iter().any(|arguments| {
        let mut parts = arguments.iter().flat_map(|word| word.split(ends_a_word));
        let words: Vec<_> =
            words.iter().flat_map(|word| word.split(ends_a_word)).map(str::to_owned).collect();
        let named = |part: &str| {
            is_part(forbidden.program(), part) || runs_scripts && is_in_script(forbidden.program(), part)
        };
        parts.by_ref().any(named) && are_in_order(&words, parts)
    })
}

/// Returns whether all `words` are among the others, in this order.
fn are_in_order<'a>(words: &[String], mut others: impl Iterator<Item = &'a str>) -> bool {
    words.iter().all(|word| others.any(|other| other == word))
}

/// Returns whether this word names the program, with or without folders before its name: nobody can say whether two
/// paths lead to the same program. Some file systems ignore case.
fn is(forbidden: &str, word: &str) -> bool {
    name(word).eq_ignore_ascii_case(name(forbidden))
}

/// Returns whether a part of a word names the program. The part may be the beginning of a script in the same word as its
/// option: `env '-Srm x'`, `sh -crm`.
fn is_part(forbidden: &str, part: &str) -> bool {
    let script = || part.strip_prefix('-')?.strip_prefix(|letter: char| letter.is_ascii_alphabetic());
    is(forbidden, part) || script().is_some_and(|script| is(forbidden, script))
}

/// Returns whether a part of a script of `sed` or `awk` names the program: between slashes, as in `s/x/rm y/e`, or after the
/// command `e`, as in `1erm`.
fn is_in_script(forbidden: &str, part: &str) -> bool {
    part.split('/').any(|piece| {
        let command = piece.trim_start_matches(|sign: char| !sign.is_ascii_alphabetic());
        is(forbidden, piece) || command.strip_prefix('e').is_some_and(|program| is(forbidden, program))
    })
}

/// Returns the value of a word such as `name=value`.
fn value(word: &str) -> Option<&str> {
    word.split_once('=').map(|(_, value)| value)
}

/// Returns whether this character ends a word of a script.
fn ends_a_word(sign: char) -> bool {
    !(sign.is_alphanumeric() || "-_./+".contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_of_git_hides_no_command() {
        let forbidden: CommandPrefix = "git push".parse().expect("a prefix");
        let starts = |arguments: &[&str]| {
            let arguments: Vec<_> = arguments.iter().map(|word| (*word).to_owned()).collect();
            is_started(&forbidden, "git", &arguments, false)
        };
        for alias in ["push", "push ", "push origin", "pu\"\"sh", "-P push"] {
            assert!(starts(&["-c", &format!("alias.p={alias}"), "p"]), "{alias}");
        }
        assert!(starts(&["--config-env=alias.p=X", "p"]));
        assert!(!starts(&["commit", "-m", "pushed"]));
    }
}
