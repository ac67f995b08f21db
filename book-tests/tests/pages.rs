//! Checks the assumptions of the guide's tests.

use std::{fs, path::Path};

use book_tests::pages;

/// The languages that a fence may name. No test would run blocks of another language.
const LANGUAGES: [&str; 7] = ["console", "json", "rust", "sh", "text", "toml", "yaml"];

fn beside(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("text")
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = beside("../book/src/SUMMARY.md");
    for page in pages().iter().filter(|page| page.name != "SUMMARY.md") {
        assert!(summary.contains(&format!("({})", page.name)), "{} is not in the summary", page.name);
    }
}

#[test]
fn every_page_with_rust_is_compiled() {
    let lib = beside("src/lib.rs");
    for page in pages() {
        let has_rust = page.blocks().iter().any(|block| block.language() == "rust" && !block.is("ignore"));
        let is_compiled = lib.contains(&format!("= {:?};", page.name));
        assert_eq!(has_rust, is_compiled, "{}: its line in book-tests/src/lib.rs", page.name);
    }
}

#[test]
fn rust_that_is_not_compiled_with_its_page_is_an_example() {
    for page in pages() {
        for block in page.blocks().iter().filter(|block| block.is("ignore")) {
            let path = block.text.strip_prefix("{{#include ../../").and_then(|rest| rest.split(':').next());
            let is_example = path.is_some_and(|path| path.contains("/examples/"));
            assert!(is_example && block.text.lines().count() == 1, "{}", page.place(block.line));
        }
    }
}

#[test]
fn every_block_says_what_it_is() {
    for page in pages() {
        for block in page.blocks() {
            let language = block.language();
            assert!(LANGUAGES.contains(&language), "{}: {language:?}", page.place(block.line));
        }
    }
}
