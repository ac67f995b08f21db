//! Fuzzes the manifest parser with arbitrary bytes.
//!
//! Each file must either become a plan or be rejected with a place and a reason. Parsing it twice must give the same
//! result.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use loop_manifest::{Plan, Source, describe};

/// One name for each format.
const NAMES: [&str; 3] = ["loop.yaml", "loop.toml", "loop.json"];

fuzz_target!(|bytes: &[u8]| {
    for name in NAMES {
        let said = read(name, bytes);
        assert!(!said.is_empty());
        assert_eq!(said, read(name, bytes));
    }
});

/// Returns the description of the plan with its warnings, or the errors in the manifest.
fn read(name: &str, bytes: &[u8]) -> String {
    match Source::from_bytes(Path::new(name), bytes.to_vec()).and_then(Plan::of) {
        Ok(loaded) => format!("{}{}", describe(&loaded.plan), loaded.warnings),
        Err(diagnostics) => diagnostics.to_string(),
    }
}
