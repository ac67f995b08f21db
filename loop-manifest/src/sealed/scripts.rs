//! The files that a script calls to judge.
//!
//! A script calls both files that judge and files that are judged, and no rule tells them apart for certain. A file counts as
//! one that judges if the script reads it into itself (`. lib.sh`), or if its name says so and it is in no folder for
//! programs.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Larger scripts are not read, in bytes.
const LARGEST: u64 = 256 << 10;

/// Words in names of files that judge.
const JUDGES: &[&str] = &[
    "check",
    "checks",
    "checker",
    "verify",
    "verifier",
    "verification",
    "test",
    "tests",
    "judge",
    "grade",
    "grader",
    "grading",
    "expect",
    "expected",
    "expectations",
    "golden",
    "assert",
    "assertions",
    "oracle",
];

/// Words in names of files that help others to judge.
const HELPERS: &[&str] = &[
    "helper",
    "helpers",
    "util",
    "utils",
    "utilities",
    "common",
    "support",
    "fixture",
    "fixtures",
    "compare",
    "comparison",
    "mock",
    "mocks",
    "stub",
    "stubs",
    "harness",
    "setup",
    "shared",
];

/// Those of them that are no names for parts of a product.
const HELPERS_OF_TESTS: &[&str] = &[
    "helper", "helpers", "fixture", "fixtures", "harness", "mock", "mocks", "stub", "stubs", "support",
    "testing",
];

/// Words in names of files that are there for tests, also in folders for programs.
const FOR_TESTS: &[&str] = &["test", "tests", "testing", "testdata", "fixture", "fixtures", "mock", "mocks"];

/// Words in names of files that are judged.
const PRODUCTS: &[&str] = &[
    "answer",
    "answers",
    "app",
    "application",
    "build",
    "cli",
    "impl",
    "implementation",
    "index",
    "main",
    "program",
    "server",
    "solution",
    "solutions",
    "solve",
    "solver",
    "submission",
];

/// Words in names of files with which another one is compared, and of files that are compared.
const EXPECTATIONS: &[&str] = &["want", "wanted", "reference", "correct"];
const RESULTS: &[&str] = &["got", "actual", "out", "output", "result", "results", "generated"];

/// Folders for what is judged.
const PROGRAMS: &[&str] = &["src", "lib", "app", "pkg", "cmd", "internal", "bin"];

/// Returns the text of a script; nothing if it is too large, or no text.
pub(super) fn text_of(place: &Path) -> String {
    let is_small = fs::metadata(place).is_ok_and(|found| found.is_file() && found.len() <= LARGEST);
    if is_small { fs::read_to_string(place).unwrap_or_default() } else { String::new() }
}

/// Returns the words in a script that may name files that judge. Paths are as the script has them, without
/// what stands before the last variable or command in them, such as `$(dirname "$0")/`.
pub(super) fn words_of(text: &str) -> BTreeSet<String> {
    let is_end = |sign: char| sign.is_whitespace() || "\"'`;|&()<>=,{}[]:@#".contains(sign);
    let mut words = BTreeSet::new();
    for line in text.lines().map(str::trim_start) {
        let is_read_in = line.starts_with(". ") || line.starts_with("source ");
        let literals = line.split(is_end).map(behind_variable);
        let judging = literals.filter(|word| !word.is_empty() && (is_read_in || says_that_it_judges(word)));
        words.extend(judging.map(str::to_owned));
    }
    words
}

/// Returns what is behind the last variable of a word.
pub(super) fn behind_variable(word: &str) -> &str {
    match word.rsplit_once('$') {
        Some((_, last)) => last.split_once('/').map_or("", |(_, path)| path.trim_start_matches('/')),
        None => word,
    }
}

/// Returns the places at which a word of a script may be: relative to where it runs, and to its own folder. Programs in Python
/// and JavaScript name modules without their endings.
pub(super) fn places<'a>(
    word: &'a str,
    base: &'a Path,
    script: &'a Path,
) -> impl Iterator<Item = PathBuf> + 'a {
    let own = script.parent().unwrap_or(Path::new(""));
    let word = word.trim_start_matches('/');
    let module = word.replace('.', "/");
    [base, own].into_iter().flat_map(move |folder| {
        let path = folder.join(word);
        let modules = ["py", "js", "mjs", "cjs", "ts"].map(|end| path.with_added_extension(end));
        let dotted = folder.join(&module).with_added_extension("py");
        std::iter::once(path).chain(modules).chain([dotted])
    })
}

/// Returns the places of a module of JavaScript, in the order of preference.
pub(super) fn script_places(path: &Path) -> Vec<PathBuf> {
    const ENDS: [&str; 9] = ["js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx", "json"];
    let own = path.extension().is_some_and(|end| end == "js" || end == "mjs" || end == "cjs");
    // As in TypeScript, where `./a.js` names `a.ts`.
    let others = ["ts", "mts", "cts", "tsx"].iter().filter(|_| own).map(|end| path.with_extension(end));
    let places = std::iter::once(path.to_owned()).chain(others);
    let places = places.chain(ENDS.iter().map(|end| path.with_added_extension(end)));
    places.chain(ENDS.iter().map(|end| path.join("index").with_added_extension(end))).collect()
}

/// Returns the places of a module of Python.
pub(super) fn module_places(path: &Path) -> Vec<PathBuf> {
    vec![path.join("__init__.py"), path.join("__main__.py"), path.with_added_extension("py")]
}

/// Returns whether the name of a file says that it judges.
pub(super) fn says_that_it_judges(word: &str) -> bool {
    !is_in_programs(Path::new(word)) && has_word(Path::new(word), JUDGES)
}

/// Returns whether the name of a file says that it helps others to judge.
pub(super) fn says_that_it_helps(path: &Path) -> bool {
    !is_in_programs(path) && (has_word(path, HELPERS) || has_word(path, JUDGES))
}

/// Returns whether the name of a module says that it helps tests.
pub(super) fn says_that_it_helps_tests(path: &Path) -> bool {
    !is_in_programs(path) && (has_word(path, HELPERS_OF_TESTS) || has_word(path, JUDGES))
}

/// Returns whether the name of a file says that it is there for tests, as `internal/testutil/same.go`.
pub(super) fn is_for_tests(path: &Path) -> bool {
    let is_one = |word: &str| {
        let word = word.to_ascii_lowercase();
        FOR_TESTS.contains(&&*word) || word.strip_prefix("test").is_some_and(|rest| HELPERS.contains(&rest))
    };
    any_word(path, is_one)
}

/// Returns whether the name of a file says that it is judged.
pub(super) fn says_that_it_is_judged(path: &Path) -> bool {
    is_in_programs(path) || path.file_stem().is_some_and(|stem| has_word(Path::new(stem), PRODUCTS))
}

/// Returns whether the name of a file says that another one has to be equal to it.
pub(super) fn is_expectation(word: &str) -> bool {
    says_that_it_judges(word) || has_word(Path::new(word), EXPECTATIONS)
}

/// Returns whether the name of a file says that something made it.
pub(super) fn is_result(word: &str) -> bool {
    has_word(Path::new(word), RESULTS)
}

fn is_in_programs(path: &Path) -> bool {
    let first = path.iter().find(|step| *step != ".").and_then(|step| step.to_str());
    first.is_some_and(|first| PROGRAMS.contains(&first))
}

fn has_word(path: &Path, known: &[&str]) -> bool {
    any_word(path, |word| known.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

fn any_word(path: &Path, is_one: impl Fn(&str) -> bool) -> bool {
    let steps = path.iter().filter_map(|step| step.to_str());
    steps.flat_map(|step| step.split(|sign: char| !sign.is_ascii_alphabetic())).any(is_one)
}
