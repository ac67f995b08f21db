use std::os::unix::fs::PermissionsExt;

use rustix::fs::{Mode, OFlags, mkdirat, open, openat};

use super::*;

fn found(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    let found = StoredSecrets::below(folder.path(), &SecretFiles::new());
    assert_eq!(found.unsearched, None);
    local(&found, folder.path())
}

fn local(found: &StoredSecrets, root: &Path) -> Vec<String> {
    let local = |path: &PathBuf| path.strip_prefix(root).map(|path| path.display().to_string());
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
        for inner in ["modules/m/config", "modules/a/b/modules/c/config", "worktrees/w/config.worktree"] {
            let path = format!("sub/.git/{inner}");
            assert_eq!(found(&[(&path, token), ("sub/.git/HEAD", "")]), [path]);
        }
        assert_eq!(found(&[("home/.gitconfig", token)]), ["home/.gitconfig"]);
    }
    assert!(found(&[("home/.gitconfig", plain), ("home/.config/git/config", plain)]).is_empty());
}

#[test]
fn settings_of_git_that_cannot_be_read_may_have_a_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink("loop", path("loop")).expect("a link");
    fs::write(path("large"), vec![b'#'; 2 << 20]).expect("a file");
    assert!(has_token_of_git(&path("loop")) && has_token_of_git(&path("large")));
    assert!(!has_token_of_git(&path("missing")) && !has_token_of_git(&path("large/config")));
}

/// Creates folders in each other, so deep that their path is longer than the kernel accepts.
fn put_too_deep(folder: &Path) {
    let (name, mode) = ("d".repeat(200), Mode::from(0o700));
    let mut inner = open(folder, OFlags::DIRECTORY, mode).expect("a folder");
    for _ in 0..25 {
        mkdirat(&inner, &name, mode).expect("a folder");
        inner = openat(&inner, &name, OFlags::DIRECTORY, mode).expect("a folder");
    }
}

#[test]
fn a_search_that_cannot_look_everywhere_names_the_place() {
    for parent in ["a", ".git/modules"] {
        let folder = tempfile::tempdir().expect("a folder");
        let parent = folder.path().join(parent);
        fs::create_dir_all(&parent).expect("a folder");
        put_too_deep(&parent);
        fs::write(folder.path().join(".env"), "").expect("a file");
        let found = StoredSecrets::below(folder.path(), &SecretFiles::new());
        let why = found.unsearched.clone().expect("a reason");
        let begin = format!("cannot look for secrets in {}/ddd", parent.display());
        assert!(why.starts_with(&begin) && why.contains("too long"), "{why}");
        assert_eq!(local(&found, folder.path()), [".env"], "the rest is searched");
    }
}

#[test]
fn a_folder_that_its_owner_closed_is_a_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).expect("a folder");
    fs::write(closed.join(".env"), "").expect("a file");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o100)).expect("a mode");
    let found = StoredSecrets::below(folder.path(), &SecretFiles::new());
    // Root can list it anyway.
    let is_root = fs::read_dir(&closed).is_ok();
    assert_eq!(local(&found, folder.path()), [if is_root { "closed/.env" } else { "closed" }]);
    let itself = StoredSecrets::below(&closed, &SecretFiles::new());
    assert_eq!(itself.unsearched.is_none(), is_root);
    assert!(!is_closed(&closed));
}

#[test]
fn a_folder_that_does_not_exist_has_no_secrets() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    for path in [file.path(), &file.path().join("x"), Path::new("/nowhere/at/all")] {
        assert_eq!(StoredSecrets::below(path, &SecretFiles::new()), StoredSecrets::default());
    }
}

#[test]
fn a_path_that_the_user_exempts_is_not_a_secret() {
    use crate::policy::{Origin, WithOrigin};
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(".env"), "").expect("a file");
    let exempt = WithOrigin::new(".env".parse().expect("a path"), Origin::BuiltIn);
    let secrets = SecretFiles::new().except([exempt]);
    assert!(StoredSecrets::below(folder.path(), &secrets).files.is_empty());
}

#[test]
fn a_link_with_a_secret_name_is_one_and_a_linked_folder_is_not_entered() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("real")).unwrap();
    std::fs::write(folder.path().join("real/key.txt"), "KEY=1").unwrap();
    for (target, link) in [("real/key.txt", ".env"), ("real", "folder"), ("nowhere", ".env.local")] {
        std::os::unix::fs::symlink(target, folder.path().join(link)).unwrap();
    }
    let found = StoredSecrets::below(folder.path(), &SecretFiles::new());
    assert_eq!(found.files, [folder.path().join(".env")]);
}
