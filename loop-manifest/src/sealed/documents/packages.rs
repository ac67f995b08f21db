//! The documents of npm.

use serde::Serialize as _;
use serde_json::{Map, Value};

use super::PACKAGE_KEYS;

type Object = Map<String, Value>;

/// Puts the scripts, the configuration of tests and the `devDependencies` of the start into a `package.json`.
pub(super) fn package(first: Option<&str>, text: &str) -> Option<String> {
    let first = parse(first)?;
    let mut judged: Object = serde_json::from_str(text).ok()?;
    for key in PACKAGE_KEYS {
        match first.get(*key) {
            Some(value) => judged.insert((*key).to_owned(), value.clone()),
            None => judged.shift_remove(*key),
        };
    }
    let before = first.get("devDependencies").and_then(Value::as_object);
    if let Some(Value::Object(now)) = judged.get_mut("devDependencies") {
        now.extend(before.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
    } else if let Some(before) = before {
        judged.insert("devDependencies".to_owned(), before.clone().into());
    }
    formatted(&judged, text)
}

/// Puts the tools of the start into a `package-lock.json`: the packages that only development needs, and the sources of
/// the same versions.
pub(super) fn lock(first: Option<&str>, text: &str) -> Option<String> {
    let first = parse(first)?;
    let mut judged: Object = serde_json::from_str(text).ok()?;
    for key in ["packages", "dependencies"] {
        let before = first.get(key).and_then(Value::as_object);
        if let (Some(before), Some(Value::Object(now))) = (before, judged.get_mut(key)) {
            put_tools(before, now);
        }
    }
    formatted(&judged, text)
}

fn put_tools(before: &Object, now: &mut Object) {
    let is_tool = |entry: &Value| entry["dev"] == true;
    let tools: Vec<_> = before.iter().filter(|(_, entry)| is_tool(entry)).map(|(name, _)| name).collect();
    let is_inside = |name: &str| {
        let is_below =
            |tool: &&String| name.strip_prefix(tool.as_str()).is_some_and(|rest| rest.starts_with('/'));
        tools.iter().any(is_below)
    };
    now.retain(|name, _| before.contains_key(name) || !is_inside(name));
    for (name, entry) in before.iter().filter(|(name, _)| !name.is_empty()) {
        let is_same_version = now.get(name).is_some_and(|now| now["version"] == entry["version"]);
        if is_tool(entry) || is_same_version {
            now.insert(name.clone(), entry.clone());
        }
    }
}

/// Restores the entries of `exports` that led to files of the check. Returns `None` if no entry did.
pub(super) fn exports(first: &str, text: &str, judges: impl Fn(&str) -> bool) -> Option<String> {
    let mut judged: Object = serde_json::from_str(text).ok()?;
    let first = parse(Some(first))?;
    let before = first.get("exports")?;
    let is_judging = |entry: &Value| targets(entry).iter().any(|target| judges(target));
    let kept: Object = match before {
        Value::Object(entries) if entries.keys().all(|key| key.starts_with('.')) => entries
            .iter()
            .filter(|(_, entry)| is_judging(entry))
            .map(|(key, entry)| (key.clone(), entry.clone()))
            .collect(),
        _ if is_judging(before) => Map::from_iter([(".".to_owned(), before.clone())]),
        _ => Map::new(),
    };
    if kept.is_empty() {
        return None;
    }
    let mut now = match judged.remove("exports") {
        Some(Value::Object(entries)) if entries.keys().all(|key| key.starts_with('.')) => entries,
        Some(other) => Map::from_iter([(".".to_owned(), other)]),
        None => Map::new(),
    };
    now.extend(kept);
    judged.insert("exports".to_owned(), now.into());
    formatted(&judged, text)
}

/// Returns the paths in an entry of `exports` or `imports`, which can depend on conditions.
pub(in super::super) fn targets(entry: &Value) -> Vec<&str> {
    match entry {
        Value::String(target) => vec![target],
        Value::Array(entries) => entries.iter().flat_map(targets).collect(),
        Value::Object(entries) => entries.values().flat_map(targets).collect(),
        _ => Vec::new(),
    }
}

fn parse(text: Option<&str>) -> Option<Object> {
    text.map_or_else(|| Some(Map::new()), |text| serde_json::from_str(text).ok())
}

/// Writes an object with the indentation and the end of `text`.
fn formatted(object: &Object, text: &str) -> Option<String> {
    let indented = text.lines().find(|line| line.starts_with([' ', '\t']));
    let indent = indented.map_or("  ", |line| &line[..line.len() - line.trim_start().len()]);
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
    object.serialize(&mut serde_json::Serializer::with_formatter(&mut out, formatter)).ok()?;
    out.extend(text.ends_with('\n').then_some(b'\n'));
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn names_of_files_that_judge_lead_where_they_led() {
        let judges = |target: &str| target.contains("helper");
        for (first, judged, expected) in [
            (
                json!({"./a": "./a.js", "./kit": {"default": "./helper.js"}}),
                json!({"./a": "./b.js", "./kit": "./b.js"}),
                Some(json!({"./a": "./b.js", "./kit": {"default": "./helper.js"}})),
            ),
            (json!("./helper.js"), json!("./a.js"), Some(json!({".": "./helper.js"}))),
            (json!({"./kit": "./helper.js"}), Value::Null, Some(json!({"./kit": "./helper.js"}))),
            (json!({"./a": "./a.js"}), json!({"./a": "./b.js"}), None),
        ] {
            let mut package = json!({"name": "app", "exports": judged});
            if judged.is_null() {
                package = json!({"name": "app"});
            }
            let kept = exports(&json!({"exports": first}).to_string(), &package.to_string(), judges);
            let kept = kept.map(|text| serde_json::from_str::<Value>(&text).unwrap()["exports"].clone());
            assert_eq!(kept, expected, "{first} {judged}");
        }
    }

    #[test]
    fn a_tool_of_the_start_is_installed_from_where_it_was() {
        let first = json!({"packages": {
            "": {"name": "app"},
            "node_modules/kit": {"version": "1.0.0", "resolved": "https://r/kit.tgz", "dev": true},
            "node_modules/used": {"version": "1.0.0", "resolved": "https://r/used.tgz"},
            "node_modules/moved": {"version": "1.0.0"},
        }});
        let judged = json!({"packages": {
            "": {"name": "app", "dependencies": {"new": "1"}},
            "node_modules/kit": {"version": "2.0.0", "resolved": "file:fake.tgz"},
            "node_modules/kit/node_modules/part": {"version": "1.0.0"},
            "node_modules/used": {"version": "1.0.0", "resolved": "file:fake.tgz"},
            "node_modules/moved": {"version": "2.0.0"},
            "node_modules/new": {"version": "1.0.0"},
        }});
        let merged = lock(Some(&first.to_string()), &judged.to_string()).unwrap();
        let merged: Value = serde_json::from_str(&merged).unwrap();
        let expected = json!({"packages": {
            "": {"name": "app", "dependencies": {"new": "1"}},
            "node_modules/kit": {"version": "1.0.0", "resolved": "https://r/kit.tgz", "dev": true},
            "node_modules/used": {"version": "1.0.0", "resolved": "https://r/used.tgz"},
            "node_modules/moved": {"version": "2.0.0"},
            "node_modules/new": {"version": "1.0.0"},
        }});
        assert_eq!(merged, expected);
    }
}
