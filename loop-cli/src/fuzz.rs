//! Manifests that nobody would write.
//!
//! Whatever is in a file, it is a plan or it is refused with a place and a reason, and twice the same.

use std::path::Path;

use crate::manifest::{Plan, Source, describe};

/// One name for each format.
const NAMES: [&str; 3] = ["loop.yaml", "loop.toml", "loop.json"];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for name in NAMES {
        let said = read(name, bytes);
        assert!(!said.is_empty());
        assert_eq!(said, read(name, bytes));
    }
});

/// What is said about it.
fn read(name: &str, bytes: &[u8]) -> String {
    match Source::from_bytes(Path::new(name), bytes.to_vec()).and_then(Plan::of) {
        Ok(loaded) => format!("{}{}", describe(&loaded.plan), loaded.warnings),
        Err(diagnostics) => diagnostics.to_string(),
    }
}
