//! Findings about the keys of an object: unknown, missing or duplicate ones.

use std::collections::HashMap;

use super::{
    diagnostics::{Diagnostic, Span},
    document::{Node, ObjectEntry, Value},
    keys::{self, Key, KeyRequirement, Shape},
    nearest,
};

/// Returns the finding for a missing key.
pub(crate) fn missing(key: &Key, place: Span) -> Diagnostic {
    let label = match key.object() {
        "" => format!("this manifest has no `{}`", key.name()),
        object => format!("`{object}` has no `{}`", key.name()),
    };
    let finding = Diagnostic::error(format!("`{}` is missing", key.path)).at(place, label);
    let or = match key.requirement {
        KeyRequirement::Unless(others) => {
            let or = |other: &&str| {
                format!(", or `{}`: {}", keys::within(other, key.object()), keys::meaning(other))
            };
            others.iter().map(or).collect()
        }
        _ => String::new(),
    };
    finding.help(format!("add `{}`: {}{or}", key.name(), key.meaning))
}

/// Reports keys that appear twice in one object.
pub(crate) fn report_duplicates(entries: &[ObjectEntry], problems: &mut Vec<Diagnostic>) {
    let mut first: HashMap<&str, &ObjectEntry> = HashMap::new();
    for entry in entries {
        let Some(earlier) = first.get(entry.key.as_str()) else {
            first.insert(&entry.key, entry);
            continue;
        };
        let finding = Diagnostic::error(format!("`{}` appears here twice", entry.key))
            .at(entry.key_span.clone(), "the second time")
            .at(earlier.key_span.clone(), "the first time");
        problems.push(finding.help("keep one of them"));
    }
}

/// Reports keys that appear twice in one object, for all objects in a value.
pub(crate) fn report_all_duplicates(node: &Node, problems: &mut Vec<Diagnostic>) {
    match &node.value {
        Value::Object(entries) => {
            report_duplicates(entries, problems);
            entries.iter().for_each(|entry| report_all_duplicates(&entry.node, problems));
        }
        Value::List(nodes) => nodes.iter().for_each(|node| report_all_duplicates(node, problems)),
        _ => {}
    }
}

/// Returns the finding for an unknown key. `meant` is the nearest known one.
pub(crate) fn unknown(object: &str, entry: &ObjectEntry, meant: Option<&Key>) -> Diagnostic {
    let (place, taker) = if object.is_empty() {
        (String::new(), "a manifest".to_owned())
    } else {
        (format!(" in `{object}`"), format!("`{object}`"))
    };
    let label = match meant {
        Some(key) if key.object() == object => nearest::suggestion(Some(key.name())),
        Some(key) if key.object().is_empty() => {
            format!("did you mean `{}` at the top of the manifest?", key.name())
        }
        elsewhere => nearest::suggestion(elsewhere.map(|key| key.path)),
    };
    let finding = Diagnostic::error(format!("unknown key `{}`{place}", entry.key))
        .at(entry.key_span.clone(), label)
        .note(format!("{taker} takes {}", keys::list(object)));
    if let Some(advice) = keys::advice(&entry.key) {
        return finding.help(advice);
    }
    match keys::of_object(object).find(|key| matches!(key.shape, Shape::Texts(_))) {
        Some(named) if meant.is_none() => {
            finding.help(format!("to set `{}`, write it in `{}`", entry.key, named.path))
        }
        _ => finding,
    }
}
