//! The findings in the output of real tools. The outputs were recorded from small projects with known failures, and
//! their paths and stack traces were shortened.
#![cfg(feature = "text")]

mod cases;
mod laws;

use std::{fmt::Write, fs, path::Path};

use loop_core::{Outcome, Verdict};
use loop_telemetry::{
    Redactor,
    check_summary::{CheckSummary, check_line},
};

fn summary(text: &str) -> Option<CheckSummary> {
    CheckSummary::of(text, &Redactor::new([""; 0]))
}

/// Describes what is found in each recorded output of this outcome.
fn recorded(folder: &str, outcome: Outcome) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check_summary/outputs").join(folder);
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("outputs").map(|file| file.expect("a file").path()).collect();
    files.sort();
    let mut page = String::new();
    for file in files {
        let name = file.file_stem().expect("a name").to_string_lossy();
        let verdict = Verdict::new(outcome).with_text(fs::read_to_string(&file).expect("a text"));
        let line = check_line(&verdict, 100, &Redactor::new([""; 0])).unwrap_or_default();
        writeln!(page, "{name}: {line}").expect("a text");
    }
    page
}

#[test]
fn a_failed_check_names_the_failing_tests_or_the_errors() {
    insta::assert_snapshot!(recorded("failed", Outcome::Fail));
}

#[test]
fn a_passed_check_has_its_total() {
    insta::assert_snapshot!(recorded("passed", Outcome::Pass));
}
