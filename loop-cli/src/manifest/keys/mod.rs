//! Every key that a manifest can have, and which of them somebody meant who wrote another one.
//!
//! A key that is accepted and does nothing is worse than an error: `max_iteration: 5` would be a
//! loop without its limit. So the keys are one table, and what is not in it is refused.

use super::nearest::closest;
use Need::{Optional, Planned, Required};

/// Whether a key has to stand in its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// The object is not complete without it.
    Required,
    /// It has a default.
    Optional,
    /// A later version takes it; until then it is refused, with this advice.
    Planned(&'static str),
}

/// A key, by its path from the top of the manifest.
#[derive(Debug)]
pub(crate) struct Key {
    /// With dots between the objects: `agent.command`.
    pub(crate) path: &'static str,
    pub(crate) need: Need,
    /// What it says, for a person who left it out.
    pub(crate) meaning: &'static str,
}

impl Key {
    /// The path of the object in which it stands; empty for the manifest itself.
    pub(crate) fn object(&self) -> &'static str {
        self.path.rsplit_once('.').map_or("", |(object, _)| object)
    }

    /// The key as it is written in its object.
    pub(crate) fn name(&self) -> &'static str {
        name(self.path)
    }
}

/// The last part of a path: the key as it is written in its object.
pub(crate) fn name(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, name)| name)
}

const fn key(path: &'static str, need: Need, meaning: &'static str) -> Key {
    Key { path, need, meaning }
}

/// The table, in the order in which a manifest is best read.
pub(crate) const KEYS: &[Key] = &[
    key("$schema", Optional, "the JSON Schema, for editors"),
    key("name", Optional, "the loop's name in records and summaries"),
    key("goal", Required, "what the loop has to reach, in a sentence"),
    key("agent", Required, "who does the work (`command`) and what it is told (`prompt`)"),
    key("agent.command", Required, "the shell command that runs the agent"),
    key("agent.prompt", Required, "what the agent is told in each iteration"),
    key("agent.format", Optional, "how the agent reports what it used"),
    key("agent.env", Optional, "the agent's environment variables"),
    key("agent.env.set", Optional, "variables to set, by name"),
    key("agent.env.pass", Planned("set a variable with `agent.env.set`"), "variables to let through"),
    key("agent.env.inherit", Planned("set variables with `agent.env.set`"), "where the environment begins"),
    key("agent.max_seconds", Planned("`guardrails.max_seconds` limits the whole run"), "time for one call"),
    key(
        "agent.max_silence_seconds",
        Planned("`guardrails.max_seconds` limits the whole run"),
        "time without output",
    ),
    key("evaluator", Required, "the check that says whether the goal is met (`command`)"),
    key("evaluator.command", Required, "the shell command that exits 0 when the goal is met"),
    key(
        "evaluator.max_seconds",
        Planned("`guardrails.max_seconds` limits the whole run"),
        "time for one check",
    ),
    key(
        "evaluator.score",
        Planned("let the command exit 0 when the score is good enough"),
        "a score to read",
    ),
    key("stop_condition", Optional, "when the goal is met"),
    key("stop_condition.type", Optional, "what is asked of the check"),
    key("stop_condition.pattern", Optional, "what the check's output has to match"),
    key("guardrails", Required, "the limits of the run (`max_iterations` at least)"),
    key(
        "guardrails.max_iterations",
        Required,
        "how many times the agent may run at most; every loop needs this",
    ),
    key("guardrails.max_cost_usd", Optional, "dollars that the run may cost"),
    key("guardrails.max_seconds", Optional, "seconds that the run may take"),
    key("guardrails.max_tokens", Optional, "tokens that the run may use"),
    key("guardrails.max_consecutive_failures", Optional, "failed iterations in a row"),
    key("guardrails.hitl_checkpoint", Optional, "when a person is asked"),
    key("guardrails.allow_unmetered", Optional, "accept limits that cannot be measured"),
    key("pace", Optional, "how fast iterations follow each other"),
    key("pace.every_seconds", Optional, "the delay between iterations, in seconds"),
    key("feedback", Optional, "what one iteration tells the next"),
    key("feedback.max_bytes", Optional, "bytes that a placeholder may bring into the prompt"),
    key("resume", Planned("every run begins with its first iteration"), "how a run that was cut off goes on"),
];

/// What the key at `path` says.
pub(crate) fn meaning(path: &str) -> &'static str {
    KEYS.iter().find(|key| key.path == path).map_or("", |key| key.meaning)
}

/// Whether the key at `path` may be left out.
pub(crate) fn is_optional(path: &str) -> bool {
    KEYS.iter().all(|key| key.path != path || key.need != Required)
}

/// The keys that this version takes in the object at `object`, as a list for a message.
pub(crate) fn list(object: &str) -> String {
    let taken = of_object(object).filter(|key| !matches!(key.need, Planned(_)));
    let names: Vec<_> = taken.map(|key| format!("`{}`", key.name())).collect();
    names.join(", ")
}

/// The keys of the object at `object`.
pub(crate) fn of_object(object: &str) -> impl Iterator<Item = &'static Key> {
    KEYS.iter().filter(move |key| key.object() == object)
}

/// The key that was probably meant by `written` in the object at `object`; one of another object if
/// none of its own is near.
pub(crate) fn nearest(object: &str, written: &str) -> Option<&'static Key> {
    let (own, others): (Vec<_>, Vec<_>) = KEYS.iter().partition(|key| key.object() == object);
    closest(written, own, Key::name).or_else(|| closest(written, others, Key::name))
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
    fn a_strange_word_is_traced_to_nothing() {
        assert_eq!(meant("", "colour"), None);
        assert_eq!(meant("guardrails", "x"), None);
    }
}
