//! The JSON Schema of the manifest, so that an editor completes, explains and underlines.
//!
//! The schema is generated from the table of keys, because a separate one would be wrong after the next change. It
//! accepts every manifest that the validator accepts. It also accepts what a schema cannot express, and leaves these
//! checks to `loop check`:
//!
//! - a command with a NUL character in it, one that is too long for a shell, and `{prompt}` or a variable inside
//!   quotes;
//! - a variable that is not declared, and a time that is written wrongly or out of bounds;
//! - a pattern that is no regular expression, or too large a one, the one group in the pattern of a score, and a
//!   protected path that is no pattern;
//! - whole numbers written as `5.0`, and those that 64 bits do not hold;
//! - an amount of money that is less than a millionth of a dollar;
//! - conditions that are nested too deep, too many of them, and an `at_least` above their number;
//! - more votes than a judge can have, and more that must say yes than there are;
//! - a price file that is unreadable or invalid;
//! - a `stagnation.nudge_after` that is not less than `halt_after`;
//! - a duplicate key;
//! - settings, in a file that is no `loop.toml`.

use loop_agents::usage::Format;
use serde_json::{Map, Value, json};

use super::keys::{self, CONDITION, Key, KeyRequirement, Shape};
use crate::settings;

/// The schema as a page of JSON that ends with a line feed.
pub fn schema() -> String {
    let mut schema = object("");
    // In `loop.toml`, the settings' tables share the file with the manifest.
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        settings::schemas().for_each(|(name, schema)| add_settings(properties, name, schema));
    }
    let heading = [
        ("$schema", "https://json-schema.org/draft/2020-12/schema"),
        ("title", "A manifest of loop"),
        (
            "description",
            "What `loop run` does: run an agent against a check until the check passes, inside limits that hold.",
        ),
    ];
    schema.extend(heading.map(|(keyword, text)| (keyword.to_owned(), text.into())));
    schema.insert("type".to_owned(), "object".into());
    schema.insert("$defs".to_owned(), json!({ "condition": condition(), "matching": matching() }));
    schema.insert(
        "allOf".to_owned(),
        json!([
            goals_can_follow(),
            conditions_have_one_form(),
            matching_needs_a_command(),
            agents_are_of_one_kind(),
            something_judges(),
            reviewers_are_of_one_kind(),
            plans_are_alone(),
            pipelines_are_alone(),
            parallel_loops_ask_nobody(),
            scores_have_one_source(),
            seals_have_a_command(),
            restores_have_a_source(),
            stagnation_has_facts(),
            limits_are_measured()
        ]),
    );
    format!("{:#}\n", Value::Object(schema))
}

/// Adds the keys of a table of settings. A manifest may have a key of the same name with other keys.
fn add_settings(properties: &mut Map<String, Value>, name: String, mut schema: Value) {
    let own = properties.get_mut(&name).and_then(|own| own.get_mut("properties")?.as_object_mut());
    match (own, schema.get_mut("properties").and_then(Value::as_object_mut)) {
        (Some(own), Some(more)) => own.append(more),
        _ => drop(properties.insert(name, schema)),
    }
}

/// The keywords about what is in the object at `path`.
fn object(path: &str) -> Map<String, Value> {
    let taken = || keys::of_object(path);
    let properties: Map<_, _> = taken().map(|key| (key.name().to_owned(), property(key))).collect();
    let required: Vec<_> =
        taken().filter(|key| key.requirement == KeyRequirement::Required).map(Key::name).collect();
    let mut keywords = Map::new();
    keywords.insert("additionalProperties".to_owned(), false.into());
    if !properties.is_empty() {
        keywords.insert("properties".to_owned(), properties.into());
    }
    if !required.is_empty() {
        keywords.insert("required".to_owned(), required.into());
    }
    keywords
}

fn property(key: &'static Key) -> Value {
    let mut keywords = key.shape.schema();
    if let (Shape::Object, Some(keywords)) = (key.shape, keywords.as_object_mut()) {
        keywords.extend(object(key.path));
    }
    if let Shape::WordOrObject(_) = key.shape
        && let Some(object_form) = keywords.pointer_mut("/anyOf/1").and_then(Value::as_object_mut)
    {
        object_form.extend(object(key.path));
    }
    keywords["description"] = key.explanation.into();
    if let Some(default) = key.default {
        keywords["default"] = default.json();
    }
    if !key.examples.is_empty() {
        keywords["examples"] = key.examples.iter().map(|example| example.json()).collect();
    }
    keywords
}

/// Requires a goal unless a command, a plan or a pipeline says when it is met.
fn goals_can_follow() -> Value {
    let judges = ["command", "pipeline", "plan"].map(|key| json!({ "required": [key] }));
    json!({ "anyOf": [
        { "required": ["goal"] },
        { "properties": { "evaluator": { "anyOf": judges } }, "required": ["evaluator"] },
    ] })
}

/// An agent is a command or a model, and has no use for what belongs to the other.
fn agents_are_of_one_kind() -> Value {
    json!({ "properties": { "agent": {
        "if": { "required": ["command"] },
        "then": { "properties": { "system": false, "tools": false } },
        "else": { "required": ["model"], "properties": { "format": false, "usage_log": false, "background": false, "sandbox": false } },
    } } })
}

/// Requires one of the keys of an evaluator.
fn something_judges() -> Value {
    let judges = ["command", "confidence", "judge", "pipeline", "plan", "review"]
        .map(|key| json!({ "required": [key] }));
    json!({ "properties": { "evaluator": { "anyOf": judges } } })
}

/// The agent of a plan or a pipeline. A command gets the prompts of its steps, and nothing before them.
fn steps_are_prompts(properties: &Value) -> Value {
    json!({
        "properties": properties,
        "if": { "required": ["command"] },
        "then": { "properties": { "skills": false } },
    })
}

/// A plan is the only check, and its steps are the prompts.
fn plans_are_alone() -> Value {
    json!({
        "if": { "properties": { "evaluator": { "required": ["plan"] } }, "required": ["evaluator"] },
        "then": { "properties": {
            "evaluator": { "properties": {
                "command": false, "confidence": false, "judge": false, "pipeline": false, "review": false,
            } },
            "agent": steps_are_prompts(&json!({ "prompt": false })),
        } },
    })
}

/// A pipeline is the only check, its files are the prompts, and its steps have no tools.
fn pipelines_are_alone() -> Value {
    json!({
        "if": { "properties": { "evaluator": { "required": ["pipeline"] } }, "required": ["evaluator"] },
        "then": { "properties": {
            "evaluator": { "properties": {
                "command": false, "confidence": false, "judge": false, "plan": false, "review": false,
            } },
            "agent": steps_are_prompts(&json!({ "prompt": false, "tools": false })),
        } },
    })
}

/// Several loops cannot ask, perform one plan, or return to a step of one of them.
fn parallel_loops_ask_nobody() -> Value {
    json!({
        "if": { "required": ["parallel"] },
        "then": { "properties": {
            "agent": { "properties": { "usage_log": false } },
            "evaluator": { "properties": { "pipeline": false, "plan": false } },
            "guardrails": { "properties": { "hitl_checkpoint": { "const": false } } },
            "on_regression": { "const": "keep" },
        } },
    })
}

/// A reviewer is a command or a model, and rounds are a model's.
fn reviewers_are_of_one_kind() -> Value {
    json!({ "properties": { "evaluator": { "properties": { "review": {
        "if": { "required": ["agent"] },
        "then": { "properties": { "model": false, "rounds": false } },
        "else": { "required": ["model"] },
    } } } } })
}

/// A score is read with a pattern or with a pointer, from the output of a command.
fn scores_have_one_source() -> Value {
    let sources = ["pattern", "pointer"].map(|key| json!({ "required": [key] }));
    json!({ "properties": { "evaluator": {
        "properties": { "score": { "oneOf": sources } },
        "dependentRequired": { "score": ["command"] },
    } } })
}

/// A sealed check is a command that also judges the first state, and stands on snapshots. Other keys need a sealed check.
fn seals_have_a_command() -> Value {
    let is_sealed = json!({ "properties": { "sealed": { "const": true } }, "required": ["sealed"] });
    let keys = ["protect", "min_tests", "on_protected_change", "setup"];
    let needs = keys.map(|key| json!({ "if": { "required": [key] }, "then": is_sealed }));
    let command = json!({ "required": ["command"] });
    json!({ "allOf": [
        { "properties": { "evaluator": {
            "allOf": needs,
            "dependentRequired": { "confirm": ["command"] },
            "if": is_sealed,
            "then": command,
        } } },
        {
            "if": { "properties": { "evaluator": is_sealed }, "required": ["evaluator"] },
            "then": { "properties": { "check_first": { "not": { "const": false } }, "snapshots": { "not": snapshots_off() } } },
        },
    ] })
}

fn snapshots_off() -> Value {
    json!({ "anyOf": [
        { "const": "off" },
        { "type": "object", "properties": { "mode": { "const": "off" } }, "required": ["mode"] },
    ] })
}

/// A restore needs snapshots, and one to the best step needs a score.
fn restores_have_a_source() -> Value {
    let kept = json!({ "const": "keep" });
    let scored = json!({
        "properties": { "evaluator": { "required": ["score"] } },
        "required": ["evaluator"],
    });
    json!({ "allOf": [
        {
            "if": { "properties": { "snapshots": snapshots_off() }, "required": ["snapshots"] },
            "then": { "properties": { "on_halt": kept, "on_regression": kept } },
        },
        {
            "if": scored,
            "else": { "properties": { "on_halt": { "not": { "const": "restore_best" } }, "on_regression": kept } },
        },
    ] })
}

/// Stagnation is found in the output of a command, in snapshots, and in a score.
fn stagnation_has_facts() -> Value {
    let has = |key: &str| json!({ "properties": { "stagnation": { "type": "object", "required": [key] } }, "required": ["stagnation"] });
    let needs = |key: &str| json!({ "properties": { "evaluator": { "required": [key] } } });
    json!({ "allOf": [
        {
            "if": { "properties": { "stagnation": { "type": "object" } }, "required": ["stagnation"] },
            "then": needs("command"),
        },
        { "if": has("score"), "then": needs("score") },
        { "if": has("oscillation_after"), "then": { "properties": { "snapshots": { "not": snapshots_off() } } } },
    ] })
}

/// A condition: one form of them, and a pattern for `output_matches` alone.
fn condition() -> Value {
    let mut keywords = object("stop_condition");
    let rules = json!({
        "type": "object",
        "oneOf": [
            { "required": ["type"] }, { "required": ["all"] }, { "required": ["any"] }, { "required": ["at_least"] },
            { "required": ["not"] },
        ],
        "dependentRequired": { "at_least": ["of"], "of": ["at_least"] },
        "if": { "properties": { "type": { "const": MATCHING } }, "required": ["type"] },
        "then": { "required": ["pattern"] },
        "else": { "properties": { "pattern": false } },
    });
    keywords.extend(rules.as_object().cloned().into_iter().flatten());
    keywords.into()
}

const MATCHING: &str = "output_matches";

/// A condition that looks for a pattern, or has a part that does.
fn matching() -> Value {
    let itself = json!({ "$ref": "#/$defs/matching" });
    let list = |key: &str| json!({ "properties": { key: { "contains": itself } }, "required": [key] });
    json!({ "anyOf": [
        { "properties": { "type": { "const": MATCHING } }, "required": ["type"] },
        list("all"),
        list("any"),
        list("of"),
        { "properties": { "not": itself }, "required": ["not"] },
    ] })
}

/// The condition at the top may be an empty object as well: it is left out, then.
fn conditions_have_one_form() -> Value {
    json!({ "properties": { "stop_condition": { "if": { "minProperties": 1 }, "then": { "$ref": CONDITION } } } })
}

/// Requires a command for patterns, because they match a command's output.
fn matching_needs_a_command() -> Value {
    json!({
        "if": {
            "properties": { "stop_condition": { "$ref": "#/$defs/matching" } },
            "required": ["stop_condition"],
        },
        "then": { "properties": { "evaluator": { "required": ["command"] } } },
    })
}

/// Requires an agent that reports, or explicit consent, for a limit on cost or tokens.
fn limits_are_measured() -> Value {
    let limits = ["max_cost_usd", "max_usd_per_hour", "max_tokens"];
    let limited = json!({ "anyOf": limits.map(|limit| json!({ "required": [limit] })) });
    let unread: Vec<_> =
        Format::ALL.iter().filter(|format| !format.reports()).map(|format| format.name()).collect();
    let silent = json!({ "required": ["command"], "not": { "required": ["usage_log"] }, "properties": {
        "command": { "not": { "pattern": "LOOP_USAGE_FILE" } },
        "format": { "enum": unread },
    } });
    let accepted =
        json!({ "properties": { "allow_unmetered": { "const": true } }, "required": ["allow_unmetered"] });
    json!({
        "if": { "properties": { "guardrails": limited, "agent": silent }, "required": ["guardrails"] },
        "then": { "properties": { "guardrails": accepted } },
    })
}
