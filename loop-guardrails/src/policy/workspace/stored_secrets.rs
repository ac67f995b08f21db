//! The secret files that a folder contains.
//!
//! The rules of [`SecretFiles`] judge names, and they are strict: a tool that refuses to read `id_map.rs` costs a
//! question. A sandbox takes a file away from every program inside, so here a name alone does not decide. Programs and
//! texts are not secrets, nor are examples (`.env.example`), certificates without a private key, and the repository's
//! own files, except settings of git that contain a token.

use std::{
    fs, io,
    io::Read,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use crate::policy::{LocalPath, SecretFiles};

/// The maximum number of names to look at.
const MAX_NAMES: usize = 200_000;

/// Folders that tools fill and people do not: their packages contain keys for tests.
const FILLED_BY_TOOLS: &[&str] = &["node_modules", "site-packages", "target"];

/// Endings of files that are programs or texts.
const PLAIN: &[&str] = &[
    "adoc", "c", "cc", "cpp", "cs", "css", "ex", "exs", "go", "h", "hpp", "hs", "html", "java", "js", "jsx",
    "kt", "md", "mjs", "ml", "php", "py", "rb", "rs", "rst", "scala", "snap", "swift", "ts", "tsx", "vue",
];

/// Endings of examples, which people copy and fill in.
const EXAMPLES: &[&str] = &["dist", "example", "sample", "template", "tmpl", "tpl"];

/// The secret files in a folder.
///
/// ```
/// use loop_guardrails::policy::{SecretFiles, workspace::StoredSecrets};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join(".env"), "KEY=1")?;
/// std::fs::write(folder.path().join(".env.example"), "KEY=")?;
/// let found = StoredSecrets::below(folder.path(), &SecretFiles::new())?;
/// assert_eq!(found.files, [folder.path().join(".env")]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredSecrets {
    /// Their paths. A folder with a secret name is one of them, and its content is not listed.
    pub files: Vec<PathBuf>,
    /// Whether the folder contains too many names, so that some were not looked at.
    pub is_incomplete: bool,
}

impl StoredSecrets {
    /// Finds the secret files in `folder` and in the folders below it. Links are not followed, and folders that nobody
    /// may list are left out. Blocks for the disk.
    ///
    /// # Errors
    /// Fails if `folder` cannot be listed.
    pub fn below(folder: &Path, secrets: &SecretFiles) -> io::Result<Self> {
        Self::search(folder, secrets, true)
    }

    /// Finds the secret files directly in `folder`.
    ///
    /// # Errors
    /// As [`below`](Self::below).
    pub fn directly_in(folder: &Path, secrets: &SecretFiles) -> io::Result<Self> {
        Self::search(folder, secrets, false)
    }

    fn search(folder: &Path, secrets: &SecretFiles, is_deep: bool) -> io::Result<Self> {
        let mut search = Search { root: folder, found: Self::default(), names: Vec::new() };
        search.list(folder, is_deep)?;
        let Search { mut found, names, .. } = search;
        let relative = names.iter().filter_map(|path| path.strip_prefix(folder).ok());
        for secret in secrets.among(relative.map(|path| path.as_os_str().as_bytes())) {
            let local = Path::new(std::ffi::OsStr::from_bytes(secret));
            // `among` judges names only, and knows no exceptions.
            let is_exempt = LocalPath::new(local).is_ok_and(|local| secrets.rule_on(&local).is_none());
            let path = folder.join(local);
            if !is_exempt && !found.files.iter().any(|known| path.starts_with(known)) && !is_plain(&path) {
                found.files.push(path);
            }
        }
        found.files.sort();
        Ok(found)
    }
}

struct Search<'a> {
    root: &'a Path,
    found: StoredSecrets,
    /// Every path, a folder before what it contains.
    names: Vec<PathBuf>,
}

impl Search<'_> {
    fn list(&mut self, folder: &Path, is_deep: bool) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if self.names.len() == MAX_NAMES {
                self.found.is_incomplete = true;
                return Ok(());
            }
            if kind.is_dir() && entry.file_name() == ".git" {
                self.add_settings_of_git(&path);
                continue;
            }
            let is_skipped = kind.is_symlink()
                || kind.is_dir() && FILLED_BY_TOOLS.iter().any(|name| entry.file_name() == *name);
            if is_skipped {
                continue;
            }
            self.names.push(path.clone());
            if kind.is_dir() && is_deep {
                // A folder that this user cannot list gives nothing to a program either.
                let _ = self.list(&path, true);
            }
        }
        Ok(())
    }

    fn add_settings_of_git(&mut self, repository: &Path) {
        let submodules = fs::read_dir(repository.join("modules")).into_iter().flatten().flatten();
        let folders = [repository.to_owned()].into_iter().chain(submodules.map(|entry| entry.path()));
        let files = folders.flat_map(|folder| [folder.join("config"), folder.join("config.worktree")]);
        let with_token = files.filter(|file| has_token_of_git(file));
        self.found.files.extend(with_token.filter(|file| file.starts_with(self.root)));
    }
}

/// Returns whether a file of git's settings contains a login: in an address, or in a header that git sends.
///
/// ```
/// use loop_guardrails::policy::workspace::has_token_of_git;
///
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(file.path(), "[remote \"a\"]\n\turl = https://git@example.org/a.git\n")?;
/// assert!(!has_token_of_git(file.path()));
/// std::fs::write(file.path(), "[remote \"a\"]\n\turl = https://x:ghp_1@example.org/a.git\n")?;
/// assert!(has_token_of_git(file.path()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn has_token_of_git(file: &Path) -> bool {
    let Ok(bytes) = fs::read(file) else { return false };
    let text = String::from_utf8_lossy(&bytes).to_lowercase();
    let is_word = |word: &str| text.contains(word);
    let has_login = text.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '"', '\n', ' ', '\t']).next().unwrap_or(rest);
        // A name alone is not a secret, unless it is long enough to be a key.
        authority.rsplit_once('@').is_some_and(|(login, _)| login.contains(':') || login.len() >= 20)
    });
    has_login || ["extraheader", "authorization", "password", "token", "secret"].into_iter().any(is_word)
}

/// Returns whether a file with the name of a secret is a program, a text, an example or a public certificate.
fn is_plain(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let ending = ending.as_deref().unwrap_or_default();
    if !path.is_file() {
        return false;
    }
    PLAIN.contains(&ending) || EXAMPLES.contains(&ending) || ending == "pem" && !has_private_key(path)
}

/// Returns whether a file has a private key among its certificates. A file that cannot be read may have one.
fn has_private_key(path: &Path) -> bool {
    let mut bytes = Vec::new();
    match fs::File::open(path).and_then(|file| file.take(1 << 20).read_to_end(&mut bytes)) {
        Ok(_) => !bytes.starts_with(b"-----BEGIN CERT") || contains(&bytes, b"PRIVATE KEY"),
        Err(_) => true,
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, content) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, content).expect("a file");
        }
        let found = StoredSecrets::below(folder.path(), &SecretFiles::new()).expect("a listing");
        let local = |path: &PathBuf| path.strip_prefix(folder.path()).map(|path| path.display().to_string());
        found.files.iter().map(|path| local(path).expect("below")).collect()
    }

    const KEY: &str = "-----BEGIN PRIVATE KEY-----\n";
    const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\n";

    #[test]
    fn files_that_hold_secrets_are_found_at_any_depth() {
        let files = [(".env", ""), ("a/b/server.key", ""), ("a/tls.pem", KEY), ("c/.aws/credentials", "")];
        assert_eq!(found(&files), [".env", "a/b/server.key", "a/tls.pem", "c/.aws/credentials"]);
    }

    #[test]
    fn programs_examples_and_certificates_are_not_secrets() {
        let files = [("src/id_map.rs", ""), (".env.example", ""), ("ca.pem", CERTIFICATE), ("secret.ts", "")];
        assert!(found(&files).is_empty());
        assert_eq!(found(&[("both.pem", &format!("{CERTIFICATE}{KEY}"))]), ["both.pem"]);
    }

    #[test]
    fn packages_that_tools_fetched_are_not_searched() {
        assert!(found(&[("node_modules/x/test.key", ""), ("target/debug/a.key", "")]).is_empty());
    }

    #[test]
    fn a_repository_is_not_a_secret_unless_its_settings_have_a_token() {
        let plain = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@example.org:a/b.git\n";
        let files = [(".git/index", ""), (".git/objects/ab/cd", ""), (".git/config", plain)];
        assert!(found(&files).is_empty());
        for token in [
            "[remote \"origin\"]\n\turl = https://ann:hunter2@example.org/a.git\n",
            "[remote \"origin\"]\n\turl = https://ghp_0123456789abcdef0123@example.org/a.git\n",
            "[http \"https://example.org/\"]\n\textraheader = AUTHORIZATION: basic eA==\n",
        ] {
            assert_eq!(found(&[(".git/config", token)]), [".git/config"]);
            assert_eq!(found(&[("sub/.git/modules/m/config", token)]), ["sub/.git/modules/m/config"]);
        }
    }

    #[test]
    fn a_path_that_the_user_exempts_is_not_a_secret() {
        use crate::policy::{Origin, WithOrigin};
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(".env"), "").expect("a file");
        let exempt = WithOrigin::new(".env".parse().expect("a path"), Origin::BuiltIn);
        let secrets = SecretFiles::new().except([exempt]);
        assert!(StoredSecrets::below(folder.path(), &secrets).expect("a listing").files.is_empty());
    }
}
