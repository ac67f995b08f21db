//! The counts of failures that an output states.

/// Returns true if a line counts at least one failure: `Tests run: 5, Failures: 2`, `1 tests failed out of 2`,
/// `failures="1"`, `fail 1`.
pub(super) fn counts_failures(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let is_separator = |sign: char| !sign.is_alphanumeric();
    let words: Vec<_> = line.split(is_separator).filter(|word| !word.is_empty()).collect();
    let start = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    // The text between a word and the next one.
    let behind = |index: usize| {
        let end = start(words[index]) + words[index].len();
        &line[end..words.get(index + 1).map_or(line.len(), |next| start(next))]
    };
    let is_space = |text: &str| !text.is_empty() && text.trim().is_empty();
    let number = |index: usize| words.get(index).and_then(|word| word.parse::<u64>().ok());
    (0..words.len()).any(|index| {
        let is_single = matches!(words[index], "error" | "failure");
        if !is_single
            && !matches!(words[index], "fail" | "failed" | "failing" | "fails" | "failures" | "errors")
        {
            return false;
        }
        let next = behind(index).trim_matches([' ', '"']);
        if matches!(next, ":" | "=" | "=\"" | "\":") {
            // `FAIL: 4 == 5` compares.
            return !is_single
                && number(index + 1) > Some(0)
                && !behind(index + 1).trim_start().starts_with(['=', '!', '<', '>', '+', '-', '*']);
        }
        let is_joined = |from: usize| (from..index).all(|at| is_space(behind(at)));
        let before =
            index.checked_sub(1).filter(|from| is_joined(*from)).and_then(|from| match number(from) {
                // A word such as `tests` may be between.
                None => from.checked_sub(1).filter(|from| is_joined(*from)).and_then(number),
                found => found,
            });
        match before {
            Some(count) if is_single => count == 1,
            Some(count) => count > 0,
            None => !is_single && is_space(behind(index)) && number(index + 1) > Some(0),
        }
    })
}

/// Returns the counts of Dart and Flutter: `00:00 +1 -1: Some tests failed.`
pub(super) fn dart_count(line: &str) -> Option<String> {
    let (counts, _) = line.split_once(": Some tests failed")?;
    let (passed, failed) = counts.split_once(" +")?.1.split_once(" -")?;
    let (passed, failed): (u64, u64) = (passed.split(' ').next()?.parse().ok()?, failed.parse().ok()?);
    Some(format!("{failed} of {} failed", passed.checked_add(failed)?))
}

/// Returns the counts of `prove`, which it prints for each file: `t/a.t (Wstat: 512 (exited 2) Tests: 3 Failed: 2)`.
pub(super) fn prove_count(lines: &[&str]) -> Option<String> {
    let total = lines
        .iter()
        .rev()
        .find_map(|line| line.strip_prefix("Files=")?.split_once(", Tests=")?.1.split(',').next());
    let total: u64 = total?.parse().ok()?;
    let files = lines.iter().filter(|line| line.contains(" (Wstat: "));
    let failed =
        files.filter_map(|line| line.rsplit_once(" Failed: ")?.1.strip_suffix(')')?.parse::<u64>().ok());
    let failed = failed.fold(0, u64::saturating_add);
    (1..=total).contains(&failed).then(|| format!("{failed} of {total} failed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_counts_failures_is_known_in_any_notation() {
        for line in [
            "[ERROR] Tests run: 5, Failures: 2, Errors: 0, Skipped: 0",
            "50% tests passed, 1 tests failed out of 2",
            "3 examples, 1 failure",
            "4 tests, 2 failures",
            "Failed!  - Failed:     1, Passed:     3, Skipped:     0",
            "FAILED | 1 passed | 2 failed (5ms)",
            " 1 fail",
            "Failed 1/2 test programs. 1/4 subtests failed.",
            "Tests: 3, Assertions: 3, Failures: 1.",
            "4 runs, 4 assertions, 0 failures, 1 errors, 0 skips",
            "<testsuite name=\"a\" tests=\"6\" failures=\"3\">",
            "  \"failures\": 4,",
            "Found 3 errors.",
            "✖ 3 problems (2 errors, 1 warning)",
        ] {
            assert!(counts_failures(line), "{line}");
        }
    }

    #[test]
    fn other_numbers_count_no_failures() {
        for line in [
            "Tests run: 5, Failures: 0, Errors: 0",
            "Passed: 3 Failed: 0",
            "make: *** [Makefile:2: test] Error 1",
            "error: 404",
            "HTTP 500 error",
            "0 errors, 3 warnings",
            "src/errors.rs:12: long line",
            "BUILD FAILED in 3s",
            "7 lines are too long",
            "t.c:4: FAIL: 4 == 5",
        ] {
            assert!(!counts_failures(line), "{line}");
        }
    }

    #[test]
    fn prove_has_the_counts_of_all_files() {
        let files = "a.t (Wstat: 512 (exited 2) Tests: 3 Failed: 2)\n  Failed tests:  2-3\nb.t (Wstat: 0 Tests: 1 Failed: 1)\n";
        let count = |text: &str| prove_count(&text.lines().collect::<Vec<_>>());
        assert_eq!(
            count(&format!("{files}Files=3, Tests=9,  0 wallclock secs")).as_deref(),
            Some("3 of 9 failed")
        );
        assert_eq!(count(&format!("{files}Files=3, Tests=2,  0 wallclock secs")), None);
        assert_eq!(count(files), None);
    }
}
