//! Recognises the names of secrets.
//!
//! A secret's name has a word for secrets in it, followed by anything: a place, a purpose, a version. No list of what
//! may follow would be complete. So the word counts wherever it is, unless the last word of the name says that the
//! value only describes a secret.

use super::{
    harmless_table::{COUNTED, DESCRIBING, HARMLESS, HARMLESS_NAMES, SWITCHES},
    name_table::{ANYWHERE, CONTENTS, ENDINGS, FILES, NAMES, NOT_FIRST, QUALIFIERS, WITHIN, WORDS},
};

/// The maximum number of digits of a count.
const MAX_COUNT_DIGITS: usize = 9;

/// Returns whether a variable with this name, in capitals and with `_` between its words, and with this value looks
/// like a secret. The value matters only where it is a number or a switch.
pub(super) fn is_secret(whole: &str, value: &str) -> bool {
    let name = unqualified(whole);
    let is_named = NAMES.contains(&name)
        || WITHIN.iter().any(|part| whole.contains(part))
        || ends_in(name, |name| has_ending(name) || WORDS.iter().any(|word| is_last(name, word)));
    (is_named && !is_count(name, value)) || (!is_description(whole) && has_secret(whole, value))
}

/// Returns whether a word for secrets is anywhere in a name, or the content of a file of secrets is in it.
fn has_secret(whole: &str, value: &str) -> bool {
    let is_switch = || SWITCHES.iter().any(|switch| value.eq_ignore_ascii_case(switch));
    let beginnings = || whole.match_indices('_').map(|(at, _)| &whole[..at]).chain([whole]);
    (beginnings().any(|name| ends_in_word(name) && !is_count(unqualified(name), value)) && !is_switch())
        || is_content(whole)
}

/// Returns whether the last word of the beginning of a name is a word for secrets wherever it is.
fn ends_in_word(beginning: &str) -> bool {
    let name = unqualified(beginning);
    // `P12` ends with a number of its own.
    let is_word = |name: &str| ANYWHERE.iter().any(|word| is_last(name, word));
    ends_in(beginning, is_word)
        || ends_in(name, is_word)
        || (!NOT_FIRST.contains(&name) && ends_in(name, has_ending))
}

/// Returns whether a name has such an end, singular or plural, and is not one of the harmless ones.
fn ends_in(name: &str, is_end: impl Fn(&str) -> bool) -> bool {
    let forms = [Some(name), name.strip_suffix('S')];
    forms.into_iter().flatten().any(|name| is_end(name) && !is_harmless(name))
}

fn has_ending(name: &str) -> bool {
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

fn is_harmless(name: &str) -> bool {
    HARMLESS_NAMES.contains(&name) || HARMLESS.iter().any(|ending| name.ends_with(ending))
}

/// Returns whether a name is this word, or ends with it.
fn is_last(name: &str, word: &str) -> bool {
    name.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
}

/// Returns whether the value only describes a secret: `TOKEN_FILE`, `JWT_PUBLIC_KEY`, but not `TOKEN_FILE_CONTENT`.
fn is_description(whole: &str) -> bool {
    let name = unqualified(whole);
    let (word, last) = (last_word(name), last_word(whole));
    let describes = |word: &str| DESCRIBING.contains(&word) || COUNTED.contains(&word);
    !CONTENTS.contains(&last)
        && (describes(word) || word.strip_suffix('S').is_some_and(describes) || is_harmless(name))
}

fn last_word(name: &str) -> &str {
    name.rsplit('_').next().unwrap_or_default()
}

/// Returns whether the value is the content of a file of secrets: `KUBECONFIG_BASE64`.
fn is_content(whole: &str) -> bool {
    let whole = format!("_{whole}_");
    FILES.iter().any(|file| {
        let rest = whole.split_once(&format!("_{file}_")).map_or("", |(_, rest)| rest);
        rest.split('_').any(|word| CONTENTS.contains(&word))
    })
}

/// Returns whether it is a number of tokens, such as `MAX_TOKENS`.
fn is_count(name: &str, value: &str) -> bool {
    let Some(rest) = name.strip_suffix("TOKENS") else { return false };
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    rest.split('_').any(|word| COUNTED.contains(&word)) || (is_number && value.len() <= MAX_COUNT_DIGITS)
}

/// Strips the qualifier of a name: `DB_AUTH_2` and `DB_AUTH_V2` are other `DB_AUTH`s.
fn unqualified(name: &str) -> &str {
    let numbered = || {
        let rest = name.trim_end_matches(|sign: char| sign.is_ascii_digit());
        let rest = if rest.len() < name.len() { rest.strip_suffix("_V").unwrap_or(rest) } else { rest };
        rest.trim_end_matches('_')
    };
    // `_BASE64` must go as a whole, before its digits alone.
    let rest = QUALIFIERS.iter().find_map(|qualifier| name.strip_suffix(qualifier)).unwrap_or_else(numbered);
    if rest.len() == name.len() { name } else { unqualified(rest) }
}
