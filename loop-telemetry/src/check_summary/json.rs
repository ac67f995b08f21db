//! The reports of Jest, Vitest and Mocha in JSON.

use serde::Deserialize;

use super::findings::Findings;
use crate::{Redactor, words::one_line};

/// The most lines that are tried as the beginning of a report. Tests may print objects too.
const MOST_STARTS: usize = 20;

#[derive(Deserialize)]
#[serde(untagged)]
enum Report {
    /// Of Jest and Vitest.
    #[serde(rename_all = "camelCase")]
    Jest {
        num_failed_tests: u64,
        num_passed_tests: u64,
        test_results: Vec<File>,
    },
    Mocha {
        stats: Stats,
        failures: Vec<Test>,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    name: String,
    status: String,
    #[serde(default)]
    message: String,
    assertion_results: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    #[serde(alias = "fullName", alias = "fullTitle")]
    name: String,
    /// Mocha lists the failures apart.
    #[serde(default)]
    status: Option<String>,
}

#[derive(Deserialize)]
struct Stats {
    tests: u64,
    passes: u64,
    pending: u64,
    failures: u64,
}

/// Reads the report in a [visible](super::lines::visible) text. Its strings may hide controls and secrets once more.
pub(super) fn report(text: &str, secrets: &Redactor) -> Option<Findings> {
    let starts =
        text.match_indices('{').map(|(at, _)| at).filter(|at| *at == 0 || text[..*at].ends_with('\n'));
    let is_object = |at: &usize| text[at + 1..].trim_start().starts_with('"');
    let mut starts = starts.filter(is_object).take(MOST_STARTS);
    let report = starts
        .find_map(|at| serde_json::Deserializer::from_str(&text[at..]).into_iter::<Report>().next()?.ok())?;
    let shown = |text: &str| one_line(text, secrets);
    let mut found = Findings::default();
    match report {
        Report::Jest { num_failed_tests, num_passed_tests, test_results } => {
            found.tally.add(num_failed_tests, num_passed_tests);
            for file in test_results {
                let is_failed = |test: &&Test| test.status.as_deref() == Some("failed");
                found
                    .failing
                    .extend(file.assertion_results.iter().filter(is_failed).map(|test| shown(&test.name)));
                if file.status == "failed" && file.assertion_results.is_empty() {
                    let mut lines = file.message.lines().map(|line| shown(line.trim()));
                    let error = lines.find(|line| !line.trim().is_empty() && !line.contains('●'));
                    found.error(&format!("{}: {}", shown(&file.name), error.unwrap_or_default()));
                }
            }
        }
        Report::Mocha { stats, failures } => {
            found.tally.add(stats.failures, stats.passes);
            if stats.tests != stats.passes.saturating_add(stats.pending).saturating_add(stats.failures) {
                // A failed hook counts as a failure, and not as a test.
                found.tally.doubt_total();
            }
            found.failing.extend(failures.iter().map(|test| shown(&test.name)));
        }
    }
    Some(found)
}
