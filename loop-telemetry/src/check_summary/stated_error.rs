//! The error that a program stated before it ended.
//!
//! Programs state an error once, and then print how they got there: a stack, a link, or the status of a child process.

use super::fallback::has_word;

/// Returns the error that the lines of a failed check state. Only the last `end` lines count where a message that is
/// no error may look the same.
pub(super) fn find(lines: &[&str], end: usize) -> Option<String> {
    let first = |is: fn(&str) -> bool| lines.iter().copied().find(|line| is(line));
    panic(lines).or_else(|| uncaught(lines)).or_else(|| {
        let error = lines.iter().rev().take(end).copied().find(|line| states_error(line));
        let error =
            error.or_else(|| first(is_npm)).or_else(|| maven_error(lines)).or_else(|| first(is_difference));
        error.map(ToOwned::to_owned)
    })
}

/// Returns the place and the message of the first panic of a Rust program.
fn panic(lines: &[&str]) -> Option<String> {
    let at = lines.iter().position(|line| line.starts_with("thread '") && line.contains(" panicked at "))?;
    let place = lines[at].split_once(" panicked at ")?.1;
    let message = lines.get(at + 1).map_or("", |line| line.trim());
    Some(format!("{place} {message}").trim().trim_end_matches(':').to_owned())
}

/// Returns the error that ended a program of C, C++, Go or PHP, without the stack behind it.
fn uncaught(lines: &[&str]) -> Option<String> {
    let line = lines.iter().map(|line| line.trim_start()).find(|line| {
        let begins = ["what(): ", "panic: ", "PHP Fatal error: ", "Fatal error: ", "SUMMARY: "];
        let is_linker = line.contains("undefined reference to ") || line.contains("Undefined symbols for ");
        let is_assertion = line.contains(": Assertion `") || line.starts_with("Assertion failed: (");
        begins.iter().any(|begin| line.starts_with(begin)) || is_linker || is_assertion
    })?;
    Some(line.strip_prefix("what(): ").unwrap_or(line).to_owned())
}

/// Returns true for `error: no`, `program: error: no`, `line 1: syntax error near x` and `threshold not met`.
fn states_error(line: &str) -> bool {
    let line = line.trim_start().to_ascii_lowercase();
    let is_advice = line.starts_with("error: test failed, to rerun pass ");
    line.starts_with("error: ") && !is_advice
        || [": error: ", ": runtime error: ", ": syntax error", " not met"]
            .iter()
            .any(|mark| line.contains(mark))
}

/// Returns true for an error of npm. It states the error first, and then where to read more.
fn is_npm(line: &str) -> bool {
    ["npm error ", "npm ERR! "].iter().any(|prefix| line.trim_start().starts_with(prefix))
}

/// Returns the first error of Maven that says something. It ends with links, each `[ERROR] [Help 1] http…`.
fn maven_error<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let mut errors = lines.iter().filter_map(|line| line.trim_start().strip_prefix("[ERROR] "));
    let has_help = errors.clone().any(|error| error.starts_with("[Help "));
    let error = errors.find(|error| has_word(error) && !error.starts_with("[Help ")).filter(|_| has_help)?;
    Some(error.rsplit_once(" -> [Help ").map_or(error, |(error, _)| error))
}

/// Returns true for the place of a difference to the format that rustfmt wants.
fn is_difference(line: &str) -> bool {
    line.starts_with("Diff in ")
}
