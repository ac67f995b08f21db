//! The number of crates that the kernel needs without its driver.

use std::{collections::BTreeSet, path::Path, process::Command};

/// The most crates in the tree of `loop-core` without its default features, itself included.
const MOST_CRATES: usize = 15;

#[test]
fn the_kernel_without_its_driver_needs_few_crates() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let options = ["--no-default-features", "-e", "normal", "--prefix", "none", "--format", "{p}"];
    let tree = Command::new(cargo)
        .args(["tree", "--locked", "--offline", "-p", "loop-core"])
        .args(options)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .expect("cargo runs");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).expect("text");
    let crates: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(crates.contains("loop-core") && crates.contains("serde"), "{tree}");
    assert!(!crates.contains("tokio"), "{tree}");
    assert!(crates.len() <= MOST_CRATES, "{} crates: {crates:?}", crates.len());
}
