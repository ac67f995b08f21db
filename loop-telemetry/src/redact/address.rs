//! Finds secrets in addresses.

/// Returns the parts of a text that are secrets because of their position in an address: the user and the password
/// (`https://user:password@host`, also without the scheme), and the values of a query (`?key=value`).
///
/// A query value that is a plain word, a number or shorter than 8 bytes is not a secret, unless its name suggests one:
/// many addresses contain `?sslmode=require`, and many texts contain its value.
///
/// ```
/// use loop_telemetry::secrets_in_addresses;
/// let secrets = secrets_in_addresses("https://gateway/v1?api-version=3&key=hunter2");
/// assert_eq!(secrets, ["hunter2"]);
/// assert_eq!(secrets_in_addresses("ann:hunter2@gateway:80/v1"), ["ann:hunter2", "hunter2"]);
/// assert!(secrets_in_addresses("postgres://host/db?sslmode=require").is_empty());
/// assert!(secrets_in_addresses("ann@example.org").is_empty());
/// ```
pub fn secrets_in_addresses(text: &str) -> Vec<&str> {
    let words = text.split(|sign: char| sign.is_whitespace() || matches!(sign, '"' | '\'' | '<' | '>'));
    words.flat_map(|word| users(word).into_iter().chain(values(word))).collect()
}

/// Returns the secrets before the host.
fn users(word: &str) -> Vec<&str> {
    let (scheme, rest) = word.split_once("://").map_or((None, word), |(scheme, rest)| (Some(scheme), rest));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let mut found = Vec::new();
    // If a password contains a slash, its author ends the authority too early.
    for login in
        [authority, rest].into_iter().filter_map(|part| part.rsplit_once('@')).map(|(login, _)| login)
    {
        match login.split_once(':') {
            Some((user, password)) => {
                // Some services take a key as the user name, and any password.
                found.extend(is_mixed(user).then_some(user));
                found.extend([login, password].into_iter().filter(|part| !part.is_empty()));
            }
            // A name alone is not a secret (`ssh://git@host`), but with these schemes it is a key.
            None if scheme.is_some_and(|scheme| scheme.starts_with("http")) => found.push(login),
            None => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the values of a query that are secrets.
fn values(word: &str) -> impl Iterator<Item = &str> {
    let queries = word.split(['?', '#']).skip(1);
    let pairs = queries.flat_map(|query| query.split(['&', ';'])).filter_map(|pair| pair.split_once('='));
    pairs.filter(|(name, value)| is_secret_name(name) || !is_plain(value)).map(|(_, value)| value)
}

/// Parts of names that suggest a secret.
const NAMES: &[&str] = &[
    "key", "token", "secret", "sig", "pass", "pwd", "auth", "cred", "code", "session", "jwt", "sas",
    "bearer", "login", "user",
];

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMES.iter().any(|part| name.contains(part))
}

/// Returns whether it is a word, a number, a version or a date.
fn is_plain(value: &str) -> bool {
    let is_word = value.len() <= 16
        && value.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_'));
    is_word
        || value.len() < 8
        || value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.' | b':'))
}

/// Returns whether it has letters and digits, and is long enough for a key.
fn is_mixed(value: &str) -> bool {
    value.len() >= 12
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Redactor;

    #[test]
    fn what_is_no_secret_stays_readable() {
        for text in [
            "http://localhost:8080/v1",
            "git@github.com:ann/project.git",
            "ssh://git@github.com/ann/project",
            "postgres://host/db?sslmode=require&connect_timeout=10",
            "https://host/v1?api-version=2024-02-01",
            "/usr/bin:/bin",
            "a=b&c=d",
        ] {
            assert!(secrets_in_addresses(text).is_empty(), "{text}: {:?}", secrets_in_addresses(text));
        }
    }

    proptest! {
        #[test]
        fn a_secret_in_an_address_is_found_wherever_it_stands(
            secret in "[A-Za-z0-9/+.~-]{6,20}[0-9][A-Z]", scheme in prop::sample::select(vec!["", "http://", "https://"]),
            name in "[a-z]{1,8}", place in 0..5_u8,
        ) {
            // `bob://key@host` has a scheme of its own, and no password.
            prop_assume!(!(scheme.is_empty() && secret.starts_with("//")));
            let address = match place {
                0 => format!("{scheme}bob:{secret}@127.0.0.1:1/v1"),
                1 => format!("{scheme}127.0.0.1:1/v1/?key={secret}"),
                2 => format!("{scheme}host/v1?a=b&{name}={secret}#c"),
                3 => format!("{scheme}host/v1#access_token={secret}&x=y"),
                _ => format!("https://{}@host/v1", secret.replace('/', "-")),
            };
            let redactor = Redactor::new(secrets_in_addresses(&address));
            let secret = if place > 3 { secret.replace('/', "-") } else { secret };
            let clean = redactor.redact(&format!("it is {secret}.")).into_owned();
            prop_assert_eq!(clean, "it is [redacted].", "{}", address);
        }
    }
}
