//! Recognises fields of addresses and other texts that contain secrets, by their names. All texts are lower-case.

use super::value_table::{FIELD_ENDINGS, FIELD_WORDS};

/// Returns whether an address has a secret field in its query or its fragment.
pub(super) fn opens(address: &str) -> bool {
    address.split(['?', '&', '#', ';']).skip(1).any(|field| {
        field.split_once('=').is_some_and(|(name, value)| {
            !value.is_empty() && name.split(|sign: char| !sign.is_alphanumeric()).any(is_for_secrets)
        })
    })
}

fn is_for_secrets(word: &str) -> bool {
    FIELD_WORDS.contains(&word)
}

/// Returns whether a text has a secret field: `password=x`, `{"password": "x"}` or `password: x`.
///
/// A colon counts only after a quoted name or before a blank, because it also separates the folders of a `PATH`.
pub(super) fn has_secret(text: &str) -> bool {
    text.match_indices(['=', ':']).any(|(at, sign)| {
        let (before, behind) = (text[..at].trim_end_matches([' ', '\t']), &text[at + 1..]);
        let unquoted = before.trim_end_matches(['"', '\'', '\\']);
        let is_field = sign == "=" || unquoted.len() < before.len() || behind.starts_with([' ', '\t']);
        is_field && has_value(behind) && is_secret_name(unquoted)
    }) || text.split('<').any(is_element)
        || text.contains("authorization:")
        || text.contains(";pwd=")
}

/// Returns whether the text after a `<` is the beginning of an element with a secret in it: `password>x`.
fn is_element(text: &str) -> bool {
    text.split_once('>').is_some_and(|(name, content)| !content.trim().is_empty() && is_secret_name(name))
}

fn has_value(behind: &str) -> bool {
    let value = behind.trim_start_matches([' ', '\t', '"', '\'', '\\']);
    !value.is_empty() && !value.starts_with([',', '}', ']', '\n', ';', '&'])
}

/// Returns whether this text ends with the name of a secret field, whatever separates its words.
fn is_secret_name(text: &str) -> bool {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_');
    let name = text.rsplit(|sign: char| !is_part(sign)).next().unwrap_or_default();
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    name == "auth" || FIELD_ENDINGS.iter().any(|ending| name.ends_with(ending))
}
