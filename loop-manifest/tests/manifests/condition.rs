//! Combined stop conditions.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{JSON, TOML, YAML, check, load, refused, valid::plan, yaml};
use crate::{describe::describe, plan::Plan, stop_plan::StopPlan};

fn stop(condition: &str) -> String {
    format!("{YAML}stop_condition:\n{condition}")
}

/// Formats the condition briefly: `P` for a pass, `/x/` for a match.
fn short(stop: &StopPlan) -> String {
    let list = |name: &str, parts: &[StopPlan]| {
        format!("{name}({})", parts.iter().map(short).collect::<Vec<_>>().join(" "))
    };
    match stop {
        StopPlan::EvaluatorPass => "P".to_owned(),
        StopPlan::OutputMatches(pattern) => format!("/{}/", pattern.as_str()),
        StopPlan::All(parts) => list("all", parts),
        StopPlan::Any(parts) => list("any", parts),
        StopPlan::AtLeast(needed, parts) => list(&format!("at least {needed}"), parts),
        StopPlan::Not(part) => format!("not({})", short(part)),
    }
}

const NESTED: &str = "  all:
    - type: evaluator_pass
    - not: { type: output_matches, pattern: 0 tests }
    - any:
        - { type: output_matches, pattern: ok }
        - at_least: 2
          of:
            - { type: output_matches, pattern: a }
            - { type: output_matches, pattern: b }
            - { type: output_matches, pattern: a }
";

#[test]
fn conditions_nest() {
    let plan = plan("loop.yaml", &stop(NESTED));
    assert_eq!(short(&plan.stop), "all(P not(/0 tests/) any(/ok/ at least 2(/a/ /b/ /a/)))");
    let patterns: Vec<_> = plan.stop.patterns().iter().map(|pattern| pattern.as_str()).collect();
    assert_eq!(patterns, ["0 tests", "ok", "a", "b"]);
}

#[test]
fn a_list_of_conditions_is_the_same_in_every_format() {
    let toml = "\n[[stop_condition.any]]\ntype = 'evaluator_pass'\n[[stop_condition.any]]\n\
                not = { type = 'evaluator_pass' }\n";
    let condition = r#""stop_condition": { "any": [{ "type": "evaluator_pass" }, { "not": { "type": "evaluator_pass" } }] },"#;
    for (file, manifest) in [
        ("a.toml", format!("{TOML}{toml}")),
        ("a.json", JSON.replacen('{', &format!("{{{condition}"), 1)),
        ("a.yaml", stop("  any: [{ type: evaluator_pass }, { not: { type: evaluator_pass } }]\n")),
    ] {
        assert_eq!(short(&plan(file, &manifest).stop), "any(P not(P))", "{file}");
    }
}

#[test]
fn conditions_are_described_in_words() {
    check("describe_conditions", &stop(NESTED), &describe(&plan("loop.yaml", &stop(NESTED))));
    let judged = stop(NESTED)
        .replace("  command: cargo test\n", "  command: cargo test\n  confidence: { at_least: 0.9 }\n");
    check("describe_conditions_judged", &judged, &describe(&plan("loop.yaml", &judged)));
    let negated = stop("  not: { type: evaluator_pass }\n");
    check("describe_not", &negated, &describe(&plan("loop.yaml", &negated)));
}

#[test]
fn conditions_that_make_no_sense_are_refused() {
    let pass = "{ type: evaluator_pass }";
    refused(
        "loop.yaml",
        &[
            ("condition_all_of_none", stop("  all: []\n")),
            ("condition_any_of_none", stop("  any: []\n")),
            ("condition_at_least_of_none", stop("  at_least: 1\n  of: []\n")),
            ("condition_two_forms", stop(&format!("  type: evaluator_pass\n  all: [{pass}]\n"))),
            ("condition_pattern_and_any", stop(&format!("  any: [{pass}]\n  pattern: ok\n"))),
            ("condition_unknown_key", stop("  all:\n    - type: output_matches\n      patern: ok\n")),
            ("condition_at_least_too_many", stop(&format!("  at_least: 3\n  of: [{pass}, {pass}]\n"))),
            ("condition_at_least_zero", stop(&format!("  at_least: 0\n  of: [{pass}]\n"))),
            ("condition_at_least_text", stop(&format!("  at_least: two\n  of: [{pass}]\n"))),
            ("condition_at_least_without_of", stop("  at_least: 2\n")),
            ("condition_of_without_at_least", stop(&format!("  of: [{pass}]\n"))),
            ("condition_not_of_nothing", stop("  not:\n")),
            ("condition_not_of_an_empty_object", stop("  not: {}\n")),
            ("condition_not_of_a_list", stop(&format!("  not: [{pass}]\n"))),
            ("condition_word_in_a_list", stop("  all: [evaluator_pass, output_matches]\n")),
            ("condition_empty_in_a_list", stop(&format!("  any: [{pass}, {{}}]\n"))),
            ("condition_no_list", stop(&format!("  all: {pass}\n"))),
            (
                "condition_wrong_inside",
                stop("  any:\n    - { type: output_matches, pattern: '(' }\n    - { type: never }\n"),
            ),
        ],
    );
}

#[test]
fn a_condition_on_the_output_needs_a_command_however_deep_it_is() {
    let judge = "judge: { model: gpt-5, criteria: [It rhymes] }";
    let condition = "stop_condition:\n  any:\n    - type: evaluator_pass\n    - not: { type: output_matches, pattern: ok }\n";
    let manifest =
        yaml("command: cargo test", judge).replace("guardrails:", &format!("{condition}guardrails:"));
    refused("loop.yaml", &[("condition_without_a_command", manifest)]);
}

/// Returns a pass inside `depth` levels of `{ not: ... }`.
fn negated(depth: usize) -> Value {
    (0..depth).fold(json!({ "type": "evaluator_pass" }), |inner, _| json!({ "not": inner }))
}

/// Loads a manifest with this condition.
fn with(condition: &Value) -> Result<Plan, String> {
    let mut manifest: Value = serde_json::from_str(JSON).unwrap();
    manifest["stop_condition"] = condition.clone();
    load("a.json", manifest.to_string()).map(|loaded| loaded.plan).map_err(|problems| problems.to_string())
}

#[test]
fn conditions_are_bounded_in_depth_and_number() {
    assert!(with(&negated(8)).is_ok());
    refused("loop.yaml", &[("condition_too_deep", format!("{YAML}stop_condition: {}\n", negated(9)))]);
    let all = |count: usize| {
        let leaf = |n: usize| json!({ "type": "output_matches", "pattern": format!("<{n}>") });
        let (first, rest) = (count / 2, count - count / 2);
        json!({ "any": [
            { "all": (0..first).map(leaf).collect::<Vec<_>>() },
            { "all": (first..first + rest).map(leaf).collect::<Vec<_>>() },
        ] })
    };
    assert_eq!(with(&all(64)).unwrap().stop.patterns().len(), 64);
    let said = with(&all(65)).unwrap_err();
    assert!(
        said.contains("`stop_condition` has 65 conditions in it") && said.contains("the limit is 64"),
        "{said}"
    );
}

#[test]
fn conditions_that_are_met_too_early_are_warned_of() {
    let warned = |manifest: &str| {
        let loaded = load("loop.yaml", manifest).unwrap();
        loaded.warnings.to_string()
    };
    let (pass, matching) = ("{ type: evaluator_pass }", "{ type: output_matches, pattern: ok }");
    for (name, condition) in [
        ("warn_condition_without_effect", format!("  not:\n    any: [{matching}, {pass}]\n")),
        ("warn_condition_met_by_a_fail", format!("  not: {matching}\n")),
    ] {
        check(name, &stop(&condition), &warned(&stop(&condition)));
    }
    for condition in [
        format!("  not: {pass}\n"),
        format!("  all: [{pass}, {{ not: {matching} }}]\n"),
        format!("  any: [{matching}, {{ all: [{pass}, {{ not: {matching} }}] }}]\n"),
        format!("  at_least: 2\n  of: [{matching}, {pass}, {{ not: {matching} }}]\n"),
        NESTED.to_owned(),
    ] {
        assert_eq!(warned(&stop(&condition)), "", "{condition}");
    }
    let fails = format!("  at_least: 1\n  of: [{matching}, {{ not: {matching} }}]\n");
    assert!(warned(&stop(&fails)).contains("met by a check that fails"));
}

fn condition() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        2 => Just(json!({ "type": "evaluator_pass" })),
        2 => "[a-c]".prop_map(|pattern| json!({ "type": "output_matches", "pattern": pattern })),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            list.clone().prop_map(|list| json!({ "all": list })),
            list.clone().prop_map(|list| json!({ "any": list })),
            (list, any::<prop::sample::Index>())
                .prop_map(|(list, at)| json!({ "at_least": at.index(list.len()) + 1, "of": list })),
            inner.prop_map(|inner| json!({ "not": inner })),
        ]
    })
}

/// Formats a condition of the manifest as [`short`] does.
fn written(condition: &Value) -> String {
    let list = |name: &str, key: &str| {
        let parts = condition[key].as_array().unwrap();
        format!("{name}({})", parts.iter().map(written).collect::<Vec<_>>().join(" "))
    };
    let object = condition.as_object().unwrap();
    match object.keys().next().unwrap().as_str() {
        "at_least" | "of" => list(&format!("at least {}", condition["at_least"]), "of"),
        "not" => format!("not({})", written(&condition["not"])),
        "all" => list("all", "all"),
        "any" => list("any", "any"),
        _ => condition["pattern"].as_str().map_or("P".to_owned(), |pattern| format!("/{pattern}/")),
    }
}

proptest! {
    #[test]
    fn every_tree_of_conditions_reaches_the_plan(condition in condition()) {
        let mut manifest: Value = serde_json::from_str(JSON).unwrap();
        manifest["stop_condition"] = condition.clone();
        prop_assert_eq!(short(&plan("a.json", &manifest.to_string()).stop), written(&condition));
    }
}
