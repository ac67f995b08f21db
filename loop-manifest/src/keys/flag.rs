//! Flags of the command line that say what a key says.

pub(crate) const AGENT: &str = "--agent";
pub(crate) const CHECK: &str = "--check";
pub(crate) const MAX: &str = "--max";
pub(crate) const GOAL: &str = "--goal";
pub(crate) const PROMPT: &str = "--prompt";
pub(crate) const MAX_COST: &str = "--max-cost";
pub(crate) const MAX_TIME: &str = "--max-time";
pub(crate) const ALLOW_UNMETERED: &str = "--allow-unmetered";

/// Each flag, and the equivalent key of a manifest.
pub(crate) const FLAGS: [(&str, &str); 8] = [
    (AGENT, "agent.command"),
    (CHECK, "evaluator.command"),
    (MAX, "guardrails.max_iterations"),
    (GOAL, "goal"),
    (PROMPT, "agent.prompt"),
    (MAX_COST, "guardrails.max_cost_usd"),
    (MAX_TIME, "guardrails.max_seconds"),
    (ALLOW_UNMETERED, "guardrails.allow_unmetered"),
];

/// The path of the key that says the same as `name`, if that is a flag.
pub(crate) fn key(name: &str) -> Option<&'static str> {
    FLAGS.iter().find(|(flag, _)| *flag == name).map(|(_, path)| *path)
}

/// Returns the flag that corresponds to the key at `path` in a loop from flags. Keys without a flag need a manifest.
pub fn flag(path: &'static str) -> &'static str {
    FLAGS.iter().find(|(_, key)| *key == path).map_or(path, |(flag, _)| flag)
}
