//! Finds credentials by the words around them.
//!
//! Many passwords and tokens have no prefix that shows them. In notes and documents, their place does: a header, an
//! address, or an assignment to a name such as `client_secret`. The rules need a value that is no plain word, because
//! prose has the same names: `the password: must be long`.

use std::{borrow::Cow, ops::Range};

use super::{REDACTED, vendors};

/// Ends of names whose values are secret, without the signs between words.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "credential",
    "credentials",
    "apikey",
    "accesskey",
    "accountkey",
    "authkey",
    "encryptionkey",
    "privatekey",
    "secretkey",
    "signingkey",
];

/// Redacts credentials that have no prefix of a vendor: passwords in addresses, values of headers, and values of names
/// that end in words such as `password`, `token` or `api_key`. A plain word is not a value.
///
/// It also finds tokens whose shape begins with common letters or has its mark in the middle: Twilio, Telegram, Discord
/// and Terraform. A stream of output would have to wait at each of these letters.
///
/// This hides some harmless values too, so use it for texts that are stored for other readers, not for output that a
/// person wants to understand.
///
/// ```
/// use loop_telemetry::redact_credentials;
///
/// assert_eq!(redact_credentials("password: 'k7#dD2!x'"), "password: '[redacted]'");
/// assert_eq!(redact_credentials("postgres://ann:k7dD2x@host/db"), "postgres://ann:[redacted]@host/db");
/// assert_eq!(redact_credentials("the password: must be long"), "the password: must be long");
/// ```
#[must_use]
pub fn redact_credentials(text: &str) -> Cow<'_, str> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let own = [
            assignments(line),
            schemes(line),
            addresses(line),
            logins(line).into_iter().collect(),
            vendors::tokens(line),
        ];
        found.extend(own.into_iter().flatten().map(|range| start + range.start..start + range.end));
        start += line.len();
    }
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_unstable_by_key(|range| range.start);
    let (mut clean, mut done) = (String::with_capacity(text.len()), 0);
    for range in found {
        if range.start >= done {
            clean.push_str(&text[done..range.start]);
            clean.push_str(REDACTED);
        }
        done = done.max(range.end);
    }
    clean.push_str(&text[done..]);
    Cow::Owned(clean)
}

/// A value that may be a credential, and how sure its place is.
struct Value<'a> {
    text: &'a str,
    start: usize,
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// After a name, as in prose and in programs.
    Plain,
    /// In quotation marks.
    Quoted,
    /// After the name of a variable in capitals, without spaces: `DB_PASSWORD=`.
    Variable,
}

impl Value<'_> {
    fn range(&self) -> Option<Range<usize>> {
        self.is_credential().then(|| self.start..self.start + self.text.len())
    }

    fn is_credential(&self) -> bool {
        let text = self.text;
        if is_placeholder(text) || text.contains(char::is_whitespace) || text.len() < 6 {
            return false;
        }
        let letters = text.bytes().any(|byte| byte.is_ascii_alphabetic());
        let digits = text.bytes().any(|byte| byte.is_ascii_digit());
        let signs = text.contains(['!', '#', '$', '%', '^', '@', '+', '=']);
        match self.place {
            Place::Variable => letters,
            Place::Quoted => letters && (digits || signs) || letters && text.len() >= 16 && !is_code(text),
            Place::Plain => text.len() >= 8 && letters && (digits || signs) && !is_code(text),
        }
    }
}

/// Tests for a text in the place of a value: a variable, a path, a mark of a template, or nothing.
fn is_placeholder(text: &str) -> bool {
    let first = text.chars().next();
    first.is_none_or(|first| "$%<{[*&/~.".contains(first))
        || text.chars().all(|letter| Some(letter) == first)
        || text.contains("${")
        || text.to_ascii_lowercase().starts_with("your")
}

/// Tests for a call, a path or a name of a program.
fn is_code(text: &str) -> bool {
    let name = text.trim_end_matches(|last: char| last.is_ascii_digit());
    let is_name = text.len() - name.len() <= 2
        && name.contains(['_', '.', '-'])
        && name.chars().all(|letter| letter.is_ascii_lowercase() || "_.-".contains(letter));
    is_name || text.contains(['(', '[', '{', '<']) || text.contains("::") || text.contains("->")
}

/// Finds the values of names: `name: value`, `name=value`, `"name": "value"`, `--name value`.
fn assignments(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (at, sign) in line.match_indices([':', '=', ' ']) {
        let before = line[..at].trim_end();
        let before = before.trim_end_matches(['"', '\'', '`', ']', '*']);
        let begin = before
            .rfind(|letter: char| !is_of_name(letter))
            .map_or(0, |last| last + before[last..].chars().next().map_or(1, char::len_utf8));
        let name = &before[begin..];
        if sign == " " && !name.starts_with("--") || !is_secret_name(name) {
            continue;
        }
        let after = &line[at + 1..];
        let rest = after.trim_start_matches(['=', ':', '>', ' ', '\t', '*']);
        let mut value = value(rest, line.len() - rest.len());
        let is_variable = !name.bytes().any(|byte| byte.is_ascii_lowercase());
        if value.place == Place::Plain && sign == "=" && is_variable && rest.len() == after.len() {
            value.place = Place::Variable;
        }
        found.extend(value.range());
    }
    found
}

/// Returns the value at the beginning of a text: what is in quotation marks, or a word.
fn value(rest: &str, start: usize) -> Value<'_> {
    if let Some(quote) = rest.chars().next().filter(|first| "\"'`".contains(*first)) {
        let text = rest[1..].split([quote, '\n']).next().unwrap_or_default();
        return Value { text, start: start + 1, place: Place::Quoted };
    }
    let end = |letter: char| letter.is_whitespace() || "&;,\"'`".contains(letter);
    let text = rest.split(end).next().unwrap_or_default();
    let text = text.trim_end_matches(['.', ')', '}', ']', '>', '!', '?', '*', ':']);
    Value { text, start, place: Place::Plain }
}

const fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.')
}

fn is_secret_name(name: &str) -> bool {
    let compact: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let compact = compact.to_ascii_lowercase();
    NAMES.iter().any(|end| compact.ends_with(end))
}

/// Finds the credentials of HTTP: after `Bearer` or `Basic`, in the header `Authorization`, and in cookies.
fn schemes(line: &str) -> Vec<Range<usize>> {
    let lower = line.to_ascii_lowercase();
    let mut found = Vec::new();
    for scheme in ["bearer ", "basic ", "authorization:", "authorization\":"] {
        for (at, _) in lower.match_indices(scheme) {
            let rest = line[at + scheme.len()..].trim_start_matches([' ', '"', '\'']);
            // The header's own scheme is a word before its value.
            let rest = match rest.split_once(' ') {
                Some((word, rest)) if scheme.starts_with("auth") && is_word(word) => rest,
                _ => rest,
            };
            let start = line.len() - rest.len();
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || "._~+/=-".contains(letter);
            let end = rest.find(|letter: char| !is_part(letter)).unwrap_or(rest.len());
            let text = rest[..end].trim_end_matches('.');
            found.extend(Value { text, start, place: Place::Plain }.range());
        }
    }
    for (at, name) in lower.match_indices("cookie:") {
        let mut start = at + name.len();
        for part in line[start..].split_inclusive([';', ' ']) {
            if let Some((name, _)) = part.split_once('=') {
                let begin = start + name.len() + 1;
                found.extend(value(&line[begin..], begin).range());
            }
            start += part.len();
        }
    }
    found
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
}

/// Finds the passwords of addresses: `scheme://user:password@host`.
fn addresses(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (at, sign) in line.match_indices("://") {
        let start = at + sign.len();
        let end = |letter: char| letter.is_whitespace() || "\"'`<>".contains(letter);
        let address = line[start..].split(end).next().unwrap_or_default();
        let authority = address.split(['/', '?', '#']).next().unwrap_or_default();
        let login = match (authority.rsplit_once('@'), authority.split_once(':')) {
            (Some((login, _)), _) => login,
            // Without `@`, this would be a port. A password with a slash ends at the `@` after it.
            (None, Some((_, port))) if port.bytes().any(|byte| !byte.is_ascii_digit()) => {
                address.rsplit_once('@').map_or("", |(login, _)| login)
            }
            _ => continue,
        };
        let Some((user, password)) = login.split_once(':') else { continue };
        if !password.is_empty() && !is_placeholder(password) {
            let begin = start + user.len() + 1;
            found.push(begin..begin + password.len());
        }
    }
    found
}

/// Finds the password of a line of `.netrc`: `machine host login name password value`.
fn logins(line: &str) -> Option<Range<usize>> {
    let at = line.find("password ")?;
    let words: Vec<_> = line[..at].split_whitespace().collect();
    let rest = line[at + "password ".len()..].trim_start();
    let value = value(rest, line.len() - rest.len());
    // A line of prose may begin with the word too.
    let is_whole = rest.trim_end().len() == value.text.len();
    let is_secret = match words[..] {
        [] => value.is_credential(),
        [.., "login", _] => !is_placeholder(value.text),
        _ => false,
    };
    (is_whole && is_secret).then(|| value.start..value.start + value.text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_credential_is_found_by_its_place() {
        let secret = "q8Zt4wLm0vXc7BnR2kPd";
        for text in [
            "Authorization: Bearer SECRET",
            "curl -H 'authorization: token SECRET' host",
            "{\"Authorization\": \"Basic SECRET\"}",
            "send `Bearer SECRET` with it",
            "password: SECRET",
            "password: \"SECRET\"",
            "  \"client_secret\": \"SECRET\",",
            "aws_secret_access_key = SECRET",
            "CLOUDFLARE_API_TOKEN=SECRET",
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=SECRET;EndpointSuffix=b",
            "https://host/v1?access_token=SECRET&page=2",
            "postgres://ann:SECRET@host/db",
            "redis://:SECRET@host:6379",
            "mysql://ann:SE/CRET@host",
            "Set-Cookie: session=SECRET; Path=/",
            "machine host login ann password SECRET",
            "tool --api-token SECRET --fast",
            "- **Password:** SECRET.",
            "x-api-key: SECRET",
            "ä token: SECRET ü",
        ] {
            let split = secret.replacen("Zt", "Z/t", 1);
            let text = text.replace("SE/CRET", &split).replace("SECRET", secret);
            let clean = redact_credentials(&text);
            assert!(clean.contains(REDACTED) && !clean.contains("m0vXc7"), "{text}: {clean}");
            assert!(!clean.contains("BnR2kPd"), "{text}: {clean}");
            assert_eq!(redact_credentials(&clean), clean, "a second time changes nothing");
        }
        assert_eq!(redact_credentials("DB_PASSWORD=correcthorse"), "DB_PASSWORD=[redacted]");
        assert_eq!(redact_credentials("amqp://a:bc@d and x"), "amqp://a:[redacted]@d and x");
    }

    #[test]
    fn prose_and_programs_stay_as_they_are() {
        for text in [
            "the password: must be long",
            "Password: required!",
            "password (at least 12 characters): it is needed",
            "\"password\": \"Passwort\"",
            "The token: a string that ends after 30 minutes",
            "token: u64, secret: Option<String2>",
            "max_tokens=4096 tokens: 12000",
            "let token = stream.next_token();",
            "token: CancellationToken::new()",
            "secret = os.environ[\"SECRET_1\"]",
            "password = my_config.password2",
            "PASSWORD=$(cat file1) PASSWORD=${OTHER1}",
            "password: <your password1>",
            "password_file: /run/secrets/db1",
            "password: /run/secrets/db1",
            "the bearer of this letter, and basic authentication",
            "Authorization: required for all requests",
            "https://medium.com/@user/a:b https://host:8080/a@v1.2",
            "git@github.com:ann/project.git",
            "ssh://git@host:22/x",
            "login first; the password is in the safe",
            "password manager",
            "`password: [redacted]`",
        ] {
            assert_eq!(redact_credentials(text), text);
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_redacted(text in "(password|token|Bearer |://|cookie:|authorization:|[:=@ /\"'ä\n]|[a-z0-9ß]{0,9}){0,20}") {
            let clean = redact_credentials(&text).into_owned();
            prop_assert_eq!(clean.lines().count(), text.lines().count());
        }
    }
}
