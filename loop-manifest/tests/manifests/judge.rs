//! Checks that are not a command, or not only one.

use loop_agents::judge::VotePolicy;

use super::{YAML, check, load, refused, schema, yaml};

const CHECK: &str = "  command: cargo test\n";

/// Returns [`YAML`] with this check.
fn checked(check: &str) -> String {
    yaml(CHECK, check)
}

/// Returns a manifest with a judge that has `more` beside its model and a criterion.
fn judge(more: &str) -> String {
    checked(&format!("  judge:\n    model: gpt-5\n    criteria: [It rhymes]\n{more}"))
}

/// Returns a manifest with this plan, and without a prompt.
fn plan(plan: &str) -> String {
    without_prompt(&checked(&format!("  plan: {plan}\n")))
}

/// Returns a manifest with this pipeline, and without a prompt.
fn pipeline(pipeline: &str) -> String {
    without_prompt(&checked(&format!("  pipeline: {pipeline}\n")))
}

fn without_prompt(manifest: &str) -> String {
    let (before, prompt) = manifest.split_once("  prompt: |\n").expect("a prompt");
    let rest = prompt.split_once("evaluator:").expect("a check").1;
    format!("{before}evaluator:{rest}")
}

fn confidence(at_least: &str) -> String {
    checked(&format!("  confidence:\n    at_least: {at_least}\n"))
}

fn votes(more: &str) -> VotePolicy {
    let manifest = judge(more);
    schema::assert_taken("loop.yaml", &manifest);
    let plan = load("loop.yaml", manifest).expect("right").plan;
    plan.evaluator.judge.expect("a judge").votes
}

#[test]
fn what_cannot_judge() {
    let output_matches = "stop_condition:\n  type: output_matches\n  pattern: ok\n";
    let limited =
        |manifest: String| manifest.replace(": 5", ": 5\n  max_cost_usd: 1\n  allow_unmetered: false");
    refused(
        "loop.yaml",
        &[
            ("check_none", checked("  max_seconds: 5\n")),
            ("check_slip", checked("  juge:\n    model: gpt-5\n")),
            (
                "plan_beside_others",
                checked("  command: make\n  plan: {}\n  judge: {model: m, criteria: [c]}\n"),
            ),
            ("plan_repairs", plan("{repairs: -1, steps: some}")),
            (
                "pipeline_beside_others",
                checked("  command: make\n  pipeline: {files: [a.md], at_least: 0.8}\n  plan: {}\n"),
            ),
            ("pipeline_without_files", pipeline("{files: [], at_least: 80, repeats: -1}")),
            ("pipeline_empty", pipeline("{}")),
            ("confidence_percent", confidence("90")),
            ("confidence_zero", confidence("0")),
            ("confidence_nan", confidence(".nan")),
            ("confidence_without_threshold", checked("  confidence: {}\n")),
            ("confidence_key_empty", confidence("0.9\n    key: ''")),
            ("judge_without_all", checked("  judge: {}\n")),
            ("judge_criteria_none", judge("").replace("[It rhymes]", "[]")),
            ("judge_criteria_blank", judge("").replace("[It rhymes]", "[It rhymes, ' ']")),
            ("judge_criteria_many", judge("").replace("It rhymes", &["x"; 21].join(", "))),
            ("judge_votes_none", judge("    votes: 0\n")),
            ("judge_votes_many", judge("    votes: 26\n")),
            ("judge_pass_beyond", judge("    votes: 3\n    pass: 4\n")),
            ("judge_pass_beyond_one", judge("    pass: 2\n")),
            ("judge_output_matches", format!("{}{output_matches}", judge(""))),
            (
                "judge_without_price",
                limited(judge("").replace("gpt-5", "openai:mine").replace("claude -p", "x $LOOP_USAGE_FILE")),
            ),
        ],
    );
}

#[test]
fn what_is_odd_about_a_judge() {
    let cases =
        [("warn_judge_unlimited", judge("    votes: 3\n")), ("warn_confidence_unasked", confidence("0.9"))];
    for (name, manifest) in cases {
        schema::assert_taken("loop.yaml", &manifest);
        let warnings = load("loop.yaml", manifest.as_str()).expect("right").warnings;
        check(name, &manifest, &warnings.to_string());
    }
}

#[test]
fn there_is_nothing_odd_about_one_that_is_free_or_limited() {
    let limited = judge("").replace(": 5", ": 5\n  max_cost_usd: 1\n  allow_unmetered: true");
    let asked = confidence("0.9").replace("Reach this", "Say your confidence");
    for manifest in [judge("").replace("gpt-5", "ollama:qwen3"), limited, asked] {
        let warnings = load("loop.yaml", manifest.as_str()).expect("right").warnings.to_string();
        assert_eq!(warnings, "", "{manifest}");
    }
}

#[test]
fn more_than_half_of_the_votes_pass_unless_it_is_said() {
    for (more, needed, most) in [
        ("", 1, 1),
        ("    votes: 2\n", 2, 2),
        ("    votes: 5\n", 3, 5),
        ("    votes: 5\n    pass: 1\n", 1, 5),
    ] {
        assert_eq!(votes(more), VotePolicy::of(needed, most).expect("possible"), "{more}");
    }
}

#[test]
fn several_checks_are_one() {
    let all = judge("  confidence:\n    at_least: 0.5\n").replace("  judge:", "  command: make\n  judge:");
    let plan = load("loop.yaml", all).expect("right").plan.evaluator;
    assert!(plan.command.is_some() && plan.confidence.is_some() && plan.judge.is_some());
    assert!(load("loop.yaml", YAML).expect("right").plan.evaluator.judge.is_none());
}
