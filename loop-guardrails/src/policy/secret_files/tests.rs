//! Names that are secrets, and names that are not.

use super::*;

fn is_secret(path: &str) -> bool {
    SecretFiles::new().rule_on(&path.parse().unwrap()).is_some()
}

#[test]
fn secrets_among_many_paths_are_those_that_are_judged_one_by_one() {
    let secrets = SecretFiles::new();
    let examples = secrets.rules().map(|(rule, _)| rule.replace("**/", "").replace('*', "x"));
    let harmless = ["src/main.rs", "id_rsa.pub", "a/config.json", ".docker/x", ".git", "keys/id_ed25519.pub"];
    let loose = format!("bare/objects/5d/{}", "0c".repeat(19));
    let paths: Vec<_> = examples
        .chain([loose, "server.\u{17f}ecret".to_owned(), "\u{212a}ubeconfig".to_owned()])
        .flat_map(|path| [format!("a/{path}"), format!("{path}/b"), path.to_uppercase(), format!("{path}x")])
        .chain(harmless.map(str::to_owned))
        .collect();
    let among = secrets.among(paths.iter().map(String::as_bytes));
    let judged = paths.iter().filter(|path| is_secret(path)).map(String::as_bytes);
    assert_eq!(among, judged.collect::<Vec<_>>());
}

#[test]
fn every_rule_holds_at_any_depth_and_in_capitals() {
    for (rule, _) in SecretFiles::new().rules() {
        let name = rule.strip_prefix("**/").unwrap_or(rule).replace("**/", "").replace('*', "x");
        for path in [name.clone(), format!("a/b/{name}"), name.to_uppercase(), format!("{name}/inside")] {
            assert!(is_secret(&path), "{path}");
        }
    }
}

const CREDENTIALS: &[&str] = &[
    "db_password",
    "mysql_root_password",
    "client_secret",
    "sasl_passwd.db",
    ".vnc/passwd",
    "docker.env.prod",
    "storageState.json",
    "confCons.xml",
    "lastpass_export.csv",
    "private.der",
    "key.pkcs8",
    ".Xauthority",
    ".databricks.cfg",
    ".dbt/profiles.yml",
    ".dockerconfigjson",
    "bitwarden_export_2026.json",
    "krb5cc_0",
    "wpa_supplicant.conf",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".netrc",
    ".docker/config.json",
    ".kube/config",
    "kubeconfig.yaml",
    "prod-kubeconfig",
    "service-account-prod.json",
    "my_service_account.json",
    "secrets.yml",
    "config/secrets.yaml",
    "secrets-prod.yml",
    "secrets.prod.yaml",
    "prod-secrets.yml",
    "app.secrets.eu.json",
    "secrets_staging.toml",
    "secret.prod.yaml",
    "config/secrets/prod.yml",
    "deploy/prod-secrets-eu.yaml.bak",
    "terraform.tfstate",
    "terraform.tfstate.backup",
    "app.jks",
    "vault.kdbx",
    ".vault-token",
    ".aws/credentials",
    ".aws/config",
    ".config/gh/hosts.yml",
    ".config/gcloud/application_default_credentials.json",
    ".terraform.d/credentials.tfrc.json",
    "prod.auto.tfvars",
    ".htpasswd",
    "public/wp-config.php",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".boto",
    ".s3cfg",
    ".my.cnf",
    ".dockercfg",
    "AuthKey_1.p8",
    "putty.ppk",
    "release.keystore",
    "client.ovpn",
    "rclone.conf",
    ".bash_history",
    ".Renviron",
    "config/master.key",
    "Default/Cookies",
    "Profile 1/Cookies",
    ".password-store/bank.gpg",
    ".ssh/config",
    ".ssh/work",
    "deploy_ed25519",
    ".envrc",
    ".netrc~",
    ".pgpass.bak",
    "server.pem.orig",
    "server.key~",
    ".secrets.yml.swp",
    "#notes#",
    "app.p12.1",
    ".kube/config.old",
    ".docker/config.json.save",
    "db_password.txt",
    "ssh_host_rsa_key",
    "etc/ssh_host_ed25519_key.old",
    "private_key",
    "conf/jwt-private-key",
    "PrivateKey~",
    "deploy_key",
    "ci_deploy_key.bak",
    "jwt_signing_key",
    "secret_key_base/api_key",
    "my-access-token",
    "auth.json",
    "app/auth.json.bak",
    ".pi/agent/auth.json",
    ".codex/auth.json",
    ".config/containers/auth.json",
    ".config/github-copilot/apps.json",
    ".config/github-copilot/hosts.json",
    ".copilot/config.json",
    "token.json",
    "gmail_token.json",
    "creds.json",
    "creds.txt",
    "config/creds-prod.yaml",
    "google_creds.json",
    "aws-credentials",
    "db_credentials.toml",
    "gcp-key.json",
    "sa-key.json",
    "keyfile.json",
    "aws_access_keys.json",
    "passwords.xlsx",
    "team-passwords.json",
    "recovery-codes.txt",
    "github-backup-codes.txt",
    "mnemonic.txt",
    "seed_phrase.txt",
    "secrets.enc.yaml",
    "charts/secret-values.yaml",
    "vault-token",
    "etc/kubernetes/admin.conf",
    "netrc",
    "ci/npmrc",
    "npmrc.bak",
    "env.local",
    "dev.vars",
    ".clasprc.json",
    ".snowflake/connections.toml",
    ".doppler/.doppler.yaml",
    ".op/config",
    ".netlify/config.json",
    ".config/configstore/update.json",
    ".viminfo",
    ".lesshst",
];

#[test]
fn credentials_are_refused_where_programs_keep_them_and_so_are_copies() {
    for path in CREDENTIALS {
        assert!(is_secret(path), "{path}");
    }
}

#[test]
fn remotes_and_objects_are_read_by_git_alone() {
    for path in [
        ".git/config",
        "sub/.git/config",
        ".git/modules/a/b/config",
        ".git/worktrees/x/config.worktree",
        ".git/FETCH_HEAD",
        ".git/credentials",
        "mirror.git/config",
        ".git/config.lock",
        ".git/objects/info/packs",
        ".git/modules/a/objects/pack/pack-1.pack",
        ".git/worktrees/x/rebase-merge/patch",
        ".git/rr-cache/1/preimage",
        ".git/lfs/objects/ab/cd/x",
        ".git/COMMIT_EDITMSG",
        ".git/logs/HEAD",
        ".git/logs/refs/heads/main",
        ".git/index",
        "bare/objects/pack/pack-1.pack",
        "bare/objects/5d/0cf5f0e8a7b1d2c3e4f5a6b7c8d9e0f1a2b3c4",
    ] {
        assert!(is_secret(path), "{path}");
    }
    for path in [
        ".git/HEAD",
        ".git/refs/heads/main",
        ".gitignore",
        "config",
        "src/config",
        "src/objects/pack/mod.rs",
        "objects/ab/cdef",
    ] {
        assert!(!is_secret(path), "{path}");
    }
}

const READABLE: &[&str] = &[
    "id_rsa.pub",
    ".ssh/id_rsa.pub",
    "README.md",
    "environment.rs",
    "keys.rs",
    "src/identity.rs",
    "pem",
    "secrets.rs",
    "secrets.py",
    "docs/secrets.md",
    "secrets-prod.md",
    "secrets-test.rs",
    "src/secrets/mod.rs",
    "secrets.test.ts",
    ".github/workflows/secret-scan.yml",
    "external-secrets/chart.md",
    "token.py",
    "tokens.rs",
    "tests/fixtures/a.pub",
    "cookies.rs",
    "src/cookies/mod.rs",
    "vault.rs",
    "src/vault/mod.rs",
    "passwords.md",
    "docs/passwords.md",
    "app/controllers/passwords_controller.rb",
    "locales/en/passwords.json",
    "keyfile.go",
    "keyfile.rs",
    "creds.go",
    "src/creds/mod.rs",
    "creds_test.py",
    "credential.rs",
    "docs/aws-credentials.md",
    "netrc.go",
    "src/npmrc.rs",
    "docs/npmrc.md",
    "env.ts",
    "env.d.ts",
    "env.local.ts",
    "env.example",
    "src/env/mod.rs",
    "recovery_codes.py",
    "mnemonic.rs",
    "wordlists/english.txt",
    "vault-token.ts",
    "key.json",
    "public-key.json",
    "translation-keys.json",
    "keyboard.json",
    "admin.conf.md",
    "nginx.conf",
    "secret-values.md",
    "connections.toml",
    "doppler/src/main.rs",
    "src/configstore/mod.rs",
    "docs/viminfo.md",
    "password.html",
    "config.json",
    "docker/config.json",
    "settings.xml",
    "gradle.properties",
    "package.json",
    "Cargo.lock",
    "keyboard.rs",
    "monkey",
    "locales/en/auth.json",
    "src/i18n/auth.json",
    "ssh_host_rsa_key.pub",
    "private_key.rs",
    "deploy_key.ts",
    "api_keys.rs",
    "deploy_key.pub",
    "tokens.json",
    "src/history.rs",
    "history_test.go",
    "shadow.rs",
    "service.json",
    "design.tokens.json",
    "kube/config.rs",
    "networks.tf",
    "main.tf",
    "hosts.yml",
];

#[test]
fn what_only_sounds_alike_is_read() {
    for path in READABLE {
        assert!(!is_secret(path), "{path}");
    }
}

#[test]
fn files_of_tools_for_keys_and_servers_are_refused_and_texts_with_such_names_are_read() {
    let secrets = ".doctl/config.yaml .rediscli_auth .esmtprc .wgetrc .curlrc database.yml config/database.yml \
         config/database.yml.bak keys.txt age/keys.txt~ backup.tar.age .openai/config.toml .anthropic/default.json";
    assert!(secrets.split_whitespace().all(is_secret));
    let texts = "config/database.yml.example config/locales/database.yml docs/database.md test-database.yml \
         i18n/keys.txt hotkeys.txt android/gradle.properties src/age.rs user.age.ts src/openai/client.rs curlrc.md";
    assert!(!texts.split_whitespace().any(is_secret));
}

#[test]
fn names_are_folded_as_file_systems_do_it() {
    for path in ["server.\u{17f}ecret", "\u{212a}ubeconfig", ".\u{200c}env", "a/.\u{17f}\u{17f}h/x"] {
        assert!(is_secret(path), "{path}");
    }
    let name: FileName = "*.KDB\u{17f}".parse().unwrap();
    assert!(name.matches("x.kdbs") && name.to_string().ends_with('\u{17f}'));
    assert!("*.kdbs".parse::<FileName>().unwrap().matches("X.KDB\u{17f}"));
}

#[test]
fn stars_stand_for_any_signs() {
    for (pattern, name, expected) in [
        ("*", "", true),
        ("a*b*c", "axbxbc", true),
        ("a*b*c", "axc", false),
        ("a*a", "a", false),
        ("*ab*ab", "ab", false),
        ("**", "x", true),
    ] {
        assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
    }
}

#[test]
fn names_can_be_added_and_paths_taken_out() {
    let origin = Origin::line("user.toml", 3);
    let secrets = SecretFiles::new()
        .also([WithOrigin::new("*.kdbx".parse().unwrap(), origin.clone())])
        .except([WithOrigin::new("src/credentials.rs".parse().unwrap(), origin.clone())]);
    let rule = |path: &str| secrets.rule_on(&path.parse().unwrap());
    assert_eq!(rule("a/My.KDBX").map(|rule| rule.origin), Some(origin));
    assert_eq!(rule("src/credentials.rs"), None);
    assert!(rule("src/credentials.json").is_some());
}

#[test]
fn what_names_no_file_is_refused() {
    for text in ["", "*", "a*b", "**a", "a/b", "a?", "[ab]", "a{b", "a\\"] {
        assert!(text.parse::<FileName>().is_err(), "{text}");
    }
}
