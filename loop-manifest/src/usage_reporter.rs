//! Agents that can report their usage, and the flags that enable it.
//!
//! An agent without its flags prints text for a person, and a budget on it is a line in a file: nothing in
//! its output is read as usage, and nothing of it is an error.

use loop_agents::usage::{Format, USAGE_FILE_VARIABLE};
use loop_guardrails::policy::command::{SimpleCommand, simple_commands};

/// A program that can report, and how.
#[derive(Debug)]
pub(super) struct UsageReporter {
    /// The program's name.
    pub(super) program: &'static str,
    /// The output format with the flags.
    pub(super) format: Format,
    flags: &'static [Flag],
}

/// A flag by its names, with one of the values, if it takes one.
#[derive(Debug)]
struct Flag(&'static [&'static str], &'static [&'static str]);

/// From the programs' own help; the versions are those of the recordings in loop-agents.
const REPORTERS: [UsageReporter; 5] = [
    UsageReporter {
        program: "claude",
        format: Format::ClaudeStreamJson,
        // In print mode it refuses the stream unless it is verbose.
        flags: &[Flag(&["--output-format"], &["stream-json"]), Flag(&["--verbose"], &[])],
    },
    UsageReporter { program: "codex", format: Format::CodexJson, flags: &[Flag(&["--json"], &[])] },
    UsageReporter {
        program: "gemini",
        format: Format::GeminiJson,
        flags: &[Flag(&["--output-format", "-o"], &["json", "stream-json"])],
    },
    UsageReporter {
        program: "opencode",
        format: Format::OpencodeJson,
        flags: &[Flag(&["--format"], &["json"])],
    },
    UsageReporter { program: "pi", format: Format::PiJson, flags: &[Flag(&["--mode"], &["json"])] },
];

/// Returns the reporting programs that a shell command calls, each with whether its flags request reports.
pub(super) fn called(command: &str) -> Vec<(&'static UsageReporter, bool)> {
    let calls = simple_commands(command);
    let reports = |reporter: &UsageReporter| {
        let mut own = calls.iter().filter(|call| call.program == reporter.program).peekable();
        own.peek()?;
        // A program that is called twice, as in `claude --version && claude -p`, needs its flags only once.
        Some(own.any(|call| reporter.flags.iter().all(|flag| flag.stands_in(call))))
    };
    REPORTERS.iter().filter_map(|reporter| Some((reporter, reports(reporter)?))).collect()
}

/// The program of a check that costs what nobody will know: it can report, and nothing of a check is read but what it
/// appends to the usage file.
pub(super) fn uncounted(check: &str) -> Option<&'static str> {
    let (reporter, _) = called(check).into_iter().next().filter(|_| !check.contains(USAGE_FILE_VARIABLE))?;
    Some(reporter.program)
}

/// The program of a reviewing agent that costs what nobody will know: it can report and is not told to.
pub(super) fn without_usage_report(line: &str) -> Option<&'static UsageReporter> {
    let called = called(line);
    let reports = called.iter().any(|(_, reports)| *reports) || line.contains(USAGE_FILE_VARIABLE);
    called.into_iter().next().filter(|_| !reports).map(|(reporter, _)| reporter)
}

/// The format in which a shell command makes a program report, if it does.
pub(super) fn format(command: &str) -> Option<Format> {
    called(command).into_iter().find(|(_, reports)| *reports).map(|(reporter, _)| reporter.format)
}

/// The flag by which those of these programs that do not tell their model are given one.
pub(super) const MODEL: &str = "--model";

/// The model that a shell command gives to a program that does not tell it: it need not be written twice.
pub(super) fn model(command: &str) -> Option<String> {
    let silent = |call: &SimpleCommand| matches!(call.program.as_str(), "codex" | "opencode");
    simple_commands(command).iter().filter(|call| silent(call)).find_map(|call| {
        let words = &call.arguments;
        words.iter().enumerate().find_map(|(index, word)| match word.split_once('=') {
            Some((MODEL | "-m", model)) => Some(model.to_owned()),
            None if word == MODEL || word == "-m" => words.get(index + 1).cloned(),
            _ => None,
        })
    })
}

impl UsageReporter {
    /// Returns its command with the flags for reports.
    pub(super) fn reporting_command(&self) -> String {
        format!("{} {}", self.program, self.format.flags().unwrap_or_default())
    }
}

impl Flag {
    /// `--mode json` or `--mode=json`.
    fn stands_in(&self, call: &SimpleCommand) -> bool {
        let Self(names, values) = self;
        let words = &call.arguments;
        words.iter().enumerate().any(|(index, word)| {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word.as_str(), words.get(index + 1).map(String::as_str)),
            };
            names.contains(&name) && (values.is_empty() || value.is_some_and(|value| values.contains(&value)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reporter_is_known_by_its_flags_and_by_all_of_them() {
        let told = |command: &str| called(command).first().map(|(_, reports)| *reports);
        for command in [
            "claude -p --output-format stream-json --verbose",
            "claude -p --verbose --output-format=stream-json",
            "claude --version && claude -p --output-format stream-json --verbose",
            "codex exec --json -",
            "cd app && timeout 600 gemini -o json | tee log",
            "gemini --output-format stream-json",
            "opencode run --format json",
            "pi -p --mode json",
        ] {
            assert_eq!(told(command), Some(true), "{command}");
        }
        for command in [
            "claude -p --output-format stream-json",
            "claude -p --output-format json --verbose",
            "codex exec -",
            "gemini --output-format text",
            "opencode run json",
            "pi --mode text",
        ] {
            assert_eq!(told(command), Some(false), "{command}");
        }
        assert_eq!(told("aider --json"), None);
    }

    #[test]
    fn a_model_that_the_command_names_is_known() {
        for (command, expected) in [
            ("codex exec --json -m gpt-5 -", Some("gpt-5")),
            ("cd app && codex exec --model=gpt-5-mini --json -", Some("gpt-5-mini")),
            ("opencode run --model openai/gpt-5 --format json", Some("openai/gpt-5")),
            ("codex exec --json -", None),
            ("python -m json.tool", None),
            ("claude -p --model opus", None),
        ] {
            assert_eq!(model(command).as_deref(), expected, "{command}");
        }
    }

    #[test]
    fn the_words_that_the_library_advises_are_enough() {
        for reporter in &REPORTERS {
            assert!(
                matches!(called(&reporter.reporting_command())[..], [(found, true)] if found.format == reporter.format)
            );
        }
    }
}
