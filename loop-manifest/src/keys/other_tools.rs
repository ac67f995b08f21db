//! Words of other tools: the names of our keys for the same things, or advice where we have no key.

/// Words of other tools, and the names of our keys for the same things.
pub(super) const SYNONYMS: &[(&[&str], &str)] = &[
    (&["timeout", "max_time", "time_limit", "deadline", "max_duration", "duration"], "max_seconds"),
    (&["idle_timeout", "inactivity_timeout", "max_idle"], "max_silence_seconds"),
    (
        &["budget", "max_budget", "max_budget_usd", "cost_limit", "max_dollars", "max_usd", "max_spend"],
        "max_cost_usd",
    ),
    (
        &[
            "max",
            "iterations",
            "max_iters",
            "iters",
            "max_loops",
            "max_rounds",
            "max_turns",
            "max_attempts",
            "max_steps",
            "max_runs",
            "count",
            "times",
            "repeat",
            "loops",
            "attempts",
            "turns",
        ],
        "max_iterations",
    ),
    (&["token_limit", "max_output_tokens", "tokens"], "max_tokens"),
    (&["max_failures", "max_errors", "max_retries", "retries", "retry"], "max_consecutive_failures"),
    (&["checkpoint", "approval", "human"], "hitl_checkpoint"),
    (&["cmd", "run", "exec", "script", "shell"], "command"),
    (&["check", "test", "tests", "verify", "verifier"], "evaluator"),
    (&["system_prompt"], "system"),
    (&["allowed_tools", "permissions"], "tools"),
    (&["instructions", "task", "message"], "prompt"),
    (&["objective", "description"], "goal"),
    (&["title", "id"], "name"),
    (&["llm"], "model"),
    (&["output_format"], "format"),
    (&["environment", "variables", "environ"], "env"),
    (&["parameters", "params", "inputs"], "vars"),
    (&["until", "done_when", "stop_when", "stop", "success", "exit_condition"], "stop_condition"),
    (&["budgets"], "guardrails"),
    (&["delay", "backoff", "interval", "sleep", "wait", "pause", "cooldown"], "pace"),
    (
        &[
            "hook",
            "hooks",
            "notify",
            "notification",
            "notifications",
            "webhook",
            "callback",
            "after",
            "after_run",
            "after_script",
            "post",
            "post_run",
            "finally",
            "cleanup",
            "teardown",
            "on_complete",
            "on_completion",
            "on_done",
            "on_end",
            "on_exit",
            "on_stop",
            "on_success",
            "on_pass",
            "on_failure",
            "on_fail",
            "on_error",
        ],
        "on_finish",
    ),
];

/// Words of other tools that no key of ours replaces, and what to do instead.
const ADVICE: &[(&[&str], &str)] = &[
    (
        &[
            "cwd",
            "dir",
            "directory",
            "folder",
            "root",
            "workdir",
            "work_dir",
            "working_dir",
            "working_directory",
        ],
        "begin the command with `cd DIR &&`, or run the whole loop elsewhere with `--cwd DIR`",
    ),
    (&["args", "argv", "arguments", "flags", "cli_args", "extra_args"], "write the arguments in `command`"),
    (
        &["before", "before_run", "before_script", "on_start", "pre", "pre_run", "prepare"],
        "begin the agent's command with it, as in `SETUP && AGENT`",
    ),
    (
        &["cron", "every", "schedule"],
        "let `loop schedule add --cron EXPRESSION --run MANIFEST` run the manifest",
    ),
    (
        &["api_key", "apikey", "base_url", "endpoint", "provider"],
        "describe the model in `[models]` of your settings, and name it in `model`",
    ),
    (&["version", "kind", "api_version", "apiversion"], "remove it: manifests have no version"),
    (
        &["on_success", "on_pass", "on_failure", "on_fail", "on_error"],
        "`on_finish` runs after every ending, and `$LOOP_REASON` names it: `goal_met` is a success",
    ),
];

/// Flags of `loop run` that no key replaces.
const FLAGS: [&str; 8] =
    ["dry_run", "json", "keep_output", "no_journal", "non_interactive", "quiet", "show_output", "telemetry"];

/// Returns the spelling in which the tables have a word.
fn plain(written: &str) -> String {
    written.to_lowercase().replace('-', "_")
}

/// Returns the name of our key for what other tools call `written`.
pub(super) fn synonym(written: &str) -> Option<&'static str> {
    let plain = plain(written);
    SYNONYMS.iter().find(|(words, _)| words.contains(&&*plain)).map(|(_, name)| *name)
}

/// Returns the name of our key for what other tools call `written`, if one letter of that is wrong: `timout`.
pub(super) fn misspelt_synonym(written: &str) -> Option<&'static str> {
    /// In a shorter word, one other letter makes another word: `tests`, `texts`.
    const SHORTEST: usize = 6;
    let plain = plain(written);
    let is_near = |word: &&str| word.len() >= SHORTEST && strsim::osa_distance(&plain, word) == 1;
    SYNONYMS.iter().find(|(words, _)| words.iter().any(is_near)).map(|(_, name)| *name)
}

/// Returns what to do instead of writing a key with this name of another tool.
pub(crate) fn advice(written: &str) -> Option<String> {
    let plain = plain(written);
    let flag = || {
        FLAGS.contains(&&*plain).then(|| format!("give `loop run` the flag `--{}`", plain.replace('_', "-")))
    };
    ADVICE
        .iter()
        .find(|(words, _)| words.contains(&&*plain))
        .map(|(_, advice)| (*advice).to_owned())
        .or_else(flag)
}

#[cfg(test)]
mod tests {
    use super::{super::all, *};

    #[test]
    fn every_word_leads_to_a_key_and_is_none_itself() {
        let words = SYNONYMS.iter().flat_map(|(words, name)| words.iter().map(move |word| (*word, *name)));
        for (word, name) in words {
            assert!(all().any(|key| key.name() == name), "{name}");
            assert!(all().all(|key| key.name() != word || matches!(word, "shell" | "tests")), "{word}");
        }
        for word in ADVICE.iter().flat_map(|(words, _)| *words).chain(&FLAGS) {
            assert!(all().all(|key| key.name() != *word), "{word}");
            assert_eq!(plain(word), *word);
        }
    }
}
