//! The structure of the workspace: which crate may know which, and modules that do not know each other in circles.

#[path = "house/modules.rs"]
mod modules;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The other crates that each crate may depend on. Arrows point down only.
const ARROWS: &[(&str, &[&str])] = &[
    ("loop-core", &[]),
    ("loop-schedule", &[]),
    ("loop-guardrails", &["loop-core"]),
    ("loop-telemetry", &["loop-core"]),
    ("loop-agents", &["loop-core", "loop-guardrails"]),
    ("loop-manifest", &["loop-agents", "loop-core", "loop-guardrails", "loop-schedule", "loop-telemetry"]),
    (
        "loop-session",
        &["loop-agents", "loop-core", "loop-guardrails", "loop-manifest", "loop-schedule", "loop-telemetry"],
    ),
    (
        "loop-cli",
        &[
            "loop-agents",
            "loop-core",
            "loop-guardrails",
            "loop-manifest",
            "loop-schedule",
            "loop-session",
            "loop-telemetry",
        ],
    ),
];

/// Crates in which no circle of modules has more files than [`MOST_IN_A_CIRCLE`].
const WITHOUT_CIRCLES: &[&str] = &["loop-manifest", "loop-session"];

const MOST_IN_A_CIRCLE: usize = 5;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The crates of this workspace that the crate in this folder depends on, but for its tests.
fn known_to(name: &str) -> BTreeSet<String> {
    let path = workspace().join(name).join("Cargo.toml");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut is_dependency = false;
    let mut known = BTreeSet::new();
    for line in text.lines() {
        if let Some(table) = line.strip_prefix('[') {
            is_dependency = table.trim_end_matches(']').ends_with("dependencies") && !table.contains("dev-");
        } else if is_dependency && line.starts_with("loop-") {
            known.extend(line.split(['.', ' ', '=']).next().map(str::to_owned));
        }
    }
    known
}

#[test]
fn arrows_between_crates_point_down() {
    for (name, allowed) in ARROWS {
        let forbidden: Vec<_> =
            known_to(name).into_iter().filter(|known| !allowed.contains(&known.as_str())).collect();
        assert!(forbidden.is_empty(), "{name} must not know {forbidden:?}");
    }
    let published = |name: &String| name.starts_with("loop-") && name != "loop-testing";
    let folders = fs::read_dir(workspace()).expect("the workspace").flatten();
    let names = folders.filter(|folder| folder.path().join("Cargo.toml").exists());
    let names: BTreeSet<_> =
        names.map(|folder| folder.file_name().to_string_lossy().into_owned()).filter(published).collect();
    let listed: BTreeSet<_> = ARROWS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names, listed, "each crate is in the list of arrows");
}

#[test]
fn circles_of_modules_stay_small() {
    for name in WITHOUT_CIRCLES {
        let circles = modules::circles(&workspace().join(name).join("src"));
        let large: Vec<_> = circles.into_iter().filter(|circle| circle.len() > MOST_IN_A_CIRCLE).collect();
        assert!(large.is_empty(), "{name}: {large:#?}");
    }
}

#[test]
fn a_circle_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("lib.rs", "mod a; mod b; mod c; pub use a::A;"),
        ("a.rs", "use super::b::B; pub struct A;"),
        ("b.rs", "pub struct B(crate::c::C);"),
        ("c.rs", "pub struct C; fn f() { crate::A; }"),
    ];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let circle: BTreeSet<_> = ["a", "b", "c"].map(str::to_owned).into();
    assert_eq!(modules::circles(folder.path()), [circle]);
    let all: BTreeMap<_, _> = modules::imports(folder.path());
    assert_eq!(all["c"], ["a".to_owned()].into());
}
