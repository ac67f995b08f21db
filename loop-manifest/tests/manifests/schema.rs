//! The schema accepts everything that the validator accepts, and refuses whatever a schema can refuse.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value as Json;

use super::{JSON, YAML, load};
use crate::names::ToolName;
use crate::{
    document::{self, Node, Value},
    keys::{self, Shape},
    schema,
    source::Source,
};

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let schema = serde_json::from_str(&schema()).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
});

/// The messages of the validator for manifests that the schema accepts, because it cannot express these rules.
const BEYOND: [&str; 20] = [
    "`{prompt}` cannot be used here in",
    "cannot be run",
    "cannot be used as a regular expression",
    "needs one group around the number",
    "written with a point or an exponent",
    "this number is too large",
    "this is too large",
    "less than a millionth of a dollar",
    "appears here twice",
    "the file of `agent.prices`",
    "the cost of the agent cannot be known",
    "the cost of the judge cannot be known",
    "the cost of the review cannot be known",
    "is more than there are votes",
    "is more than there are conditions",
    "conditions are nested more than",
    "conditions in it",
    "a path in `evaluator.protect` cannot be used",
    "`evaluator.confirm` has to be from 1 to 100",
    "`stagnation.nudge_after` has to be less than",
];

/// Returns whether the schema accepts this manifest.
pub(super) fn takes(manifest: &Json) -> bool {
    SCHEMA.is_valid(manifest)
}

/// Returns whether the validator's message is about a rule that a schema cannot express.
pub(super) fn is_beyond(said: &str) -> bool {
    let errors = said.split("error: ").skip(1);
    errors.into_iter().all(|error| BEYOND.iter().any(|beyond| error.contains(beyond)))
}

/// Returns the manifest as the schema sees it; `None` if JSON cannot express it.
pub(super) fn as_json(file: &str, text: &str) -> Option<Json> {
    let source = Source::from_bytes(std::path::Path::new(file), text.into()).ok()?;
    json(&document::parse(source.format(), source.text()).ok()?)
}

fn json(node: &Node) -> Option<Json> {
    Some(match &node.value {
        Value::Null => Json::Null,
        Value::Bool(flag) => (*flag).into(),
        Value::Whole(whole) => serde_json::Number::from_i128(*whole)?.into(),
        Value::Decimal(decimal) => serde_json::Number::from_f64(*decimal)?.into(),
        Value::Text(text) => text.as_str().into(),
        // An editor treats a date as a value that is not text.
        Value::Date(_) => Json::Null,
        Value::List(items) => Json::Array(items.iter().map(json).collect::<Option<_>>()?),
        Value::Object(entries) => {
            let entry = |entry: &document::ObjectEntry| Some((entry.key.clone(), json(&entry.node)?));
            Json::Object(entries.iter().map(entry).collect::<Option<_>>()?)
        }
    })
}

/// Checks that the schema accepts a manifest that the validator accepted, in any format.
pub(super) fn assert_taken(file: &str, text: &str) {
    let manifest = as_json(file, text).expect("a tree");
    let errors: Vec<_> = SCHEMA.iter_errors(&manifest).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
}

/// Checks that the schema refuses a manifest that the validator refused, if it can.
pub(super) fn assert_refused(file: &str, text: &str, said: &str) {
    if let Some(manifest) = as_json(file, text) {
        assert!(is_beyond(said) || !takes(&manifest), "{text}\n{said}");
    }
}

#[test]
fn the_file_in_the_repository_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../loop.schema.json");
    let file = std::fs::read_to_string(path).unwrap_or_default();
    assert!(file == schema(), "renew it: cargo run -p loop-cli -- schema > loop.schema.json");
}

/// Returns the words that a key takes, with their meanings.
fn words_of(shape: &Shape) -> &'static [(&'static str, &'static str)] {
    match shape {
        Shape::OneOf(words) | Shape::WordOrWhole(words, _) | Shape::WordOrTexts(words, _) => words,
        _ => &[],
    }
}

#[test]
fn every_key_is_explained_in_sentences() {
    for key in keys::all() {
        let text = key.explanation;
        assert!(text.ends_with('.') && text.starts_with(char::is_uppercase), "{}: {text}", key.path);
        assert!(!text.contains("  "), "{}: {text}", key.path);
        let words = words_of(&key.shape);
        for (word, meaning) in words {
            assert!(meaning.ends_with('.'), "{}: {word}: {meaning}", key.path);
        }
    }
}

#[test]
fn the_documented_default_is_what_leaving_it_out_means() {
    let plan = |manifest: &Json| format!("{:?}", load("a.json", manifest.to_string()).unwrap().plan);
    for key in keys::all() {
        if let Some(default) = key.default {
            let written = with(key.path, default.json());
            assert_eq!(plan(&written), plan(&without(key.path, written.clone())), "{}", key.path);
        }
    }
}

/// Returns the manifest without the key at `path`, which must exist.
fn without(path: &str, mut manifest: Json) -> Json {
    let (objects, key) = path.rsplit_once('.').unwrap_or(("", path));
    let objects = objects.split('.').filter(|key| !key.is_empty());
    let object = objects.fold(&mut manifest, |object, key| &mut object[key]);
    assert!(object.as_object_mut().unwrap().remove(key).is_some());
    manifest
}

#[test]
fn every_example_and_every_word_is_taken() {
    for key in keys::all() {
        let words = words_of(&key.shape);
        let words = words.iter().map(|(word, _)| Json::from(*word));
        for value in key.examples.iter().map(|example| example.json()).chain(words) {
            let manifest = with(key.path, value);
            let taken = load("a.json", manifest.to_string());
            assert!(taken.is_ok() && takes(&manifest), "{manifest} {}", taken.unwrap_err());
        }
    }
}

/// Returns a valid manifest with `value` at `path`, and with the other keys that this needs.
fn with(path: &str, value: Json) -> Json {
    let mut manifest: Json = serde_json::from_str(JSON).unwrap();
    if path == "stop_condition.pattern" {
        manifest["stop_condition"]["type"] = "output_matches".into();
    }
    if value == "output_matches" {
        manifest["stop_condition"]["pattern"] = "ok".into();
    }
    if let "agent.system" | "agent.tools" = path {
        manifest["agent"] = serde_json::json!({ "model": "claude-sonnet-4-5", "prompt": "{goal}" });
    }
    if path.starts_with("evaluator.confidence.") {
        manifest["evaluator"]["confidence"] = serde_json::json!({ "at_least": 0.9 });
    }
    if path.starts_with("evaluator.judge.") {
        manifest["evaluator"]["judge"] = serde_json::json!({ "model": "gpt-5", "criteria": ["It rhymes"] });
    }
    if path.starts_with("evaluator.score.") && !path.ends_with(".pointer") || path.starts_with("on_") {
        manifest["evaluator"]["score"] = serde_json::json!({ "pattern": "(1)" });
    }
    if path.starts_with("stagnation.score") {
        manifest["evaluator"]["score"] = serde_json::json!({ "pattern": "(1)" });
        manifest["stagnation"]["score"] = serde_json::json!({ "gain": 0.5, "within": 5 });
    }
    if path.starts_with("evaluator.plan.") {
        manifest["evaluator"] = serde_json::json!({ "plan": {} });
        manifest["agent"].as_object_mut().unwrap().remove("prompt");
    }
    if path.starts_with("evaluator.pipeline.") {
        manifest["evaluator"] = serde_json::json!({ "pipeline": { "files": ["a.md"], "at_least": 0.8 } });
        manifest["agent"].as_object_mut().unwrap().remove("prompt");
    }
    if ["protect", "min_tests", "on_protected_change", "setup"].iter().any(|key| path.ends_with(key)) {
        manifest["evaluator"]["sealed"] = true.into();
    }
    if path == "parallel.pick" {
        manifest["parallel"]["n"] = 2.into();
    }
    if path.starts_with("evaluator.review.") {
        let reviewer = if path.ends_with(".agent") { "agent" } else { "model" };
        manifest["evaluator"]["review"][reviewer] = "gpt-5".into();
    }
    manifest["guardrails"]["allow_unmetered"] = true.into();
    let pointer = path.split('.').fold(&mut manifest, |object, key| &mut object[key]);
    *pointer = value;
    manifest
}

#[test]
fn every_tool_can_be_named_and_nothing_else() {
    for tool in ToolName::ALL {
        assert!(takes(&with("agent.tools", vec![tool.as_str()].into())), "{tool}");
    }
    assert!(!takes(&with("agent.tools", vec![" git"].into())));
}

#[test]
fn a_text_of_white_space_is_none_to_both() {
    for sign in ['\0'..='\u{3000}', '\u{fe00}'..='\u{ffff}'].into_iter().flatten() {
        assert_eq!(takes(&with("goal", sign.to_string().into())), !sign.is_whitespace(), "{sign:?}");
    }
}

#[test]
fn dates_are_no_text_to_the_schema_either() {
    assert!(!takes(&as_json("a.toml", "goal = 2026-11-30\n").unwrap()));
    assert!(takes(&as_json("a.yaml", YAML).unwrap()));
}
