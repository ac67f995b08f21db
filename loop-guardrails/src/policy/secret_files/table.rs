//! Files in which people and programs keep credentials, by name.

use super::programs::{AGENTS, AUTH_FILE, CLOUDS, DATABASES, HISTORIES, PACKAGES, PROGRAMS, REPOSITORIES};

/// Endings, each with the copies that editors and people make: `x.pem`, `x.pem~` and `x.pem.bak`.
macro_rules! with_copies {
    ($($ending:literal)*) => {
        &[$(concat!("*", $ending), concat!("*", $ending, "~"), concat!("*", $ending, ".*"),)*]
    };
}

/// Like `with_copies`, for endings that source files have within their names (`csrf.token.ts`). It adds only endings
/// that are certainly copies.
macro_rules! with_plain_copies {
    ($($ending:literal)*) => {
        &[$(
            concat!("*", $ending), concat!("*", $ending, "~"), concat!("*", $ending, ".bak*"),
            concat!("*", $ending, ".old*"), concat!("*", $ending, ".orig"), concat!("*", $ending, ".save"),
            concat!("*", $ending, ".1"),
        )*]
    };
}

/// The built-in rules, in the format of [`SecretFiles::rules`](super::SecretFiles::rules).
pub(super) const RULES: &[&[&str]] = &[
    &[".env*"],
    WORDS,
    QUALIFIED,
    DATA,
    KEY_WORDS,
    ENDINGS,
    GENERAL,
    RAILS_DATABASE,
    KEY_LISTS,
    PROGRAMS,
    AGENTS,
    CLOUDS,
    PACKAGES,
    DATABASES,
    HISTORIES,
    REPOSITORIES,
];

/// Rules for key pairs, whose public halves are not secret: `id_rsa.pub`.
pub(super) const WITH_PUBLIC_HALF: &[&str] = &["id_*", "**/.ssh/*", "ssh_host_*"];

/// Rules for names that programs also use for page texts, below a folder of [translations](TRANSLATIONS).
pub(super) const TRANSLATED: &[&str] =
    &[AUTH_FILE, "*passwords.json*", "*passwords.y*ml*", "database.y*ml", "keys.txt"];

/// Folders of texts in several languages.
pub(super) const TRANSLATIONS: &[&str] =
    &["i18n", "intl", "l10n", "lang", "langs", "languages", "locale", "locales", "translations"];

/// The databases of a Rails application, with their passwords. Examples (`database.yml.example`) have none.
const RAILS_DATABASE: &[&str] =
    &["database.y*ml", "database.y*ml~", "database.y*ml.bak*", "database.y*ml.old*", "database.y*ml.orig"];

/// The keys of `age` and `sops`.
const KEY_LISTS: &[&str] = &["keys.txt", "keys.txt~", "keys.txt.bak*", "keys.txt.old*", "keys.txt.orig"];

/// Common names for secrets of any program.
const GENERAL: &[&str] = &[
    ".xauthority",
    ".iceauthority",
    ".anthropic_key*",
    ".databricks.cfg*",
    ".dev.vars*",
    "**/.config/anthropic/*",
    "**/.dbt/profiles.yml",
    "*dockerconfigjson",
    "bitwarden_export*",
    "krb5cc_*",
    "settings-security.xml*",
    "wpa_supplicant*.conf",
    ".flaskenv*",
    "id_*",
    "*_rsa",
    "*_dsa",
    "*_ecdsa",
    "*_ed25519",
    "ssh_host_*",
    "*private_key*.txt*",
    "*private-key*.txt*",
    "token.json*",
    "*_token.json*",
    "*-token.json*",
    "authorized_keys*",
    "**/.ssh/*",
    "credentials*",
    "*-credentials",
    "*_credentials",
    ".credentials*",
    "*service-account*.json*",
    "*service_account*.json*",
    "*serviceaccount*.json*",
    "*firebase-adminsdk*.json*",
    "*gcp*key*.json*",
    "*gcloud*key*.json*",
    "*google*key*.json*",
    "*firebase*key*.json*",
    "*azure*key*.json*",
    "*aws*key*.json*",
    "*sa-key*.json*",
    "*sa_key*.json*",
    "*service-key*.json*",
    "*service_key*.json*",
    "*private*key*.json*",
    "*access*key*.json*",
    "*api-key*.json*",
    "*api_key*.json*",
    "*apikey*.json*",
    "*keyfile*.json*",
    "client_secret*.json*",
    "*secret.y*ml*",
    "*secrets.y*ml*",
    "*secret.json*",
    "*secrets.json*",
    "*secrets.toml*",
    "*secrets.ini*",
    "*secrets.properties*",
    ".secret",
    ".secrets",
    ".secrets.*",
    "secret_token*",
    "*secret*.txt*",
    "*password*.txt*",
    "*passwords.xls*",
    "*passwords.ods*",
    "*passwords.numbers*",
    "*passphrase*.txt*",
    "*recovery*code*.txt*",
    "*recovery*key*.txt*",
    "*backup*code*.txt*",
    "*seed*phrase*.txt*",
    "*recovery*phrase*.txt*",
    "*mnemonic.txt*",
    "*secret-values.*ml*",
    "*secret_values.*ml*",
    "env.local",
    "env.*.local",
    "password.json*",
    "cookies.json*",
    "keystore.json*",
    "*private.gpg*",
    "*ghtoken*",
    "**/run/secrets/*",
    "*.env.dev*",
    "*.env.local*",
    "*.env.prod*",
    "*.env.stag*",
    "dotenv.dev*",
    "dotenv.local*",
    "dotenv.prod*",
    "dotenv.stag*",
    "*api_keys.*ml*",
    "*api-keys.*ml*",
    "*_key.txt*",
    "*-key.txt*",
    "oauth.json*",
    "unattend.xml*",
    "*.cred",
    "env.dev",
    "env.development",
    "env.staging",
    "env.prod",
    "env.production",
    "dev.vars*",
    ".gitcookies*",
    "clouds.y*ml",
    "secure.y*ml",
    "*openrc*.sh",
    "*kubelet.conf*",
    "kube-config*",
    "talosconfig*",
    "*.credential",
    "gcp-sa.json",
    "token.pickle",
    "*token.txt*",
    "*api*key*.txt*",
    "*secret*.asc*",
    "*private*.asc*",
    "*private.der*",
    // An editor's swap file, whose original may have one of these names.
    ".*.swp",
    ".*.swo",
    "#*#",
];

/// Keys, stores of keys, and files of credentials.
const ENDINGS: &[&str] = with_copies![
    ".pem" ".p12" ".pfx" ".pkcs12" ".pkcs8" ".p8" ".pvk" ".ppk" ".jks" ".jceks" ".keystore" ".bks" ".keytab" ".keyring"
    ".agekey" ".kdb" ".kdbx" ".psafe3" ".kwallet" ".kwl" ".keychain" ".keychain-db" ".agilekeychain" ".opvault"
    ".1pif" ".1pux" ".ovpn" ".tfstate" ".tfvars" ".tfplan" ".kubeconfig" ".publishsettings" ".htpasswd"
];

/// Words that mean a secret.
const WORDS: &[&str] = with_plain_copies![
    ".env" ".key" ".secret" ".secrets" ".token" ".creds" ".credentials" ".cookies" ".vault" "netrc" "npmrc" "pypirc"
    "pgpass" ".age"
];

/// Settings named after secrets and a place: `secrets-prod.yml`, `app.secrets.eu.json`. Source files and documents have
/// other endings. `secret-scan.yml` names a job, so a hyphen needs the plural.
macro_rules! qualified {
    ($($ending:literal)*) => {
        &[$(
            concat!("secrets-*.", $ending, "*"), concat!("secrets_*.", $ending, "*"),
            concat!("secrets.*.", $ending, "*"), concat!("secret_*.", $ending, "*"),
            concat!("secret.*.", $ending, "*"), concat!("*.secrets.*.", $ending, "*"),
            concat!("*.secret.*.", $ending, "*"), concat!("*-secrets-*.", $ending, "*"),
            concat!("*_secrets_*.", $ending, "*"), concat!("*-secrets.*.", $ending, "*"),
            concat!("*_secrets.*.", $ending, "*"), concat!("**/secrets/*.", $ending, "*"),
        )*]
    };
}

const QUALIFIED: &[&str] = qualified!["y*ml" "json" "toml" "ini" "properties" "conf" "cfg"];

/// Data that is named after credentials: `google_creds.json`. Source files and documents have other endings.
macro_rules! data {
    ($($ending:literal)*) => {
        &[$(
            concat!("*creds.", $ending, "*"), concat!("creds*.", $ending, "*"),
            concat!("*credentials.", $ending, "*"), concat!("*passwords.", $ending, "*"),
        )*]
    };
}

const DATA: &[&str] = data!["y*ml" "json" "toml" "ini" "properties" "conf" "cfg" "csv" "xml" "txt"];

/// Names that describe the purpose of a key. They have no extension.
const KEY_WORDS: &[&str] = with_plain_copies![
    "private_key" "private-key" "privatekey" "privkey" "deploy_key" "deploy-key" "deploykey" "host_key" "host-key"
    "signing_key" "signing-key" "master_key" "master-key" "secret_key" "secret-key" "secretkey" "access_key"
    "access-key" "api_key" "api-key" "apikey" "ssh_key" "ssh-key" "sshkey" "encryption_key" "encryption-key"
    "server_key" "server-key" "client_key" "client-key" "tls_key" "tls-key" "ssl_key" "ssl-key"
    "auth_token" "auth-token" "access_token" "access-token" "refresh_token" "refresh-token" "api_token" "api-token"
    "vault_token" "vault-token" "deploy_token" "deploy-token" "github_token" "github-token" "gitlab_token"
    "gitlab-token" "npm_token" "npm-token" "bot_token" "bot-token" "root_token" "root-token"
    "db_password" "db-password" "postgres_password" "mysql_password" "root_password" "admin_password" "jwt_secret"
    "jwt-secret" "client_secret" "client-secret" "session_secret" "session-secret" "slack_token" "discord_token"
    "openai_key" "openai-key" "stripe_key" "stripe-key"
];
