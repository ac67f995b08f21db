//! What looks like a secret.

mod table;

use std::ffi::OsStr;

use self::table::{
    DATABASES, ENDINGS, FIELDS, HARMLESS, KEY_BEGINNINGS, NAMES, OPEN_ADDRESSES, OPEN_FIELDS, QUALIFIERS,
    WITHIN,
};

/// The shortest of the keys that vendors mark, with its beginning.
const KEY_LENGTH: usize = 20;

/// Whether a variable looks like a secret, by its name or by its value.
///
/// The [module](super) says which do, and why some do not.
///
/// ```
/// use loop_guardrails::policy::environment::looks_secret;
///
/// assert!(looks_secret("GITHUB_TOKEN".as_ref(), "".as_ref()));
/// assert!(looks_secret("DATABASE_URL".as_ref(), "postgres://kim:hunter2@db/app".as_ref()));
/// assert!(!looks_secret("MAX_TOKENS".as_ref(), "4096".as_ref()));
/// ```
pub fn looks_secret(name: &OsStr, value: &OsStr) -> bool {
    let (name, value) = (name.to_string_lossy().to_ascii_uppercase(), value.to_string_lossy());
    let names_somebody = || DATABASES.iter().any(|ending| name.ends_with(ending)) && value.contains('@');
    is_secret_name(&name) || names_somebody() || (is_secret_value(&value) && !is_proxy(&name))
}

fn is_secret_name(name: &str) -> bool {
    let name = unqualified(name);
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    NAMES.contains(&name)
        || WITHIN.iter().any(|part| name.contains(part))
        || (ends(ENDINGS) && !ends(HARMLESS))
}

/// The name without what tells it from others of its kind: `GITHUB_TOKEN_2` is one more of the same.
fn unqualified(name: &str) -> &str {
    let numbered = || name.trim_end_matches(|sign: char| sign.is_ascii_digit()).trim_end_matches('_');
    // `_BASE64` before its number.
    let rest = QUALIFIERS.iter().find_map(|qualifier| name.strip_suffix(qualifier)).unwrap_or_else(numbered);
    if rest.len() == name.len() { name } else { unqualified(rest) }
}

fn is_proxy(name: &str) -> bool {
    name.ends_with("_PROXY")
}

fn is_secret_value(value: &str) -> bool {
    let small = value.to_ascii_lowercase();
    // More than one address may stand in a value, or an address in a longer text.
    value.split("://").skip(1).any(has_password)
        || small.split("://").skip(1).any(is_open)
        || (value.contains("-----BEGIN ") && value.contains("PRIVATE KEY"))
        || FIELDS.iter().any(|field| small.contains(field))
        || (small.starts_with("bearer ") && value.len() >= KEY_LENGTH)
        || is_key(value)
}

/// Whether the value is the key of a vendor that marks its keys, or a token that says of itself who its owner is.
fn is_key(value: &str) -> bool {
    let word = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.');
    let is_marked = || KEY_BEGINNINGS.iter().any(|beginning| value.starts_with(beginning));
    let is_token = || value.starts_with("eyJ") && value.split('.').count() >= 3;
    value.len() >= KEY_LENGTH && value.chars().all(word) && (is_marked() || is_token())
}

/// Whether what stands behind the `://` of an address begins with `user:password@`, or with a key and an `@`.
fn has_password(rest: &str) -> bool {
    let authority = rest.split(['/', '?', '#', ' ', '\n']).next().unwrap_or_default();
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    match user.split_once(':') {
        Some((name, password)) => !password.is_empty() || is_key(name),
        None => is_key(user) || is_random(user),
    }
}

/// Whether a user's name is none that anybody chose: `0123456789abcdef0123456789abcdef@sentry.io`.
fn is_random(user: &str) -> bool {
    let has = |kind: fn(&char) -> bool| user.chars().any(|sign| kind(&sign));
    user.len() >= 24
        && user.chars().all(|sign| sign.is_ascii_alphanumeric())
        && has(char::is_ascii_digit)
        && has(char::is_ascii_alphabetic)
}

/// Whether what stands behind the `://` of an address, in small letters, is all that one needs to know to use it.
fn is_open(rest: &str) -> bool {
    let address = rest.split([' ', '\n', '"', '\'']).next().unwrap_or_default();
    let fields = address.split_once('?').map_or("", |(_, query)| query).split('&');
    let opens = |field: &str| {
        field.split_once('=').is_some_and(|(name, value)| !value.is_empty() && OPEN_FIELDS.contains(&name))
    };
    let mut fields = fields.map(|field| field.split('#').next().unwrap_or_default());
    OPEN_ADDRESSES.iter().any(|open| address.contains(open)) || fields.any(opens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_name(name: &str) -> bool {
        looks_secret(name.as_ref(), "x".as_ref())
    }

    fn by_value(value: &str) -> bool {
        looks_secret("IT".as_ref(), value.as_ref())
    }

    #[test]
    fn every_entry_of_the_tables_hides_a_name_in_capitals_or_not() {
        for name in NAMES.iter().map(ToString::to_string) {
            assert!(by_name(&name) && by_name(&name.to_lowercase()), "{name}");
        }
        for part in WITHIN {
            assert!(by_name(part) && by_name(&format!("my_{}_x", part.to_lowercase())), "{part}");
        }
        for ending in ENDINGS {
            assert!(by_name(&format!("MY{ending}")) && by_name(&format!("my{ending}_2")), "{ending}");
            for qualifier in QUALIFIERS {
                assert!(by_name(&format!("MY{ending}{qualifier}")), "{ending}{qualifier}");
            }
            assert!(!by_name(&format!("MY{ending}_COUNT")), "{ending}");
        }
    }

    #[test]
    fn keys_are_known_by_how_they_begin() {
        for beginning in KEY_BEGINNINGS {
            assert!(by_value(&format!("{beginning}api03-0123456789abcdefghij")), "{beginning}");
            assert!(!by_value(&format!("{beginning} is how such keys begin, says a text")), "{beginning}");
            assert!(!by_value(beginning), "{beginning}");
        }
        assert!(by_value("jdbc:db://host/app?user=u&password=pw"));
        assert!(!by_value("npm_modules"));
    }

    #[test]
    fn what_people_keep_in_their_shells_is_hidden() {
        for name in [
            "OPENAI_API_KEY",
            "TOKEN",
            "GH_TOKEN",
            "npm_config__authToken",
            "GITHUB_PAT",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            "AZURE_CLIENT_SECRET",
            "AZURE_STORAGE_CONNECTION_STRING",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "CLOUDSDK_AUTH_ACCESS_TOKEN",
            "PGPASSWORD",
            "SMTP_PASS",
            "RAILS_MASTER_KEY",
            "SSH_PRIVATE_KEY",
            "OPENAI_KEY",
            "STRIPE_KEY",
            "STRIPE_KEY_PROD",
            "DB_PWD",
            "MYSQL_PWD",
            "REDIS_PW",
            "SESSION_COOKIE",
            "SENTRY_DSN",
            "SLACK_WEBHOOK_URL",
            "BW_SESSION",
            "OP_SESSION_my",
            "STORAGE_SAS",
            "GCP_SA_KEY_BASE64",
            "SQLCONNSTR_main",
            "ConnectionStrings__Default",
            "APP_CREDS",
            "APP_KEY",
        ] {
            assert!(by_name(name), "{name}");
        }
    }

    #[test]
    fn what_only_sounds_alike_is_not() {
        for name in [
            "PATH",
            "HOME",
            "SHELL",
            "TERM",
            "TERM_PROGRAM",
            "TERM_SESSION_ID",
            "LC_ALL",
            "PWD",
            "OLDPWD",
            "GOPATH",
            "SSH_AUTH_SOCK",
            "SSH_ASKPASS",
            "PGPASSFILE",
            "GPG_TTY",
            "GPG_KEY",
            "MAX_TOKENS",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
            "TOKENIZERS_PARALLELISM",
            "AWS_REGION",
            "AWS_PROFILE",
            "AZURE_TENANT_ID",
            "GOOGLE_CLOUD_PROJECT",
            "KUBECONFIG",
            "PYTHONPATH",
            "COMPATIBILITY_PATH",
            "XKB_KEY",
            "ANTHROPIC_BASE_URL",
            "KEYBOARD",
            "KEY_REPEAT",
            "KEYTIMEOUT",
            "STRIPE_PUBLISHABLE_KEY",
            "SSH_PUBLIC_KEY",
            "CACHE_KEY",
            "XDG_SESSION_ID",
            "XDG_SESSION_TYPE",
            "DESKTOP_SESSION",
            "GDMSESSION",
            "SESSION_MANAGER",
            "SUDO_ASKPASS",
            "DBUS_SESSION_BUS_ADDRESS",
            "XAUTHORITY",
            "SHELL_SESSION_DID_INIT",
            "DATABASE_URL",
            "CI_PASSED",
            "MONKEY",
        ] {
            assert!(!by_name(name), "{name}");
        }
    }

    #[test]
    fn an_address_with_a_password_in_it_is_hidden_and_other_addresses_are_not() {
        for value in [
            "postgres://user:pass@host/db",
            "redis://:pass@localhost:6379",
            "https://user:p@ss@host",
            "-x https://user:pass@host -y",
            "https://host/a,https://user:pass@host/b",
            "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA",
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\nAAAA",
            "https://ghp_0123456789abcdefghij@github.com/a/b",
            "https://ghp_0123456789abcdefghij:@github.com/a/b",
            "https://0123456789abcdef0123456789abcdef@o1.ingest.sentry.io/2",
            "https://hooks.slack.com/services/T0/B0/xyz",
            "https://DISCORD.com/api/webhooks/1/xyz",
            "https://a.blob.core.windows.net/c?sv=1&sig=abc%3D",
            "Server=db;Uid=kim;Pwd=hunter2;",
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=abc==",
            "Bearer 0123456789abcdef0123",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        ] {
            assert!(by_value(value), "{value}");
        }
        for value in [
            "postgres://localhost:5432/db",
            "ssh://git@host/repo",
            "https://user:@host",
            "https://host/a:b@c",
            "https://host?q=a:b@c",
            "user:pass@host",
            "https://host/services?page=2&sort=key",
            "https://a.very.long.host.name.example.org/path",
            "https://kim-the-maintainer-of-it@host",
            "-----BEGIN CERTIFICATE-----\nAAAA",
        ] {
            assert!(!by_value(value), "{value}");
        }
    }

    #[test]
    fn an_address_of_a_database_is_hidden_if_anybody_is_named_in_it() {
        let hides = |value: &str| looks_secret("APP_DATABASE_URL".as_ref(), value.as_ref());
        assert!(hides("postgres://kim@db/app") && hides("mysql:kim/pw@db"));
        assert!(!hides("sqlite://dev.db") && !hides("postgres://localhost/app"));
    }

    #[test]
    fn a_proxy_is_seen_with_its_password() {
        assert!(!looks_secret("https_proxy".as_ref(), "http://user:pass@proxy:3128".as_ref()));
        assert!(!looks_secret("HTTP_PROXY".as_ref(), "http://user:pass@proxy:3128".as_ref()));
    }
}
