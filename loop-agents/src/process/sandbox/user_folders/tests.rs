use super::*;

fn folders(home: &Path, path: &str) -> UserFolders {
    let (home, path) = (home.to_owned(), path.to_owned());
    UserFolders::of(move |name| match name {
        "HOME" => Some(home.clone().into()),
        "PATH" => Some(path.clone().into()),
        _ => None,
    })
}

#[test]
fn an_installation_is_found_by_its_programs_and_a_link_by_its_target() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    for folder in ["odd/place/bin", ".local/bin", ".local/share/tools/x", ".cargo"] {
        fs::create_dir_all(home.join(folder)).unwrap();
    }
    fs::write(home.join(".local/share/tools/x/x"), "").unwrap();
    std::os::unix::fs::symlink(home.join(".local/share/tools/x/x"), home.join(".local/bin/x")).unwrap();
    let path = ["odd/place/bin", ".local/bin"].map(|name| home.join(name).display().to_string()).join(":");
    let found = folders(&home, &path).toolchains();
    for name in ["odd/place", ".local/share/tools/x", ".cargo"] {
        assert!(found.contains(&home.join(name)), "{name} in {found:?}");
    }
    assert!(!found.contains(&home.join(".local")), "it contains keyrings");
}

#[test]
fn the_home_folder_itself_is_never_a_toolchain() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("bin")).unwrap();
    let path = home.path().join("bin").display().to_string();
    let found = folders(home.path(), &format!("{path}:relative:/bin")).toolchains();
    assert!(!found.contains(&home.path().to_owned()) && !found.contains(&PathBuf::from("/")));
    assert!(found.contains(&home.path().join("bin")));
}

#[test]
fn a_linked_home_is_as_wide_as_its_target() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path().canonicalize().unwrap();
    let home = place.join("real");
    for folder in ["bin", ".config/bin", ".local/share/bin"] {
        fs::create_dir_all(home.join(folder)).unwrap();
    }
    fs::write(home.join(".local/share/x"), "").unwrap();
    std::os::unix::fs::symlink(home.join(".local/share/x"), home.join("bin/x")).unwrap();
    let link = place.join("link");
    std::os::unix::fs::symlink(&home, &link).unwrap();
    let path = ["bin", ".config/bin", ".local/share/bin"].map(|name| link.join(name).display().to_string());
    let found: Vec<_> = folders(&link, &path.join(":"))
        .toolchains()
        .iter()
        .map(|path| path.canonicalize().unwrap())
        .collect();
    for wide in ["", ".config", ".local/share"] {
        assert!(!found.contains(&home.join(wide)), "{wide} in {found:?}");
    }
    assert!(found.contains(&home.join("bin")), "{found:?}");
}

#[test]
fn a_path_with_dots_is_resolved_or_left_out() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    fs::create_dir_all(home.join("odd/bin")).unwrap();
    let path =
        ["odd/../odd/bin", "missing/../bin", "odd/.."].map(|name| home.join(name).display().to_string());
    let found = folders(&home, &path.join(":")).toolchains();
    assert!(found.contains(&home.join("odd/bin")) && !found.contains(&home), "{found:?}");
    assert!(
        found.iter().all(|path| !path.components().any(|part| part == Component::ParentDir)),
        "{found:?}"
    );
}

#[test]
fn a_variable_moves_the_caches_of_a_toolchain() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("registry")).unwrap();
    let cargo = place.path().as_os_str().to_owned();
    let folders = UserFolders::of(|name| (name == "CARGO_HOME").then(|| cargo.clone()));
    assert_eq!(folders.caches(), [place.path().join("registry")]);
}

#[test]
fn a_variable_moves_the_state_of_an_agent() {
    let folders = UserFolders::of(|name| (name == "CODEX_HOME").then(|| "/elsewhere".into()));
    assert_eq!(folders.agent_state("codex"), [Path::new("/elsewhere")]);
    assert!(folders.agent_state("cat").is_empty());
}
