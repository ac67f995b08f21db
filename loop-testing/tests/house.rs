//! The structure of the workspace: which crate may know which, modules that do not know each other in circles, files
//! that are short, and the types that the kernel shows. Clippy checks the length of functions (`clippy.toml`).

#[path = "house/crates.rs"]
mod crates;
#[path = "house/modules.rs"]
mod modules;
#[path = "house/public_api.rs"]
mod public_api;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The other crates that each crate may depend on. Arrows point down only.
const ARROWS: &[(&str, &[&str])] = &[
    ("loop-core", &[]),
    ("loop-knowledge", &[]),
    ("loop-schedule", &[]),
    ("loop-snapshots", &[]),
    ("loop-guardrails", &["loop-core"]),
    ("loop-telemetry", &["loop-core"]),
    ("loop-agents", &["loop-core", "loop-guardrails", "loop-knowledge"]),
    (
        "loop-manifest",
        &[
            "loop-agents",
            "loop-core",
            "loop-guardrails",
            "loop-knowledge",
            "loop-schedule",
            "loop-snapshots",
            "loop-telemetry",
        ],
    ),
    (
        "loop-session",
        &[
            "loop-agents",
            "loop-assay",
            "loop-core",
            "loop-guardrails",
            "loop-knowledge",
            "loop-manifest",
            "loop-schedule",
            "loop-snapshots",
            "loop-telemetry",
        ],
    ),
    ("loop-temporal", &["loop-agents", "loop-core", "loop-manifest", "loop-telemetry"]),
    ("loop-assay", &["loop-agents", "loop-core", "loop-manifest", "loop-snapshots", "loop-telemetry"]),
    (
        "loop-cli",
        &[
            "loop-agents",
            "loop-assay",
            "loop-core",
            "loop-guardrails",
            "loop-knowledge",
            "loop-manifest",
            "loop-schedule",
            "loop-session",
            "loop-snapshots",
            "loop-telemetry",
        ],
    ),
];

/// Crates in which no circle of modules has more files than [`MOST_IN_A_CIRCLE`].
const WITHOUT_CIRCLES: &[&str] = &["loop-manifest", "loop-session", "loop-assay"];

const MOST_IN_A_CIRCLE: usize = 5;

/// A longer file probably contains a second thing.
const MOST_LINES: usize = 350;

/// The files that are longer, each with the reason. In a file of tests, the shared cases matter more than the length.
const LONG_FILES: &[(&str, &str)] = &[
    ("loop-cli/src/args.rs", "one entry for each command"),
    ("loop-guardrails/src/policy/secret_files/tests.rs", "one name for each kind of credentials"),
    ("loop-agents/tests/tools/commands.rs", "one test for each way around the policy of commands"),
    ("loop-agents/tests/tools/repositories.rs", "one test for each kind of hostile repository"),
    ("loop-manifest/tests/manifests/invalid.rs", "one manifest for each finding"),
    ("loop-manifest/tests/manifests/valid.rs", "one plan with every key"),
    ("loop-manifest/tests/settings/mod.rs", "one test for each table of the settings"),
    ("loop-manifest/src/remaining.rs", "160 lines without its tests"),
    ("loop-cli/tests/cli/chat.rs", "one test for each failure between a prompt and its reply"),
    ("loop-cli/tests/cli/fault_injection.rs", "one test for each place where a run can die"),
    ("loop-cli/tests/cli/task.rs", "one test for each way in which a task can end"),
    ("loop-core/tests/driver/journal.rs", "one test for each moment at which a journal can fail"),
    ("loop-core/tests/machine.rs", "one example for each change of the machine that no law would notice"),
    ("loop-guardrails/src/policy/instructions.rs", "half of it is one table of names"),
    ("loop-guardrails/tests/policy/files.rs", "one test for each operation on files"),
    ("loop-schedule/tests/store/files.rs", "one test for each thing that can happen to the file"),
    ("loop-telemetry/tests/runs.rs", "one test for each operation of the store, and for each damage to it"),
];

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

/// Adds the Rust files below `folder` that have more lines than [`MOST_LINES`].
fn find_long_files(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            if !matches!(entry.file_name().to_str(), Some("target" | ".git")) {
                find_long_files(&path, found);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            if text.lines().count() > MOST_LINES {
                let name = path.strip_prefix(workspace()).expect("a file of the workspace");
                found.insert(name.to_string_lossy().into_owned());
            }
        }
    }
}

#[test]
fn long_files_have_a_reason() {
    let mut found = BTreeSet::new();
    find_long_files(&workspace(), &mut found);
    let listed: BTreeSet<_> = LONG_FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(found, listed, "the list names exactly the files of more than {MOST_LINES} lines");
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

/// Items that the kernel may show although the next version of their crate may break it: a stream has no other type
/// yet, and `#[async_trait]` writes types of the standard library only.
const SHOWN_BY_THE_KERNEL: &[&str] = &["futures_core::Stream", "async_trait::async_trait"];

/// The crates on which the crate in this folder depends, and whose version begins with 0.
fn unstable_dependencies(name: &str) -> BTreeSet<String> {
    let read = |path: PathBuf| fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let (own, all) = (read(workspace().join(name).join("Cargo.toml")), read(workspace().join("Cargo.toml")));
    let dependencies =
        own.split("\n[").find(|table| table.starts_with("dependencies]")).expect("dependencies");
    let names = dependencies.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    let is_unstable = |name: &&str| {
        let line = all.lines().find(|line| line.split([' ', '=']).next() == Some(name));
        line.is_some_and(|line| line.contains("= \"0."))
    };
    names.filter(|name| !name.is_empty()).filter(is_unstable).map(|name| name.replace('-', "_")).collect()
}

#[test]
fn the_kernel_shows_no_type_of_a_crate_that_may_break_it_and_its_types_can_grow() {
    let unstable = unstable_dependencies("loop-core");
    let expected: BTreeSet<_> = ["async_trait", "futures_core"].map(str::to_owned).into();
    assert_eq!(unstable, expected, "the kernel's dependencies below 1.0");
    let api = public_api::public_api(&workspace().join("loop-core/src"), &unstable, SHOWN_BY_THE_KERNEL);
    let explanation =
        "mark the type `#[non_exhaustive]`, or say in its documentation why it stays exhaustive";
    assert_eq!(api, public_api::PublicApi::default(), "{explanation}");
}

#[test]
fn every_way_to_show_a_type_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let shows = [
        "use bad::A; pub fn f(a: A) {}",
        "use bad::A as B; pub fn f() -> Option<B> { None }",
        "pub fn f(a: bad::A) {}",
        "use bad::{self, C}; pub fn f(a: bad::A) {}",
        "use bad::A; type Mine = A; pub fn f(a: &[Mine]) {}",
        "use bad::A; pub struct S { pub a: A }",
        "use bad::A; pub struct S<T: A>(T);",
        "use bad::A; #[non_exhaustive] pub enum E { V { a: A } }",
        "use bad::A; pub trait T { fn f(&self) -> impl A; }",
        "use bad::A; pub trait T: A {}",
        "use bad::A; impl A for S {}",
        "use bad::A; impl From<A> for S { fn from(a: A) -> S { S } }",
        "use bad::A; impl Deref for S { type Target = A; }",
        "use bad::A; impl S { pub fn f(self) -> A { A } }",
        "pub use bad::A;",
        "pub(crate) use bad::A;",
        "pub use bad::*;",
        "mod inner { pub const A: bad::A = bad::A; }",
        "macro_rules! m { () => { pub fn f(a: bad::A) {} } }",
    ];
    let hides = [
        "use bad::A; fn f(a: A) {}",
        "use bad::A; pub struct S { a: A }",
        "use bad::A; impl S { fn f(a: A) {} pub fn g() { let a: A = bad::a(); } }",
        "use bad::Fine; pub fn f(a: Fine) {}",
        "#[bad::attribute] pub trait T {}",
    ];
    let crates: BTreeSet<_> = ["bad".to_owned()].into();
    let api = |text: &str| {
        fs::write(folder.path().join("lib.rs"), text).expect("a file");
        public_api::public_api(folder.path(), &crates, &["bad::Fine"])
    };
    for text in shows {
        assert_eq!(api(text).shown.len(), 1, "{text}");
    }
    for text in hides {
        assert!(api(text).shown.is_empty(), "{text}");
    }
    let closed =
        "pub struct A { pub a: u8 } #[non_exhaustive] pub struct B { pub b: u8 } pub struct C { c: u8 }
        pub enum D {} /// It stays exhaustive.
        pub enum E {} enum F {}";
    let closed = api(closed).closed;
    assert_eq!(closed, ["A", "D"].map(str::to_owned).into());
}
