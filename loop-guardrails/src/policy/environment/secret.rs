//! What looks like a secret.

use std::ffi::OsStr;

/// Anywhere in a name.
const WITHIN: &[&str] = &[
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "API_KEY",
    "APIKEY",
    "ACCESS_KEY",
    "ACCESSKEY",
    "PRIVATE_KEY",
    "PRIVATEKEY",
];

/// At the end of a name. `TOKEN` and not `TOKENS`: the plural counts something. Not `_KEY`: most of those
/// name a key of a cache, a table or a keyboard.
const ENDINGS: &[&str] = &[
    "TOKEN",
    "_AUTH",
    "_PASS",
    "_PAT",
    "_JWT",
    "_ACCOUNT_KEY",
    "_AUTH_KEY",
    "_DEPLOY_KEY",
    "_ENCRYPTION_KEY",
    "_LICENSE_KEY",
    "_MASTER_KEY",
    "_SERVICE_KEY",
    "_SIGNING_KEY",
    "_SSH_KEY",
    "_STORAGE_KEY",
    "CONNECTION_STRING",
    // Whoever knows such an address may post there.
    "_WEBHOOK",
    "_WEBHOOK_URL",
];

/// Names that follow no rule.
const NAMES: &[&str] = &[
    "ANTHROPIC_CUSTOM_HEADERS",
    "AUTHORIZATION",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AZURE_CLIENT_CERTIFICATE_PATH",
    "DBPASS",
    "DOCKER_AUTH_CONFIG",
    "MYSQL_PWD",
    "NPM_CONFIG__AUTH",
    "PASS",
    "REDISCLI_AUTH",
    "SSHPASS",
];

/// How the keys of well-known vendors begin. What follows is long, and has no spaces.
const KEY_BEGINNINGS: &[&str] = &[
    "AIza",
    "AKIA",
    "ASIA",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "hf_",
    "npm_",
    "pypi-",
    "rk_live_",
    "sk-",
    "sk_live_",
    "sk_test_",
    "xoxa-",
    "xoxb-",
    "xoxp-",
];

/// The shortest of those keys, with its beginning.
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
    let name = name.to_string_lossy().to_ascii_uppercase();
    is_secret_name(&name) || (is_secret_value(&value.to_string_lossy()) && !is_proxy(&name))
}

fn is_secret_name(name: &str) -> bool {
    // `GITHUB_TOKEN_2` is one more of the same.
    let unnumbered = name.trim_end_matches(|sign: char| sign.is_ascii_digit()).trim_end_matches('_');
    NAMES.contains(&name)
        || WITHIN.iter().any(|part| name.contains(part))
        || ENDINGS.iter().any(|ending| unnumbered.ends_with(ending))
}

fn is_proxy(name: &str) -> bool {
    name.ends_with("_PROXY")
}

fn is_secret_value(value: &str) -> bool {
    // More than one address may stand in a value, or an address in a longer text.
    value.split("://").skip(1).any(has_password)
        || (value.contains("-----BEGIN ") && value.contains("PRIVATE KEY-----"))
        || value.to_ascii_lowercase().contains("password=")
        || is_key(value)
}

/// Whether the value is the key of a vendor that marks its keys.
fn is_key(value: &str) -> bool {
    let word = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.');
    value.len() >= KEY_LENGTH
        && value.chars().all(word)
        && KEY_BEGINNINGS.iter().any(|beginning| value.starts_with(beginning))
}

/// Whether what stands behind the `://` of an address begins with `user:password@`.
fn has_password(rest: &str) -> bool {
    let authority = rest.split(['/', '?', '#', ' ', '\n']).next().unwrap_or_default();
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    user.split_once(':').is_some_and(|(_, password)| !password.is_empty())
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
            "-----BEGIN CERTIFICATE-----\nAAAA",
        ] {
            assert!(!by_value(value), "{value}");
        }
    }

    #[test]
    fn a_proxy_is_seen_with_its_password() {
        assert!(!looks_secret("https_proxy".as_ref(), "http://user:pass@proxy:3128".as_ref()));
        assert!(!looks_secret("HTTP_PROXY".as_ref(), "http://user:pass@proxy:3128".as_ref()));
    }
}
