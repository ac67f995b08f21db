//! Recognises variables that look like secrets.

mod fields;
mod harmless_table;
mod name;
mod name_table;
mod value_table;

use std::ffi::OsStr;

use self::{
    name_table::DATABASES,
    value_table::{KEY_BEGINNINGS, OPEN_ADDRESSES, OPEN_PARTS, SCHEMES},
};

/// The minimum length of a key with a vendor's prefix, including the prefix.
const KEY_LENGTH: usize = 20;

/// Returns whether a variable looks like a secret, by its name or by its value.
///
/// The [module](super) lists the rules and the exceptions.
///
/// ```
/// use loop_guardrails::policy::environment::looks_secret;
///
/// assert!(looks_secret("GITHUB_TOKEN".as_ref(), "".as_ref()));
/// assert!(looks_secret("DATABASE_URL".as_ref(), "postgres://kim:hunter2@db/app".as_ref()));
/// assert!(!looks_secret("MAX_TOKENS".as_ref(), "4096".as_ref()));
/// ```
pub fn looks_secret(name: &OsStr, value: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase().replace(['-', '.'], "_");
    let value = value.to_string_lossy();
    let names_somebody = || DATABASES.iter().any(|ending| name.ends_with(ending)) && value.contains('@');
    name::is_secret(&name, value.trim()) || names_somebody() || (is_secret_value(&value) && !is_proxy(&name))
}

fn is_proxy(name: &str) -> bool {
    name.ends_with("_PROXY")
}

fn is_secret_value(value: &str) -> bool {
    let small = value.to_ascii_lowercase();
    // A value may contain several addresses, or an address within a longer text.
    value.split("://").skip(1).any(has_password)
        || is_login(value)
        || is_oracle_login(&small)
        || ["machine ", " login ", " password "].iter().all(|word| small.contains(word))
        || small.split("://").skip(1).any(is_open)
        || (value.contains("-----BEGIN ") && value.contains("PRIVATE KEY"))
        || fields::has_secret(&small)
        || SCHEMES.iter().any(|scheme| small.trim().strip_prefix(scheme).is_some_and(is_token))
        || small.trim().strip_prefix("basic ").is_some_and(|login| login.len() >= 12 && !login.contains(' '))
        // This does not split at `/` and `:`, because a folder on a `PATH` may begin like a key.
        || value.split(|sign: char| sign.is_whitespace() || "\"'`,;=&?#<>()[]{}|".contains(sign)).any(is_key)
}

/// Returns whether the text after a scheme's name is one long word.
fn is_token(text: &str) -> bool {
    text.len() >= KEY_LENGTH && !text.contains(char::is_whitespace)
}

/// Returns whether the text is a key with a vendor's prefix, or a JSON Web Token.
fn is_key(value: &str) -> bool {
    let word = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.');
    let is_marked = || KEY_BEGINNINGS.iter().any(|beginning| value.starts_with(beginning));
    let is_web_token = || value.starts_with("eyJ") && value.split('.').count() >= 3;
    let is_hexadecimal = |key: &str| key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    // Terraform writes an id before the prefix.
    let is_cloud_token = || value.contains(".atlasv1.");
    let is_numbered = || value.strip_prefix("key-").is_some_and(is_hexadecimal);
    value.len() >= KEY_LENGTH
        && value.chars().all(word)
        && (is_marked() || is_web_token() || is_cloud_token() || is_numbered() || is_discord_token(value))
}

/// Returns whether this is the token of a Discord bot: its number in Base64, a time, and a signature.
fn is_discord_token(value: &str) -> bool {
    let parts: Vec<_> = value.split('.').map(str::len).collect();
    value.starts_with(['M', 'N', 'O']) && matches!(parts[..], [24..=28, 6, signature] if signature >= 27)
}

/// Returns whether the text after the `://` of an address begins with `user:password@`, or with a key and an `@`.
fn has_password(rest: &str) -> bool {
    let authority = rest.split(['/', '?', '#', ' ', '\n']).next().unwrap_or_default();
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    match user.split_once(':') {
        Some((name, password)) => !password.is_empty() || is_key(name),
        None => is_key(user) || is_random(user),
    }
}

/// Returns whether the text is the address of a database without a scheme (`user:password@host:5432/db`), or the token of
/// a bot, which begins with the bot's number.
fn is_login(value: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((name, rest)) = value.trim().split_once(':') else { return false };
    if rest.contains(char::is_whitespace) || name.contains(['/', '@', '=']) {
        return false;
    }
    let is_bot = is_number(name) && name.len() >= 8 && rest.len() >= 30 && rest.starts_with("AA");
    let has_port = |address: &str| {
        let authority = address.split('/').next().unwrap_or_default();
        // `image:tag@sha256:0123` is an image of a container.
        let port = authority.trim_end_matches(')').rsplit_once(':');
        // The driver of Go for MySQL writes `tcp(host:3306)` or `unix(/path)`.
        authority.ends_with("unix(") || port.is_some_and(|(host, port)| host != "sha256" && is_number(port))
    };
    is_bot
        || rest.rsplit_once('@').is_some_and(|(password, address)| !password.is_empty() && has_port(address))
}

/// Returns whether this is the address of an Oracle database with a password: `jdbc:oracle:thin:scott/tiger@host`.
fn is_oracle_login(small: &str) -> bool {
    let Some((_, login)) = small.split_once("jdbc:oracle:") else { return false };
    let login = login.rsplit_once('@').and_then(|(login, _)| login.rsplit(':').next()?.split_once('/'));
    login.is_some_and(|(_, password)| !password.is_empty())
}

/// Returns whether a user name was generated and not chosen: `0123456789abcdef0123456789abcdef@sentry.io`.
fn is_random(user: &str) -> bool {
    let has = |kind: fn(&char) -> bool| user.chars().any(|sign| kind(&sign));
    user.len() >= 24
        && user.chars().all(|sign| sign.is_ascii_alphanumeric())
        && has(char::is_ascii_digit)
        && has(char::is_ascii_alphabetic)
}

/// Returns whether anybody who knows this address can use it. `rest` is the lower-case text after its `://`.
fn is_open(rest: &str) -> bool {
    let address = rest.split([' ', '\n', '"', '\'']).next().unwrap_or_default();
    let mut parts = address.split('/').skip_while(|part| !OPEN_PARTS.contains(part)).skip(1);
    OPEN_ADDRESSES.iter().any(|open| address.contains(open)) || fields::opens(address) || parts.any(is_made)
}

/// Returns whether a part of an address was generated: it is long, and has digits and letters.
fn is_made(part: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| part.bytes().any(|byte| kind(&byte));
    part.len() >= 16 && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests;
