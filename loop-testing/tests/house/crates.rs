//! The number of crates that the kernel needs without its driver, and that knowledge needs without its features.

use std::{collections::BTreeSet, path::Path, process::Command};

/// Returns the crates in the tree of this one without its default features, itself included.
fn crates_of(name: &str) -> BTreeSet<String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let options = ["--no-default-features", "-e", "normal", "--prefix", "none", "--format", "{p}"];
    let tree = Command::new(cargo)
        .args(["tree", "--locked", "--offline", "-p", name])
        .args(options)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .expect("cargo runs");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).expect("text");
    let crates: BTreeSet<_> =
        tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
    assert!(crates.contains(name) && crates.contains("serde"), "{tree}");
    crates
}

#[test]
fn libraries_without_their_features_need_few_crates() {
    for (name, most) in [("loop-core", 15), ("loop-knowledge", 40)] {
        let crates = crates_of(name);
        assert!(!crates.contains("tokio"), "{name}: {crates:?}");
        assert!(crates.len() <= most, "{name} needs {} crates: {crates:?}", crates.len());
    }
}
