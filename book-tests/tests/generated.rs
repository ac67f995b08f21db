//! Generated pages match their current sources.
//!
//! `GUIDE=update cargo test -p book-tests --test generated` writes them.

use std::{env, fs, path::Path};

use book_tests::{hostile, reference};

fn beside(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).expect("text")
}

fn is_current(page: &str, renewed: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src").join(page);
    if env::var_os("GUIDE").is_some_and(|how| how == "update") {
        fs::write(&path, renewed).expect("the page is written");
    }
    let current = fs::read_to_string(path).unwrap_or_default() == renewed;
    assert!(current, "{page} is not as its source is: run this test with GUIDE=update");
}

#[test]
fn the_fields_are_those_of_the_schema() {
    let schema = serde_json::from_str(&beside("loop.schema.json")).expect("JSON");
    is_current("manifest-fields.md", &reference(&schema));
}

#[test]
fn the_hostile_agents_are_those_of_the_tests() {
    is_current("hostile.md", &hostile(&beside("HOSTILE.md")));
}
