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

#[test]
fn each_agent_has_a_folder_that_is_created_for_it() {
    let home = UserFolders::of(|name| (name == "HOME").then(|| "/home/ann".into()));
    for agent in ["claude", "codex", "gemini", "opencode", "pi", "aider"] {
        let folders: Vec<_> = home.agent_folders(agent).collect();
        assert!(!folders.is_empty(), "{agent}");
        assert!(home.agent_state(agent).starts_with(&folders.iter().map(PathBuf::from).collect::<Vec<_>>()));
    }
    let moved = UserFolders::of(|name| match name {
        "HOME" => Some("/home/ann".into()),
        "XDG_CACHE_HOME" => Some("/caches".into()),
        _ => None,
    });
    let found: Vec<_> = moved.agent_folders("opencode").collect();
    assert_eq!(found[..2], [Path::new("/home/ann/.local/share/opencode"), Path::new("/caches/opencode")]);
}

#[test]
fn a_link_leads_to_all_packages_that_its_program_needs() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path().canonicalize().unwrap();
    for folder in ["home", "links", "npm/node_modules/codex/node_modules/x/bin", "venv/bin"] {
        fs::create_dir_all(place.join(folder)).unwrap();
    }
    for program in ["npm/node_modules/codex/node_modules/x/bin/codex", "venv/bin/aider"] {
        fs::write(place.join(program), "").unwrap();
        let link = place.join("links").join(Path::new(program).file_name().unwrap());
        std::os::unix::fs::symlink(place.join(program), link).unwrap();
    }
    let found = folders(&place.join("home"), &place.join("links").display().to_string()).toolchains();
    for name in ["links", "npm/node_modules", "venv"] {
        assert!(found.contains(&place.join(name)), "{name} in {found:?}");
    }
    assert!(!found.contains(&place.join("npm")) && !found.contains(&place), "{found:?}");
}
