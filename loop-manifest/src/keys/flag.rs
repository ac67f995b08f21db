//! Flags of the command line that say what a key says.

/// The flag that replaces the agent's command.
pub(crate) const AGENT: &str = "--agent";
/// The flag that names the model that works.
pub(crate) const MODEL: &str = "--model";
/// The flag that sets any key.
pub(crate) const SET: &str = "--set";
/// The flag that sets a variable.
pub(crate) const VAR: &str = "--var";

/// Each flag, and the equivalent key of a manifest.
pub(crate) const FLAGS: [(&str, &str); 21] = [
    (AGENT, "agent.command"),
    (MODEL, "agent.model"),
    ("--check", "evaluator.command"),
    ("--max", "guardrails.max_iterations"),
    ("--goal", "goal"),
    ("--prompt", "agent.prompt"),
    ("--max-cost", "guardrails.max_cost_usd"),
    ("--max-time", "guardrails.max_seconds"),
    ("--allow-unmetered", "guardrails.allow_unmetered"),
    ("--check-first", "check_first"),
    ("--no-check-first", "check_first"),
    ("--on-finish", "on_finish"),
    ("--file", "evaluator.plan.file"),
    ("--repairs", "evaluator.plan.repairs"),
    ("--keep-going", "evaluator.plan.keep_going"),
    ("--steps", "evaluator.plan.steps"),
    ("--files", "evaluator.pipeline.files"),
    ("--at-least", "evaluator.pipeline.at_least"),
    ("--accept-guess", "evaluator.pipeline.accept_guess"),
    ("--retries", "evaluator.pipeline.repeats"),
    ("--sandbox", "sandbox.enforce"),
];

/// Returns the flag with this name, if it can change a manifest.
pub(crate) fn named(name: &str) -> Option<&'static str> {
    [SET, VAR].into_iter().chain(FLAGS.map(|(flag, _)| flag)).find(|flag| *flag == name)
}

/// The path of the key that says the same as `name`, if that is a flag.
pub(crate) fn key(name: &str) -> Option<&'static str> {
    FLAGS.iter().find(|(flag, _)| *flag == name).map(|(_, path)| *path)
}

/// Returns the flag of `loop run` for the key at `path`, or `path` itself: `--set` changes the other keys.
pub fn flag(path: &'static str) -> &'static str {
    FLAGS.iter().find(|(_, key)| *key == path).map_or(path, |(flag, _)| flag)
}
