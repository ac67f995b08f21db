//! Findings show only parts of long lines, so secrets are hidden before the lines are cut.

use loop_telemetry::Redactor;

use crate::{Overrides, Paint, Plan, Source};

const SECRET: &str = "Sup3rS3cretValue42xyz";

/// Checks that a text shows no six characters of the secret: fewer occur everywhere.
fn has_no_part(place: &str, text: &str) {
    let part = (0..=SECRET.len() - 6).map(|at| &SECRET[at..at + 6]).find(|part| text.contains(part));
    assert_eq!(part, None, "{place}: {text}");
}

/// Returns an invalid manifest of each format. The error follows the secret on one line, at a different distance.
fn manifests(before: usize, behind: usize) -> [(&'static str, String); 3] {
    let (before, behind, rest) = ("0".repeat(before), "0".repeat(behind), "1".repeat(200));
    let value = format!("{before} {SECRET} {behind}");
    [
        ("loop.toml", format!("goal = \"{value}\" oops \"{rest}\"\n")),
        ("loop.json", format!("{{\"goal\": \"{value}\", oops \"{rest}\"}}\n")),
        ("loop.yaml", format!("{{goal: \"{value}\", goal: \"{rest}\"}}\n")),
    ]
}

#[test]
fn no_part_of_a_secret_is_shown_wherever_its_line_is_cut() {
    let secrets = Redactor::new([SECRET]);
    let mut cut_secrets = 0;
    for before in 0..=200 {
        for behind in [1, 18] {
            for (file, text) in manifests(before, behind) {
                let findings = super::load(file, text).expect_err("an invalid manifest");
                let shown = findings.redacted(&secrets);
                for text in [shown.render(Paint::Plain), shown.render(Paint::Coloured), shown.to_string()] {
                    has_no_part(file, &text);
                }
                // Otherwise, this test would try nothing.
                let unmasked = findings.render(Paint::Plain);
                cut_secrets += usize::from(!unmasked.contains(SECRET) && unmasked.contains("42xyz"));
            }
        }
    }
    assert!(cut_secrets > 30, "{cut_secrets}");
}

#[test]
fn a_masked_secret_moves_no_mark() {
    let secrets = Redactor::new([SECRET]);
    for (file, text) in manifests(3, 2) {
        let marks = |text: &str| {
            let marked = text.lines().filter(|line| line.contains('^'));
            marked.map(str::to_owned).collect::<Vec<_>>()
        };
        let findings = super::load(file, text).expect_err("an invalid manifest");
        let (plain, masked) =
            (findings.render(Paint::Plain), findings.redacted(&secrets).render(Paint::Plain));
        assert!(masked.contains(&"*".repeat(SECRET.len())), "{masked}");
        assert_eq!(marks(&plain), marks(&masked));
    }
}

#[test]
fn a_title_and_a_path_show_no_secret() {
    let secrets = Redactor::new([SECRET]);
    let findings =
        super::load(&format!("{SECRET}.toml"), format!("{SECRET} = 1\n")).expect_err("an unknown key");
    has_no_part("the findings", &findings.redacted(&secrets).to_string());
    assert!(findings.to_string().contains(SECRET));
}

#[test]
fn no_part_of_a_secret_on_the_command_line_is_shown() {
    let secrets = Redactor::new([SECRET]);
    for before in 0..=200 {
        let value = format!("{}{SECRET}", "0".repeat(before));
        let overrides = Overrides::new("loop run").with("--goal", &value).with("--var", "X=1");
        let found = Plan::of(Source::of_flags("it", overrides)).expect_err("no agent");
        has_no_part("the command line", &found.redacted(&secrets).render(Paint::Plain));
    }
}
