//! Checks that review.

use loop_agents::usage::Format;

use super::{check, load, refused, schema, yaml};
use crate::{describe, plan::ReviewerPlan};

/// Returns the manifest with this review as its check.
fn review(fields: &str) -> String {
    yaml("  command: cargo test\n", &format!("  review:\n{fields}"))
}

fn reviewer(fields: &str) -> ReviewerPlan {
    let manifest = review(fields);
    schema::assert_taken("loop.yaml", &manifest);
    let plan = load("loop.yaml", manifest).expect("right").plan;
    plan.reviewer().expect("a reviewer").clone()
}

#[test]
fn who_cannot_review() {
    let output_matches = "stop_condition:\n  type: output_matches\n  pattern: ok\n";
    let model = "    model: gpt-5\n";
    let limited = |manifest: String| manifest.replace(": 5", ": 5\n  max_cost_usd: 1");
    let reporting = |manifest: String| manifest.replace("claude -p", "x $LOOP_USAGE_FILE");
    refused(
        "loop.yaml",
        &[
            ("review_without_a_reviewer", review("    rounds: 3\n")),
            ("review_of_two", review("    model: gpt-5\n    agent: codex exec -\n")),
            ("review_slip", review("    modell: gpt-5\n")),
            ("review_agent_with_rounds", review("    agent: codex exec -\n    rounds: 3\n")),
            ("review_agent_quotes_the_prompt", review("    agent: codex exec \"{prompt}\"\n")),
            ("review_agent_empty", review("    agent: ''\n")),
            ("review_rounds_none", review("    model: gpt-5\n    rounds: 0\n")),
            ("review_rounds_many", review("    model: gpt-5\n    rounds: 99999999999999999999\n")),
            ("review_prompt_empty", review("    model: gpt-5\n    prompt: ' '\n")),
            ("review_output_matches", format!("{}{output_matches}", review(model))),
            ("review_without_price", limited(reporting(review("    model: openai:mine\n")))),
        ],
    );
}

#[test]
fn what_is_odd_about_a_review() {
    let limited = |manifest: String| {
        manifest.replace(": 5", ": 5\n  max_cost_usd: 1\n  max_usd_per_hour: 1\n  allow_unmetered: true")
    };
    let cases = [
        ("warn_review_unlimited", review("    model: gpt-5\n")),
        ("warn_review_untold", limited(review("    agent: codex exec -\n"))),
        ("warn_review_attended", review("    agent: claude --output-format stream-json --verbose\n")),
        ("warn_review_unfilled", review("    agent: REPLACE_ME {goal}\n")),
    ];
    for (name, manifest) in cases {
        schema::assert_taken("loop.yaml", &manifest);
        let warnings = load("loop.yaml", manifest.as_str()).expect("right").warnings;
        check(name, &manifest, &warnings.to_string());
    }
}

#[test]
fn there_is_nothing_odd_about_one_that_is_free_limited_or_reports() {
    let limited =
        review("    model: gpt-5\n").replace(": 5", ": 5\n  max_tokens: 9\n  allow_unmetered: true");
    for manifest in [
        review("    model: ollama:qwen3\n"),
        limited,
        review("    agent: codex exec --json -m gpt-5 -\n"),
        review("    agent: ./review.sh\n"),
        review("    agent: codex exec - && echo '{}' >> $LOOP_USAGE_FILE\n"),
    ] {
        let warnings = load("loop.yaml", manifest.as_str()).expect("right").warnings.to_string();
        assert_eq!(warnings, "", "{manifest}");
    }
}

#[test]
fn a_model_looks_fifteen_times_unless_it_is_said() {
    for (fields, expected) in [("", 15), ("    rounds: 40\n", 40)] {
        let found = reviewer(&format!("    model: gpt-5\n{fields}"));
        assert!(matches!(found, ReviewerPlan::Model { rounds, .. } if rounds == expected), "{found:?}");
    }
}

#[test]
fn how_a_command_reports_is_in_its_line() {
    for (line, format) in [
        ("codex exec --json -m gpt-5 -", Format::CodexJson),
        ("codex exec -", Format::Text),
        ("./review.sh", Format::Text),
    ] {
        let ReviewerPlan::Command(command) = reviewer(&format!("    agent: {line}\n")) else {
            panic!("{line} is a command");
        };
        assert_eq!(command.format, format, "{line}");
        assert_eq!(command.model.as_deref(), line.contains("-m ").then_some("gpt-5"));
    }
}

#[test]
fn it_is_told_who_reviews() {
    let described = |fields: &str| {
        let manifest = review(fields).replace("  review:", "  command: make\n  review:");
        let page = describe(&load("loop.yaml", manifest).expect("right").plan);
        page.lines()
            .filter(|line| line.contains("review") || line.contains("prompt"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let pages =
        [described("    model: gpt-5\n    rounds: 1\n"), described("    agent: codex exec {prompt}\n")];
    check("describe_review", "", &pages.join("\n---\n"));
}
