//! Laws for every manifest, however strange.

use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
use proptest::prelude::*;

use super::{JSON, TOML, load, schema};
use crate::keys;

/// Generates JSON values of any shape that contain words of manifests.
fn any_value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-3_i64..3).prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
        prop::sample::select(vec!["output_matches", "(", "{prompt}", "'{prompt}'", "usage-file", "", " "])
            .prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::vec((any_key(), inner), 0..8).prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}

fn has_null(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Array(items) => items.iter().any(has_null),
        serde_json::Value::Object(fields) => fields.values().any(has_null),
        value => value.is_null(),
    }
}

fn any_key() -> impl Strategy<Value = String> {
    let known: Vec<_> = keys::all().map(|key| key.name().to_owned()).collect();
    prop_oneof![8 => prop::sample::select(known), 1 => any::<String>()]
}

/// Generates manifests, most of them almost valid: with up to two changed keys, with any stop condition, or any value
/// at all.
fn any_manifest() -> impl Strategy<Value = serde_json::Value> {
    let paths: Vec<_> = keys::all().map(|key| key.path).collect();
    let change = (prop::sample::select(paths), prop::option::of(any_value()));
    let changed = prop::collection::vec(change, 0..3).prop_map(|changes| {
        let mut manifest: serde_json::Value = serde_json::from_str(JSON).unwrap();
        changes.into_iter().for_each(|(path, value)| put(&mut manifest, path, value));
        manifest
    });
    let conditioned = any_condition().prop_map(|condition| {
        let mut manifest: serde_json::Value = serde_json::from_str(JSON).unwrap();
        put(&mut manifest, "stop_condition", Some(condition));
        manifest
    });
    prop_oneof![any_value(), changed, conditioned]
}

/// Generates stop conditions with one or two of their keys, valid or not.
fn any_condition() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop::sample::select(vec![
        serde_json::json!({ "type": "evaluator_pass" }),
        serde_json::json!({ "type": "output_matches", "pattern": "ok" }),
        serde_json::json!({ "type": "output_matches" }),
        serde_json::json!({ "pattern": "ok" }),
        serde_json::json!({}),
        serde_json::json!(null),
        serde_json::json!("evaluator_pass"),
    ]);
    leaf.prop_recursive(10, 32, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from);
        let value = prop_oneof![
            4 => list.prop_map(|list| vec![list]),
            2 => inner.prop_map(|inner| vec![inner]),
            2 => (-1..4_i64).prop_map(|number| vec![number.into()]),
        ];
        let key = prop::sample::select(vec!["all", "any", "at_least", "of", "not", "type"]);
        prop_oneof![
            2 => prop::collection::vec((key, value.clone()), 1..3).prop_map(|entries| {
                entries.into_iter().map(|(key, mut value)| (key.to_owned(), value.remove(0))).collect()
            }),
            1 => (1..4_i64, value).prop_map(|(needed, mut of)| {
                serde_json::json!({ "at_least": needed, "of": of.remove(0) })
            }),
        ]
    })
}

fn put(manifest: &mut serde_json::Value, path: &str, value: Option<serde_json::Value>) {
    let Some(object) = manifest.as_object_mut() else { return };
    match (path.split_once('.'), value) {
        (Some((name, rest)), value) => {
            put(object.entry(name).or_insert_with(|| serde_json::json!({})), rest, value);
        }
        (None, Some(value)) => drop(object.insert(path.to_owned(), value)),
        (None, None) => drop(object.remove(path)),
    }
}

/// Formats the manifest as TOML. Values that TOML cannot express become invalid TOML.
fn in_toml(manifest: &serde_json::Value) -> String {
    let Some(entries) = manifest.as_object() else { return toml_value(manifest) };
    entries.iter().map(|(key, value)| format!("{} = {}\n", toml_text(key), toml_value(value))).collect()
}

fn toml_value(value: &serde_json::Value) -> String {
    let list = |items: Vec<String>| items.join(", ");
    match value {
        serde_json::Value::String(text) => toml_text(text),
        serde_json::Value::Array(items) => format!("[{}]", list(items.iter().map(toml_value).collect())),
        serde_json::Value::Object(entries) => {
            let entry = |(key, value): (&String, _)| format!("{} = {}", toml_text(key), toml_value(value));
            format!("{{ {} }}", list(entries.iter().map(entry).collect()))
        }
        null_flag_or_number => null_flag_or_number.to_string(),
    }
}

/// Formats text as JSON does, and escapes one more character for TOML.
fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_value_is_taken_without_a_bound(manifest in any_manifest()) {
        let text = manifest.to_string();
        let files = [("loop.json", text.clone()), ("loop.yaml", text), ("loop.toml", in_toml(&manifest))];
        for (file, text) in files {
            if let Ok(loaded) = load(file, text) {
                let written = manifest["guardrails"]["max_iterations"].as_u64();
                prop_assert_eq!(Some(loaded.plan.limits.max_iterations.get()), written);
            }
        }
    }

    #[test]
    fn what_is_taken_is_written_by_no_tool_unasked(manifest in any_manifest()) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path(), ActionPolicy::default()).unwrap();
        let text = manifest.to_string();
        for (file, text) in [("a.json", text.clone()), ("a.yaml", text), ("a.toml", in_toml(&manifest))] {
            if load(file, text.as_str()).is_ok() {
                prop_assert!(workspace.check_write(file, text.as_bytes()).is_err(), "{}", text);
            }
        }
    }

    #[test]
    fn what_is_taken_as_json_is_taken_in_every_format_and_means_the_same(manifest in any_manifest()) {
        let text = serde_json::to_string_pretty(&manifest).unwrap();
        if let Ok(json) = load("loop.json", text.as_str()) {
            // TOML has no null, which metadata may contain.
            let toml = (!has_null(&manifest)).then(|| ("loop.toml", in_toml(&manifest)));
            for (file, text) in [("loop.yaml", text)].into_iter().chain(toml) {
                let other = load(file, text).unwrap();
                prop_assert_eq!(format!("{:?}", other.plan), format!("{:?}", json.plan));
            }
        }
    }

    #[test]
    fn what_is_refused_as_json_is_refused_in_every_format(manifest in any_manifest()) {
        if load("loop.json", manifest.to_string()).is_err() {
            prop_assert!(load("loop.yaml", manifest.to_string()).is_err());
            prop_assert!(load("loop.toml", in_toml(&manifest)).is_err());
        }
    }

    #[test]
    fn the_schema_takes_what_the_validator_takes(manifest in any_manifest()) {
        match load("loop.json", manifest.to_string()) {
            Ok(_) => prop_assert!(schema::takes(&manifest)),
            Err(problems) if schema::takes(&manifest) => {
                let said = problems.to_string();
                prop_assert!(schema::is_beyond(&said), "{}", said);
            }
            Err(_) => {}
        }
    }

    #[test]
    fn text_arrives_as_it_was_written(goal in any::<String>()) {
        let mut manifest: serde_json::Value = serde_json::from_str(JSON).unwrap();
        manifest["goal"] = goal.clone().into();
        let taken = load("loop.json", manifest.to_string());
        if goal.trim().is_empty() {
            prop_assert!(taken.is_err());
        } else {
            prop_assert_eq!(taken.unwrap().plan.goal, goal);
        }
    }

    #[test]
    fn no_text_is_too_strange_to_be_answered(cut in any::<prop::sample::Index>(), middle in any::<String>()) {
        for (file, text) in [("loop.json", JSON), ("loop.yaml", super::YAML), ("loop.toml", TOML)] {
            let at = cut.index(text.len());
            let strange = [&text.as_bytes()[..at], middle.as_bytes(), &text.as_bytes()[at..]].concat();
            if let Err(problems) = load(file, strange) {
                prop_assert!(problems.to_string().starts_with("error: "));
            }
        }
    }

    #[test]
    fn no_bytes_are_too_strange_to_be_answered(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        for file in ["loop.json", "loop.yaml", "loop.toml", "loop"] {
            if let Err(problems) = load(file, bytes.clone()) {
                prop_assert!(problems.to_string().ends_with('\n'));
            }
        }
    }
}
