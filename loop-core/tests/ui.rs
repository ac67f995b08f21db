//! Mistakes do not compile, and the compiler's message names the fix.

use std::{fs, path::Path};

#[test]
fn mistakes_do_not_compile_and_the_message_says_why() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

/// People search for a message in the compiler's exact words.
#[test]
fn the_guide_quotes_the_message_of_each_mistake() {
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = fs::read_dir(root.join("tests/ui")).unwrap().map(|entry| entry.unwrap().path());
    let messages = files.filter(|path| path.extension().is_some_and(|it| it == "stderr"));
    let first_line = |path: &Path| read(path).lines().next().expect("a message").to_owned();
    let mut messages: Vec<String> = messages.map(|path| first_line(&path)).collect();
    messages.sort();
    messages.dedup();
    let page = read(&root.join("../book/src/compiler-messages.md"));
    let mut quoted: Vec<&str> = page.lines().filter(|line| line.starts_with("error")).collect();
    quoted.sort_unstable();
    assert_eq!(quoted, messages);
}
