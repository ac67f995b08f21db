//! Names and values that are hidden, and others that are not.

mod logins;

use proptest::prelude::*;

use super::{
    harmless_table::{DESCRIBING, SWITCHES},
    name_table::{ANYWHERE, CONTENTS, ENDINGS, FILES, NAMES, QUALIFIERS, WITHIN, WORDS},
    *,
};

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
        assert!(by_name(&format!("MY{ending}")) && by_name(&format!("my_{ending}_2")), "{ending}");
    }
    for ending in ENDINGS.iter().chain(WORDS) {
        assert!(by_name(&format!("MY_{ending}")) && by_name(&format!("my_{ending}s_2")), "{ending}");
        for qualifier in QUALIFIERS {
            assert!(by_name(&format!("MY_{ending}{qualifier}")), "{ending}{qualifier}");
        }
        assert!(!by_name(&format!("MY_{ending}_COUNT")), "{ending}");
    }
    for (file, content) in FILES.iter().flat_map(|file| CONTENTS.iter().map(move |content| (file, content))) {
        assert!(by_name(&format!("MY_{file}_{content}")), "{file}_{content}");
        assert!(!by_name(&format!("MY_{file}_{content}_PATH")), "{file}_{content}");
    }
}

proptest! {
    #[test]
    fn a_word_for_secrets_counts_whatever_follows_it(
        // No table has words with these letters in front.
        before in "(Z[A-Z]{0,5}_){1,2}",
        word in prop::sample::select([ENDINGS, ANYWHERE].concat()),
        after in "(_Q[A-Z]{0,5}){0,2}(S|_V?[1-9]|_PROD)?",
    ) {
        let name = format!("{before}{word}{after}");
        prop_assert!(by_name(&name), "{}", name);
        // `_QPW` ends with a word for secrets of its own.
        let is_last = after.len() < 2 || !after.contains('Q') || by_name(&format!("Z{after}"));
        let is_switch = |value: &&str| !looks_secret(name.as_ref(), value.as_ref());
        prop_assert!(is_last || SWITCHES.iter().all(is_switch), "{}", name);
    }

    #[test]
    fn a_description_of_a_secret_is_seen(
        word in prop::sample::select([ENDINGS, ANYWHERE].concat()),
        last in prop::sample::select(DESCRIBING.to_vec()),
    ) {
        for name in [format!("{word}_{last}"), format!("MY_{word}_{last}S"), format!("MY_{word}_X_{last}_PROD")] {
            prop_assert!(!by_name(&name), "{}", name);
        }
    }
}

/// Variables of CI systems, shells and toolchains, without which programs work differently or not at all.
#[test]
fn ordinary_variables_are_seen() {
    for line in include_str!("ordinary.txt").lines() {
        let (name, value) = line.split_once('=').expect("a value");
        assert!(!looks_secret(name.as_ref(), value.as_ref()), "{line}");
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

const HIDDEN: &[&str] = &[
    "OPENAI_API_KEY",
    "TOKEN",
    "GH_TOKEN",
    "npm_config__authToken",
    "GITHUB_TOKENS",
    "TOKENS",
    "JWT",
    "JWTS",
    "AUTH",
    "KEY",
    "KEYS",
    "DOCKERCONFIGJSON",
    "DOCKER_CONFIG_JSON",
    "ADMINPASS",
    "LDAP_BINDPW",
    "LDAP_BINDPWD",
    "ADMIN_PATS",
    "MASTERKEY",
    "SSHKEYS",
    "DEPLOY_CREDS_2",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "WALLET_MNEMONIC",
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
    "NPM_TOKEN_PUBLISH",
    "GITHUB_TOKEN_RELEASE",
    "DEPLOY_TOKEN_EU",
    "DEPLOY_KEY_CI",
    "TOKEN_V2",
    "API_TOKEN_V2",
    "TOKEN_READONLY",
    "TOKEN_A",
    "CI_JOB_JWT_V1",
    "CI_JOB_JWT_V2",
    "JWT_SIGNING",
    "DB_AUTH_V2",
    "AUTH_DATA",
    "SSH_PRIVATE",
    "GPG_PRIVATE",
    "PRIVATE_PEM",
    "SERVER_PEM",
    "APP_STORE_P8",
    "MATCH_P12",
    "P12_BASE64",
    "ANDROID_KEYSTORE",
    "KEYSTORE_BASE64",
    "KUBECONFIG_CONTENT",
    "KUBECONFIG_BASE64",
    "KUBE_CONFIG_DATA",
    "DOCKER_CONFIG_B64",
    "NPMRC_CONTENT",
    "KEYFILE_CONTENT",
    "TOKEN_FILE_CONTENT",
    "GCP_SERVICE_ACCOUNT",
    "SERVICE_ACCOUNT_JSON",
    "OP_SERVICE_ACCOUNT",
    "SA_JSON",
    "SEED_PHRASE",
    "WALLET_SEED",
    "RECOVERY_CODE",
    "BACKUP_CODES",
    "PHPSESSID",
    "SESSIONID",
    "OAUTH2_REFRESH",
    "KAFKA_JAAS",
    "MONGO_CONN",
    "SUPABASE_SERVICE_ROLE",
    "VAULT_UNSEAL",
    "BASICAUTH",
    "TELEGRAM_BOT",
    "TLS_CERT_KEY_DATA",
    "ROOT_PW_HASH",
    "SIGNING_SALT",
    "stripe-key.eu",
    "APP_CREDS",
    "APP_KEY",
];

#[test]
fn what_people_keep_in_their_shells_is_hidden() {
    for name in HIDDEN {
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
        "NUM_TOKENS",
        "MAX_THINKING_TOKENS",
        "COMPASS",
        "GIT_ASKPASS",
        "MONKEYS",
        "APP_COMPAT",
        "SAMPLES_PATH",
        "MY_PUBKEY",
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
        "sk-ant-api03-0123456789abcdefghij\n",
        " \"sk-ant-api03-0123456789abcdefghij\" ",
        "main:x, ghp_0123456789abcdefghij01",
        "https://host/t?client_secret=abc",
        "https://host/t#access_token=abc",
        "https://host/t?a=b&X-Amz-Security-Token=abc",
        "https://host/t?Subscription-Key=abc",
        "https://host/v1/?key=CANARY",
        "{\"password\":\"hunter2\"}",
        "{\"user\": \"kim\", \"apiKey\" : \"abc\"}",
        "{'client_secret': 'abc'}",
        "user: kim\npassword: hunter2",
        "api_key = hunter2",
        "--client-secret=abc",
        "{\"auths\":{\"host\":{\"auth\":\"a2lt\"}}}",
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
        "https://host/x?max_tokens=5&sort=name&tokens=9",
        "/home/key:/opt/token:/usr/bin",
        "/opt/npm_0123456789abcdefghij01:/usr/bin",
        "{\"password\":\"\"}",
        "{\"theme\":\"dark\",\"tokens\":5}",
        "*.key=01;31:*.pem=01;31:di=01;34",
        "unix:path=/run/user/1000/bus,guid=0123456789abcdef",
        "-Dfile.encoding=UTF-8",
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
