//! Words in the names of variables that identify secrets.

/// Words anywhere in a name.
pub(super) const WITHIN: &[&str] = &[
    "SECRET",
    "PASSW",
    "PASSPHRASE",
    "MNEMONIC",
    "SEED_PHRASE",
    "SEED_WORDS",
    "SEEDPHRASE",
    "WALLET_SEED",
    "MASTER_SEED",
    "RECOVERY_PHRASE",
    "RECOVERY_CODE",
    "BACKUP_CODE",
    "ACCESS_CODE",
    "AUTH_CODE",
    "PIN_CODE",
    "CREDENTIAL",
    "COOKIE",
    "WEBHOOK",
    "API_KEY",
    "APIKEY",
    "ACCESS_KEY",
    "ACCESSKEY",
    "PRIVATE_KEY",
    "PRIVATEKEY",
    "AUTHKEY",
    "AUTHTOKEN",
    "AUTH_HEADER",
    "BASIC_AUTH",
    "BASICAUTH",
    "CONNECTION_STRING",
    "CONNECTIONSTRING",
    "CONNSTR",
    "CONN_STR",
    "OP_SESSION_",
    "DOCKERCONFIGJSON",
    "WALLET_WORDS",
    "SLACK_HOOK",
    "DISCORD_HOOK",
    "TEAMS_HOOK",
    "AGE_IDENTITY",
    "ROBLOSECURITY",
];

/// Endings of a word anywhere in a name, singular or plural: `ADMINPASS`, `GITHUB_TOKENS`, `NPM_TOKEN_PUBLISH`.
pub(super) const ENDINGS: &[&str] = &[
    "TOKEN",
    "PASS",
    "PASSCODE",
    "PWD",
    "PSWD",
    "PW",
    "KEY",
    "JWT",
    "BEARER",
    "CRED",
    "DSN",
    "TOTP",
    "SESSID",
    "SESSIONID",
];

/// Whole words anywhere in a name, because they also end harmless words (`COMPAT`).
pub(super) const ANYWHERE: &[&str] = &[
    "PAT",
    "OAUTH",
    "PEM",
    "P8",
    "P12",
    "PFX",
    "PKCS12",
    "JKS",
    "KEYSTORE",
    "JAAS",
    "UNSEAL",
    "FERNET",
    "SERVICE_ACCOUNT",
];

/// Endings that also begin harmless names, so that they do not count there unless the name ends with them:
/// `KEY_REPEAT`, `PASS_THRESHOLD`.
pub(super) const NOT_FIRST: &[&str] = &["KEY", "KEYS", "PASS", "PW", "PWD"];

/// Words that many harmless names have (`XDG_SESSION_TYPE`), so that they must be the whole name or its last word.
pub(super) const WORDS: &[&str] = &[
    "AUTH",
    "SAS",
    "SAS_URL",
    "SAS_URI",
    "SAS_QUERY",
    "PK",
    "NSEC",
    "XPRV",
    "SOPS_AGE",
    "OTP",
    "SESSION",
    "HEADERS",
    "PRIVATE",
    "SALT",
    "PEPPER",
    "HMAC",
    "CONN",
    "SK",
    "PSK",
    "AUTH_IDENT",
    "MFA_SEED",
    "OTP_SEED",
    "TOK",
    "SNMP_COMMUNITY",
];

/// Files of secrets. Their names alone are paths (`KUBECONFIG`), but followed by one of [`CONTENTS`] they are the
/// secrets themselves.
pub(super) const FILES: &[&str] = &[
    "KUBECONFIG",
    "KUBE_CONFIG",
    "DOCKER_CONFIG",
    "DOCKERCONFIG",
    "NPMRC",
    "YARNRC",
    "PYPIRC",
    "NETRC",
    "PGPASSFILE",
    "KEYFILE",
    "KEYTAB",
    "DOTENV",
    "ENV_FILE",
    "SA",
    "RCLONE_CONFIG",
    "BUILD_CERTIFICATE",
];

/// Words for the content of a file.
pub(super) const CONTENTS: &[&str] = &[
    "CONTENT", "CONTENTS", "DATA", "BASE64", "B64", "JSON", "YAML", "YML", "RAW", "TEXT", "STRING", "VALUE",
    "BODY",
];

/// Suffixes after [`WORDS`] and [`DESCRIBING`], beside a number or a version: a variant or an encoding.
pub(super) const QUALIFIERS: &[&str] = &[
    "_BASE64",
    "_B64",
    "_HEX",
    "_JSON",
    "_DATA",
    "_VALUE",
    "_CONTENT",
    "_DEV",
    "_DEVELOPMENT",
    "_TEST",
    "_STAGING",
    "_PROD",
    "_PRODUCTION",
    "_LIVE",
    "_DEFAULT",
    "_MAIN",
    "_PRIMARY",
    "_SECONDARY",
    "_RO",
    "_RW",
    "_OLD",
    "_NEW",
];

/// Names that follow no rule.
pub(super) const NAMES: &[&str] = &[
    "ANTHROPIC_CUSTOM_HEADERS",
    "AUTHORIZATION",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AZURE_CLIENT_CERTIFICATE",
    "CLIENT_SEC",
    "AZURE_CLIENT_CERTIFICATE_PATH",
    "DOCKER_AUTH_CONFIG",
    "NPM_CONFIG__AUTH",
    "PIN",
    "RAILS_MASTER",
    "REDISCLI_AUTH",
    "SUPABASE_SERVICE_ROLE",
    "TELEGRAM_BOT",
];

/// Names of database addresses. They are secrets if the address contains a user.
pub(super) const DATABASES: &[&str] = &[
    "DATABASE_URL",
    "DATABASE_URI",
    "DB_URL",
    "DB_URI",
    "MONGO_URL",
    "MONGO_URI",
    "MONGODB_URI",
    "MONGODB_URL",
    "REDIS_URL",
    "AMQP_URL",
    "BROKER_URL",
];
