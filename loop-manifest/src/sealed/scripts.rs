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

/// Folders for what is judged.
const PROGRAMS: &[&str] = &["src", "lib", "app", "pkg", "cmd", "internal", "bin"];

/// Returns the words in the script at this place that may name files that judge. Paths are as the script has them, without
/// what stands before the last variable or command in them, such as `$(dirname "$0")/`.
pub(super) fn words_of(place: &Path) -> BTreeSet<String> {
    let is_small = fs::metadata(place).is_ok_and(|found| found.is_file() && found.len() <= LARGEST);
    let text = if is_small { fs::read_to_string(place).unwrap_or_default() } else { String::new() };
    let is_end = |sign: char| sign.is_whitespace() || "\"'`;|&()<>=,{}[]:@#".contains(sign);
    let mut words = BTreeSet::new();
    for line in text.lines().map(str::trim_start) {
        let is_read_in = line.starts_with(". ") || line.starts_with("source ");
        let literals = line.split(is_end).map(|word| {
            let last = word
                .rsplit_once('$')
                .map_or(word, |(_, last)| last.split_once('/').map_or("", |(_, path)| path));
            last.trim_start_matches('/')
        });
        let judging = literals.filter(|word| !word.is_empty() && (is_read_in || says_that_it_judges(word)));
        words.extend(judging.map(str::to_owned));
    }
    words
}

/// Returns the places at which a word of a script may be: relative to where it runs, and to its own folder. Programs in Python
/// and JavaScript name modules without their endings.
pub(super) fn places<'a>(
    word: &'a str,
    base: &'a Path,
    script: &'a Path,
) -> impl Iterator<Item = PathBuf> + 'a {
    let own = script.parent().unwrap_or(Path::new(""));
    let module = word.replace('.', "/");
    [base, own].into_iter().flat_map(move |folder| {
        let path = folder.join(word);
        let modules = ["py", "js", "mjs", "cjs", "ts"].map(|end| path.with_added_extension(end));
        let dotted = folder.join(&module).with_added_extension("py");
        std::iter::once(path).chain(modules).chain([dotted])
    })
}

fn says_that_it_judges(word: &str) -> bool {
    let mut steps = Path::new(word).iter().filter_map(|step| step.to_str()).filter(|step| *step != ".");
    let first = steps.clone().next().unwrap_or_default();
    !PROGRAMS.contains(&first)
        && steps.any(|step| {
            let mut words = step.split(|sign: char| !sign.is_ascii_alphabetic());
            words.any(|word| JUDGES.iter().any(|judge| word.eq_ignore_ascii_case(judge)))
        })
}
