//! What a check printed, without the parts that are different each time.

use std::{
    borrow::Cow,
    hash::{DefaultHasher, Hash, Hasher},
    sync::LazyLock,
};

use regex::Regex;

/// The parts that differ although nothing has changed, in the order in which they are replaced. A count, such as `3
/// failed`, is not among them: it shows progress.
const PARTS: &[(&str, &str)] = &[
    // Colours.
    (r"\x1b\[[0-9;?]*[A-Za-z]", ""),
    // Names of files that were made for a moment, and the paths to them.
    (r#"(?:/private)?/(?:tmp|var/tmp|var/folders|dev/shm)/[^\s"'`:,;)\]>]+"#, "<path>"),
    (r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<id>"),
    // Dates, and times of the day.
    (r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?", "<date>"),
    (r"\b\d{1,2}/(?:\d{1,2}|[A-Z][a-z]{2})/\d{2,4}\b", "<date>"),
    (
        r"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* +\d{1,2}(?:,? +\d{4})?\b",
        "<date>",
    ),
    (r"\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b(?: ?[AP]M\b)?", "<time>"),
    (r"\b1\d{9}(?:\d{3}){0,3}\b", "<time>"),
    // Durations. Runners leave short ones out, so those in parentheses leave nothing.
    (r"(?i)\b(duration_ms|duration|elapsed|tv_n?sec|time)(=?[:=]? *\x22?)\d+(?:\.\d+)?", "$1$2<time>"),
    (DURATION, "<time>"),
    (r"(?:<time>[ ,]*)+", "<time> "),
    (r" *\((?:in |took )?<time> \)", ""),
    // Addresses, and other long hexadecimal numbers.
    (r"\b0x[0-9a-fA-F]{6,}\b", "<address>"),
    (r"\b[0-9a-f]{16,}\b", "<id>"),
    // Numbers of processes, threads, ports and random seeds.
    (r"(?i)\b(pid|tid|ppid|goroutine|(?:process|thread)(?: id)?|seed|port)([ :=#]+|\()\d+\b", "$1$2<number>"),
    (r"\b(thread '[^']*') \(\d+\)", "$1"),
    (r"\((node|bun|ruby|python):\d+\)", "($1)"),
    (r"\[\d+\](:)|==\d+==", "<number>$1"),
    (r"(localhost|\b127\.0\.0\.1|\b0\.0\.0\.0|\[::1?\]):\d{2,5}\b", "$1:<port>"),
    // What loop says in the place of a long text's middle.
    (r"\[\.\.\. \d+ bytes left out \.\.\.\]", "<left out>"),
    // Lines that are as wide as the numbers between allow.
    (r"={3,}|-{3,}|_{3,}|[ \t]+", " "),
];

const DURATION: &str = r"(?i)(?:\b\d+ ?h(?:ours?|rs?)? *)?(?:\b\d+ ?m(?:in(?:ute)?s?)? *)?\b\d+(?:[.,]\d+)? ?(?:ns|[µμu]s|ms|s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:ours?|rs?)?)\b";

static MASKS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let compiled = |pattern| Regex::new(pattern).expect("the pattern is valid");
    PARTS.iter().map(|(pattern, with)| (compiled(pattern), *with)).collect()
});

/// Returns a text without what is different each time: dates, times, durations, addresses, temporary paths, and the numbers
/// of processes, ports and seeds. Its lines are sorted, because test runners report tests in the order in which they end.
///
/// ```
/// use loop_guardrails::stagnation::mask;
///
/// assert_eq!(mask("2 failed in 0.03s (pid 4711)\n"), mask("2 failed in 1.12s (pid 815)\n"));
/// assert_ne!(mask("2 failed in 0.03s"), mask("1 failed in 0.03s"));
/// ```
pub fn mask(text: &str) -> String {
    let masked =
        MASKS.iter().fold(text.to_owned(), |text, (pattern, with)| match pattern.replace_all(&text, *with) {
            Cow::Borrowed(_) => text,
            Cow::Owned(masked) => masked,
        });
    let mut lines: Vec<_> = masked.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    lines.join("\n")
}

/// Returns a hash of the [`mask`]ed text. Its numbers are valid within one run, because another version of this crate may
/// compute others.
pub fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    mask(text).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_each_time_is_masked() {
        for (one, other) in [
            ("ok in 0.53s", "ok in 1m 12s"),
            ("12 passed (3 ms)", "12 passed"),
            ("test result: FAILED. finished in 0.00s", "test result: FAILED. finished in 10.21s"),
            ("# duration_ms 41.2", "# duration_ms 7"),
            (r#"<testcase time="0.012">"#, r#"<testcase time="1.5">"#),
            ("Start at  10:11:12", "Start at  23:59:59"),
            ("at 2026-03-01T10:11:12.123Z", "at 2026-11-28T00:01:02Z"),
            ("Mar 3 10:11:12 build[41]: no", "Nov 28 01:02:03 build[4711]: no"),
            ("<Foo at 0x7fbb6d1e8040>", "<Foo at 0x7fbb6d1e8220>"),
            ("(node:4711) warning", "(node:815) warning"),
            ("thread 'main' (17) panicked", "thread 'main' (23) panicked"),
            ("goroutine 7 [running]", "goroutine 34 [running]"),
            ("in /tmp/run-Ab12/x.py: no", "in /tmp/run-Zz98/x.py: no"),
            ("no server at 127.0.0.1:40123", "no server at 127.0.0.1:51234"),
            ("Using --randomly-seed=12", "Using --randomly-seed=4711"),
            ("deps/calc-1a2b3c4d5e6f7a8b)", "deps/calc-8b7a6f5e4d3c2b1a)"),
            ("===== 1 failed in 0.1s =====", "=== 1 failed in 100.1s ==="),
            ("a ok\nb ok\n", "b ok\r\n\na ok"),
            ("\u{1b}[31mno\u{1b}[0m", "no"),
            ("a\n[... 12 bytes left out ...]\nb", "a\n[... 345 bytes left out ...]\nb"),
        ] {
            assert_eq!(mask(one), mask(other));
        }
    }

    #[test]
    fn what_shows_progress_is_not_masked() {
        for (one, other) in [
            ("2 failed, 7 passed in 0.5s", "1 failed, 8 passed in 0.5s"),
            ("18 of 100 rows migrated", "27 of 100 rows migrated"),
            ("calc.py:12: error", "calc.py:17: error"),
            ("left: 38, right: 42", "left: 39, right: 42"),
            ("Lines: 53.1%", "Lines: 56.2%"),
            ("flags 0x10", "flags 0x11"),
        ] {
            assert_ne!(mask(one), mask(other));
        }
    }
}
