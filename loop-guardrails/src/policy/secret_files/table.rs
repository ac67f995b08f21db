//! Files in which programs keep credentials, by name.

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
    KEY_WORDS,
    ENDINGS,
    GENERAL,
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

/// The file in which Composer and many agents keep their keys. Programs also use this name for page texts, below a
/// folder of [translations](TRANSLATIONS).
pub(super) const AUTH_FILE: &str = "**/auth.json*";

/// Folders of texts in several languages.
pub(super) const TRANSLATIONS: &[&str] =
    &["i18n", "intl", "l10n", "lang", "langs", "languages", "locale", "locales", "translations"];

/// Common names for secrets of any program.
const GENERAL: &[&str] = &[
    ".dev.vars*",
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
    ".credentials*",
    "*credentials.json*",
    "*credentials.y*ml*",
    "*credentials.csv*",
    "*credentials.xml*",
    "*service-account*.json*",
    "*service_account*.json*",
    "*serviceaccount*.json*",
    "*firebase-adminsdk*.json*",
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
    "*passwords.csv*",
    "*token.txt*",
    "*api*key*.txt*",
    "*secret*.asc*",
    "*private*.asc*",
    // An editor's swap file, whose original may have one of these names.
    ".*.swp",
    ".*.swo",
    "#*#",
];

/// Keys, stores of keys, and files of credentials.
const ENDINGS: &[&str] = with_copies![
    ".pem" ".p12" ".pfx" ".pkcs12" ".p8" ".pvk" ".ppk" ".jks" ".jceks" ".keystore" ".bks" ".keytab" ".keyring"
    ".agekey" ".kdb" ".kdbx" ".psafe3" ".kwallet" ".kwl" ".keychain" ".keychain-db" ".agilekeychain" ".opvault"
    ".1pif" ".1pux" ".ovpn" ".tfstate" ".tfvars" ".tfplan" ".kubeconfig" ".publishsettings" ".htpasswd"
];

/// Words that mean a secret.
const WORDS: &[&str] = with_plain_copies![
    ".env" ".key" ".secret" ".secrets" ".token" ".creds" ".credentials" ".cookies" ".vault"
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

/// Names that describe the purpose of a key. They have no extension.
const KEY_WORDS: &[&str] = with_plain_copies![
    "private_key" "private-key" "privatekey" "privkey" "deploy_key" "deploy-key" "deploykey" "host_key" "host-key"
    "signing_key" "signing-key" "master_key" "master-key" "secret_key" "secret-key" "secretkey" "access_key"
    "access-key" "api_key" "api-key" "apikey" "ssh_key" "ssh-key" "sshkey" "encryption_key" "encryption-key"
    "server_key" "server-key" "client_key" "client-key" "tls_key" "tls-key" "ssl_key" "ssl-key"
    "auth_token" "auth-token" "access_token" "access-token" "refresh_token" "refresh-token" "api_token" "api-token"
];

/// Files in which agents keep their logins.
const AGENTS: &[&str] = &[
    AUTH_FILE,
    "oauth_creds*",
    ".claude.json*",
    "**/github-copilot/*.json*",
    "**/github-copilot/*.db*",
    "**/.copilot/config.json*",
    "**/.codeium/config.json*",
    "**/.continue/config.*",
    "**/.grok/user-settings.json*",
    "**/.railway/config.json*",
    "**/.mc/config.json*",
    "**/pypoetry/auth.toml*",
];

/// Programs that store logins.
const PROGRAMS: &[&str] = &[
    ".netrc*",
    "_netrc*",
    ".authinfo*",
    ".htpasswd*",
    "htpasswd*",
    ".htdigest*",
    "**/etc/shadow*",
    "**/etc/gshadow*",
    ".passwd*",
    ".gnupg",
    "secring.*",
    ".password-store",
    ".google_authenticator*",
    "**/sops/age/*",
    ".vault*",
    "vault.y*ml*",
    "vault.json*",
    "vault_pass*",
    "vault-pass*",
    "vault-keys*",
    ".*-token*",
    ".*_token*",
    "**/gh/hosts.y*ml*",
    "**/glab-cli/config.y*ml*",
    "**/.config/hub*",
    "**/.config/op",
    "rclone.conf*",
    "wp-config*",
    "localsettings.php*",
    "sftp-config.json*",
    "**/.vscode/sftp.json*",
    ".ftpconfig*",
    "filezilla.xml*",
    "recentservers.xml*",
    "sitemanager.xml*",
    "proftpdpasswd*",
    ".smbcredentials*",
    ".fetchmailrc*",
    ".msmtprc*",
    ".muttrc*",
    ".offlineimaprc*",
    ".mbsyncrc*",
    "wg0.conf*",
    "**/wireguard/*",
    "**/.purple/accounts.xml*",
    "**/.irssi/config*",
    "ngrok.y*ml*",
    ".sentryclirc*",
    "hudson.util.secret*",
    "galaxy_token*",
    "wallet.dat*",
    "utc--*",
    "**/solana/id.json*",
    "cookies.sqlite*",
    "cookies.txt*",
    "cookies.binarycookies*",
    "cookie-jar*",
    "cookiejar*",
    "**/default/cookies*",
    "**/network/cookies*",
    "**/profile */cookies*",
    "login data*",
    "logins.json*",
    "signons.sqlite*",
    "key3.db*",
    "key4.db*",
];

/// Clouds, clusters and deployment tools.
const CLOUDS: &[&str] = &[
    "**/.aws/config*",
    "**/.aws/cli",
    "**/.aws/sso",
    "rootkey.csv*",
    "*accesskeys.csv*",
    "accesstokens.json*",
    "msal_token_cache*",
    "service_principal_entries*",
    "local.settings.json*",
    "application_default_credentials*",
    "access_tokens.db*",
    "**/.config/gcloud",
    "gha-creds-*",
    ".boto*",
    ".s3cfg*",
    "**/.oci/config*",
    "**/.aliyun/config.json*",
    "**/.bluemix/config.json*",
    "**/doctl/config.y*ml*",
    "**/scw/config.y*ml*",
    "**/hcloud/cli.toml*",
    "**/.fly/config.y*ml*",
    "**/.circleci/cli.y*ml*",
    "**/stripe/config.toml*",
    "**/netlify/config.json*",
    "**/configstore/firebase-tools.json*",
    "**/.wrangler/config/*",
    ".cloudflared",
    ".terraformrc*",
    "terraform.rc*",
    "**/.docker/config.json*",
    ".dockercfg*",
    ".dockerconfigjson*",
    "**/.kube/config*",
    "kubeconfig*",
    "*kubeconfig",
    "*kubeconfig.y*ml*",
    "*kubeconfig.json*",
    "k3s.y*ml*",
    "**/helm/repositories.y*ml*",
    "**/helm/repository/repositories.y*ml*",
    "**/helm/registry/config.json*",
];

/// Package managers and the registries that they publish to.
const PACKAGES: &[&str] = &[
    ".npmrc*",
    ".yarnrc*",
    ".pypirc*",
    "pip.conf*",
    "pip.ini*",
    "nuget.config*",
    "**/.bundle/config*",
    "**/.m2/settings*.xml*",
    "**/.gradle/gradle.properties*",
    "keystore.properties*",
    "key.properties*",
    "kaggle.json*",
    "**/huggingface/token*",
    "**/huggingface/stored_tokens*",
    "**/.huggingface/token*",
    ".renviron*",
];

/// Databases.
const DATABASES: &[&str] = &[
    ".pgpass*",
    "pgpass.conf*",
    ".pg_service.conf*",
    ".my.cnf*",
    ".mylogin.cnf*",
    ".databrickscfg*",
    "**/.dbt/profiles.y*ml*",
    "**/.snowsql/config*",
    ".dbeaver-data-sources.xml*",
    "credentials-config.json*",
    "robomongo.json*",
    "datasources.local.xml*",
];

/// Histories of shells.
const HISTORIES: &[&str] = &[
    ".*_history*",
    ".history*",
    ".histfile*",
    ".zhistory*",
    ".rhistory*",
    "fish_history*",
    "consolehost_history*",
];

/// Repositories, including those of submodules and work trees. The addresses of their remotes may contain a token. They
/// also store the content of files, including secrets: objects are only compressed, and files that were in the way of a
/// merge are not even that. See also `is_loose_object`.
const REPOSITORIES: &[&str] = &[
    "**/*.git/**/objects",
    // The reflog keeps the addresses of `git pull`, with their passwords.
    "**/*.git/**/logs",
    // The index lists the names of files that permissions may hide.
    "**/*.git/**/index",
    "**/*.git/**/sharedindex.*",
    "**/*.git/**/rr-cache",
    "**/*.git/**/rebase-apply",
    "**/*.git/**/rebase-merge",
    "**/*.git/**/*.patch",
    "**/*.git/**/*.diff",
    "**/*.git/**/commit_editmsg*",
    "**/objects/pack/*pack-*",
    "**/objects/pack/tmp_*",
    ".git-credential*",
    ".gitconfig*",
    "**/.config/git/config*",
    "**/*.git/**/config",
    "**/*.git/**/config.*",
    "**/*.git/**/config~",
    "**/*.git/**/fetch_head*",
    "**/.hg/hgrc*",
    ".hgrc*",
    "**/.subversion/auth",
];
