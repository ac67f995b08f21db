//! The secret files that a folder contains.
//!
//! The rules of [`SecretFiles`] judge names, and they are strict: a tool that refuses to read `id_map.rs` costs a
//! question. A sandbox takes a file away from every program inside, so here a name alone does not decide. Programs and
//! texts are not secrets, nor are examples (`.env.example`), certificates without a private key, and the repository's
//! own files, except settings of git that contain a token.

use std::{
    fs, io,
    io::Read,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{Access, access},
    io::Errno,
    process::geteuid,
};

use super::git_settings;
use crate::policy::{LocalPath, SecretFiles};

/// The maximum number of names to look at.
const MAX_NAMES: usize = 200_000;

/// Folders that tools fill and people do not: their packages contain keys for tests.
const FILLED_BY_TOOLS: &[&str] = &["node_modules", "site-packages", "target"];

/// Folders of a repository without settings.
const FILLED_BY_GIT: &[&str] = &["hooks", "info", "logs", "objects", "refs"];

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
/// let found = StoredSecrets::below(folder.path(), &SecretFiles::new());
/// assert_eq!(found.files, [folder.path().join(".env")]);
/// assert_eq!(found.unsearched, None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredSecrets {
    /// Their paths. A folder with a secret name is one of them, and its content is not listed. So is a folder that this
    /// process cannot list, because its owner can open it again, also from inside a sandbox.
    pub files: Vec<PathBuf>,
    /// The first place that could not be searched, with the reason. It may contain more secrets.
    pub unsearched: Option<String>,
}

impl StoredSecrets {
    /// Finds the secret files in `folder` and in the folders below it. Links to folders are not followed, and folders that are
    /// [closed](is_closed) are left out. A folder that does not exist has no secrets. Blocks for the disk.
    pub fn below(folder: &Path, secrets: &SecretFiles) -> Self {
        Self::search(folder, secrets, true)
    }

    /// Finds the secret files directly in `folder`.
    pub fn directly_in(folder: &Path, secrets: &SecretFiles) -> Self {
        Self::search(folder, secrets, false)
    }

    fn search(folder: &Path, secrets: &SecretFiles, is_deep: bool) -> Self {
        let mut search = Search { root: folder, is_deep, found: Self::default(), names: Vec::new() };
        search.visit(folder, Search::list);
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
        found
    }
}

struct Search<'a> {
    root: &'a Path,
    is_deep: bool,
    found: StoredSecrets,
    /// Every path, a folder before what it contains.
    names: Vec<PathBuf>,
}

impl Search<'_> {
    /// Lists a folder with this function, and records a failure: a secret that nobody could look for stays readable.
    fn visit(&mut self, folder: &Path, list: impl FnOnce(&mut Self, &Path) -> io::Result<()>) {
        match list(self, folder) {
            Err(error) if is_absent(&error) => {}
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && is_closed(folder) => {}
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && folder != self.root => {
                self.found.files.push(folder.to_owned());
            }
            Err(error) => self.miss(format!("cannot look for secrets in {}: {error}", folder.display())),
            Ok(()) => {}
        }
    }

    fn miss(&mut self, why: String) {
        self.found.unsearched.get_or_insert(why);
    }

    fn list(&mut self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if self.names.len() == MAX_NAMES {
                self.miss(format!(
                    "{} has too many files to look for secrets in all of it",
                    self.root.display()
                ));
                return Ok(());
            }
            if kind.is_dir() && entry.file_name() == ".git" {
                self.visit(&path, Self::list_repository);
                continue;
            }
            // The target of a link with a secret name is as secret.
            let is_skipped = kind.is_symlink() && !path.is_file()
                || kind.is_dir() && FILLED_BY_TOOLS.iter().any(|name| entry.file_name() == *name);
            if is_skipped {
                continue;
            }
            self.names.push(path.clone());
            if kind.is_dir() && self.is_deep {
                self.visit(&path, Self::list);
            }
        }
        Ok(())
    }

    /// Finds the settings in a repository, in those of its submodules, and in those of its linked work trees.
    fn list_repository(&mut self, folder: &Path) -> io::Result<()> {
        let is_repository = folder.join("HEAD").exists();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (path, name) = (entry.path(), entry.file_name());
            if entry.file_type()?.is_dir() {
                let is_filled_by_git = is_repository && FILLED_BY_GIT.iter().any(|filled| name == *filled);
                if !is_filled_by_git {
                    self.visit(&path, Self::list_repository);
                }
            } else if (name == "config" || name == "config.worktree") && has_token_of_git(&path) {
                self.found.files.push(path);
            }
        }
        Ok(())
    }
}

/// Returns whether another user owns this file or folder, and this process can neither read nor search it. Then no
/// program that it starts can, because only the owner changes the mode.
pub fn is_closed(path: &Path) -> bool {
    let is_refused = |right| access(path, right) == Err(Errno::ACCESS);
    let is_of_another = || fs::metadata(path).is_ok_and(|found| found.uid() != geteuid().as_raw());
    is_refused(Access::READ_OK) && is_refused(Access::EXEC_OK) && is_of_another()
}

/// Returns whether an error means that there is nothing at a path.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns whether a file of git's settings contains a login: in an address, or in a header that git sends. A file that
/// cannot be read may contain one. A file that does not exist does not.
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
    let text = match git_settings::read(file) {
        Ok(text) => text.unwrap_or_default().to_lowercase(),
        Err(_) => return true,
    };
    let is_word = |word: &str| text.contains(word);
    let has_login = text.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '"', '\n', ' ', '\t']).next().unwrap_or(rest);
        // A name alone is not a secret, unless it is long enough to be a key.
        authority.rsplit_once('@').is_some_and(|(login, _)| login.contains(':') || login.len() >= 20)
    });
    has_login || ["extraheader", "authorization", "password", "token", "secret"].into_iter().any(is_word)
}

/// Returns whether a file with the name of a secret is a program, a text, an example, a public certificate, or settings
/// of git without a token, which git cannot work without.
fn is_plain(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let ending = ending.as_deref().unwrap_or_default();
    if !path.is_file() {
        return false;
    }
    let is_of_git = path.ends_with(".gitconfig") || path.ends_with(".config/git/config");
    PLAIN.contains(&ending)
        || EXAMPLES.contains(&ending)
        || ending == "pem" && !has_private_key(path)
        || is_of_git && !has_token_of_git(path)
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
mod tests;
