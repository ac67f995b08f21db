//! The action of a job, as arguments of this program and in words.

use std::time::Duration;

use loop_schedule::JobAction;

use crate::view::text;

/// Returns the arguments with which this program carries out an action. The run ends by itself, asks nobody, and prints
/// its record last.
pub(crate) fn arguments(action: &JobAction, prompt: &str) -> Vec<String> {
    match action {
        JobAction::Manifest { path } => words(&["run", "--non-interactive", "--json", "--", path]),
        JobAction::Agent { command, max_seconds } => {
            let time = format!("{max_seconds}s");
            // That the agent ended is all that can be known of a prompt without a check.
            let loop_of_one = ["run", "--quiet", "--json", "--max", "1", "--check", "true", "--max-time"];
            let mut words = words(&loop_of_one);
            words.extend([time, format!("--agent={command}"), format!("--goal={prompt}")]);
            words.push("--prompt={goal}".to_owned());
            words
        }
        JobAction::Model { model, max_seconds } => {
            let mut words = words(&["every", "1s", "--count", "1", "--quiet", "--json", "--for"]);
            words.push(format!("{max_seconds}s"));
            words.extend(model.iter().map(|model| format!("--model={model}")));
            // No flag begins with a space.
            let escape = if prompt.starts_with('-') { " " } else { "" };
            words.push(format!("{escape}{prompt}"));
            words
        }
    }
}

/// Returns whether an action is one prompt. People then want to see the reply, and not what is said of every run.
pub(crate) const fn is_prompt(action: &JobAction) -> bool {
    !matches!(action, JobAction::Manifest { .. })
}

/// Describes an action for people: `agent claude -p, for 1h 00m at most`.
pub(crate) fn describe(action: &JobAction) -> String {
    match action {
        JobAction::Manifest { path } => format!("manifest {path}"),
        JobAction::Agent { command, max_seconds } => {
            format!("agent {command}, for {} at most", time(*max_seconds))
        }
        JobAction::Model { model: Some(model), max_seconds } => {
            format!("model {model}, for {} at most", time(*max_seconds))
        }
        JobAction::Model { model: None, max_seconds } => {
            format!("the model of the settings, for {} at most", time(*max_seconds))
        }
    }
}

fn time(seconds: u64) -> String {
    text::duration(Duration::from_secs(seconds))
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
