//! Every key of a manifest, and suggestions for misspelt ones.
//!
//! A key that is accepted and does nothing is worse than an error: `max_iteration: 5` would be a
//! loop without its limit. So the keys are one table, and what is not in it is refused.

pub(crate) mod flag;
mod key;
mod other_tools;
mod shape;
mod table;
mod words;

use crate::{
    document::{Node, ObjectEntry, Value},
    nearest::closest,
};
use KeyRequirement::{Required, Unless};
pub(crate) use key::{Key, KeyRequirement, name};
pub(crate) use other_tools::advice;
pub(crate) use shape::{CONDITION, Sample, Shape, time_or};
pub(crate) use table::all;

/// The path of a key, as it is written in the object at `object`.
pub(crate) fn within<'a>(path: &'a str, object: &str) -> &'a str {
    path.strip_prefix(object).map_or(path, |rest| rest.trim_start_matches('.'))
}

/// Splits a path, as the command line has it, into keys. The names that a user chooses may contain dots.
pub(crate) fn parts(path: &str) -> Vec<&str> {
    let named = all().filter(|key| matches!(key.shape, Shape::Texts(_) | Shape::Variables));
    let named =
        named.filter_map(|key| Some((key.path, path.strip_prefix(key.path)?.strip_prefix('.')?))).next();
    match named {
        Some((object, name)) => object.split('.').chain([name]).collect(),
        None => path.split('.').collect(),
    }
}

/// Returns the allowed values at the path with these parts, if there is such a key.
pub(crate) fn shape(parts: &[&str]) -> Option<Shape> {
    let mut found: Option<&Key> = None;
    for part in parts {
        let object = match found.map(|key| (key.path, key.shape)) {
            None => "",
            Some((_, Shape::Condition)) => "stop_condition",
            Some((_, Shape::Texts(_) | Shape::Variables)) => return Some(Shape::Text),
            Some((_, table @ Shape::Table)) => return Some(table),
            Some((path, _)) => path,
        };
        found = Some(of_object(object).find(|key| key.name() == *part)?);
    }
    found.map(|key| key.shape)
}

/// Returns the meaning of the key at `path`, or of the flag with this name.
pub(crate) fn meaning(path: &str) -> &'static str {
    find(path).map_or("", |key| key.meaning)
}

/// Returns whether the key at `path`, or the flag with this name, is optional.
pub(crate) fn is_optional(path: &str) -> bool {
    find(path).is_none_or(|key| !matches!(key.requirement, Required | Unless(_)))
}

/// Returns the allowed words of the key at `path`, as a list for a message, if it takes words.
pub(crate) fn words(path: &str) -> Option<String> {
    let (Shape::OneOf(words) | Shape::WordOrTexts(words, _)) = find(path)?.shape else { return None };
    Some(words.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(", "))
}

fn find(name: &str) -> Option<&'static Key> {
    let path = flag::key(name).unwrap_or(name);
    all().find(|key| key.path == path)
}

/// The keys in the object at `object`, as a list for a message.
pub(crate) fn list(object: &str) -> String {
    let names: Vec<_> = of_object(object).map(|key| format!("`{}`", key.name())).collect();
    names.join(", ")
}

/// The keys of the object at `object`.
pub(crate) fn of_object(object: &str) -> impl Iterator<Item = &'static Key> {
    all().filter(move |key| key.object() == object)
}

/// Replaces a word that is short for an object by that object, if the key at `path` has such words.
pub(crate) fn spell_out(path: &str, node: &mut Node) {
    let has_words = find(path).is_some_and(|key| matches!(key.shape, Shape::WordOrObject(_)));
    if has_words && matches!(node.value, Value::Text(_)) {
        let entry = ObjectEntry {
            key: "mode".to_owned(),
            key_span: node.span.clone(),
            node: node.clone(),
            flag: None,
        };
        node.value = Value::Object(vec![entry]);
    }
}

/// Returns whether a manifest has this key at its top level.
pub(crate) fn is_key(name: &str) -> bool {
    of_object("").any(|key| key.path == name)
}

/// The key that was probably meant by `written` in the object at `object`: one that looks like it, or that is called so
/// by other tools. It is one of another object only if none of its own fits. Returns `None` if
/// we have [advice](other_tools::advice) instead of a key.
pub(crate) fn nearest(object: &str, written: &str) -> Option<&'static Key> {
    let (own, others): (Vec<_>, Vec<_>) = all().partition(|key| key.object() == object);
    let synonym = other_tools::synonym(written);
    if synonym.is_none() && other_tools::advice(written).is_some() {
        return None;
    }
    let is_synonym = |key: &&Key| Some(key.name()) == synonym;
    let misspelt = if synonym.is_none() { other_tools::misspelt_synonym(written) } else { None };
    let is_near = |key: &&Key| Some(key.name()) == misspelt;
    // Several objects have limits. Without one of them, the limit of the whole run is meant.
    let of_run =
        || others.iter().find(|key| (is_synonym(key) || is_near(key)) && key.object() == "guardrails");
    // `env.FOO`, as TOML has it. Most people want to set a variable.
    if object.is_empty() && written.split('.').next() == Some("env") {
        return all().find(|key| key.path == "agent.env.set");
    }
    let first = written.split_once('.').map_or(written, |(first, _)| first);
    own.iter()
        .find(|key| is_synonym(key))
        .copied()
        .or_else(|| closest(written, own.iter().copied(), Key::name))
        .or_else(|| own.iter().find(|key| is_near(key)).copied())
        .or_else(|| of_run().or_else(|| others.iter().find(|key| is_synonym(key) || is_near(key))).copied())
        // Every letter looks like a name of one letter.
        .or_else(|| closest(first, others.into_iter().filter(|key| key.name().len() > 1), Key::name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(object: &str, written: &str) -> Option<&'static str> {
        nearest(object, written).map(|key| key.path)
    }

    #[test]
    fn a_slip_is_traced_to_the_key_of_the_same_object() {
        assert_eq!(meant("guardrails", "max_iteration"), Some("guardrails.max_iterations"));
        assert_eq!(meant("guardrails", "maxIterations"), Some("guardrails.max_iterations"));
        assert_eq!(meant("guardrails", "max-cost"), Some("guardrails.max_cost_usd"));
        assert_eq!(meant("agent", "comand"), Some("agent.command"));
        assert_eq!(meant("evaluator", "cmmand"), Some("evaluator.command"));
    }

    #[test]
    fn a_key_in_the_wrong_object_is_traced_to_its_own() {
        assert_eq!(meant("", "max_iteration"), Some("guardrails.max_iterations"));
        assert_eq!(meant("evaluator", "prompt"), Some("agent.prompt"));
    }

    #[test]
    fn the_words_of_other_tools_are_known() {
        for (object, written, path) in [
            ("agent", "timeout", "agent.max_seconds"),
            ("evaluator", "timeout", "evaluator.max_seconds"),
            ("agent", "timout", "agent.max_seconds"),
            ("", "time-out", "guardrails.max_seconds"),
            ("guardrails", "max-time", "guardrails.max_seconds"),
            ("", "timeout", "guardrails.max_seconds"),
            ("", "budget", "guardrails.max_cost_usd"),
            ("", "check", "evaluator"),
            ("agent", "cmd", "agent.command"),
            ("agent", "system_prompt", "agent.system"),
            ("", "env.FOO", "agent.env.set"),
            ("", "env", "agent.env.set"),
            ("", "hooks", "on_finish"),
            ("", "on-failure", "on_finish"),
            ("agent", "notify", "on_finish"),
            ("agent", "allowed_tools", "agent.tools"),
        ] {
            assert_eq!(meant(object, written), Some(path), "{object} {written}");
        }
    }

    #[test]
    fn a_strange_word_is_traced_to_nothing() {
        assert_eq!(meant("", "colour"), None);
        assert_eq!(meant("guardrails", "x"), None);
        assert_eq!(meant("agent", "cwd"), None);
    }
}
