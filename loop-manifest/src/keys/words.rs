//! The allowed words of keys, with their meanings.

use loop_agents::usage::Format;

/// Of `agent.env.inherit`.
pub(super) const ENVIRONMENTS: &[(&str, &str)] = &[
    ("all", "With the user's variables, without those that look like secrets."),
    ("none", "With nothing, not even PATH and HOME; what is passed or set is all there is."),
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
        Format::Text => "The agent prints text. What it uses is unknown.",
        Format::UsageFile => {
            "The agent prints text, and appends what it uses, as lines of JSON, to the file that the \
             environment variable LOOP_USAGE_FILE names."
        }
        Format::ClaudeStreamJson => "What `claude -p --output-format stream-json --verbose` prints.",
        Format::CodexJson => "What `codex exec --json` prints. Its cost is known only with `agent.model`.",
        Format::GeminiJson => "What `gemini --output-format json` or `stream-json` prints.",
        Format::OpencodeJson => "What `opencode run --format json` prints.",
        Format::PiJson => "What `pi -p --mode json` prints.",
        // The library may know more; a test sees to it that this page knows them, too.
        _ => "",
    }
}

/// Of `stop_condition.type`.
pub(super) const CONDITIONS: &[(&str, &str)] = &[
    ("evaluator_pass", "The goal is met when the evaluator exits 0."),
    ("output_matches", "The goal is met when the evaluator exits 0 and its output matches `pattern`."),
];

/// Of `resume`.
pub(super) const RESUMES: &[(&str, &str)] = &[
    ("rerun", "The iteration is run again."),
    ("ask", "A person is asked first; where nobody can be asked, the run halts."),
    ("halt", "The run halts; `loop resume` a second time runs the iteration again."),
];
