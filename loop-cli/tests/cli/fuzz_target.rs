//! The command is a fuzz target as well, in a workspace of its own, which has to name what the command depends on once
//! more. Nobody builds it here, so what is forgotten there would be found out by whoever wants to fuzz.

use std::{collections::BTreeSet, fs, path::Path};

use toml::{Table, Value};

/// A file of the repository.
fn read(path: &str) -> Table {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.parse().unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What stands under these keys.
fn at<'a>(table: &'a Table, keys: &[&str]) -> &'a Table {
    keys.iter()
        .fold(table, |table, key| table[*key].as_table().unwrap_or_else(|| panic!("`{key}` is no table")))
}

/// The features that a dependency asks for.
fn features(dependency: &Value) -> BTreeSet<&str> {
    let named = dependency.get("features").and_then(Value::as_array);
    named.into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn the_fuzz_target_is_built_of_what_the_command_is_built_of() {
    let (workspace, command, fuzz) =
        (read("Cargo.toml"), read("loop-cli/Cargo.toml"), read("fuzz/Cargo.toml"));
    let shared = at(&workspace, &["workspace", "dependencies"]);
    let there = at(&fuzz, &["dependencies"]);
    let enabled: BTreeSet<&str> = at(&fuzz, &["features"])["manifest"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for (name, wanted) in at(&command, &["dependencies"]) {
        let Some(found) = there.get(name) else {
            panic!("fuzz/Cargo.toml has no dependency `{name}`");
        };
        let optional = found.get("optional").and_then(Value::as_bool).unwrap_or(false);
        assert!(
            !optional || enabled.contains(format!("dep:{name}").as_str()),
            "the feature `manifest` of fuzz/Cargo.toml does not enable `dep:{name}`"
        );
        let asked = shared.get(name).map(features).unwrap_or_default();
        for feature in asked.union(&features(wanted)) {
            assert!(
                features(found).contains(feature) || enabled.contains(format!("{name}/{feature}").as_str()),
                "fuzz/Cargo.toml does not enable the feature `{feature}` of `{name}`"
            );
        }
    }
}
