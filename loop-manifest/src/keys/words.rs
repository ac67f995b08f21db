//! The allowed words of keys, with their meanings.

use loop_agents::usage::Format;

/// Of `agent.env.inherit`.
pub(super) const ENVIRONMENTS: &[(&str, &str)] = &[
    ("all", "The user's variables, except those that look like secrets."),
    ("none", "No variables, not even PATH and HOME, except those that `pass` and `set` add."),
];

/// Of `agent.format`: the library's formats, in its order.
pub(super) const FORMATS: [(&str, &str); Format::ALL.len()] = {
    let mut words = [("", ""); Format::ALL.len()];
    let mut index = 0;
    while index < words.len() {
        let format = Format::ALL[index];
        words[index] = (format.name(), prints(format));
        index += 1;
    }
    words
};

const fn prints(format: Format) -> &'static str {
    match format {
        Format::Text => {
            "The agent prints text. Its usage is unknown unless it writes to the file that LOOP_USAGE_FILE \
             names. loop does not count on that: see `usage-file`."
        }
        Format::UsageFile => {
            "The agent prints text, and appends its usage, as lines of JSON, to the file that the environment \
             variable LOOP_USAGE_FILE names."
        }
        Format::ClaudeStreamJson => "The output of `claude -p --output-format stream-json --verbose`.",
        Format::CodexJson => "The output of `codex exec --json`. Its cost is known only with `agent.model`.",
        Format::GeminiJson => "The output of `gemini --output-format json` or `stream-json`.",
        Format::OpencodeJson => "The output of `opencode run --format json`.",
        Format::PiJson => "The output of `pi -p --mode json`.",
        // The library may know more; a test sees to it that this page knows them, too.
        _ => "",
    }
}

/// Of `stop_condition.type`.
pub(super) const CONDITIONS: &[(&str, &str)] = &[
    ("evaluator_pass", "The goal is met when the check passes."),
    ("output_matches", "The goal is met when the check passes and its output matches `pattern`."),
];

/// Of `shell`.
pub(super) const SHELLS: &[(&str, &str)] = &[
    ("auto", "A command that is only a program and its arguments starts without a shell."),
    ("always", "`/bin/sh` reads every command."),
];

/// Of `resume`.
pub(super) const RESUMES: &[(&str, &str)] = &[
    ("rerun", "The iteration runs again."),
    ("ask", "A person is asked first. Where nobody can be asked, the run halts."),
    ("halt", "The run halts. A second `loop resume` runs the iteration again."),
];

/// Of `sandbox.network`.
pub(super) const NETWORKS: &[(&str, &str)] = &[
    (
        "all",
        "TCP and UDP to any host. Unix sockets cannot be created, because a service behind one acts with its own \
         rights.",
    ),
    ("none", "No sockets at all, not even to this machine."),
];

/// Of `sandbox.enforce`.
pub(super) const ENFORCEMENTS: &[(&str, &str)] = &[
    ("require", "The run is refused, and the message names what is missing."),
    ("warn", "The run starts with the rest of the sandbox, and a warning names what is missing."),
];
/// Of `snapshots`.
pub(super) const SNAPSHOTS: &[(&str, &str)] = &[
    (
        "auto",
        "The run captures its folder, unless that has more than 200,000 files or 2 GB, or takes longer than 5 s.",
    ),
    ("on", "The run captures its folder. If the first capture fails, the run does not begin."),
    ("off", "The run captures nothing."),
];

/// Of `stagnation`.
pub(super) const STAGNATION: &[(&str, &str)] = &[
    ("auto", "On, if the check is a command and `pace.every_seconds` is 0."),
    ("off", "Nothing watches for it."),
];

/// Of `parallel.pick`.
pub(super) const PICKS: &[(&str, &str)] = &[
    ("first", "That of the first loop that meets the goal. The others end at once."),
    ("best", "That with the best score, once all loops have ended. Of equal ones, one that met the goal."),
];

/// Of `on_halt`.
pub(super) const ON_HALT: &[(&str, &str)] = &[
    ("keep", "The folder stays as it is."),
    ("restore_best", "The folder returns to the state after the iteration with the best score."),
    ("restore_start", "The folder returns to the state before the first iteration."),
];

/// Of `on_regression`.
pub(super) const ON_REGRESSION: &[(&str, &str)] = &[
    ("keep", "The folder stays as it is."),
    ("restore", "The folder returns to the best step before the next iteration."),
];

/// Of `agent.background`.
pub(super) const BACKGROUND: &[(&str, &str)] = &[
    ("note", "It is ended. The next prompt, the record and the summary name it."),
    (
        "wait",
        "It may go on for a minute, within the limits of the iteration. Then it is ended, as with `note`.",
    ),
    ("fail", "It is ended, and the iteration fails."),
];

/// Of `evaluator.min_tests`.
pub(super) const MIN_TESTS: &[(&str, &str)] = &[
    ("count", "As many as before the first iteration."),
    (
        "names",
        "As many as before the first iteration, and each of those by its name, if the output has names.",
    ),
    ("off", "Any number."),
];

/// Of `evaluator.on_protected_change`.
pub(super) const ON_PROTECTED_CHANGE: &[(&str, &str)] = &[
    ("restore", "loop puts them back into the folder, and tells the agent."),
    ("keep", "They stay in the folder."),
    ("halt", "The run ends with `protected_path_changed`."),
];

/// Of `evaluator.score.direction`.
pub(super) const DIRECTIONS: &[(&str, &str)] =
    &[("up", "Larger numbers are better."), ("down", "Smaller numbers are better.")];

/// Of `evaluator.plan.steps`.
pub(super) const STEPS: &[(&str, &str)] =
    &[("all", "All open steps, in their order."), ("next", "Only the next open step.")];
